// This file adds up the progress of a build.

package generator

import (
	"sync"

	"contentedge/generator/plan"
	"contentedge/generator/writer"
)

type tracker struct {
	mu     sync.Mutex
	p      Progress       // guarded by mu
	report func(Progress) // called under mu; may be nil
}

func (t *tracker) enter(s Stage) {
	t.update(func(p *Progress) { p.Stage = s })
}

func (t *tracker) read(items int) {
	t.update(func(p *Progress) { p.Read = items })
}

func (t *tracker) expect(summaries []plan.Summary) {
	t.update(func(p *Progress) {
		for i := range summaries {
			files, bytes := summaries[i].ListFiles()
			p.TotalItems += summaries[i].Items + summaries[i].UsedIn
			p.TotalPages += files
			p.TotalBytes += summaries[i].ItemBytes + summaries[i].UsedInBytes + bytes + summaries[i].MediaBytes
		}
	})
}

func (t *tracker) wrote(add writer.Progress) {
	t.update(func(p *Progress) {
		p.Items += add.Items
		p.Pages += add.Pages
		p.Bytes += add.Bytes
		p.Written += add.Written
	})
}

func (t *tracker) update(change func(*Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.p)
	if t.report != nil {
		t.report(t.p)
	}
}
