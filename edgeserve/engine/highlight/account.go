// This file limits what the highlights of a request cost: steps, the memory that they are made in, and the
// length of the result. Each is looked at while highlights are made.

package highlight

import "contentedge/edgeserve/engine/scorer"

// chargeEvery is the number of steps that are charged at once.
const chargeEvery = 1 << 12

// account is what highlights cost and how long they may be.
type account struct {
	work    *scorer.WorkLimit
	steps   int // not charged yet
	room    int // bytes left for the highlights of the response
	scratch int // bytes held for what is used again for each hit
	err     error
}

func (a *account) charge(steps int) error { return a.work.Charge(steps) }

// goOn counts steps, charges them from time to time, and reports whether highlighting may go on.
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

// fits reports whether n bytes more are not too long for a response.
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
