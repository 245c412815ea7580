// This file makes up search bodies for an environment: every query type, from the
// environment's own words and fields and from noise.

package searchtest

import (
	"math/rand/v2"
	"strings"
)

type object = map[string]any

// asker makes bodies.
type asker struct {
	*rand.Rand
	fields []string // names a clause may use
	typed  []string // the fields that have numbers, dates or booleans
	texts  []string // whole strings of the environment
	words  []string // and terms
	ids    []string
	near   string               // the field being asked, whose words come first
	own    map[string][]string  // words by field name; of a field without words its values
	whole  map[string][]string  // values by field name
	kinds  map[string]fieldKind // by field name
}

func newAsker(r *rand.Rand, t *twin) *asker {
	a := &asker{Rand: r, ids: append([]string{"C_x"}, t.ids...), texts: []string{"", "zzz"}, words: []string{"zzz"}, fields: []string{"Name.keyword"},
		own: map[string][]string{}, whole: map[string][]string{}, kinds: map[string]fieldKind{}}
	for _, name := range []string{"_id", "_index", "_seq_no", "_type"} {
		a.learn(name, t.meta[name])
	}
	for _, p := range t.paths {
		f := t.fields[p]
		a.learn(p, f)
		a.fields = append(a.fields, p, p)
		if f.typ == textType {
			a.fields = append(a.fields, p+".keyword")
			a.words = append(a.words, f.terms...)
		}
		for _, v := range f.whole {
			if r.IntN(3) == 0 && len(v) < 200 {
				a.texts = append(a.texts, v)
			}
		}
		for _, sub := range subNames {
			if s := t.subs[p+"."+sub]; s != nil {
				a.learn(s.path, s)
			} else if r.IntN(8) > 0 {
				continue
			}
			if r.IntN(2) == 0 {
				a.fields = append(a.fields, p+"."+sub)
			}
		}
	}
	return a
}

// learn takes the words and values of a field.
func (a *asker) learn(name string, f *twinField) {
	to := f.target()
	a.kinds[name], a.own[name], a.whole[name] = to.kind, f.whole, f.whole
	if f.typ == textType {
		a.own[name] = f.terms
	}
	if to.typed() && f.path[0] != '_' {
		a.typed = append(a.typed, name)
	}
}

func (a *asker) oneIn(n int) bool { return a.IntN(n) == 0 }

func (a *asker) field() string {
	switch a.IntN(30) {
	case 0:
		return pick(a.Rand, []string{"Data.nope", "nope", "Data", "_id", "_index", "_type", "Name.long", "Data.*", "*", "Name*", "Data.nope.long"})
	case 1, 2, 3:
		return "Name"
	case 4:
		return pick(a.Rand, []string{"_id", "_id", "_id", "CreatedAt", "CreatedAt.keyword", "CreatedAt.date"})
	case 5:
		if len(a.typed) > 0 {
			return pick(a.Rand, a.typed)
		}
	case 6:
		if a.oneIn(4) {
			return pick(a.Rand, subPatterns)
		}
	}
	return pick(a.Rand, a.fields)
}

// subPatterns are patterns that spell a sub-field, or nearly.
var subPatterns = []string{"*.keyword", "*.long", "*.double", "*.boolean", "*.date", "Data.*.keyword", "Data.*.long", "Data.s*.long", "Data.*e.date", "*keyword", "*long", "**"}

// word is a term of the environment, perhaps with a mistake, or a word as written.
func (a *asker) word() string {
	if own := a.own[a.near]; len(own) > 0 && !a.oneIn(3) {
		return pick(a.Rand, own)
	}
	switch a.IntN(6) {
	case 0:
		return pick(a.Rand, vocabulary)
	case 1:
		return a.mistype(pick(a.Rand, a.words))
	}
	return pick(a.Rand, a.words)
}

func (a *asker) mistype(s string) string {
	r := []rune(s)
	for range 1 + a.IntN(2) {
		i := a.IntN(len(r) + 1)
		switch a.IntN(4) {
		case 0:
			r = append(r[:i:i], append([]rune{'o'}, r[i:]...)...)
		case 1:
			if i < len(r) {
				r = append(r[:i:i], r[i+1:]...)
			}
		case 2:
			if i < len(r) {
				r[i] = 'x'
			}
		default:
			if i+1 < len(r) {
				r[i], r[i+1] = r[i+1], r[i]
			}
		}
	}
	return string(r)
}

// text is some words, or a whole string of the environment.
func (a *asker) text() string {
	if own := a.whole[a.near]; len(own) > 0 && a.oneIn(2) {
		return pick(a.Rand, own)
	}
	if a.oneIn(4) {
		return pick(a.Rand, a.texts)
	}
	var ws []string
	for range 1 + a.IntN(4) {
		ws = append(ws, a.word())
	}
	return strings.Join(ws, " ")
}

// value is what a term or a bound may be.
func (a *asker) value() any {
	switch a.IntN(8) {
	case 0:
		return a.oneIn(2)
	case 1:
		return rawNumber(pick(a.Rand, numbers))
	case 2:
		return pick(a.Rand, spellings)
	case 3:
		return a.date()
	case 4:
		return a.text()
	case 5:
		return pick(a.Rand, a.texts)
	}
	return a.word()
}

// rawNumber marshals as it is written.
type rawNumber string

func (n rawNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

func (a *asker) date() string {
	d := pick(a.Rand, dates)
	if a.oneIn(3) {
		d += "||" + pick(a.Rand, []string{"/d", "/M", "/y", "+1d", "-1M/M", "+1h/d", "/w", "/2M"})
	}
	return pick(a.Rand, []string{d, d, d, "2021", "2021-04-23T10", "now", "now-1y/y", "1619136000000"})
}

// clauseKinds are the queries, the frequent ones more than once.
var clauseKinds = []string{"match_all", "match_none", "bool", "bool", "bool", "bool", "constant_score", "exists", "ids",
	"match", "match", "match_phrase", "match_phrase", "match_phrase_prefix", "multi_match", "multi_match", "prefix",
	"query_string", "query_string", "query_string", "query_string", "range", "range", "simple_query_string", "simple_query_string",
	"term", "term", "terms", "wildcard", "dis_max", "boosting", "fuzzy", "regexp", "match_bool_prefix", "terms_set",
	"function_score", "distance_feature", "more_like_this", "span", "intervals"}

// compound tells the kinds that hold other queries.
var compound = map[string]bool{"bool": true, "constant_score": true, "dis_max": true, "boosting": true, "function_score": true}

// clause is a query with a limited depth.
func (a *asker) clause(depth int) object {
	kind := pick(a.Rand, clauseKinds)
	if depth == 0 && compound[kind] {
		kind = "match"
	}
	var c object
	a.near = ""
	switch kind {
	case "span":
		return a.spanClause()
	case "intervals":
		return a.intervalsClause()
	case "match_all", "match_none":
		c = object{}
	case "bool":
		c = a.bool(depth - 1)
	case "constant_score":
		c = object{"filter": a.clause(depth - 1)}
	case "dis_max":
		c = object{"queries": append(a.some(2, func() any { return a.clause(depth - 1) }), a.clause(depth-1))}
		option(a, c, 2, "tie_breaker", 0, 0.3, 1)
	case "boosting":
		c = object{"positive": a.clause(depth - 1), "negative": a.clause(depth - 1), "negative_boost": pick(a.Rand, []float64{0, 0.2, 1, 2})}
	case "more_like_this":
		c = a.moreLikeThis()
	case "distance_feature":
		c = object{"field": pick(a.Rand, []string{"CreatedAt", "CreatedAt", a.field()}), "origin": a.date(), "pivot": pick(a.Rand, []string{"1d", "100d", "5h"})}
	case "function_score":
		c = a.functionScore(depth - 1)
	case "exists":
		c = object{"field": pick(a.Rand, []string{a.field(), a.field(), a.field(), "Data", "Data.parts", "Data.a", "Da*", "*.h", pick(a.Rand, subPatterns)})}
	case "ids":
		c = object{"values": a.some(3, func() any { return pick(a.Rand, a.ids) })}
	case "multi_match":
		c = a.multiMatch()
	case "query_string":
		c = a.queryString()
	case "simple_query_string":
		c = a.simpleQueryString()
	case "terms":
		f := a.field()
		a.near = f
		c = object{f: a.some(4, func() any { return a.fitting(f) })}
		a.near = ""
	default:
		f := a.field()
		a.near = f
		inner := a.onField(kind, f)
		a.near = ""
		a.boost(inner)
		return object{kind: object{f: inner}}
	}
	a.boost(c)
	return object{kind: c}
}

// boost weighs a clause, seldom.
func (a *asker) boost(c object) {
	if a.oneIn(6) {
		c["boost"] = pick(a.Rand, []float64{0, 0.5, 2, 3.7, 1})
	}
}

// some is up to n values.
func (a *asker) some(n int, value func() any) []any {
	vs := []any{}
	for range a.IntN(n + 1) {
		vs = append(vs, value())
	}
	return vs
}

// option sets a member one time in n.
func option[T any](a *asker, c object, n int, name string, values ...T) {
	if a.oneIn(n) {
		c[name] = pick(a.Rand, values)
	}
}

var minimums = []any{0, 1, 1, 1, 2, 3, -1, "50%", "75%", "-25%", "2<75%", "1<-1 3<50%"}

func (a *asker) bool(depth int) object {
	c := object{}
	for i, part := range []string{"must_not", "filter", "must", "should"} {
		if a.oneIn(2) {
			c[part] = a.some(1+i, func() any { return a.clause(depth) })
		}
	}
	option(a, c, 3, "minimum_should_match", minimums...)
	return c
}

// onField is the inside of a query that names one field.
func (a *asker) onField(kind, field string) object {
	switch kind {
	case "match":
		c := object{"query": a.words3(field)}
		a.matching(c)
		option(a, c, 4, "lenient", true, false)
		return c
	case "match_phrase", "match_phrase_prefix":
		c := object{"query": a.phrase(field)}
		option(a, c, 2, "slop", 1, 2, 3, 5, 100, 103)
		option(a, c, 8, "zero_terms_query", "all", "none")
		if kind == "match_phrase_prefix" {
			option(a, c, 3, "max_expansions", 0, 1, 2, 100)
		}
		return c
	case "match_bool_prefix":
		c := object{"query": a.phrase(field)}
		a.matching(c)
		delete(c, "zero_terms_query")
		return c
	case "terms_set":
		c := object{"terms": a.some(4, func() any { return a.fitting(field) }), "minimum_should_match_field": a.field()}
		if len(a.typed) > 0 && !a.oneIn(8) {
			c["minimum_should_match_field"] = pick(a.Rand, a.typed)
		}
		return c
	case "fuzzy":
		c := object{"value": a.mistype(a.word())}
		option(a, c, 3, "fuzziness", any("AUTO"), "AUTO:1,3", 0, 1, 2)
		a.spelling(c)
		option(a, c, 4, "transpositions", true, false)
		option(a, c, 4, "rewrite", rewriteMethods...)
		return c
	case "regexp":
		c := object{"value": a.regexp()}
		option(a, c, 3, "flags", "ALL", "NONE", "", "INTERSECTION|COMPLEMENT", "ANYSTRING|INTERVAL|", "EMPTY", "interval")
		option(a, c, 4, "case_insensitive", true, false)
		option(a, c, 6, "rewrite", rewriteMethods...)
		return c
	case "term":
		c := object{"value": a.fitting(field)}
		option(a, c, 4, "case_insensitive", true, false)
		return c
	case "prefix":
		c := object{"value": a.start()}
		option(a, c, 4, "case_insensitive", true, false)
		option(a, c, 8, "rewrite", rewriteMethods...)
		return c
	case "wildcard":
		c := object{"value": a.pattern()}
		option(a, c, 3, "case_insensitive", true, false)
		option(a, c, 8, "rewrite", rewriteMethods...)
		return c
	}
	c := object{}
	for _, op := range []string{"gt", "gte", "lt", "lte"} {
		option(a, c, 3, op, a.fitting(field))
	}
	option(a, c, 5, "time_zone", "+02:00", "-05:30", "Europe/Berlin", "America/New_York", "Z")
	option(a, c, 8, "format", "strict_date_optional_time||epoch_millis", "yyyy-MM-dd||epoch_second", "date_optional_time", "yyyy", "yyyy-MM-dd'T'HH:mm:ss.SSSX||yyyy-MM||date")
	return c
}

// matching sets what match and multi_match have in common.
func (a *asker) matching(c object) {
	option(a, c, 3, "operator", "and", "OR")
	option(a, c, 4, "minimum_should_match", minimums...)
	if a.oneIn(4) {
		c["fuzziness"] = pick(a.Rand, []any{"AUTO", "AUTO:1,3", 0, 1, 2})
		a.spelling(c)
		option(a, c, 4, "fuzzy_transpositions", true, false)
		option(a, c, 4, "fuzzy_rewrite", rewriteMethods...)
	}
	option(a, c, 4, "zero_terms_query", "all", "none")
}

// rewriteMethods are the methods by which terms score.
var rewriteMethods = []string{"constant_score", "constant_score_boolean", "scoring_boolean", "top_terms_2", "top_terms_boost_3", "top_terms_blended_freqs_2"}

// spelling sets what queries about misspelt words have in common.
func (a *asker) spelling(c object) {
	option(a, c, 3, "prefix_length", 0, 1, 2, 5)
	option(a, c, 3, "max_expansions", 1, 2, 5)
}

// words3 is text for a match.
func (a *asker) words3(field string) any {
	if a.oneIn(3) {
		return a.fitting(field)
	}
	return pick(a.Rand, []string{a.text(), a.text(), a.text(), a.text(), "!", "-- ..."})
}

// phrase is text whose words may stand together: a part of a value, at times mixed up.
func (a *asker) phrase(field string) any {
	ws := strings.Fields(a.text())
	if len(ws) == 0 || a.oneIn(4) {
		return a.words3(field)
	}
	if a.kinds[field] != onText && a.oneIn(2) {
		return a.start()
	}
	from := a.IntN(len(ws))
	ws = ws[from:min(len(ws), from+1+a.IntN(4))]
	if a.oneIn(3) {
		a.Shuffle(len(ws), func(i, j int) { ws[i], ws[j] = ws[j], ws[i] })
	}
	if a.oneIn(4) {
		ws = append(ws, a.start())
	}
	return strings.Join(ws, " ")
}

// start is the beginning of a word.
func (a *asker) start() string {
	r := []rune(pick(a.Rand, []string{a.word(), a.word(), a.text()}))
	return string(r[:a.IntN(len(r)+1)])
}

// pattern is a word, or a value, with some parts replaced by wildcards.
func (a *asker) pattern() string {
	if a.oneIn(5) {
		return a.start() + "*"
	}
	r := []rune(pick(a.Rand, []string{a.word(), a.word(), a.text()}))
	var b strings.Builder
	for i, c := range r[:min(len(r), 30)] {
		switch a.IntN(12) {
		case 0:
			b.WriteByte('*')
		case 1:
			b.WriteByte('?')
		case 2:
			b.WriteString(`\` + string(c))
		case 3:
			b.WriteString(strings.ToUpper(string(c)))
		case 4:
			if i > 0 {
				b.WriteByte('*')
				return b.String()
			}
		default:
			b.WriteRune(c)
		}
	}
	return pick(a.Rand, []string{"", "*", "*"}) + b.String() + pick(a.Rand, []string{"", "*"})
}

func (a *asker) fieldList() []any {
	var fs []any
	for range 1 + a.IntN(3) {
		fs = append(fs, a.field()+pick(a.Rand, []string{"", "", "^2", "^0.5", "^0"}))
	}
	if a.oneIn(4) {
		fs = append(fs, fs[0], strings.TrimRight(fs[0].(string), "^0.52"), pick(a.Rand, []string{"*", "Data.t*", "*e", pick(a.Rand, subPatterns)}))
	}
	return fs
}

func (a *asker) multiMatch() object {
	c := object{"query": a.words3("")}
	if !a.oneIn(4) {
		c["fields"] = a.fieldList()
	}
	option(a, c, 3, "tie_breaker", 0.3, 1)
	option(a, c, 3, "lenient", true, true, false)
	a.matching(c)
	if a.oneIn(2) {
		a.over(c)
	}
	return c
}

// over makes a multi_match one of another type, whose options fit most of the time.
func (a *asker) over(c object) {
	kind := pick(a.Rand, fieldsTypes)
	c["type"] = kind
	if strings.HasPrefix(kind, "phrase") {
		c["query"] = a.phrase(pick(a.Rand, a.fields))
		option(a, c, 2, "slop", 1, 2, 5)
		option(a, c, 3, "max_expansions", 1, 2)
	}
	if kind != "most_fields" && kind != "bool_prefix" && !a.oneIn(20) {
		delete(c, "fuzziness")
	}
}

var fieldsTypes = []string{"most_fields", "cross_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"}
