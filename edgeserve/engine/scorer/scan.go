// This file matches many terms at once: prefixes, ranges, patterns. It skips dead prefixes.

package scorer

import (
	"bytes"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/snapshot"
)

// The costs in steps per dictionary value or word, document of an entry, and tested byte.
const (
	LookupSteps  = 32
	EntrySteps   = 8
	valueSteps   = 8
	termSteps    = 8
	skipSteps    = 8 // past terms that cannot match
	bytesPerStep = 4
)

// Bound is one end of a range. A nil Bound is unbounded.
type Bound struct {
	Text string
	Inc  bool
}

type union struct {
	r   *Request
	f   *snapshot.Field
	p   *snapshot.Postings
	set DocSet
}

func (r *Request) union(f *snapshot.Field) *union {
	return &union{r: r, f: f, p: r.postings(), set: r.DocSet()}
}

// add adds a term. It returns false once the request has failed.
func (u *union) add(info snapshot.TermInfo) bool {
	u.p.Reset(u.f.Terms(), info)
	for d := u.p.Next(); d != noMore; {
		docs := u.p.Chunk(noMore)
		u.set.addAll(docs)
		d = u.p.Skip(len(docs))
	}
	// Documents after the full blocks are packed less tightly.
	return u.r.Work.Charge(EntrySteps+info.DF%128+info.DF/8) == nil
}

// TermPrefix matches the documents with a term that begins with text.
func (r *Request) TermPrefix(f *snapshot.Field, text string, score float64) Scorer {
	u := r.union(f)
	for it := f.Terms().Seek([]byte(text)); it.Next() && hasPrefix(it.Term(), text) && u.add(it.Info()); {
	}
	return u.set.Scorer(score)
}

// TermRange matches the documents with a term between two bounds, in byte order.
func (r *Request) TermRange(f *snapshot.Field, lo, hi *Bound, score float64) Scorer {
	start := ""
	if lo != nil {
		start = lo.Text
	}
	u := r.union(f)
	for it := f.Terms().Seek([]byte(start)); it.Next(); {
		t := string(it.Term())
		if lo != nil && !lo.Inc && t == lo.Text {
			continue
		}
		if hi != nil && (t > hi.Text || t == hi.Text && !hi.Inc) || !u.add(it.Info()) {
			break
		}
	}
	return u.set.Scorer(score)
}

// Expand returns the first terms that begin with a prefix, at most limit.
func Expand(f *snapshot.Field, prefix string, limit int) (infos []snapshot.TermInfo) {
	for it := f.Terms().Seek([]byte(prefix)); len(infos) < limit && it.Next() && hasPrefix(it.Term(), prefix); {
		infos = append(infos, it.Info())
	}
	return infos
}

// Occurrences returns how often a field has a term.
func (r *Request) Occurrences(f *snapshot.Field, info snapshot.TermInfo) (n int) {
	p := r.postings()
	p.Reset(f.Terms(), info)
	for d := p.Next(); d != noMore; {
		docs := p.Chunk(noMore)
		for _, tf := range p.Frequencies()[:len(docs)] {
			n += int(tf)
		}
		if r.Work.Charge(EntrySteps+len(docs)) != nil {
			break
		}
		d = p.Skip(len(docs))
	}
	return n
}

func hasPrefix(b []byte, p string) bool { return len(b) >= len(p) && string(b[:len(p)]) == p }

// Find returns the first ordinal of a string that is at least text, and whether the string equals text.
func (r *Request) Find(s *snapshot.Strings, text []byte) (ord int, exact bool) {
	r.Work.Charge(LookupCost(len(text)))
	return s.Find(text)
}

// LookupCost returns the steps of finding a text of n bytes among strings.
func LookupCost(n int) int { return LookupSteps + n/bytesPerStep }

// PrefixOrdinals returns the range of strings that begin with p.
func (r *Request) PrefixOrdinals(s *snapshot.Strings, p []byte) (from, to int) {
	from, _ = r.Find(s, p)
	end := snapshot.AppendAfter(nil, p)
	if end == nil {
		return from, s.Len()
	}
	to, _ = r.Find(s, end)
	return from, to
}

// Test reports whether a term or string matches. Its first same bytes equal the first bytes of the term tested before;
// same is 0 for the first test. No match begins with the first dead bytes of the term.
type Test func(term []byte, same int) (ok bool, dead int)

// TestOf returns a test of a pattern for one scan.
func (r *Request) TestOf(m pattern.Matcher) Test {
	switch m := m.(type) {
	case *pattern.Regexp:
		return m.Walk().Test
	case *pattern.Wildcard:
		return func(term []byte, _ int) (bool, int) { return m.MatchWithin(term, r.Work.Charge), 0 }
	}
	return func(term []byte, _ int) (bool, int) { return m.Match(term), 0 }
}

// ScanTerms calls take for terms with a prefix that pass a test, until take returns false.
func (r *Request) ScanTerms(f *snapshot.Field, prefix []byte, test Test, take func(snapshot.TermInfo) bool) {
	it := f.Terms().Seek(prefix)
	for more := it.Next(); more && begins(it, prefix); {
		if r.Work.Charge(termSteps+len(it.Term())/bytesPerStep) != nil {
			return
		}
		ok, dead := test(it.Term(), it.Shared())
		switch {
		case ok && !take(it.Info()):
			return
		case dead == 0:
			more = it.Next()
		default:
			more = r.Work.Charge(skipSteps) == nil && it.NextPast(dead)
		}
	}
}

// begins reports whether a term begins with a prefix, given that the terms before it do.
func begins(it *snapshot.TermIter, prefix []byte) bool {
	return it.Shared() >= len(prefix) || bytes.HasPrefix(it.Term(), prefix)
}

// TermMatches matches the documents with a term that matches a pattern.
func (r *Request) TermMatches(f *snapshot.Field, m pattern.Matcher, score float64) Scorer {
	u := r.union(f)
	if near, ok := m.(*pattern.Fuzzy); ok {
		r.ScanNear(f, near, func(_ []byte, _ int, info snapshot.TermInfo) bool { return u.add(info) })
	} else {
		r.ScanTerms(f, m.Prefix(), r.TestOf(m), u.add)
	}
	return u.set.Scorer(score)
}

// ScanStrings is ScanTerms for the ordinals of strings. It skips what a non-nil admit rejects.
func (r *Request) ScanStrings(s *snapshot.Strings, admit func(string) bool, prefix []byte, test Test, take func(ord int)) {
	from, to := 0, s.Len()
	if len(prefix) > 0 {
		from, to = r.PrefixOrdinals(s, prefix)
	}
	same, dead := 0, 0
	for it := s.Iter(from); from < to && it.Next() && r.Work.Charge(4) == nil; from++ {
		same = min(same, it.Shared())
		if dead > 0 && it.Shared() >= dead {
			continue
		}
		value := it.Value()
		if r.Work.Charge(valueSteps+len(value)/bytesPerStep) != nil {
			return
		}
		if admit != nil && !admit(string(value)) {
			dead = 0
			continue
		}
		var ok bool
		if ok, dead = test(value, same); ok {
			take(from)
		}
		same = len(value)
	}
}

// StringMatches matches documents with a string that begins with prefix and passes a test.
func (r *Request) StringMatches(v *snapshot.Values, admit func(string) bool, prefix []byte, test Test, score float64) Scorer {
	set, c := r.DocSet(), v.Column()
	r.ScanStrings(v.Strings(), admit, prefix, test, func(ord int) { set.addPairs(c, ord, ord+1) })
	return set.Scorer(score)
}

// PatternMatches matches the documents with a string that matches a pattern as a whole.
func (r *Request) PatternMatches(v *snapshot.Values, admit func(string) bool, m pattern.Matcher, score float64) Scorer {
	return r.StringMatches(v, admit, m.Prefix(), r.TestOf(m), score)
}

// GramMatches tests a pattern on values with its grams. All match a single gram between two stars.
func (r *Request) GramMatches(f *snapshot.Field, g *snapshot.Grams, keys []uint64, m pattern.Matcher, score float64) Scorer {
	r.pool.ords = g.Values(keys, r.pool.ords[:0])
	r.Work.Charge(len(r.pool.ords) / 4)
	set := r.DocSet()
	w, ok := m.(*pattern.Wildcard)
	if !ok || len(keys) != 1 || !w.IsInfix() || w.MinRunes() != 3 {
		r.testOrdinals(f, r.pool.ords, m, &set)
		return set.Scorer(score)
	}
	for _, ord := range r.pool.ords {
		set.addPairs(f.Column(), int(ord), int(ord)+1)
	}
	return set.Scorer(score)
}
