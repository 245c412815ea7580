// This file turns the query tree into scorers. What a clause means on a field is in
// terms.go, text.go and strings.go; here is what holds for all: the order in which
// clauses are built, which decides which errors are reported, and the limits.

package search

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// builder builds the scorers of one request.
type builder struct {
	*Budget
	own   Budget // of a request that brings none
	r     *snapshot.Reader
	items int
	now   time.Time // when the clock was first asked; zero: it was not
	pool  *postingsPool

	matched *bitset // all matches, once collected, where aggregations want them
}

// clock is the time of the request, for what depends on it.
func (b *builder) clock() time.Time {
	if b.now.IsZero() {
		b.now = time.Now()
	}
	return b.now
}

// maxCursors bounds the memory of a request: a cursor is about a kilobyte.
const maxCursors = 16384

// postings hands out a cursor. One too many ends the request at the next tick.
func (b *builder) postings() *snapshot.Postings {
	if b.tick(64); b.pool.used >= maxCursors && b.failed == nil {
		b.failed = errCostly
	}
	if b.failed != nil && b.pool.used > 0 {
		return b.pool.all[b.pool.used-1] // its matches will not be seen
	}
	return b.pool.get()
}

// bitset lends an empty set of documents. It counts as work by its words, which also
// bounds the memory of a request's sets, at eight bytes a step.
func (b *builder) bitset() *bitset {
	b.tick((b.items + 63) / 64)
	if b.failed != nil && b.pool.lent > 0 {
		return b.pool.sets[b.pool.lent-1] // its matches will not be seen
	}
	return b.pool.bitset(b.items)
}

func (b *builder) all(score float64) scorer {
	if b.items == 0 {
		return nil
	}
	return &allScorer{n: docID(b.items), s: float32(score)}
}

// refuse reports a value that a field cannot hold.
func refuse(err error, field string) error {
	if !isUnfit(err) {
		return err
	}
	return &query.Error{Code: "bad_value", Position: -1, Parameter: field, Message: field + " " + err.Error()}
}

// check reports the errors that count wherever they stand: a bad date in a range.
func (b *builder) check(n query.Node) error {
	for _, c := range children(n) {
		if err := b.check(c); err != nil {
			return err
		}
	}
	r, ok := n.(*query.Range)
	if !ok {
		return nil
	}
	t, ok := b.resolve(r.Field)
	if !ok || t.kind != onDate {
		return nil
	}
	lo, hi := rangeBounds(r)
	_, _, err := dateRange(t.v.Numbers(), lo, hi, b.clock)
	return refuse(err, r.Field)
}

func children(n query.Node) []query.Node {
	switch n := n.(type) {
	case *query.Bool:
		var all []query.Node
		for _, l := range [][]query.Node{n.Must, n.Filter, n.Should, n.MustNot} {
			all = append(all, l...)
		}
		return all
	case *query.ConstantScore:
		return []query.Node{n.Filter}
	}
	return nil
}

// empty tells that a node matches nothing whatever the items hold. It is asked
// before a clause's siblings are built, so that their errors are not reported.
func (b *builder) empty(n query.Node) bool {
	switch n := n.(type) {
	case *query.MatchNone:
		return true
	case *query.Term:
		return b.unmapped(n.Field)
	case *query.Terms:
		return len(n.Values) == 0 || b.unmapped(n.Field)
	case *query.Prefix:
		return b.unmapped(n.Field)
	case *query.Wildcard:
		return b.unmapped(n.Field)
	case *query.Range:
		return b.unmapped(n.Field)
	case *query.Exists:
		return len(b.existing(n.Field)) == 0
	case *query.IDs:
		return len(n.Values) == 0
	case *query.ConstantScore:
		return b.empty(n.Filter)
	case *query.Bool:
		return b.emptyBool(n)
	}
	return false
}

func (b *builder) unmapped(field string) bool {
	_, ok := b.resolve(field)
	return !ok
}

func (b *builder) emptyBool(n *query.Bool) bool {
	for _, l := range [][]query.Node{n.Must, n.Filter} {
		for _, c := range l {
			if b.empty(c) {
				return true
			}
		}
	}
	if len(n.Must)+len(n.Filter) > 0 || len(n.Should) == 0 {
		return false
	}
	for _, c := range n.Should {
		if !b.empty(c) {
			return false
		}
	}
	return true
}

// build returns the scorer of a node, nil if nothing can match.
func (b *builder) build(n query.Node, boost float64) (scorer, error) {
	if err := b.tick(64); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *query.MatchAll:
		return b.all(boost * n.Boost), nil
	case *query.MatchNone:
		return nil, nil
	case *query.Bool:
		return b.bool(n, boost*n.Boost)
	case *query.ConstantScore:
		s, err := b.build(n.Filter, 1)
		if s == nil || err != nil {
			return nil, err
		}
		return &constant{s, float32(boost * n.Boost)}, nil
	case *query.Exists:
		return b.exists(n.Field, boost*n.Boost), nil
	case *query.IDs:
		return b.ids(n, boost*n.Boost), nil
	case *query.QueryString:
		return b.queryString(n, boost*n.Boost)
	case *query.SimpleQueryString:
		return b.simpleQueryString(n, boost*n.Boost)
	case *query.MultiMatch:
		return b.multiMatch(n, boost*n.Boost)
	case *typedOnly:
		return b.typed(n, boost)
	case *wholeValue:
		return b.wholeValue(n, boost), nil
	case *wordBelow:
		return b.wordBelow(n, boost)
	case *elementNamed:
		return b.elementNamed(n, boost), nil
	}
	return b.onField(n, boost)
}

// onField builds a node that names one field.
func (b *builder) onField(n query.Node, boost float64) (scorer, error) {
	field := fieldOf(n)
	t, ok := b.resolve(field)
	if !ok {
		return nil, nil
	}
	s, err := b.leaf(n, t, boost)
	return s, refuse(err, field)
}

func fieldOf(n query.Node) string {
	switch n := n.(type) {
	case *query.Term:
		return n.Field
	case *query.Terms:
		return n.Field
	case *query.Prefix:
		return n.Field
	case *query.Wildcard:
		return n.Field
	case *query.Range:
		return n.Field
	case *query.Match:
		return n.Field
	case *query.MatchPhrase:
		return n.Field
	case *query.MatchPhrasePrefix:
		return n.Field
	}
	return ""
}

func (b *builder) leaf(n query.Node, t target, boost float64) (scorer, error) {
	switch n := n.(type) {
	case *query.Term:
		if n.CaseInsensitive {
			return b.termAnyCase(t, n.Value.Text, boost*n.Boost)
		}
		return b.exact(t, n.Value.Text, boost*n.Boost, false)
	case *query.Terms:
		return b.terms(t, n, boost*n.Boost)
	case *query.Prefix:
		if n.CaseInsensitive {
			return b.prefixAnyCase(t, n.Value, boost*n.Boost)
		}
		return b.prefix(t, n.Value, boost*n.Boost)
	case *query.Wildcard:
		return b.wildcard(t, n, boost*n.Boost)
	case *query.Range:
		return b.rangeOf(t, n, boost*n.Boost)
	case *query.Match:
		return b.match(t, n, boost*n.Boost)
	case *query.MatchPhrase:
		return b.matchPhrase(t, n, boost*n.Boost)
	case *query.MatchPhrasePrefix:
		return b.matchPhrasePrefix(t, n, boost*n.Boost)
	}
	return nil, fmt.Errorf("search: no meaning for %T", n)
}

// typed matches a number, date or boolean by value.
func (b *builder) typed(n *typedOnly, boost float64) (scorer, error) {
	if t, ok := b.resolve(n.Field); !ok || t.kind == onText {
		return nil, nil
	}
	return b.onField(n.Match, boost)
}

// wholeValue matches a whole text, whatever the type of its path.
func (b *builder) wholeValue(n *wholeValue, boost float64) scorer {
	if f := b.r.Field(n.field); f != nil {
		if t, ok := subTarget(f, snapshot.SubKeyword); ok {
			return b.whole(t, n.text, boost, true)
		}
	}
	return nil
}

// mayHaveWord tells whether the text of a value that is no text may have a word: all words
// of numbers and dates begin with a digit.
func mayHaveWord(t snapshot.Type, word string) bool {
	if t == snapshot.Boolean {
		_, ok := analysis.ReadBool(word)
		return ok
	}
	return word[0] >= '0' && word[0] <= '9'
}

// wordBelow matches a word in the values of any path below another.
func (b *builder) wordBelow(n *wordBelow, boost float64) (scorer, error) {
	var subs []scorer
	for _, f := range b.r.FieldsBelow(n.prefix) {
		if f.Type == snapshot.Text {
			subs = append(subs, b.word(f, []byte(n.word), boost))
			continue
		}
		if !mayHaveWord(f.Type, n.word) {
			continue
		}
		s, err := b.textPhrase(pathTarget(f), []string{n.word}, textPhrase{}, boost)
		if err != nil {
			return nil, err
		}
		subs = append(subs, s)
	}
	return newBest(subs, 0), nil
}

func (b *builder) terms(t target, n *query.Terms, boost float64) (scorer, error) {
	var subs []scorer
	for _, v := range n.Values {
		s, err := b.exact(t, v.Text, boost, true)
		if err := cmp.Or(err, b.tick(16)); err != nil {
			return nil, err
		}
		subs = append(subs, s)
	}
	s := newAnyOf(subs, 1)
	if s == nil {
		return nil, nil
	}
	return &constant{s, float32(boost)}, nil
}

func rangeBounds(n *query.Range) (lo, hi *bound) {
	one := func(open, inc *query.Value) *bound {
		switch {
		case inc != nil:
			return &bound{inc.Text, true}
		case open != nil:
			return &bound{open.Text, false}
		}
		return nil
	}
	return one(n.Gt, n.Gte), one(n.Lt, n.Lte)
}

func (b *builder) rangeOf(t target, n *query.Range, boost float64) (scorer, error) {
	lo, hi := rangeBounds(n)
	if lo == nil && hi == nil {
		return b.exists(n.Field, boost), nil
	}
	return b.between(t, lo, hi, boost)
}

func (b *builder) termAnyCase(t target, text string, boost float64) (scorer, error) {
	return b.matchAnyCase(t, escapePattern(text), boost)
}

func (b *builder) prefixAnyCase(t target, text string, boost float64) (scorer, error) {
	return b.matchAnyCase(t, escapePattern(text)+"*", boost)
}

func (b *builder) matchAnyCase(t target, text string, boost float64) (scorer, error) {
	w, err := b.compileWildcard(text, pattern.FoldASCII)
	if err != nil {
		return nil, err
	}
	return b.matchTerms(t, w, boost)
}

// compileWildcard compiles a pattern. A star costs some 200 nanoseconds.
func (b *builder) compileWildcard(text string, fold pattern.Fold) (*pattern.Wildcard, error) {
	if err := b.tick(16 * len(text)); err != nil {
		return nil, err
	}
	return pattern.CompileWildcard(text, fold), nil
}

// escapePattern quotes the characters that mean something in a wildcard pattern.
func escapePattern(s string) string {
	var out []byte
	for i := range len(s) {
		if c := s[i]; c == '*' || c == '?' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, s[i])
	}
	return string(out)
}

// wildcard matches whole values: on a path without regard to case unless told
// otherwise, on its .keyword as written unless told otherwise.
func (b *builder) wildcard(t target, n *query.Wildcard, boost float64) (scorer, error) {
	fold := pattern.FoldNone
	switch anyCase := n.CaseInsensitive; {
	case t.kind != onKeyword && (anyCase == nil || *anyCase):
		fold = pattern.FoldAll
	case anyCase != nil && *anyCase:
		fold = pattern.FoldASCII
	}
	w, err := b.compileWildcard(n.Pattern, fold)
	if err != nil {
		return nil, err
	}
	return b.wildStrings(t, w, boost)
}

// wildStrings matches whole texts against a pattern, by grams where the field has them.
func (b *builder) wildStrings(t target, w *pattern.Wildcard, boost float64) (scorer, error) {
	if w.MatchesAll() && !(t.all && t.kind.typed()) {
		return b.has(t, boost), nil
	}
	t, ok := t.textForm()
	if !ok {
		return nil, nil
	}
	if g := t.f.Grams(); g != nil && len(w.Prefix()) == 0 && t.admit == nil {
		if keys := gramKeys(w); len(keys) > 0 {
			return b.matchGrams(t.f, g, keys, w, boost)
		}
	}
	return b.matchStrings(t, w, boost)
}

// gramKeys are the grams in the literal runs of a pattern.
func gramKeys(w *pattern.Wildcard) (keys []uint64) {
	for _, lit := range w.Literals() {
		var x, y rune
		n := 0
		for _, r := range string(lit) {
			r = pattern.FoldRune(r)
			if n++; n >= 3 {
				keys = append(keys, snapshot.GramKey(x, y, r))
			}
			x, y = y, r
		}
	}
	return keys
}

// existing returns the fields an `exists` names: a path, the paths below an object, or
// a pattern. A path may be a value in one item and an object in another.
func (b *builder) existing(name string) []target {
	ts := slices.DeleteFunc(b.named(name), func(t target) bool { return !t.exists() })
	for _, f := range b.r.FieldsBelow(name + ".") {
		ts = append(ts, pathTarget(f))
	}
	return ts
}

func (b *builder) exists(name string, boost float64) scorer {
	var subs []scorer
	for _, t := range b.existing(name) {
		s := b.has(t, boost)
		if _, all := s.(*allScorer); all {
			return s
		}
		subs = append(subs, s)
	}
	s := newAnyOf(subs, 1)
	if s == nil {
		return nil
	}
	return &constant{s, float32(boost)}
}

// has is the documents with a value.
func (b *builder) has(t target, boost float64) scorer {
	c := t.order
	if c.DocCount == b.items {
		return b.all(boost)
	}
	set := b.docSet()
	if b.tick(c.DocCount/2) != nil {
		return nil
	}
	c.EachDoc(func(d docID, _ int) bool { set.add(d); return true })
	return set.scorer(float32(boost))
}

func (b *builder) ids(n *query.IDs, boost float64) scorer {
	set := b.docSet()
	b.tick(lookupSteps * len(n.Values))
	for _, id := range n.Values {
		if d, ok := b.r.Lookup(id); ok {
			set.add(d)
		}
	}
	return set.scorer(float32(boost))
}
