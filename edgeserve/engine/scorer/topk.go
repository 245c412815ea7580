// This file selects the first k of many values, by a comparison function or by rank.

package scorer

import (
	"math"
	"math/bits"
	"slices"
)

// TopK selects the k least values. It keeps a small k in order; for a larger k it collects twice as many values, sorts
// them and cuts the rest off.
type TopK[T any] struct {
	Compare func(a, b T) int

	k     int
	kept  []T
	full  bool // k values have been kept before
	last  T    // the greatest value that may stay, if full
	keys  int  // number of keys that Compare may read
	steps int  // steps of comparisons, not yet charged
	limit *WorkLimit
}

// NewTopK returns a TopK of k values. compare reads at most keys keys.
func NewTopK[T any](limit *WorkLimit, k, keys int, compare func(a, b T) int) TopK[T] {
	return TopK[T]{Compare: compare, k: k, keys: keys, limit: limit}
}

// maxOrdered is the greatest number of values that are kept in order: a page of usual size.
const maxOrdered = 32

// Add offers a value.
func (t *TopK[T]) Add(v T) {
	if t.steps += t.keys; t.steps >= LookEvery {
		t.charge()
	}
	if t.k == 0 || t.full && t.Compare(v, t.last) > 0 {
		return
	}
	if t.kept == nil {
		t.kept = make([]T, 0, min(t.k, maxOrdered))
	}
	if t.k <= maxOrdered {
		t.insert(v)
		return
	}
	if t.kept = append(t.kept, v); len(t.kept) >= 2*t.k+32 {
		t.cut()
	}
}

// insert keeps a value in order.
func (t *TopK[T]) insert(v T) {
	t.steps += bits.Len(uint(len(t.kept))) * t.keys
	i, _ := slices.BinarySearchFunc(t.kept, v, t.Compare)
	if !t.full {
		t.kept = append(t.kept, v)
	}
	copy(t.kept[i+1:], t.kept[i:])
	t.kept[i] = v
	t.full, t.last = len(t.kept) == t.k, t.kept[len(t.kept)-1]
}

// charge charges the comparisons so far. Callers check the limit themselves.
func (t *TopK[T]) charge() {
	t.limit.Charge(t.steps)
	t.steps = 0
}

func (t *TopK[T]) cut() {
	t.steps += len(t.kept) * bits.Len(uint(len(t.kept))) * t.keys
	t.charge()
	slices.SortFunc(t.kept, t.Compare)
	if len(t.kept) > t.k {
		t.kept = t.kept[:t.k]
		t.full, t.last = true, t.kept[t.k-1]
	}
}

// Sorted returns the k least values in order. They are valid until the next Add.
func (t *TopK[T]) Sorted() []T {
	if t.k > maxOrdered {
		t.cut()
	} else {
		t.charge()
	}
	return t.kept
}

// Reset removes all values.
func (t *TopK[T]) Reset() { t.kept, t.full = t.kept[:0], false }

// rankOf combines a sort key and a document. Lower ranks come first.
func rankOf(key uint32, d docID) uint64 { return uint64(key)<<32 | uint64(d) }

// scoreKey returns a sort key for non-negative scores; greater scores come first.
func scoreKey(s float32) uint32 { return ^floatKey(s) }

func floatKey(f float32) uint32 { return math.Float32bits(f + 0) }

// topRanks keeps the k least ranks in a heap with the greatest at the root.
type topRanks struct {
	k     int
	ranks []uint64
}

func (t *topRanks) full() bool { return len(t.ranks) >= t.k }

func (t *topRanks) add(rank uint64) {
	switch {
	case !t.full():
		if t.ranks = append(t.ranks, rank); t.full() {
			for i := len(t.ranks)/2 - 1; i >= 0; i-- {
				t.down(i)
			}
		}
	case t.k > 0 && rank < t.ranks[0]:
		t.ranks[0] = rank
		t.down(0)
	}
}

// addWindow adds a window's matches. Documents ascend, so a hit that equals the worst is not added.
func (t *topRanks) addWindow(w *window, base docID) {
	least := t.least()
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			i := uint32(k<<6 + bits.TrailingZeros64(word))
			if s := w.scores[i&(windowLen-1)]; s > least {
				t.add(rankOf(scoreKey(s), base+i))
				least = t.least()
			}
		}
	}
}

func (t *topRanks) least() float32 {
	if !t.full() {
		return -1
	}
	return math.Float32frombits(^uint32(t.ranks[0] >> 32))
}

func (t *topRanks) down(i int) {
	r := t.ranks
	for {
		c := 2*i + 1
		if c >= len(r) {
			return
		}
		if c+1 < len(r) && r[c+1] > r[c] {
			c++
		}
		if r[c] <= r[i] {
			return
		}
		r[i], r[c] = r[c], r[i]
		i = c
	}
}

func (c *collector) topRanks() *topRanks {
	return &topRanks{k: c.k, ranks: c.r.pool.ranks[:0]}
}

func (c *collector) page(t *topRanks) []docID {
	slices.Sort(t.ranks)
	kept := t.ranks[min(c.from, len(t.ranks)):]
	docs := make([]docID, len(kept))
	for i, rank := range kept {
		docs[i] = docID(rank)
	}
	c.r.pool.ranks = t.ranks
	return docs
}
