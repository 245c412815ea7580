// This file matches single values: a term of a text field, a whole string, a number,
// a date, a boolean, and ranges of them.

package search

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/snapshot"
)

// errValue says that a value does not fit the field: an error of the request unless
// the clause is lenient.
var errValue = errors.New("value does not fit the field")

// idf is Lucene's inverse document frequency.
func idf(docs, df int) float32 {
	return float32(math.Log(1 + (float64(docs)-float64(df)+0.5)/(float64(df)+0.5)))
}

// similarity is what BM25 needs of a text field.
type similarity struct {
	inv [256]float32 // 1/factor by encoded length
}

// similarityOf returns a field's similarity, made once for each snapshot.
func similarityOf(f *snapshot.Field) *similarity {
	return f.Derived(func() any {
		s := &similarity{}
		factors := analysis.LengthFactors(float32(float64(f.Tokens) / float64(f.Docs)))
		for i, x := range factors {
			s.inv[i] = 1 / x
		}
		return s
	}).(*similarity)
}

// word is a term of a text field, nil if no item has it.
func (b *builder) word(f *snapshot.Field, term []byte, boost float64) scorer {
	info, ok := f.Terms().Lookup(term)
	if !ok {
		return nil
	}
	return b.termOf(f, info, float32(boost)*(analysis.K1+1)*idf(f.Docs, info.DF))
}

func (b *builder) termOf(f *snapshot.Field, info snapshot.TermInfo, weight float32) scorer {
	p := b.postings()
	p.Reset(f.Terms(), info)
	n := f.Norms()
	return &termScorer{p: p, weight: weight, inv: &similarityOf(f).inv, norms: n, bytes: n.Bytes()}
}

// ordinals is the documents that have a value in [lo, hi) of a column.
func (b *builder) ordinals(c *snapshot.Column, lo, hi int, score float64) scorer {
	if lo >= hi {
		return nil
	}
	from, to := c.Start(lo), c.Start(hi)
	n := to - from
	switch {
	case c.Single && n == b.items:
		return b.all(score)
	case c.Single:
		return &ordinalScorer{c: c, lo: lo, hi: hi, from: from, to: to, items: b.items, s: float32(score)}
	}
	set := docSet{items: b.items}
	for i := from; i < to; i++ {
		set.add(c.Doc(i))
	}
	return set.scorer(float32(score))
}

// flatScore is the score of a term without frequencies or lengths: a whole string or
// a boolean.
func flatScore(c *snapshot.Column, df int, boost float64) float64 {
	weight := float32(boost) * (analysis.K1 + 1) * idf(c.DocCount, df)
	average := float32(float64(c.Pairs) / float64(c.DocCount))
	return float64(bm25(weight, 1, 1/(analysis.K1*((1-analysis.B)+analysis.B/average))))
}

// whole is the documents with an exact string.
func (b *builder) whole(t target, text string, boost float64, flat bool) scorer {
	ord, ok := t.f.Strings().Find([]byte(text))
	if !ok {
		return nil
	}
	c := t.f.Column()
	score := boost
	if !flat {
		score = flatScore(c, c.Count(ord), boost)
	}
	return b.ordinals(c, ord, ord+1, score)
}

// exact is a term as query `term` means it: a token, a whole string, or a value. flat
// asks for a constant score, as `terms` has it.
func (b *builder) exact(t target, text string, boost float64, flat bool) (scorer, error) {
	switch t.kind {
	case onText:
		s := b.word(t.f, []byte(text), boost)
		if flat && s != nil {
			s = &constant{s, float32(boost)}
		}
		return s, nil
	case onKeyword:
		return b.whole(t, text, boost, flat), nil
	case onBool:
		return b.boolean(t, text, boost, flat)
	case onDate:
		return b.between(t, &bound{text, true}, &bound{text, true}, boost)
	}
	return b.number(t, text, boost)
}

func (b *builder) boolean(t target, text string, boost float64, flat bool) (scorer, error) {
	want := int64(0)
	switch text {
	case "true":
		want = 1
	case "false":
	default:
		return nil, errValue
	}
	n := t.f.Numbers()
	ord := n.FindInt(want)
	if ord == n.Len() || n.Int(ord) != want {
		return nil, nil
	}
	c := t.f.Column()
	score := boost
	if !flat {
		score = flatScore(c, c.Count(ord), boost)
	}
	return b.ordinals(c, ord, ord+1, score), nil
}

// noNumbers are texts that Elasticsearch reads as numbers which no item can have.
var noNumbers = []string{"NaN", "Infinity", "+Infinity", "-Infinity"}

func (b *builder) number(t target, text string, boost float64) (scorer, error) {
	f, i, isInt, ok := analysis.ParseNumber(text)
	switch {
	case slices.Contains(noNumbers, text):
		return nil, nil
	case !ok:
		return nil, errValue
	}
	n := t.f.Numbers()
	ord := 0
	if t.f.Type == snapshot.Float {
		f = float64(float32(f))
		if ord = n.FindFloat(f); ord == n.Len() || n.Float(ord) != f {
			return nil, nil
		}
	} else if ord = n.FindInt(i); !isInt || ord == n.Len() || n.Int(ord) != i {
		return nil, nil
	}
	return b.ordinals(t.f.Column(), ord, ord+1, boost), nil
}

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
		from, to := stringRange(t.f.Strings(), lo, hi)
		return b.ordinals(t.f.Column(), from, to, boost), nil
	}
	n := t.f.Numbers()
	var from, to int
	var err error
	switch {
	case t.kind == onDate:
		from, to, err = dateRange(n, lo, hi, b.now)
	case t.f.Type == snapshot.Float:
		from, to, err = floatRange(n, lo, hi)
	case t.kind == onBool:
		from, to, err = boolRange(n, lo, hi)
	default:
		from, to, err = longRange(n, lo, hi)
	}
	if err != nil {
		return nil, err
	}
	return b.ordinals(t.f.Column(), from, to, boost), nil
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
func dateRange(n *snapshot.Numbers, lo, hi *bound, now time.Time) (from, to int, err error) {
	to = n.Len()
	if lo != nil {
		ms, err := analysis.ParseDate(lo.text, !lo.inc, now)
		if err != nil {
			return 0, 0, errValue
		}
		if !lo.inc {
			ms++
		}
		from = n.FindInt(ms)
	}
	if hi != nil {
		ms, err := analysis.ParseDate(hi.text, hi.inc, now)
		if err != nil {
			return 0, 0, errValue
		}
		if hi.inc {
			ms++
		}
		to = n.FindInt(ms)
	}
	return from, to, nil
}

// longRange: a fractional bound moves inwards to the next integer.
func longRange(n *snapshot.Numbers, lo, hi *bound) (from, to int, err error) {
	to = n.Len()
	if lo != nil {
		f, i, isInt, ok := analysis.ParseNumber(lo.text)
		if !ok {
			return 0, 0, errValue
		}
		from = findLong(n, f, i, isInt, !lo.inc)
	}
	if hi != nil {
		f, i, isInt, ok := analysis.ParseNumber(hi.text)
		if !ok {
			return 0, 0, errValue
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

func floatRange(n *snapshot.Numbers, lo, hi *bound) (from, to int, err error) {
	to = n.Len()
	if lo != nil {
		if from, err = findFloat(n, lo.text, !lo.inc); err != nil {
			return 0, 0, err
		}
	}
	if hi != nil {
		to, err = findFloat(n, hi.text, hi.inc)
	}
	return from, to, err
}

func findFloat(n *snapshot.Numbers, text string, past bool) (int, error) {
	f, err := strconv.ParseFloat(text, 32)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0, errValue
	}
	if past {
		f = math.Nextafter(f, math.Inf(1))
	}
	return n.FindFloat(f), nil
}

func boolRange(n *snapshot.Numbers, lo, hi *bound) (from, to int, err error) {
	flip := func(b *bound) *bound {
		switch {
		case b == nil:
			return nil
		case b.text == "true":
			return &bound{"1", b.inc}
		case b.text == "false":
			return &bound{"0", b.inc}
		}
		return &bound{"", b.inc}
	}
	return longRange(n, flip(lo), flip(hi))
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

// union gathers the documents of many terms of a field.
type union struct {
	b   *builder
	f   *snapshot.Field
	p   *snapshot.Postings
	set docSet
}

func (b *builder) union(f *snapshot.Field) *union {
	return &union{b: b, f: f, p: b.postings(), set: docSet{items: b.items}}
}

func (u *union) add(info snapshot.TermInfo) error {
	u.p.Reset(u.f.Terms(), info)
	for d := u.p.Next(); d != noMore; d = u.p.Next() {
		u.set.add(d)
	}
	return u.b.tick(1 + info.DF/16)
}

func (u *union) scorer(boost float64) scorer { return u.set.scorer(float32(boost)) }

// prefix is the documents with a term, or a whole string, that begins with text.
func (b *builder) prefix(t target, text string, boost float64) (scorer, error) {
	switch t.kind {
	case onText:
		u := b.union(t.f)
		for it := t.f.Terms().Seek([]byte(text)); it.Next() && hasPrefix(it.Term(), text); {
			if err := u.add(it.Info()); err != nil {
				return nil, err
			}
		}
		return u.scorer(boost), nil
	case onKeyword:
		from, to := prefixOrdinals(t.f.Strings(), []byte(text))
		return b.ordinals(t.f.Column(), from, to, boost), nil
	}
	return nil, errValue
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
	switch t.kind {
	case onText:
		u := b.union(t.f)
		err := b.scanTerms(t.f, m.Prefix(), testOf(m), func(it *snapshot.TermIter) error { return u.add(it.Info()) })
		return finish(&u.set, boost, err)
	case onKeyword:
		return b.matchStrings(t.f, m, nil, boost)
	}
	return nil, errValue
}

// maxStride is how many entries of a dictionary are stepped over before it is cheaper
// to look up where a dead prefix ends.
const maxStride = 24

// scanTerms calls take for the terms that begin with prefix and pass a test.
func (b *builder) scanTerms(f *snapshot.Field, prefix []byte, test test, take func(*snapshot.TermIter) error) error {
	it := f.Terms().Seek(prefix)
	dead, stride := 0, 0
	for more := it.Next(); more && hasPrefix(it.Term(), string(prefix)); more = it.Next() {
		if err := b.tick(2); err != nil {
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
		var ok bool
		if ok, dead = test(it.Term()); ok {
			if err := take(it); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanStrings calls take for the ordinals in [from, to) whose strings pass a test.
func (b *builder) scanStrings(f *snapshot.Field, from, to int, test test, take func(ord int)) error {
	dead := 0
	for it := f.Strings().Iter(from); from < to && it.Next(); from++ {
		if err := b.tick(4); err != nil {
			return err
		}
		if dead > 0 && it.Shared() >= dead {
			continue
		}
		var ok bool
		if ok, dead = test(it.Value()); ok {
			take(from)
		}
	}
	return nil
}

// matchStrings verifies candidate blocks of values, or, with nil, all that begin
// with the pattern's prefix.
func (b *builder) matchStrings(f *snapshot.Field, m pattern.Matcher, blocks []uint32, boost float64) (scorer, error) {
	set := docSet{items: b.items}
	s, c := f.Strings(), f.Column()
	take := func(ord int) {
		for p, end := c.Start(ord), c.Start(ord+1); p < end; p++ {
			set.add(c.Doc(p))
		}
	}
	if blocks == nil {
		from, to := 0, s.Len()
		if p := m.Prefix(); len(p) > 0 {
			from, to = prefixOrdinals(s, p)
		}
		return finish(&set, boost, b.scanStrings(f, from, to, testOf(m), take))
	}
	for _, k := range blocks {
		from := int(k) * snapshot.GramBlock
		if err := b.scanStrings(f, from, min(from+snapshot.GramBlock, s.Len()), testOf(m), take); err != nil {
			return nil, err
		}
	}
	return finish(&set, boost, nil)
}

func finish(set *docSet, boost float64, err error) (scorer, error) {
	if err != nil {
		return nil, err
	}
	return set.scorer(float32(boost)), nil
}
