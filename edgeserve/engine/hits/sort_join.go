// This file joins the values of a document into one: their sum, average or median.

package hits

import (
	"math"

	"contentedge/edgeserve/engine/snapshot"
)

// joins reports whether a mode makes one number of several.
func joins(mode string) bool { return mode == "sum" || mode == "avg" || mode == "median" }

// Work is the cost of preparing a key, in steps. Half are for the values that hits show.
func (k *SortKey) Work() int {
	if k.target.Values == nil || !joins(k.asked.Mode) || k.target.Values.Column().Single {
		return 0
	}
	const passes = 2
	return 2 * (k.items + passes*k.target.Values.Column().Pairs)
}

// join fills joined: bits of all documents. Values come in order, so a median is known by its number among the values
// of its document.
func (k *SortKey) join() {
	count := make([]uint32, k.items)
	k.eachPair(func(d snapshot.DocID, _ int) { count[d]++ })
	longs, doubles := make([]int64, 0), make([]float64, 0)
	if k.Form == sortLong {
		longs = make([]int64, k.items)
	} else {
		doubles = make([]float64, k.items)
	}
	seen := make([]uint32, k.items)
	k.eachPair(func(d snapshot.DocID, ord int) {
		i := seen[d]
		seen[d]++
		if k.asked.Mode == "median" && i != (count[d]-1)/2 && i != count[d]/2 {
			return
		}
		if k.Form == sortLong {
			longs[d] += k.long(ord)
		} else {
			doubles[d] += k.double(ord)
		}
	})
	k.joined = make([]uint64, k.items)
	for d := range k.joined {
		n := count[d]
		if k.asked.Mode == "median" && n > 0 {
			n = 2 - n%2
		}
		switch {
		case n == 0:
			k.joined[d] = k.absent
		case k.Form == sortLong && (k.asked.Mode == "sum" || n == 1):
			k.joined[d] = longBits(longs[d])
		case k.Form == sortLong:
			k.joined[d] = longBits(int64(math.Floor(float64(longs[d])/float64(n) + 0.5)))
		case k.asked.Mode == "sum":
			k.joined[d] = k.fraction(doubles[d])
		default:
			k.joined[d] = k.fraction(doubles[d] / float64(n))
		}
	}
}

// eachPair calls f for every document and value, the values in order.
func (k *SortKey) eachPair(f func(d snapshot.DocID, ord int)) {
	c := k.target.Values.Column()
	for ord := range c.Distinct {
		for p, end := c.Start(ord), c.Start(ord+1); p < end; p++ {
			f(c.Doc(p), ord)
		}
	}
}
