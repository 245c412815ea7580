// This file holds sections on their way into the file. All fields of an environment
// are encoded side by side but written one after the other, so what waits may be as
// large as the file: beyond a size it waits outside of memory.

package snapshot

import "io"

// Spool is where bytes wait outside of memory. WriteTo is called once, after all that
// was to be written.
type Spool interface {
	io.Writer
	io.WriterTo
}

// spoolSize is how many bytes of a section wait in memory.
const spoolSize = 32 << 10

// part is a section of a field that is being encoded, or is ready to be written.
type part struct {
	kind  kind
	head  []byte // what comes first and is known last, or nil
	spool Spool  // what follows, or nil
	b     []byte // the last bytes, or all
	n     uint64 // bytes in spool
}

// len is the length of the section so far, without its head.
func (p *part) len() uint64 { return p.n + uint64(len(p.b)) }

// settle spools what is in memory once it is enough, if there is a way to.
func (p *part) settle(create func() Spool) error {
	if create == nil || len(p.b) < spoolSize {
		return nil
	}
	if p.spool == nil {
		p.spool = create()
	}
	n, err := p.spool.Write(p.b)
	p.n += uint64(n)
	p.b = p.b[:0]
	return err
}

// writeTo writes the section, and lets go of it.
func (p *part) writeTo(w io.Writer) error {
	if _, err := w.Write(p.head); err != nil {
		return err
	}
	if p.spool != nil {
		if _, err := p.spool.WriteTo(w); err != nil {
			return err
		}
	}
	_, err := w.Write(p.b)
	p.head, p.spool, p.b = nil, nil, nil
	return err
}
