package body

import (
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func TestHighlight(t *testing.T) {
	standard := query.HighlightField{PreTag: "<em>", PostTag: "</em>", FragmentSize: 100, Fragments: 5, RequireFieldMatch: true}
	with := func(name string, change func(*query.HighlightField)) query.HighlightField {
		f := standard
		f.Name = name
		if change != nil {
			change(&f)
		}
		return f
	}
	for _, c := range []struct {
		in   string
		want query.Highlight
	}{
		{`{}`, query.Highlight{}},
		{`{"fields":{"a":{}}}`, query.Highlight{with("a", nil)}},
		{`{"fields":[{"b":{}},{"a":{"fragment_size":"20"}}]}`, query.Highlight{with("b", nil), with("a", func(f *query.HighlightField) { f.FragmentSize = 20 })}},
		{`{"fields":{"a":{"type":"unified"},"b":{}},"type":"plain","number_of_fragments":0}`, query.Highlight{
			with("a", func(f *query.HighlightField) { f.Fragments = 0 }),
			with("b", func(f *query.HighlightField) { f.Plain, f.Fragments = true, 0 })}},
		{`{"fields":{"a":{}},"tags_schema":"styled","encoder":"html","order":"score"}`, query.Highlight{
			with("a", func(f *query.HighlightField) { f.PreTag, f.HTML, f.ByScore = `<em class="hlt1">`, true, true })}},
		{`{"fields":{"a":{"pre_tags":"[","post_tags":["]","}"],"order":"none"}},"order":"score"}`, query.Highlight{
			with("a", func(f *query.HighlightField) { f.PreTag, f.PostTag = "[", "]" })}},
		{`{"fields":{"a":{"no_match_size":9,"require_field_match":"false","boundary_scanner":"WORD","fragmenter":"simple"}}}`, query.Highlight{
			with("a", func(f *query.HighlightField) {
				f.NoMatchSize, f.RequireFieldMatch, f.Words, f.Simple = 9, false, true, true
			})}},
		{`{"fields":{"a":{"type":"unified","boundary_scanner":"sentence"}},"type":"fvh","boundary_scanner":"chars"}`, query.Highlight{with("a", nil)}},
		{`{"fields":{"a":{"highlight_query":{"match_none":{}}}}}`, query.Highlight{with("a", func(f *query.HighlightField) { f.Query = &query.MatchNone{Boost: 1} })}},
		{`{"fields":{"a":{"matched_fields":["a","b"],"fragment_offset":3}},"boundary_chars":".","boundary_max_scan":2,"phrase_limit":1,"force_source":true,"highlight_filter":false,"options":{},"boundary_scanner_locale":"de-DE"}`,
			query.Highlight{with("a", nil)}},
	} {
		b, err := Parse([]byte(`{"highlight":` + c.in + `}`))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if !reflect.DeepEqual(b.Show.Highlight, c.want) || b.Show.AsHits != (len(c.want) > 0) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.in, b.Show.Highlight, c.want)
		}
		b, err = Parse([]byte(`{"collapse":{"field":"f","inner_hits":{"name":"i","highlight":` + c.in + `}},"aggs":{"h":{"top_hits":{"highlight":` + c.in + `}}}}`))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if inside := []query.Highlight{b.Collapse.Inner[0].Body.Show.Highlight, b.Aggs[0].Options.(*query.Body).Show.Highlight}; !reflect.DeepEqual(inside, []query.Highlight{c.want, c.want}) {
			t.Errorf("%s inside of hits and of a bucket:\n got %+v\nwant %+v", c.in, inside, c.want)
		}
	}
}

func TestHighlightErrors(t *testing.T) {
	for _, c := range []struct{ in, code, at, want string }{
		{`[]`, problem.BadHighlight, "highlight", `highlight must be an object like {"fields":{"Data.title":{}}}, not an array`},
		{`{"nope":1}`, problem.UnknownOption, "highlight.nope", `unknown option "nope" of highlight; known options: fields, encoder, tags_schema, type, `},
		{`{"max_analyzed_offset":1}`, problem.UnknownOption, "highlight.max_analyzed_offset", `unknown option "max_analyzed_offset" of highlight`},
		{`{"fields":{"a":{"encoder":"html"}}}`, problem.UnknownOption, "highlight.fields.a.encoder", `unknown option "encoder" of a field of highlight; known options: type, `},
		{`{"fields":1}`, problem.BadHighlight, "highlight.fields", `highlight.fields must be an object of fields, or an array of such, not 1`},
		{`{"fields":["a"]}`, problem.BadHighlight, "highlight.fields[0]", `highlight.fields[0] must be an object with one field like {"Data.title":{}}, not "a"`},
		{`{"fields":[{"a":{},"b":{}}]}`, problem.BadHighlight, "highlight.fields[0]", `highlight.fields[0] must be an object with one field like {"Data.title":{}}, not an object`},
		{`{"fields":{"a":1}}`, problem.BadHighlight, "highlight.fields.a", `highlight.fields.a must be an object of options, not 1`},
		{`{"fields":{"a":{}},"type":"fvh"}`, problem.BadHighlight, "highlight.type", `highlight.type: the fvh highlighter needs term vectors, which no field has: use unified or plain`},
		{`{"type":"nope"}`, problem.BadHighlight, "highlight.type", `highlight.type must be unified or plain, not "nope"`},
		{`{"fields":{"a":{"boundary_scanner":"chars"}}}`, problem.BadHighlight, "highlight.fields.a.boundary_scanner", `highlight.fields.a.boundary_scanner: chars is of the fvh highlighter: use sentence or word`},
		{`{"boundary_scanner_locale":"th-TH"}`, problem.BadHighlight, "highlight.boundary_scanner_locale", `highlight.boundary_scanner_locale: words of Thai need a dictionary, which this program lacks: use another locale`},
		{`{"pre_tags":["a"]}`, problem.BadHighlight, "highlight", `highlight has pre_tags, but no post_tags: give both`},
		{`{"pre_tags":[],"post_tags":[]}`, problem.BadHighlight, "highlight.pre_tags", `highlight.pre_tags must be a tag or an array of tags, not an array`},
		{`{"post_tags":"` + strings.Repeat("x", maxTag+1) + `"}`, problem.BadHighlight, "highlight.post_tags", `highlight.post_tags has a tag of 257 bytes, at most 256 are allowed`},
		{`{"number_of_fragments":-1}`, problem.BadHighlight, "highlight.number_of_fragments", `highlight.number_of_fragments must be an integer from 0, not -1`},
		{`{"fields":{"a":{"highlight_query":{"nope":{}}}}}`, problem.UnknownQuery, "highlight.fields.a.highlight_query.nope", `unknown query "nope"; known queries: `},
		{`{"fields":{` + manyFields(maxHighlightFields+1) + `}}`, problem.TooManyClauses, "highlight.fields.f100", `highlight has more than 100 fields: use a pattern like Data.*`},
	} {
		_, err := Parse([]byte(`{"highlight":` + c.in + `}`))
		e, ok := err.(*query.Error)
		if !ok || e.Code != c.code || e.Parameter != c.at || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("%.80s:\n got %+v\nwant %s %s %s", c.in, err, c.code, c.at, c.want)
		}
	}
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"f` + string(rune('0'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10)) + `":{}`)
	}
	return b.String()
}
