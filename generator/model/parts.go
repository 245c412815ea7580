// This file loads a large file part by part, so that it need not fit in memory.

package model

import (
	"sync"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/generator/source/documents"
)

// inParts reads a large file of lines with all workers.
func (l *loader) inParts(i int) error {
	r, err := l.files[i].Open()
	if err != nil {
		return l.refuse(i, err)
	}
	defer r.Close()
	var mu sync.Mutex // guards the parts' reading and their number
	parts, number, allBlank := documents.NewParts(r), 0, true
	base := int64(0) // of the next part
	next := func(p *parser) (more bool, err error) {
		mu.Lock()
		text, err := parts.Next(p.input)
		p.input = text
		n, at := number, base
		number, base = number+1, base+int64(len(text))
		allBlank = allBlank && documents.Blank(text)
		mu.Unlock()
		if err != nil || len(text) == 0 {
			return false, err
		}
		if l.opts.Cache == nil {
			return true, l.part(p, i, n, at, text)
		}
		return true, l.keptPart(p, i, n, at, text)
	}
	group, ctx := parallel.NewGroup(l.ctx)
	for _, p := range l.parsers {
		group.Start(func() (err error) {
			for more := true; more && err == nil && ctx.Err() == nil; {
				more, err = next(p)
			}
			return err
		})
	}
	err = group.Wait()
	if err == nil && allBlank {
		err = documents.ErrEmpty
	}
	if err != nil {
		return l.refuse(i, err)
	}
	return nil
}
