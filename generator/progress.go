// This file counts what a build has done and tells the caller.

package generator

import (
	"sync"

	"contentedge/generator/plan"
)

// tracker adds up the work of concurrent readers and writers.
type tracker struct {
	mu   sync.Mutex
	p    Progress       // guarded by mu
	tell func(Progress) // called under mu; may be nil
}

// enter begins a stage.
func (t *tracker) enter(s Stage) {
	t.update(func(p *Progress) { p.Stage = s })
}

// read notes how many items were read so far.
func (t *tracker) read(items int) {
	t.update(func(p *Progress) { p.Read = items })
}

// expect notes how much there is to write.
func (t *tracker) expect(sums []plan.Summary) {
	t.update(func(p *Progress) {
		for i := range sums {
			files, bytes := sums[i].ListFiles()
			p.TotalItems += sums[i].Items
			p.TotalPages += files
			p.TotalBytes += sums[i].ItemBytes + bytes
		}
	})
}

// update changes the figures and tells the caller.
func (t *tracker) update(change func(*Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.p)
	if t.tell != nil {
		t.tell(t.p)
	}
}
