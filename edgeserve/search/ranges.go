// This file matches ranges of values. On every column a range is a run of ordinals;
// what differs is how a bound's text becomes one.

package search

import (
	"errors"
	"math"
	"strconv"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
)

// bound is one end of a range; nil is open.
type bound struct {
	text string
	inc  bool
}

// between is a range over the values of a field, with a constant score.
func (b *builder) between(t target, lo, hi *bound, boost float64) (scorer, error) {
	switch t.kind {
	case onText:
		return b.termRange(t.f, lo, hi, boost)
	case onKeyword:
		from, to := stringRange(t.v.Strings(), lo, hi)
		return b.ordinals(t.v.Column(), from, to, boost), nil
	}
	n := t.v.Numbers()
	var from, to int
	var err error
	switch {
	case t.kind == onDate:
		from, to, err = dateRange(n, lo, hi, b.clock)
	case t.kind.isFraction():
		from, to, err = floatRange(n, lo, hi, t.kind)
	case t.kind == onBool:
		from, to, err = boolRange(n, lo, hi)
	default:
		from, to, err = longRange(n, lo, hi)
	}
	if err != nil {
		return nil, err
	}
	return b.ordinals(t.v.Column(), from, to, boost), nil
}

func stringRange(s *snapshot.Strings, lo, hi *bound) (from, to int) {
	to = s.Len()
	if lo != nil {
		ord, exact := s.Find([]byte(lo.text))
		if from = ord; exact && !lo.inc {
			from++
		}
	}
	if hi != nil {
		ord, exact := s.Find([]byte(hi.text))
		if to = ord; exact && hi.inc {
			to++
		}
	}
	return from, to
}

// dateRange: an included lower bound is the floor of its text, an excluded one lies
// above its ceiling; the other way round for an upper bound.
func dateRange(n *snapshot.Numbers, lo, hi *bound, now func() time.Time) (from, to int, err error) {
	to = n.Len()
	if lo != nil {
		ms, err := analysis.ParseDate(lo.text, !lo.inc, now)
		if err != nil {
			return 0, 0, unfit(onDate, lo.text)
		}
		from = findLong(n, 0, ms, true, !lo.inc)
	}
	if hi != nil {
		ms, err := analysis.ParseDate(hi.text, hi.inc, now)
		if err != nil {
			return 0, 0, unfit(onDate, hi.text)
		}
		to = findLong(n, 0, ms, true, hi.inc)
	}
	return from, to, nil
}

// longRange: a fractional bound moves inwards to the next integer.
func longRange(n *snapshot.Numbers, lo, hi *bound) (from, to int, err error) {
	to = n.Len()
	if lo != nil {
		f, i, isInt, ok := analysis.ParseNumber(lo.text)
		if !ok {
			return 0, 0, unfit(onLong, lo.text)
		}
		from = findLong(n, f, i, isInt, !lo.inc)
	}
	if hi != nil {
		f, i, isInt, ok := analysis.ParseNumber(hi.text)
		if !ok {
			return 0, 0, unfit(onLong, hi.text)
		}
		to = findLong(n, f, i, isInt, hi.inc)
	}
	return from, to, nil
}

// findLong returns the first ordinal at or above a bound, or above it if past is set.
func findLong(n *snapshot.Numbers, f float64, i int64, isInt, past bool) int {
	switch {
	case isInt && past && i == math.MaxInt64:
		return n.Len()
	case isInt && past:
		return n.FindInt(i + 1)
	case isInt:
		return n.FindInt(i)
	case f >= 1<<63:
		return n.Len()
	case f < -1<<63:
		return 0
	}
	return n.FindInt(int64(math.Ceil(f)))
}

func floatRange(n *snapshot.Numbers, lo, hi *bound, kind targetKind) (from, to int, err error) {
	to = n.Len()
	if lo != nil {
		if from, err = findFloat(n, lo.text, !lo.inc, kind); err != nil {
			return 0, 0, err
		}
	}
	if hi != nil {
		to, err = findFloat(n, hi.text, hi.inc, kind)
	}
	return from, to, err
}

// floatBits is the size of the numbers of a kind.
var floatBits = [...]int{onFloat: 32, onDouble: 64}

func findFloat(n *snapshot.Numbers, text string, past bool, kind targetKind) (int, error) {
	f, err := strconv.ParseFloat(text, floatBits[kind])
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0, unfit(kind, text)
	}
	if past {
		f = math.Nextafter(f, math.Inf(1))
	}
	return n.FindFloat(f), nil
}

func boolRange(n *snapshot.Numbers, lo, hi *bound) (from, to int, err error) {
	for _, b := range []**bound{&lo, &hi} {
		if *b == nil {
			continue
		}
		v, ok := analysis.ReadBool((*b).text)
		if !ok {
			return 0, 0, unfit(onBool, (*b).text)
		}
		*b = &bound{strconv.FormatInt(v, 10), (*b).inc}
	}
	return longRange(n, lo, hi)
}

// termRange is the documents with a term between two bounds, in byte order.
func (b *builder) termRange(f *snapshot.Field, lo, hi *bound, boost float64) (scorer, error) {
	start := ""
	if lo != nil {
		start = lo.text
	}
	u := b.union(f)
	for it := f.Terms().Seek([]byte(start)); it.Next(); {
		t := string(it.Term())
		if lo != nil && !lo.inc && t == lo.text {
			continue
		}
		if hi != nil && (t > hi.text || t == hi.text && !hi.inc) {
			break
		}
		if err := u.add(it.Info()); err != nil {
			return nil, err
		}
	}
	return u.scorer(boost), nil
}
