// This file turns the rules of intervals into sources, as Lucene does before it looks for words.
// Alternatives move to the top, so that a filter sees each alternative by itself.

package compile

import (
	"fmt"
	"math"
	"slices"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/problem"
)

// intervalSource says which intervals to find. A query has one object for equal sources.
type intervalSource struct {
	kind    sourceKind
	text    string // wordSource: the word; termsSource: a name of the matcher; fieldSource: the field
	n       int    // repeatedSource: how often; gapsSource: the most words between; relatedSource: scorer.Relation; aroundSource: 1 is after
	parts   []*intervalSource
	id      int
	least   int               // the length of the shortest interval, in positions
	matcher pattern.Matcher   // termsSource
	only    string            // termsSource: the one word that it finds, or ""
	split   []*intervalSource // the result of alternatives, computed once
}

type sourceKind uint8

const (
	noSource sourceKind = iota
	wordSource
	termsSource
	fieldSource
	orSource
	orderedSource
	unorderedSource
	blockSource
	repeatedSource
	gapsSource
	relatedSource
	aroundSource
)

// maxAlternatives limits how many alternatives a rule has, as in Lucene.
const maxAlternatives = 1024

// sources makes the sources of a query, one for equal sources.
type sources struct {
	compile *Compiler
	known   map[string]*intervalSource
	err     error
}

func (b *sources) make(s intervalSource) *intervalSource {
	key := fmt.Appendf(nil, "%d %d %q", s.kind, s.n, s.text)
	for _, p := range s.parts {
		key = fmt.Appendf(key, " %d", p.id)
	}
	if err := b.compile.work.Charge(16 + 16*len(s.parts)); err != nil && b.err == nil {
		b.err = err
	}
	if old := b.known[string(key)]; old != nil {
		return old
	}
	s.id = len(b.known)
	switch s.kind {
	case wordSource, termsSource:
		s.least = 1
	case orderedSource, unorderedSource, blockSource:
		for _, p := range s.parts {
			s.least += p.least
		}
	case orSource:
		s.least = math.MaxInt32
		for _, p := range s.parts {
			s.least = min(s.least, p.least)
		}
	case aroundSource:
		s.least = math.MaxInt32
	case fieldSource, repeatedSource, gapsSource, relatedSource:
		s.least = s.parts[0].least
	}
	b.known[string(key)] = &s
	return &s
}

func (b *sources) of(kind sourceKind, n int, parts ...*intervalSource) *intervalSource {
	return b.make(intervalSource{kind: kind, n: n, parts: parts})
}

// or returns the source of the intervals of any of several sources.
func (b *sources) or(list []*intervalSource) *intervalSource {
	var parts []*intervalSource
	for _, s := range list {
		if s.kind == orSource {
			parts = append(parts, s.parts...)
		} else {
			parts = append(parts, s)
		}
	}
	slices.SortFunc(parts, func(a, b *intervalSource) int { return a.id - b.id })
	if parts = slices.Compact(parts); len(parts) == 1 {
		return parts[0]
	}
	return b.of(orSource, 0, parts...)
}

// combine returns the source of intervals with all of several sources. At most gaps words are between them; -1 means
// any number.
func (b *sources) combine(parts []*intervalSource, gaps int, ordered bool) *intervalSource {
	switch {
	case len(parts) == 0:
		return b.of(noSource, 0)
	case len(parts) == 1:
		return parts[0]
	case gaps == 0 && ordered:
		return b.or(b.eachChoice(parts, b.block))
	}
	s := b.all(parts, ordered)
	if gaps == -1 {
		return s
	}
	var limited []*intervalSource
	for _, p := range b.alternatives(s) {
		limited = append(limited, b.of(gapsSource, gaps, p))
	}
	return b.or(limited)
}

func (b *sources) block(parts []*intervalSource) *intervalSource {
	return b.of(blockSource, 0, flat(parts, blockSource)...)
}

// flat replaces each source of a kind by its parts.
func flat(list []*intervalSource, kind sourceKind) (parts []*intervalSource) {
	for _, s := range list {
		if s.kind == kind {
			parts = append(parts, s.parts...)
		} else {
			parts = append(parts, s)
		}
	}
	return parts
}

// all returns the source of intervals with several sources, in order or in any order. Equal sources
// become one repeated source; in order, only neighbours do.
func (b *sources) all(list []*intervalSource, ordered bool) *intervalSource {
	kind := unorderedSource
	if ordered {
		kind = orderedSource
	}
	var parts []*intervalSource
	var times []int
	place := map[*intervalSource]int{}
	for _, s := range flat(list, kind) {
		i, ok := place[s]
		if ok && (!ordered || i == len(parts)-1) {
			times[i]++
			continue
		}
		place[s] = len(parts)
		parts, times = append(parts, s), append(times, 1)
	}
	for i, n := range times {
		if n > 1 {
			parts[i] = b.of(repeatedSource, n, parts[i])
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return b.of(kind, 0, parts...)
}

// alternatives returns the sources whose intervals together equal the intervals of s. A source without alternatives is
// its own.
func (b *sources) alternatives(s *intervalSource) []*intervalSource {
	if s.split == nil && b.err == nil {
		s.split = b.findAlternatives(s)
	}
	return s.split
}

func (b *sources) findAlternatives(s *intervalSource) (list []*intervalSource) {
	again := func(parts []*intervalSource) *intervalSource { return b.of(s.kind, s.n, parts...) }
	switch {
	case s.kind == noSource:
		return nil
	case s.kind == orSource:
		return s.parts
	case s.kind == orderedSource, s.kind == unorderedSource:
		return b.eachChoice(s.parts, again)
	case s.kind == relatedSource && scorer.Relation(s.n) == scorer.Overlapping:
		return b.eachChoice(s.parts, again)
	case s.kind == relatedSource && scorer.Relation(s.n) < scorer.Overlapping:
		return b.relatedChoices(s.parts[0], s.parts[1], scorer.Relation(s.n))
	case s.kind == fieldSource:
		inner := b.alternatives(s.parts[0])
		if len(inner) == 1 {
			break
		}
		for _, p := range inner {
			list = append(list, b.make(intervalSource{kind: fieldSource, text: s.text, parts: []*intervalSource{p}}))
		}
		return list
	}
	return []*intervalSource{s}
}

// related returns the source of the intervals of s that are in a relation to an interval of other.
func (b *sources) related(s, other *intervalSource, r scorer.Relation) *intervalSource {
	if r == scorer.Overlapping || r == scorer.NotOverlapping {
		return b.of(relatedSource, int(r), s, other)
	}
	return b.or(b.relatedChoices(s, other, r))
}

// relatedChoices relates s and other for each alternative of the source that contains, or must not contain.
func (b *sources) relatedChoices(s, other *intervalSource, r scorer.Relation) (list []*intervalSource) {
	if r == scorer.ContainedBy || r == scorer.NotContainedBy {
		for _, big := range b.choices(other) {
			list = append(list, b.of(relatedSource, int(r), s, big))
		}
		return list
	}
	for _, big := range b.choices(s) {
		list = append(list, b.of(relatedSource, int(r), big, other))
	}
	return list
}

// choices returns the alternatives of a source. It joins alternatives that are one position long into one.
func (b *sources) choices(s *intervalSource) (list []*intervalSource) {
	var words, longer []*intervalSource
	for _, p := range b.alternatives(s) {
		if p.least == 1 {
			words = append(words, p)
		} else {
			longer = append(longer, p)
		}
	}
	if len(words) > 0 {
		list = append(list, b.or(words))
	}
	return append(list, longer...)
}

// eachChoice calls combine with each way to choose an alternative of every part.
func (b *sources) eachChoice(parts []*intervalSource, combine func([]*intervalSource) *intervalSource) (list []*intervalSource) {
	rows := [][]*intervalSource{nil}
	for _, p := range parts {
		choices := b.choices(p)
		if len(rows)*len(choices) > maxAlternatives && b.err == nil {
			b.err = &query.Error{Code: problem.TooManyClauses, Position: -1, Parameter: "intervals",
				Message: fmt.Sprintf("intervals: the alternatives of any_of combine in more than %d ways: use fewer alternatives within all_of and filters", maxAlternatives)}
		}
		if b.compile.work.Charge(2 * len(rows) * max(1, len(choices))); b.err != nil {
			return nil
		}
		if len(choices) == 1 {
			for i := range rows {
				rows[i] = append(rows[i], choices[0])
			}
			continue
		}
		var more [][]*intervalSource
		for _, c := range choices {
			for _, row := range rows {
				if b.compile.work.Charge(len(row)) != nil {
					return nil
				}
				more = append(more, append(slices.Clone(row), c))
			}
		}
		rows = more
	}
	for _, row := range rows {
		list = append(list, combine(row))
	}
	return list
}
