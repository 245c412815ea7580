// This file sorts values by eight bytes of each, digit by digit. It compares whole values only where
// these bytes are equal.

package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strconv"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
)

// ordering is an order of values. A value with a smaller head than another comes first; equal heads
// say nothing.
type ordering struct {
	compare func(a, b *value) int
	head    func(v *value) uint64
	texts   bool // values of all kinds are ordered by their texts, not only strings
}

var (
	byText = ordering{
		func(a, b *value) int { return bytes.Compare(a.text, b.text) },
		func(v *value) uint64 { return snapshot.Head(v.text) },
		true,
	}
	// inRest is the order of REST lists, then of texts.
	inRest = ordering{
		func(a, b *value) int { return cmp.Or(compareInRest(a, b), bytes.Compare(a.text, b.text)) },
		restHead,
		false,
	}
)

// same reports whether values are equal in the order.
func (o *ordering) same(a, b *value) bool {
	return bytes.Equal(a.text, b.text) && (o.texts || a.kind == b.kind)
}

func compareInRest(a, b *value) int { return mapping.CompareInRest(a.kind, a.text, b.kind, b.text) }

// restHead is the rank of the kind in two bits, and the first bits of the value.
func restHead(v *value) uint64 {
	var head uint64
	switch v.kind {
	case mapping.Number:
		f, _ := strconv.ParseFloat(string(v.text), 64) // infinite if out of range
		head = snapshot.FloatBits(f + 0)               // -0 equals 0
	case mapping.String:
		head = snapshot.Head(v.text)
	}
	return uint64(mapping.RestRank(v.kind))<<62 | head>>2
}

// sortKey is the head of a value, or a number in the order of its bits; and which value it is.
type sortKey struct {
	head uint64
	i    uint32
}

// sortKeys sorts by head, then by i. Unless byIndex is true, the keys must be in order of i already. scratch must
// be at least as long as keys.
func sortKeys(keys, scratch []sortKey, byIndex bool) {
	if len(keys) < radixMin {
		slices.SortFunc(keys, func(a, b sortKey) int {
			if a.head != b.head {
				return cmp.Compare(a.head, b.head)
			}
			return cmp.Compare(a.i, b.i)
		})
		return
	}
	from, to := keys, scratch[:len(keys)]
	if byIndex {
		from, to = radix(from, to, func(k sortKey) uint64 { return uint64(k.i) })
	}
	from, _ = radix(from, to, func(k sortKey) uint64 { return k.head })
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// radixMin is the number of keys from which sorting by digits is faster than comparing.
const radixMin = 256

// radix sorts stably by the bytes of a number, the lowest first. It returns the sorted keys and the other slice.
func radix(from, to []sortKey, number func(sortKey) uint64) (sorted, other []sortKey) {
	var same, first uint64
	first = number(from[0])
	for _, k := range from {
		same |= number(k) ^ first
	}
	for shift := 0; shift < bits.Len64(same); shift += 8 {
		if same>>shift&0xff == 0 {
			continue
		}
		var next [256]int
		for _, k := range from {
			next[byte(number(k)>>shift)]++
		}
		at := 0
		for d, n := range next {
			next[d], at = at, at+n
		}
		for _, k := range from {
			d := byte(number(k) >> shift)
			to[next[d]] = k
			next[d]++
		}
		from, to = to, from
	}
	return from, to
}

// sortValues sorts the numbers of values, stably.
func sortValues(values []value, o *ordering) []uint32 {
	keys := make([]sortKey, len(values))
	for i := range keys {
		keys[i] = sortKey{o.head(&values[i]), uint32(i)}
	}
	s := valueSorter{values: values, o: o, scratch: make([]sortKey, len(keys))}
	sortKeys(keys, s.scratch, false)
	s.ties(keys, 0)
	out := make([]uint32, len(keys))
	for i, k := range keys {
		out[i] = k.i
	}
	return out
}

type valueSorter struct {
	values  []value
	o       *ordering
	scratch []sortKey
}

// maxTexts bounds how often the texts of a tie get heads after their shared bytes.
const maxTexts = 8

// ties sorts the runs of equal heads, which are in order of i.
func (s *valueSorter) ties(keys []sortKey, depth int) {
	for len(keys) > 0 {
		n := 1
		for n < len(keys) && keys[n].head == keys[0].head {
			n++
		}
		switch run := keys[:n]; {
		case n == 1:
		case n >= radixMin && depth < maxTexts && s.skipShared(run):
			sortKeys(run, s.scratch, false)
			s.ties(run, depth+1)
		default:
			slices.SortFunc(run, func(a, b sortKey) int {
				return cmp.Or(s.o.compare(&s.values[a.i], &s.values[b.i]), cmp.Compare(a.i, b.i))
			})
		}
		keys = keys[n:]
	}
}

// skipShared gives texts heads after the bytes that all texts share. It returns false if a value is not ordered by its
// text, or if a text ends there: zeros would stand for the missing bytes.
func (s *valueSorter) skipShared(run []sortKey) bool {
	first := s.values[run[0].i].text
	shared := len(first)
	for _, k := range run {
		v := &s.values[k.i]
		if !s.o.texts && v.kind != mapping.String {
			return false
		}
		shared = min(shared, len(v.text))
		if !bytes.Equal(v.text[:shared], first[:shared]) {
			shared = sort.Search(shared, func(n int) bool { return !bytes.Equal(v.text[:n+1], first[:n+1]) })
		}
	}
	for i, k := range run {
		text := s.values[k.i].text[shared:]
		if len(text) < 8 {
			return false
		}
		run[i].head = snapshot.Head(text)
	}
	return true
}

// sortNumbers sorts numbers by their value, then by the rank of their document.
func sortNumbers[K int64 | float64](vs []numberOfDoc[K]) []numberOfDoc[K] {
	keys := make([]sortKey, 2*len(vs))
	keys, scratch := keys[:len(vs)], keys[len(vs):]
	for i, v := range vs {
		keys[i] = sortKey{orderedBits(v.key), v.rank}
	}
	sortKeys(keys, scratch, true)
	for i, k := range keys {
		vs[i] = numberOfDoc[K]{ofOrderedBits[K](k.head), k.i}
	}
	return slices.Compact(vs)
}

// orderedBits maps a number to an integer of the same order. There is no -0 and no NaN.
func orderedBits[K int64 | float64](key K) (b uint64) {
	switch k := any(key).(type) {
	case int64:
		b = uint64(k) ^ 1<<63
	case float64:
		b = snapshot.FloatBits(k)
	}
	return b
}

func ofOrderedBits[K int64 | float64](b uint64) (key K) {
	switch k := any(&key).(type) {
	case *int64:
		*k = int64(b ^ 1<<63)
	case *float64:
		*k = snapshot.FloatOf(b)
	}
	return key
}
