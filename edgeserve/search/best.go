// This file keeps the first of many by an order that takes a function to compare.

package search

import (
	"math/bits"
	"slices"
)

// best keeps the k least: twice as many are gathered before they are sorted and cut,
// which costs less than keeping order all the time.
type best[T any] struct {
	k       int
	kept    []T
	limit   bool // k were kept once
	last    T    // the greatest that may stay, if limit
	compare func(a, b T) int

	keys   int // that compare may look at
	steps  int // of comparing, not yet spent
	budget *Budget
}

func (t *best[T]) add(v T) {
	if t.steps += t.keys; t.steps >= tickEvery {
		t.spend()
	}
	if t.k == 0 || t.limit && t.compare(v, t.last) > 0 {
		return
	}
	if t.kept = append(t.kept, v); len(t.kept) >= 2*t.k+32 {
		t.cut()
	}
}

// spend counts the comparing so far. Who adds sees the end of the budget by itself.
func (t *best[T]) spend() {
	t.budget.Spend(t.steps)
	t.steps = 0
}

func (t *best[T]) cut() {
	t.steps += len(t.kept) * bits.Len(uint(len(t.kept))) * t.keys
	t.spend()
	slices.SortFunc(t.kept, t.compare)
	if len(t.kept) > t.k {
		t.kept = t.kept[:t.k]
		t.limit, t.last = true, t.kept[t.k-1]
	}
}

// sorted gives the best and starts anew; they are valid until the next add.
func (t *best[T]) sorted() []T {
	t.cut()
	t.limit = false
	return t.kept
}
