package compile_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/searchtest"
)

// printer writes each leaf that it receives on a line.
type printer struct{ lines []string }

func (p *printer) print(l compile.Leaf, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if l.Target.Field != nil {
		line = l.Target.Name() + " " + line
	}
	for _, mark := range []struct {
		set  bool
		text string
	}{{l.Boost != 1, fmt.Sprint(" ^", l.Boost)}, {l.Hidden, " hidden"}, {l.Excluded, " excluded"}} {
		if mark.set {
			line += mark.text
		}
	}
	p.lines = append(p.lines, line)
}

func (p *printer) Word(l compile.Leaf, text string)    { p.print(l, "word %s", text) }
func (p *printer) AnyCase(l compile.Leaf, text string) { p.print(l, "word %s in any case", text) }
func (p *printer) Values(l compile.Leaf, values []query.Value) {
	p.print(l, "values %v", values)
}
func (p *printer) Prefix(l compile.Leaf, text string, anyCase bool, r query.Rewrite) {
	p.print(l, "prefix %s %v %d", text, anyCase, r.Top)
}
func (p *printer) Pattern(l compile.Leaf, text string, r query.Rewrite) {
	p.print(l, "pattern %s %d", text, r.Top)
}
func (p *printer) Wildcard(l compile.Leaf, n *query.Wildcard) { p.print(l, "wildcard %s", n.Pattern) }
func (p *printer) Regexp(l compile.Leaf, text string, _ *pattern.Regexp, r query.Rewrite) {
	p.print(l, "regexp %s %d", text, r.Top)
}
func (p *printer) Fuzzy(l compile.Leaf, text string, edits int, o query.Spelling) {
	p.print(l, "fuzzy %s~%d of %d", text, edits, o.MaxExpansions)
}
func (p *printer) Range(l compile.Leaf, low, high *scorer.Bound) {
	p.print(l, "range %+v %+v", low, high)
}
func (p *printer) Phrase(l compile.Leaf, words []string, slop int) {
	p.print(l, "phrase %v ~%d", words, slop)
}
func (p *printer) PhrasePrefix(l compile.Leaf, words []string, slop, expansions int) {
	p.print(l, "phrase %v* ~%d of %d", words, slop, expansions)
}
func (p *printer) Covered(l compile.Leaf, values []query.Value) { p.print(l, "covered %v", values) }
func (p *printer) Intervals(l compile.Leaf, field string, words []compile.IntervalWord) {
	p.print(l, "intervals %s:", field)
	for _, w := range words {
		p.lines[len(p.lines)-1] += " " + w.Text
	}
}
func (p *printer) Span(l compile.Leaf, n *query.Span) { p.print(l, "span %s", n.Kind) }

// queries are queries of all types, with the leaves that they are compiled to.
var queries = []struct {
	name, query, want string
}{
	{"match lists each word", `{"match":{"Data.t":{"query":"Red fox","boost":2}}}`, "Data.t word red ^2; Data.t word fox ^2"},
	{"match with fuzziness", `{"match":{"Data.t":{"query":"Red","fuzziness":1}}}`, "Data.t fuzzy red~1 of 50"},
	{"match on a number has its text", `{"match":{"Data.n":"7"}}`, "Data.n word 7"},
	{"match on a field of no item", `{"match":{"Data.nope":"red"}}`, ""},
	{"match_phrase", `{"match_phrase":{"Data.t":{"query":"red fox","slop":3}}}`, "Data.t phrase [red fox] ~3"},
	{"match_phrase of one word", `{"match_phrase":{"Data.t":"red"}}`, "Data.t word red"},
	{"match_phrase of words that no item has", `{"match_phrase":{"Data.t":"blue hen"}}`, "Data.t phrase [blue hen] ~0"},
	{"match_phrase_prefix", `{"match_phrase_prefix":{"Data.t":"red f"}}`, "Data.t phrase [red f]* ~0 of 50"},
	{"match_bool_prefix", `{"match_bool_prefix":{"Data.t":"red f"}}`, "Data.t word red; Data.t prefix f false 0"},
	{
		"multi_match lists fields in the order of Java", `
			{
			  "multi_match": {
			    "query": "red",
			    "fields": ["Name", "Data.t^3"],
			    "type": "cross_fields"
			  }
			}`,
		"Data.t word red ^3; Name word red",
	},
	{"term", `{"term":{"Data.t":"red"}}`, "Data.t word red"},
	{"term in any case", `{"term":{"Data.t":{"value":"RED","case_insensitive":true}}}`, "Data.t word RED in any case"},
	{"terms", `{"terms":{"Data.t":["red","hen"]}}`, "Data.t values [{0 red} {0 hen}]"},
	{"terms of an item", `{"terms":{"Data.t":{"index":"demo","id":"a","path":"Data.w"}}}`, "Data.t values [{0 end}]"},
	{
		"terms_set", `
			{
			  "terms_set": {
			    "Data.t": {
			      "terms": ["red"],
			      "minimum_should_match_field": "Data.n"
			    }
			  }
			}`,
		"Data.t covered [{0 red}] hidden",
	},
	{"prefix", `{"prefix":{"Data.t":{"value":"re","rewrite":"top_terms_2"}}}`, "Data.t prefix re false 2"},
	{"wildcard", `{"wildcard":{"Data.t":"R*"}}`, "Data.t wildcard R*"},
	{"regexp", `{"regexp":{"Data.t":"r.d"}}`, "Data.t regexp r.d 0"},
	{"regexp on a field of no item", `{"regexp":{"Data.nope":"r.d"}}`, "Data.nope regexp r.d 0"},
	{"fuzzy", `{"fuzzy":{"Data.t":{"value":"rad","max_expansions":5}}}`, "Data.t fuzzy rad~1 of 5"},
	{"range", `{"range":{"Data.t":{"gte":"a","lt":"c"}}}`, "Data.t range &{Text:a Inc:true} &{Text:c Inc:false}"},
	{
		"query_string", `
			{
			  "query_string": {
			    "query": "Data.t:(red AND NOT hen)^2 Data.t:\"a b\"~2 Data.t:re* Data.t:R?d -fox",
			    "default_field": "Name"
			  }
			}`,
		"Data.t word red ^2; Data.t phrase [a b] ~2; Data.t prefix re false 0; Data.t pattern r?d 0",
	},
	{"query_string that excludes everything", `{"query_string":{"query":"Data.t:red -*"}}`, "Data.t word red excluded"},
	{"simple_query_string", `{"simple_query_string":{"query":"red -hen fo*","fields":["Data.t"]}}`, "Data.t word red; Data.t prefix fo false 0"},
	{
		"bool lists filters last", `
			{
			  "bool": {
			    "filter": {"term": {"Data.t": "c"}},
			    "must": {"term": {"Data.t": "a"}},
			    "should": {"term": {"Data.t": "b"}},
			    "must_not": {"term": {"Data.t": "d"}}
			  }
			}`,
		"Data.t word a; Data.t word b; Data.t word c",
	},
	{
		"bool that excludes what it requires", `
			{
			  "bool": {
			    "must": {"term": {"Data.t": "a"}},
			    "must_not": {"term": {"Data.t": "a"}}
			  }
			}`,
		"Data.t word a excluded",
	},
	{
		"constant_score keeps boosts", `
			{
			  "constant_score": {
			    "boost": 2,
			    "filter": {"term": {"Data.t": {"value": "a", "boost": 3}}}
			  }
			}`,
		"Data.t word a ^6",
	},
	{
		"dis_max", `
			{
			  "dis_max": {
			    "queries": [
			      {"term": {"Data.t": "a"}},
			      {"term": {"Data.t": "b"}}
			    ]
			  }
			}`,
		"Data.t word a; Data.t word b",
	},
	{
		"boosting", `
			{
			  "boosting": {
			    "positive": {"term": {"Data.t": "a"}},
			    "negative": {"term": {"Data.t": "b"}},
			    "negative_boost": 1
			  }
			}`,
		"Data.t word a",
	},
	{
		"function_score", `
			{
			  "function_score": {
			    "query": {"term": {"Data.t": "a"}},
			    "functions": [{"filter": {"term": {"Data.t": "b"}}, "weight": 2}]
			  }
			}`,
		"Data.t word a hidden",
	},
	{"intervals", `{"intervals":{"Data.t":{"match":{"query":"red fox"}}}}`, "intervals Data.t: hidden red fox"},
	{"intervals with a wildcard", `{"intervals":{"Data.t":{"wildcard":{"pattern":"F?X"}}}}`, "intervals Data.t: hidden wildcard f?x"},
	{"intervals with a wildcard of one word", `{"intervals":{"Data.t":{"wildcard":{"pattern":"Fox"}}}}`, "intervals Data.t: hidden fox"},
	{"intervals without excluded words", `{"intervals":{"Data.t":{"match":{"query":"red","filter":{"not_containing":{"match":{"query":"fox"}}}}}}}`, "intervals Data.t: hidden red"},
	{"intervals with required words", `{"intervals":{"Data.t":{"match":{"query":"red","filter":{"before":{"match":{"query":"fox"}}}}}}}`, "intervals Data.t: hidden red fox"},
	{"span_near", `{"span_near":{"clauses":[{"span_term":{"Data.t":"a"}}],"slop":1}}`, "span span_near"},
	{"span_term", `{"span_term":{"Data.t":"a"}}`, "span span_term"},
	{"span_or", `{"span_or":{"clauses":[{"span_term":{"Data.t":"a"}}]}}`, "span span_or"},
	{"span_multi", `{"span_multi":{"match":{"prefix":{"Data.t":"a"}}}}`, "span span_multi"},
	{"span_first", `{"span_first":{"match":{"span_term":{"Data.t":"a"}},"end":1}}`, "span span_first"},
	{
		"span_not", `
			{
			  "span_not": {
			    "include": {"span_term": {"Data.t": "a"}},
			    "exclude": {"span_term": {"Data.t": "b"}}
			  }
			}`,
		"span span_not",
	},
	{
		"span_within", `
			{
			  "span_within": {
			    "big": {"span_term": {"Data.t": "a"}},
			    "little": {"span_term": {"Data.t": "b"}}
			  }
			}`,
		"span span_within",
	},
	{
		"span_containing", `
			{
			  "span_containing": {
			    "big": {"span_term": {"Data.t": "a"}},
			    "little": {"span_term": {"Data.t": "b"}}
			  }
			}`,
		"span span_containing",
	},
	{
		"field_masking_span", `
			{
			  "field_masking_span": {
			    "query": {"span_term": {"Data.t": "a"}},
			    "field": "Name"
			  }
			}`,
		"span field_masking_span",
	},

	{"match_all has no words", `{"match_all":{}}`, ""},
	{"match_none has no words", `{"match_none":{}}`, ""},
	{"exists has no words", `{"exists":{"field":"Data.t"}}`, ""},
	{"ids has no words", `{"ids":{"values":["a"]}}`, ""},
	{
		"distance_feature has no words", `
			{
			  "distance_feature": {
			    "field": "CreatedAt",
			    "origin": "now",
			    "pivot": "1d"
			  }
			}`,
		"",
	},
	{
		"more_like_this has no words", `
			{
			  "more_like_this": {
			    "fields": ["Data.t"],
			    "like": "red fox",
			    "min_term_freq": 1,
			    "min_doc_freq": 1
			  }
			}`,
		"",
	},
}

// TestCompile shows the leaves that a query of each type is compiled to: the field in which a leaf looks, what it looks
// for, and its boost. The one item has the words "red fox" in Data.t, "end" in Data.w and the number 7 in Data.n.
func TestCompile(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"The End","Data":{"t":"red fox","w":"end","n":7}}`})
	missing := map[string]bool{}
	for _, name := range body.Types() {
		missing[name] = name != "wrapper" // whose query stands in its place
	}
	for _, c := range queries {
		t.Run(c.name, func(t *testing.T) {
			b, err := body.Parse([]byte(`{"query":` + c.query + `}`))
			if err != nil {
				t.Fatal(err)
			}
			missing[regexp.MustCompile(`\w+`).FindString(c.query)] = false
			work := scorer.NewWorkLimit(t.Context())
			request := &scorer.Request{}
			request.Open(work, r.Items())
			defer request.Close()
			compiler := &compile.Compiler{}
			compiler.Open(request, fields.Resolver{Reader: r, Spend: work.Charge})
			p := &printer{}
			if err := compiler.Leaves(compiler.Rewrite(b.Query), p); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(p.lines, "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	maps.DeleteFunc(missing, func(_ string, is bool) bool { return !is })
	if len(missing) > 0 {
		t.Errorf("no row shows the leaves of %v", slices.Sorted(maps.Keys(missing)))
	}
}
