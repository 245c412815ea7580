// This file limits the cost of the highlights of a request: steps, scratch memory, and the length of the
// result. The highlighters check all three limits while they work.

package highlight

import "contentedge/edgeserve/engine/scorer"

// chargeEvery is the number of steps that an account charges at once.
const chargeEvery = 1 << 12

// account counts the cost of highlights and limits their length.
type account struct {
	work    *scorer.WorkLimit
	steps   int // not charged yet
	room    int // bytes left for the highlights of the response
	scratch int // bytes of the memory that each hit uses again
	err     error
}

func (a *account) charge(steps int) error { return a.work.Charge(steps) }

// goOn counts steps, charges them from time to time, and reports whether highlighting may continue.
func (a *account) goOn(steps int) bool {
	if a.steps += steps; a.steps >= chargeEvery {
		a.settle()
	}
	return a.err == nil
}

// settle charges the steps that were counted.
func (a *account) settle() error {
	n := a.steps
	a.steps = 0
	if err := a.work.Charge(n); a.err == nil {
		a.err = err
	}
	return a.err
}

// fits reports whether a response has room for n more bytes.
func (a *account) fits(n int) bool {
	if n > a.room && a.err == nil {
		a.err = errTooLong
	}
	return a.err == nil
}

// holds reserves scratch memory for one hit. Only the greatest size counts, since each hit uses the memory again.
func (a *account) holds(bytes int) bool {
	if grow := bytes - a.scratch; grow > 0 {
		a.scratch = bytes
		if err := a.work.Hold(grow); a.err == nil {
			a.err = err
		}
	}
	return a.err == nil
}
