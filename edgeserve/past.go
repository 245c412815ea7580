// This file remembers keys that a cache does not hold.

package edgeserve

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// past remembers keys for a while, by a few bits of each. A key has a place in one bucket,
// which it loses to one that comes after it, so that nothing needs to be removed. Which one
// loses is left to chance: if it were the oldest, a loop that is a little too long would
// always have lost what is asked for next.
type past []bucket

// bucket has of each key some bits of its hash that did not choose the bucket; zero: none.
type bucket [4]uint32

const (
	// perDropped is how much memory of a cache there is for each key of a dropped file: so
	// much that no more are remembered than there are files. With more of them, files that
	// are asked for seldom push others out; with far fewer, what is asked for in loops is
	// not noticed.
	perDropped = 4 << 10
	// perAsked is the like for each key of what was asked for once: that may be anything.
	perAsked = 1 << 10
	// minPast is how many keys are remembered at least, but for a cache that keeps nothing.
	minPast = 1 << 10
)

// newPast makes room for a key in each so many bytes of a cache's budget.
func newPast(budget, per int64) past {
	if budget == 0 {
		return nil
	}
	keys := 1 << (bits.Len64(uint64(max(minPast, budget/per))) - 1)
	return make(past, keys/len(bucket{}))
}

// of is the bucket of a key with a hash, and what is in it of the key.
func (p past) of(h uint64) (b *bucket, print uint32) {
	return &p[h%uint64(len(p))], uint32(h>>32) | 1
}

// add remembers the key with a hash, and reports whether it was remembered already.
func (p past) add(h uint64) (already bool) {
	if len(p) == 0 {
		return false
	}
	b, print := p.of(h)
	if slices.Contains(b[:], print) {
		return true
	}
	at := slices.Index(b[:], 0)
	if at < 0 {
		at = rand.IntN(len(b))
	}
	b[at] = print
	return false
}

// has reports whether the key with a hash is remembered.
func (p past) has(h uint64) bool {
	if len(p) == 0 {
		return false
	}
	b, print := p.of(h)
	return slices.Contains(b[:], print)
}
