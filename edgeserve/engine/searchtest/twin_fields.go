// This file is the twin's fields and what matches single values on them.

package searchtest

import (
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
)

// fieldKind is how a name is searched.
type fieldKind int

const (
	onText fieldKind = iota
	onKeyword
	onNumber
	onDate
	onBool
)

// target is a field as a clause names it.
type target struct {
	f          *twinField
	kind       fieldKind
	boost      float64
	valuesOnly bool // the text of numbers, dates and booleans does not count
}

var kindOf = map[fieldType]fieldKind{textType: onText, keywordType: onKeyword, dateType: onDate,
	longType: onNumber, floatType: onNumber, doubleType: onNumber, boolType: onBool}

func (f *twinField) target() target { return target{f: f, kind: kindOf[f.typ], boost: 1} }

// whole is the keyword sub-field of the path.
func (to target) whole() target { return to.f.keyword.target() }

// typed reports whether a target has numbers, dates or booleans, and answers questions about text from the text form of
// its values.
func (to target) typed() bool { return to.kind != onText && to.kind != onKeyword }

// resolve finds a field by its name: a metadata field, a path, or a sub-field.
func (t *twin) resolve(name string) (target, bool) {
	if f := t.meta[name]; f != nil {
		return f.target(), len(t.ids) > 0
	}
	for _, f := range []*twinField{t.fields[name], t.subs[name]} {
		if f != nil {
			return f.target(), true
		}
	}
	return target{}, false
}

// named finds the fields of a name or of a pattern of stars.
func (t *twin) named(name string) (ts []target) {
	if !strings.Contains(name, "*") {
		if to, ok := t.resolve(name); ok {
			ts = append(ts, to)
		}
		return ts
	}
	pattern := strings.NewReplacer(`\`, `\\`, "?", `\?`).Replace(name)
	for _, p := range t.paths {
		found := []*twinField{t.fields[p]}
		for _, sub := range subNames {
			f := t.subs[p+"."+sub]
			reached := strings.HasSuffix(name, "."+sub)
			if sub == "keyword" {
				reached = t.fields[p].typ == textType
			}
			if f != nil && reached {
				found = append(found, f)
			}
		}
		for _, f := range found {
			if equalWild(pattern, f.path, sameRune) {
				to := f.target()
				to.valuesOnly = name == "*"
				ts = append(ts, to)
			}
		}
	}
	return ts
}

// listed finds the fields of a list of names and patterns, with their boosts.
func (t *twin) listed(list []query.FieldBoost, multiply bool) (ts []target) {
	boosts := map[string]float64{}
	var names []string
	for _, e := range list {
		b := e.Boost
		if old, again := boosts[e.Field]; !again {
			names = append(names, e.Field)
		} else if multiply && !e.Boosted {
			b *= old
		}
		boosts[e.Field] = b
	}
	for _, name := range names {
		for _, to := range t.named(name) {
			i := slices.IndexFunc(ts, func(o target) bool { return o.f == to.f && o.kind == to.kind })
			if i < 0 {
				i, ts = len(ts), append(ts, to)
			}
			ts[i].boost *= boosts[name]
		}
	}
	for i := range ts {
		ts[i].valuesOnly = starred(list)
	}
	return ts
}

// forgiving returns fields for a clause that may say it is lenient.
func forgiving(ts []target, lenient *bool) []target {
	ts = slices.Clone(ts)
	for i := range ts {
		ts[i].valuesOnly = ts[i].valuesOnly || lenient != nil && *lenient
	}
	return ts
}

func starred(list []query.FieldBoost) bool {
	return slices.ContainsFunc(list, func(f query.FieldBoost) bool { return f.Field == "*" })
}

func equalWild(pattern, text string, same func(a, b rune) bool) bool {
	return wild([]rune(pattern), []rune(text), same, same)
}

// escaped is a pattern that stands for a text.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`).Replace(text)
}

// matching is the items with a term, or a whole value, that satisfies a condition.
func (t *twin) matching(to target, boost float64, match func(string) bool) (hits, error) {
	good := map[string]bool{}
	if to.kind == onText {
		for _, term := range to.f.terms {
			good[term] = match(term)
		}
		return t.has(to.f, boost, func(c *cell) bool {
			return slices.ContainsFunc(c.words, func(w word) bool { return good[w.term] })
		}), nil
	}
	if to.typed() && to.valuesOnly {
		return t.none(), nil
	}
	for _, v := range to.f.whole {
		good[v] = match(v)
	}
	return t.has(to.f, boost, func(c *cell) bool {
		is := slices.ContainsFunc(c.texts, func(s string) bool { return good[s] })
		t.met.textForm = t.met.textForm || is && to.typed()
		return is
	}), nil
}

// wildcard of the body matches whole values, on a path or a typed sub-field without
// regard to case unless told otherwise.
func (t *twin) wildcard(to target, n *query.Wildcard) (hits, error) {
	if n.Pattern == "" {
		return t.none(), nil
	}
	same, escaped := sameRune, sameRune // what has a backslash is as written in a keyword
	anyCase := n.CaseInsensitive != nil && *n.CaseInsensitive
	switch {
	case to.kind != onKeyword && (n.CaseInsensitive == nil || anyCase):
		same, escaped = sameFold, sameFold
	case anyCase:
		same = sameASCII
	}
	if to.kind == onText {
		to = to.whole()
	}
	return t.patterned(to, n.Rewrite, n.Boost, func(s string) bool { return wild([]rune(n.Pattern), []rune(s), same, escaped) })
}

func (t *twin) terms(to target, n *query.Terms) (hits, error) {
	h := t.none()
	for _, v := range t.valuesFor(n) {
		one, err := t.exact(to, v.Text, n.Boost, true)
		if err != nil {
			return nil, err
		}
		for i := range h {
			h[i] = max(h[i], one[i])
		}
	}
	return h.constant(n.Boost), nil
}

// exact matches one value: a token, a whole string, a number, a date or a boolean.
// flat asks for a constant score.
func (t *twin) exact(to target, text string, boost float64, flat bool) (hits, error) {
	switch to.kind {
	case onText:
		h := t.word(to.f, text)
		if flat {
			h = h.constant(1)
		}
		return h.times(boost), nil
	case onKeyword:
		return t.flat(to, func(c *cell) bool { return slices.Contains(c.texts, text) }, boost, flat || t.metadata(to.f)), nil
	case onBool:
		if text != "true" && text != "false" {
			return nil, errUnfit
		}
		want := 0.0
		if text == "true" {
			want = 1
		}
		return t.flat(to, func(c *cell) bool { return slices.Contains(c.numbers, want) }, boost, flat), nil
	case onDate:
		return t.between(to, limits{gte: &text, lte: &text}, boost)
	}
	return t.number(to, text, boost)
}

// flat is a term that counts once in an item whatever its length.
func (t *twin) flat(to target, match func(*cell) bool, boost float64, constant bool) hits {
	h := t.has(to.f, boost, match)
	if constant {
		return h
	}
	df := 0
	for _, s := range h {
		if s >= 0 {
			df++
		}
	}
	return h.constant(boost * t.flatScore(to, df))
}

// flatScore is BM25 of a term of df items that stands once in a field without lengths.
func (t *twin) flatScore(to target, df int) float64 {
	if t.metadata(to.f) {
		return 1 // metadata scores only the boost
	}
	docs, pairs := 0, 0
	for _, c := range to.f.cells {
		if c == nil {
			continue
		}
		docs++
		if to.kind == onKeyword {
			pairs += len(c.texts)
		} else {
			pairs += len(c.numbers)
		}
	}
	average := float64(pairs) / float64(docs)
	return bm25(idf(docs, df), 1, 1, average)
}

func (t *twin) number(to target, text string, boost float64) (hits, error) {
	bits := 64
	if to.f.typ == floatType {
		bits = 32
	}
	x, ok := analysis.ParseDouble(text, bits)
	n, whole := analysis.ReadLong(text)
	switch fraction := to.f.typ != longType; {
	case !ok, fraction && infinite(x):
		return nil, errUnfit
	case !fraction && math.Mod(x, 1) != 0:
		return t.none(), nil // a number, but no item's
	case !fraction && !whole:
		return nil, errUnfit
	}
	return t.has(to.f, boost, func(c *cell) bool {
		if to.f.typ == longType {
			return slices.Contains(c.longs, n)
		}
		return slices.ContainsFunc(c.numbers, func(v float64) bool { return inOrderOfJava(v, x) == 0 })
	}), nil
}

// limits are the bounds of a range; nil is open.
type limits struct {
	gt, gte, lt, lte *string
	format, zone     string
}

func limitsOf(n *query.Range) limits {
	text := func(v *query.Value) *string {
		if v == nil {
			return nil
		}
		return &v.Text
	}
	l := limits{text(n.Gt), text(n.Gte), text(n.Lt), text(n.Lte), n.Format, n.TimeZone}
	if l.gte != nil {
		l.gt = nil
	}
	if l.lte != nil {
		l.lt = nil
	}
	return l
}

// between is the items of which one and the same value satisfies both bounds.
func (t *twin) between(to target, l limits, boost float64) (hits, error) {
	if to.kind == onText || to.kind == onKeyword {
		return t.matching(to, boost, func(s string) bool {
			return (l.gt == nil || s > *l.gt) && (l.gte == nil || s >= *l.gte) &&
				(l.lt == nil || s < *l.lt) && (l.lte == nil || s <= *l.lte)
		})
	}
	bound := t.longBound
	switch {
	case to.kind == onDate:
		dates, err := analysis.NewDateReader(l.format, l.zone)
		if err != nil {
			return nil, errRefused
		}
		bound = func(op, text string) (func(int64, float64) bool, error) { return t.dateBound(dates, op, text) }
	case to.kind == onBool:
		bound = boolBound
	case to.f.typ == floatType:
		bound = floatBound
	case to.f.typ == doubleType:
		bound = doubleBound
	}
	var conditions []func(int64, float64) bool
	for op, text := range map[string]*string{">": l.gt, ">=": l.gte, "<": l.lt, "<=": l.lte} {
		if text == nil {
			continue
		}
		ok, err := bound(op, *text)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, ok)
	}
	return t.has(to.f, boost, func(c *cell) bool {
		for i := range c.numbers {
			fails := func(ok func(int64, float64) bool) bool { return !ok(c.longs[i], c.numbers[i]) }
			if !slices.ContainsFunc(conditions, fails) {
				return true
			}
		}
		return false
	}), nil
}

// compare reports whether the sign of a comparison is what an operator asks for.
func compare(op string, sign int) bool {
	switch op {
	case ">":
		return sign > 0
	case ">=":
		return sign >= 0
	case "<":
		return sign < 0
	}
	return sign <= 0
}

func sign[N int64 | float64](a, b N) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// longBound: a fraction moves inwards, which is to compare with the fraction itself.
func (t *twin) longBound(op, text string) (func(int64, float64) bool, error) {
	x, ok := analysis.ParseDouble(text, 64)
	n, whole := analysis.ReadLong(text)
	if !ok || !whole {
		return nil, errUnfit
	}
	return func(v int64, _ float64) bool {
		if math.Mod(x, 1) != 0 {
			return compare(op, sign(float64(v), x))
		}
		return compare(op, sign(v, n))
	}, nil
}

func floatBound(op, text string) (func(int64, float64) bool, error) {
	x, ok := analysis.ParseDouble(text, 32)
	if !ok || infinite(x) {
		return nil, errUnfit
	}
	return func(_ int64, v float64) bool { return compare(op, inOrderOfJava(v, x)) }, nil
}

func doubleBound(op, text string) (func(int64, float64) bool, error) {
	x, ok := analysis.ParseDouble(text, 64)
	if !ok {
		return nil, errUnfit
	}
	return func(_ int64, v float64) bool { return compare(op, inOrderOfJava(v, x)) }, nil
}

// inOrderOfJava compares a value of an item with a number: -0 is before 0, NaN after infinity.
func inOrderOfJava(v, x float64) int {
	switch {
	case math.IsNaN(x):
		return -1
	case v == 0 && x == 0 && math.Signbit(x):
		return 1
	}
	return sign(v, x)
}

// infinite tells a number that no value can be.
func infinite(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }

func boolBound(op, text string) (func(int64, float64) bool, error) {
	if text != "true" && text != "false" {
		return nil, errUnfit
	}
	want := int64(len("false") - len(text)) // 1 for true
	return func(v int64, _ float64) bool { return compare(op, sign(v, want)) }, nil
}

// dateBound: >= and < compare with the least a text may stand for, > and <= with the
// greatest.
func (t *twin) dateBound(dates *analysis.DateReader, op, text string) (func(int64, float64) bool, error) {
	ms, ok := dates.Parse(text, op == ">" || op == "<=", t.clock)
	if !ok {
		return nil, errUnfit
	}
	return func(v int64, _ float64) bool { return compare(op, sign(v, ms)) }, nil
}
