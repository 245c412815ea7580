// This file is the twin of intervals, which lists all intervals of a rule in an item.

package searchtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
)

// mostRuleTerms is how many terms a rule may match, mostWays how many ways its alternatives combine.
const mostRuleTerms, mostWays = 128, 1024

// interval is from a word to a word. Its length is the words that count within a longer one.
type interval struct{ start, end, gaps, length int }

func span(start, end, gaps int) interval { return interval{start, end, gaps, end - start + 1} }

// intervalSet is the intervals of an item. ghost, if there are none, is what alternatives and the first
// of ordered parts take for one all the same.
type intervalSet struct {
	list  []interval
	ghost []interval
}

func (f intervalSet) orGhost() []interval { return append(slices.Clone(f.list), f.ghost...) }

// source is what finds intervals once alternatives are at the top.
type source struct {
	kind  string
	text  string
	n     int
	parts []*source
	match func(term string) bool
}

func (s *source) key() string {
	keys := []string{}
	for _, p := range s.parts {
		keys = append(keys, p.key())
	}
	if s.kind == "or" {
		slices.Sort(keys)
	}
	return fmt.Sprintf("%s %q %d(%s)", s.kind, s.text, s.n, strings.Join(keys, ","))
}

// least is the length of the shortest interval.
func (s *source) least() int {
	n := 0
	switch s.kind {
	case "word", "terms":
		return 1
	case "none":
		return 0
	case "ordered", "unordered", "block":
		for _, p := range s.parts {
			n += p.least()
		}
		return n
	case "or":
		n = 1 << 31
		for _, p := range s.parts {
			n = min(n, p.least())
		}
		return n
	case "before words", "after words":
		return 1 << 31
	}
	return s.parts[0].least()
}

// intervalQuery is a query intervals over one item after the other.
type intervalQuery struct {
	t     *twin
	found map[*source][]string // the terms of each kind word and terms
	err   error
}

func (t *twin) intervals(n *query.Intervals) (hits, error) {
	if !t.mapped(n.Field) || t.unmappedRule(n.Rule) {
		return t.none(), nil
	}
	q := &intervalQuery{t: t, found: map[*source][]string{}}
	s := q.rule(n.Rule, n.Field)
	if q.err == nil {
		q.check(s, n.Field)
	}
	if q.err != nil {
		return nil, q.err
	}
	h := t.none()
	for item := range t.ids {
		freq := 0.0
		for _, f := range q.find(s, n.Field, item).list {
			freq += 1 / float64(max(1, f.end-f.start+1-s.least()+1))
		}
		if freq > 0 {
			h[item] = 1 - 1/(1+freq)
		}
	}
	return h.times(n.Boost), nil
}

func (t *twin) unmappedRule(r *query.IntervalRule) bool {
	return r.UseField != "" && !t.mapped(r.UseField) || slices.ContainsFunc(r.Rules, t.unmappedRule)
}

func (q *intervalQuery) rule(r *query.IntervalRule, field string) *source {
	field = cmp.Or(r.UseField, field)
	if to, ok := q.t.resolve(field); ok && to.kind != onText {
		q.err = errRefused
	}
	var parts []*source
	for _, inner := range r.Rules {
		parts = append(parts, q.rule(inner, field))
	}
	text := analysis.Lower(r.Text)
	s := &source{kind: "terms", text: r.Kind + text}
	switch r.Kind {
	case "any_of":
		s = either(parts)
	case "prefix":
		s.match = func(term string) bool {
			letters := []rune{}
			for _, b := range []byte(text) {
				letters = append(letters, rune(b))
			}
			rest, ok := strings.CutPrefix(term, string(letters))
			return ok && strings.IndexFunc(rest, func(c rune) bool { return c > 255 }) < 0
		}
	case "wildcard":
		s.match = func(term string) bool { return equalWild(text, term, sameRune) }
	case "fuzzy":
		edits, word := editsFor(r.Fuzziness, r.Text), []rune(text)
		s.text += fmt.Sprint(edits, r.PrefixLength, r.NoTranspositions)
		s.match = func(term string) bool {
			if !strings.HasPrefix(term, string(word[:min(r.PrefixLength, len(word))])) {
				return false
			}
			rest := []rune(term)
			if r.PrefixLength >= len(word) {
				return len(rest)-len(word) <= edits
			}
			return distance(word, rest, !r.NoTranspositions) <= edits
		}
	default:
		if r.Kind == "match" {
			for _, w := range analysis.Terms(r.Text) {
				parts = append(parts, &source{kind: "word", text: w})
			}
		}
		s = q.together(parts, r.MaxGaps, r.Ordered)
	}
	if r.UseField != "" {
		s = &source{kind: "field", text: field, parts: []*source{s}}
	}
	if r.Filter != nil {
		s = q.filter(s, q.rule(r.Filter.Rule, field), r.Filter.Kind)
	}
	return s
}

func either(list []*source) *source {
	var parts []*source
	known := map[string]bool{}
	for _, s := range list {
		inner := []*source{s}
		if s.kind == "or" {
			inner = s.parts
		}
		for _, p := range inner {
			if !known[p.key()] {
				known[p.key()] = true
				parts = append(parts, p)
			}
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &source{kind: "or", parts: parts}
}

func flattened(kind string, list []*source) (parts []*source) {
	for _, s := range list {
		if s.kind == kind {
			parts = append(parts, s.parts...)
		} else {
			parts = append(parts, s)
		}
	}
	return parts
}

func (q *intervalQuery) together(parts []*source, gaps int, ordered bool) *source {
	switch {
	case len(parts) == 0:
		return &source{kind: "none"}
	case len(parts) == 1:
		return parts[0]
	case gaps == 0 && ordered:
		return either(q.ways(parts, func(way []*source) *source { return &source{kind: "block", parts: flattened("block", way)} }))
	}
	kind := "unordered"
	if ordered {
		kind = "ordered"
	}
	var all []*source
	for _, p := range flattened(kind, parts) {
		i := slices.IndexFunc(all, func(s *source) bool { return s.parts[0].key() == p.key() })
		if ordered && i >= 0 && i < len(all)-1 {
			i = -1
			if all[len(all)-1].parts[0].key() == p.key() {
				i = len(all) - 1
			}
		}
		if i >= 0 {
			all[i].n++
		} else {
			all = append(all, &source{kind: "repeated", n: 1, parts: []*source{p}})
		}
	}
	for i, s := range all {
		if s.n == 1 {
			all[i] = s.parts[0]
		}
	}
	s := all[0]
	if len(all) > 1 {
		s = &source{kind: kind, parts: all}
	}
	if gaps == -1 {
		return s
	}
	var limited []*source
	for _, p := range q.alternatives(s) {
		limited = append(limited, &source{kind: "gaps", n: gaps, parts: []*source{p}})
	}
	return either(limited)
}

func (q *intervalQuery) filter(s, other *source, kind string) *source {
	if kind == "before" || kind == "after" {
		kind, other = "contained_by", &source{kind: kind + " words", parts: []*source{other}}
	}
	whole := &source{kind: kind, parts: []*source{s, other}}
	switch kind {
	case "overlapping", "not_overlapping":
		return whole
	case "not_containing":
		var list []*source
		for _, big := range q.choices(s) {
			list = append(list, &source{kind: kind, parts: []*source{big, other}})
		}
		return either(list)
	case "not_contained_by":
		var list []*source
		for _, big := range q.choices(other) {
			list = append(list, &source{kind: kind, parts: []*source{s, big}})
		}
		return either(list)
	}
	return either(q.alternatives(whole))
}

func (q *intervalQuery) alternatives(s *source) (list []*source) {
	switch s.kind {
	case "none":
		return nil
	case "or":
		return s.parts
	case "ordered", "unordered", "overlapping":
		return q.ways(s.parts, func(way []*source) *source { return &source{kind: s.kind, parts: way} })
	case "containing":
		for _, big := range q.choices(s.parts[0]) {
			list = append(list, &source{kind: s.kind, parts: []*source{big, s.parts[1]}})
		}
		return list
	case "contained_by":
		for _, big := range q.choices(s.parts[1]) {
			list = append(list, &source{kind: s.kind, parts: []*source{s.parts[0], big}})
		}
		return list
	case "field":
		for _, p := range q.alternatives(s.parts[0]) {
			list = append(list, &source{kind: s.kind, text: s.text, parts: []*source{p}})
		}
		if len(list) != 1 {
			return list
		}
	}
	return []*source{s}
}

func (q *intervalQuery) choices(s *source) (list []*source) {
	var words []*source
	for _, p := range q.alternatives(s) {
		if p.least() == 1 {
			words = append(words, p)
		} else {
			list = append(list, p)
		}
	}
	if words != nil {
		list = append(list, either(words))
	}
	return list
}

func (q *intervalQuery) ways(parts []*source, make func([]*source) *source) (list []*source) {
	rows := [][]*source{{}}
	for _, p := range parts {
		var more [][]*source
		for _, c := range q.choices(p) {
			for _, row := range rows {
				more = append(more, append(slices.Clone(row), c))
			}
		}
		if rows = more; len(rows) > mostWays {
			q.err = errRefused
			return nil
		}
	}
	for _, row := range rows {
		list = append(list, make(row))
	}
	return list
}

// check refuses rules of too many terms.
func (q *intervalQuery) check(s *source, field string) {
	if s.kind == "field" {
		field = s.text
	}
	if s.kind == "terms" && len(q.terms(s, field)) > mostRuleTerms {
		q.err = errRefused
	}
	for _, p := range s.parts {
		q.check(p, field)
	}
}

func (q *intervalQuery) terms(s *source, field string) (terms []string) {
	f := q.t.fields[field]
	if s.kind == "word" || f == nil {
		return []string{s.text}
	}
	if terms, ok := q.found[s]; ok {
		return terms
	}
	defer func() { q.found[s] = terms }()
	for _, term := range f.terms {
		if s.match(term) {
			terms = append(terms, term)
		}
	}
	return terms
}
