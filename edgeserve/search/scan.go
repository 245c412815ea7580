// This file matches many terms at once: prefixes, and patterns that are tried on the
// entries of a dictionary. Entries are front-coded, so whole runs of them are passed
// over where a pattern has ruled out what they begin with.

package search

import (
	"slices"

	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/snapshot"
)

// union gathers the documents of many terms of a field.
type union struct {
	b   *builder
	f   *snapshot.Field
	p   *snapshot.Postings
	set docSet
}

func (b *builder) union(f *snapshot.Field) *union {
	return &union{b: b, f: f, p: b.postings(), set: b.docSet()}
}

func (u *union) add(info snapshot.TermInfo) error {
	u.p.Reset(u.f.Terms(), info)
	for d := u.p.Next(); d != noMore; {
		docs := u.p.Chunk(noMore)
		u.set.addAll(docs)
		d = u.p.Skip(len(docs))
	}
	// What does not fill a block is packed less tightly.
	return u.b.tick(entrySteps + info.DF%128 + info.DF/8)
}

func (u *union) scorer(boost float64) scorer { return u.set.scorer(float32(boost)) }

// prefix is the documents with a term, or a whole string, that begins with text.
func (b *builder) prefix(t target, text string, boost float64) (scorer, error) {
	if t.kind == onText {
		u := b.union(t.f)
		for it := t.f.Terms().Seek([]byte(text)); it.Next() && hasPrefix(it.Term(), text); {
			if err := u.add(it.Info()); err != nil {
				return nil, err
			}
		}
		return u.scorer(boost), nil
	}
	t, ok := t.textForm()
	switch {
	case !ok:
		return nil, nil
	case t.admit != nil:
		return b.matchStrings(t, pattern.CompileWildcard(escapePattern(text)+"*", pattern.FoldNone), boost)
	}
	from, to := prefixOrdinals(t.v.Strings(), []byte(text))
	return b.ordinals(t.v.Column(), from, to, boost), nil
}

func hasPrefix(b []byte, p string) bool { return len(b) >= len(p) && string(b[:len(p)]) == p }

// prefixOrdinals is the range of strings that begin with p.
func prefixOrdinals(s *snapshot.Strings, p []byte) (from, to int) {
	from, _ = s.Find(p)
	end := slices.Clone(p)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return from, s.Len()
	}
	end[len(end)-1]++
	to, _ = s.Find(end)
	return from, to
}

// test tells whether a term, or a whole string, matches; dead is the length of a
// prefix of it that no match begins with, 0 if it has none.
type test func(term []byte) (ok bool, dead int)

// testOf is the test of a pattern.
func testOf(m pattern.Matcher) test {
	if s, ok := m.(interface{ MatchSkip([]byte) (bool, int) }); ok {
		return s.MatchSkip
	}
	return func(term []byte) (bool, int) { return m.Match(term), 0 }
}

// matchTerms is the documents with a term, or a whole string, that a pattern matches.
func (b *builder) matchTerms(t target, m pattern.Matcher, boost float64) (scorer, error) {
	if t.kind == onText {
		u := b.union(t.f)
		err := b.scanTerms(t.f, m.Prefix(), testOf(m), func(it *snapshot.TermIter) error { return u.add(it.Info()) })
		return finish(&u.set, boost, err)
	}
	t, ok := t.textForm()
	if !ok {
		return nil, nil
	}
	return b.matchStrings(t, m, boost)
}

// maxStride is how many entries of a dictionary are stepped over before it is cheaper
// to look up where a dead prefix ends.
const maxStride = 24

// scanTerms calls take for the terms that begin with prefix and pass a test.
func (b *builder) scanTerms(f *snapshot.Field, prefix []byte, test test, take func(*snapshot.TermIter) error) error {
	it := f.Terms().Seek(prefix)
	dead, stride := 0, 0
	for more := it.Next(); more && hasPrefix(it.Term(), string(prefix)); more = it.Next() {
		if err := b.tick(4); err != nil {
			return err
		}
		if dead > 0 && it.Shared() >= dead {
			if stride++; stride < maxStride {
				continue
			}
			if !it.SeekGE(after(it.Term()[:dead])) || !hasPrefix(it.Term(), string(prefix)) {
				return nil
			}
		}
		stride = 0
		if err := b.tick(4 + len(it.Term())/bytesPerStep); err != nil {
			return err
		}
		var ok bool
		if ok, dead = test(it.Term()); ok {
			if err := take(it); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanStrings calls take for the ordinals in [from, to) whose texts pass a test.
func (b *builder) scanStrings(t target, from, to int, test test, take func(ord int)) error {
	dead := 0
	for it := t.v.Strings().Iter(from); from < to && it.Next(); from++ {
		if err := b.tick(4); err != nil {
			return err
		}
		if dead > 0 && it.Shared() >= dead {
			continue
		}
		value := it.Value()
		if err := b.tick(valueSteps + len(value)/bytesPerStep); err != nil {
			return err
		}
		if t.admit != nil && !t.admit(string(value)) {
			dead = 0
			continue
		}
		var ok bool
		if ok, dead = test(value); ok {
			take(from)
		}
	}
	return nil
}

// takeValue adds the documents of a value to a set.
func takeValue(c *snapshot.Column, ord int, set *docSet) {
	p, end := c.Start(ord), c.Start(ord+1)
	set.b.tick((end - p) / 2)
	for ; p < end; p++ {
		set.add(c.Doc(p))
	}
}

// matchStrings tries a pattern on all whole texts that begin with its prefix.
func (b *builder) matchStrings(t target, m pattern.Matcher, boost float64) (scorer, error) {
	set := b.docSet()
	s, c := t.v.Strings(), t.v.Column()
	from, to := 0, s.Len()
	if p := m.Prefix(); len(p) > 0 {
		from, to = prefixOrdinals(s, p)
	}
	err := b.scanStrings(t, from, to, testOf(m), func(ord int) { takeValue(c, ord, &set) })
	return finish(&set, boost, err)
}

// matchGrams tries a pattern on the values that hold its grams. If it is one gram
// between two stars, those are the values that match.
func (b *builder) matchGrams(f *snapshot.Field, g *snapshot.Grams, keys []uint64, w *pattern.Wildcard, boost float64) (scorer, error) {
	b.pool.ords = g.Values(keys, b.pool.ords[:0])
	if err := b.tick(len(b.pool.ords) / 4); err != nil {
		return nil, err
	}
	set := b.docSet()
	c, it := f.Column(), f.Strings().Iter(0)
	sure := len(keys) == 1 && w.IsInfix() && w.MinRunes() == 3
	for _, ord := range b.pool.ords {
		if !sure {
			it.Seek(int(ord))
			value := it.Value()
			if err := b.tick(valueSteps + len(value)/bytesPerStep); err != nil {
				return nil, err
			}
			if !w.Match(value) {
				continue
			}
		}
		takeValue(c, int(ord), &set)
	}
	return finish(&set, boost, nil)
}

func finish(set *docSet, boost float64, err error) (scorer, error) {
	if err != nil {
		return nil, err
	}
	return set.scorer(float32(boost)), nil
}
