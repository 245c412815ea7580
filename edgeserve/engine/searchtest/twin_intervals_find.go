// This file finds the intervals of an item for the twin, kind by kind.

package searchtest

import (
	"cmp"
	"slices"
)

func (q *intervalQuery) find(s *source, field string, item int) (f intervalSet) {
	if s.kind == "field" {
		field = s.text
	}
	var parts []intervalSet
	for _, p := range s.parts {
		parts = append(parts, q.find(p, field, item))
	}
	switch s.kind {
	case "word", "terms":
		if to := q.t.fields[field]; to != nil && to.cells[item] != nil {
			for _, term := range q.terms(s, field) {
				for _, at := range to.cells[item].positions(term) {
					f.list = append(f.list, span(at, at, 0))
				}
			}
		}
		slices.SortFunc(f.list, func(a, b interval) int { return a.start - b.start })
	case "field":
		return parts[0]
	case "or":
		f.list = shortest(parts)
	case "ordered":
		f.list = chains(parts)
	case "block":
		for _, first := range parts[0].list {
			end := first.end
			for _, p := range parts[1:] {
				i := slices.IndexFunc(p.list, func(x interval) bool { return x.start == end+1 })
				if end = -9; i >= 0 {
					end = p.list[i].end
				}
			}
			if end >= 0 {
				f.list = append(f.list, span(first.start, end, 0))
			}
		}
	case "unordered":
		f.list = windows(parts)
	case "repeated":
		for i := s.n; i <= len(parts[0].list); i++ {
			some := parts[0].list[i-s.n : i]
			x := span(some[0].start, some[s.n-1].end, 0)
			x.length = 0
			for _, p := range some {
				x.length += p.start - p.end + 1
			}
			x.gaps = x.end - x.start + 1 - x.length
			f.list = append(f.list, x)
		}
	case "gaps":
		f.ghost = parts[0].ghost
		for _, x := range parts[0].list {
			if x.gaps <= s.n {
				f.list = append(f.list, span(x.start, x.end, x.gaps))
			}
		}
	case "before words":
		for _, x := range parts[0].orGhost() {
			f.list = append(f.list, span(0, max(0, x.start-1), 0))
		}
	case "after words":
		for _, x := range parts[0].orGhost() {
			f.list = append(f.list, span(x.end+1, 1<<30, 0))
		}
	case "none":
	default:
		return related(s.kind, parts[0], parts[1].list)
	}
	return f
}

// shortest is the intervals that hold no other one.
func shortest(parts []intervalSet) (list []interval) {
	var all []interval
	for _, p := range parts {
		all = append(all, p.orGhost()...)
	}
	for i, x := range all {
		if !slices.ContainsFunc(all, func(y interval) bool {
			return x.start <= y.start && y.end <= x.end && (x.start != y.start || x.end != y.end)
		}) && !slices.ContainsFunc(all[:i], func(y interval) bool { return x.start == y.start && x.end == y.end }) {
			list = append(list, span(x.start, x.end, x.gaps))
		}
	}
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.start, b.start) })
	return list
}

// chains takes for each first interval the next intervals after it. Of several chains that end at one place, the last
// counts.
func chains(parts []intervalSet) (list []interval) {
	for _, x := range parts[0].orGhost() {
		at, covered, ok := x.end, x.length, true
		for _, p := range parts[1:] {
			i := slices.IndexFunc(p.list, func(y interval) bool { return y.start > at })
			if ok = i >= 0; !ok {
				break
			}
			at, covered = p.list[i].end, covered+p.list[i].length
		}
		if !ok {
			break
		}
		if n := len(list); n > 0 && list[n-1].end == at {
			list = list[:n-1]
		}
		list = append(list, span(x.start, at, at-x.start+1-covered))
	}
	return list
}

// windows moves the leftmost interval forward again and again, and takes each stretch of all intervals that ends before
// the next move makes it longer.
func windows(parts []intervalSet) (list []interval) {
	at := make([]int, len(parts))
	here := func(i int) interval { return parts[i].list[at[i]] }
	for _, p := range parts {
		if len(p.list) == 0 {
			return nil
		}
	}
	low := func() (i int) {
		for k := range parts {
			a, b := here(k), here(i)
			if a.start < b.start || a.start == b.start && a.end > b.end {
				i = k
			}
		}
		return i
	}
	end := func() (last int) {
		for k := range parts {
			last = max(last, here(k).end)
		}
		return last
	}
	for {
		x, last := here(low()), end()
		covered := 0
		for k := range parts {
			covered += here(k).length
		}
		now := span(x.start, last, last-x.start+1-covered)
		i := low()
		at[i]++
		over := at[i] == len(parts[i].list)
		if !over && x.end != last && end() == last {
			continue
		}
		list = append(list, now)
		for !over && here(low()).start == now.start {
			i := low()
			at[i]++
			over = at[i] == len(parts[i].list)
		}
		if over {
			return list
		}
	}
}

// related looks at the first other interval that is not too early.
func related(kind string, s intervalSet, others []interval) (f intervalSet) {
	if len(others) == 0 && kind[:3] != "not" {
		return f
	}
	if kind == "containing" || kind[:3] == "not" {
		f.ghost = s.ghost
	}
	for _, x := range s.list {
		i := slices.IndexFunc(others, func(y interval) bool {
			switch kind {
			case "containing", "not_containing":
				return y.start >= x.start || y.end >= x.end
			case "contained_by", "not_contained_by":
				return y.end >= x.end
			}
			return y.end >= x.start
		})
		if i < 0 {
			if kind == "containing" && f.list == nil && f.ghost == nil {
				f.ghost = []interval{x}
			}
			if kind[:3] == "not" {
				f.list = append(f.list, x)
				continue
			}
			break
		}
		y, ok := others[i], false
		switch kind {
		case "containing":
			ok = x.start <= y.start && y.end <= x.end
		case "contained_by":
			ok = y.start <= x.start
		case "overlapping":
			ok = y.start <= x.end
		case "not_contained_by":
			ok = x.start < y.start
		default:
			ok = y.start > x.end
		}
		if ok {
			f.list = append(f.list, x)
		}
	}
	for i, x := range f.list {
		f.list[i] = span(x.start, x.end, x.gaps)
	}
	return f
}
