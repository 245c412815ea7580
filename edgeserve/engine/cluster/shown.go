// This file writes what hits show in addition to their items: fields, explanations, highlights, names of queries.

package cluster

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/jsoncursor"
)

// shown is what the hits of a page show. A snapshot writes members in an order of its own, which is found for the
// first hit.
type shown struct {
	body   *query.Body
	source bool // hits have their documents
	keys   []sortKey

	fieldOrder, highlightOrder map[string]int // nil before the first hit
	names                      []string       // of queries, in their order; nil before the first hit

	fields, highlight, matched, explanation []byte // of the current hit, as the response has them
	out                                     []byte
}

func (e *evaluation) newShown(body *query.Body) *shown {
	s := &shown{body: body, source: true}
	if o := whole(&body.Show); o.Source != nil {
		s.source = !o.Source.None
	}
	for _, k := range body.Order.Keys {
		key := sortKey{bits: 64}
		t, ok := e.resolver().Resolve(k.Field)
		if k.Field == "_score" || ok && t.Kind == fields.Float && k.NumericType == "" {
			key.bits = 32
		}
		key.boolean = ok && t.Kind == fields.Boolean
		key.cut = e.x.tells(&k)
		s.keys = append(s.keys, key)
	}
	return s
}

// sortKey is the form of the values of a key.
type sortKey struct {
	bits    int  // size of numbers with a fraction
	boolean bool // OpenSearch sorts in 32 bits
	cut     bool // long texts are cut
}

// extremes represent absent values: the extremes of integers of 32 bits, and of 64 bits.
var extremes = map[string]string{"2147483647": "9223372036854775807", "-2147483648": "-9223372036854775808"}

func (e *evaluation) resolver() fields.Resolver {
	return fields.Resolver{Reader: e.x.twin, Spend: e.work.Charge}
}

// clear begins another hit.
func (s *shown) clear() { s.fields, s.highlight, s.matched, s.explanation = nil, nil, nil, nil }

// parts writes the members of the current hit, each after a comma.
func (s *shown) parts(e *evaluation) []byte {
	if s.fields == nil && s.highlight == nil && s.matched == nil && s.explanation == nil {
		return nil
	}
	s.restore(e)
	s.out = s.out[:0]
	if s.fields != nil {
		if s.fieldOrder == nil {
			s.fieldOrder = e.fieldOrder(s.body)
		}
		s.named(e, "fields", s.fields, s.fieldOrder)
	}
	if s.explanation != nil {
		s.out = e.appendExplanation(append(s.out, `,"_explanation":`...), s.explanation, 0)
	}
	if s.highlight != nil {
		if s.highlightOrder == nil {
			s.highlightOrder = e.highlightOrder(s.body)
		}
		s.named(e, "highlight", s.highlight, s.highlightOrder)
	}
	if s.matched != nil {
		s.matchedQueries(e)
	}
	return slices.Clone(s.out)
}

// restore gives the members of the current hit the names of the release.
func (s *shown) restore(e *evaluation) {
	var raw []byte
	for _, m := range []struct {
		name string
		v    []byte
	}{{"fields", s.fields}, {"highlight", s.highlight}, {"_explanation", s.explanation}} {
		if m.v == nil {
			continue
		}
		if raw == nil {
			raw = append(raw, '{')
		} else {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, '"'), m.name...), `":`...)
		raw = append(raw, m.v...)
	}
	if raw == nil {
		return
	}
	restored, err := e.question.Restore(nil, append(raw, '}'))
	if err != nil {
		e.fail("%s", err)
		return
	}
	s.fields, s.highlight, s.explanation = nil, nil, nil
	for name, v := range e.members(restored, "a hit") {
		switch string(name) {
		case "fields":
			s.fields = v
		case "highlight":
			s.highlight = v
		case "_explanation":
			s.explanation = v
		}
	}
}

// named writes a member with lists of values by names, in an order.
func (s *shown) named(e *evaluation, member string, v []byte, order map[string]int) {
	type list struct {
		at           int
		name, values []byte
	}
	var lists []list
	for name, v := range e.members(v, member) {
		at, ok := order[string(name)]
		if !ok {
			at = math.MaxInt
		}
		lists = append(lists, list{at, name, v})
	}
	if len(lists) == 0 {
		return
	}
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(a.at, b.at) })
	s.out = append(append(append(s.out, `,"`...), member...), `":{`...)
	for i, l := range lists {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		s.out = append(envelope.JavaEscapes.AppendBytes(s.out, l.name), ':')
		s.out = e.appendList(s.out, l.values, member)
	}
	s.out = append(s.out, '}')
}

// appendList writes an array of single values.
func (e *evaluation) appendList(dst, v []byte, what string) []byte {
	dst = append(dst, '[')
	first := true
	for v := range e.elements(v, what) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = e.appendScalar(dst, v, 64, what)
	}
	return append(dst, ']')
}

// matchedQueries writes the names of the queries that match the current hit.
func (s *shown) matchedQueries(e *evaluation) {
	if s.names == nil {
		s.names = namesOf(e.body)
	}
	var names []string
	for v := range e.elements(s.matched, "matched_queries") {
		names = append(names, string(e.text(v, "matched_queries")))
	}
	if len(names) == 0 {
		return
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(slices.Index(s.names, a), slices.Index(s.names, b)) })
	s.out = append(s.out, `,"matched_queries":[`...)
	for i, name := range fields.JavaOrder(names, func(name *string) string { return *name }) {
		if i > 0 {
			s.out = append(s.out, ',')
		}
		s.out = envelope.JavaEscapes.AppendString(s.out, name)
	}
	s.out = append(s.out, ']')
}

// namesOf returns the names of the queries of a body. The names of inner queries come first.
func namesOf(body *query.Body) []string {
	names := []string{}
	for _, root := range []query.Node{body.Query, body.PostFilter} {
		query.Walk(root, func(p query.Part) {
			if n, ok := p.(query.Node); ok && body.Names[n] != "" {
				names = append(names, body.Names[n])
			}
		})
	}
	return names
}

// fieldOrder returns the places of fields in the member fields: doc values, then values as items have them, which
// replace doc values. Of a field that is reached several times, the last place counts.
func (e *evaluation) fieldOrder(body *query.Body) map[string]int {
	docvalues := slices.Clone(body.Show.DocvalueFields)
	if body.Collapse != nil {
		docvalues = append(docvalues, query.FieldFormat{Field: body.Collapse.Field})
	}
	r := e.resolver()
	order := map[string]int{} // written fields count back from 0, so that the last one is the greatest
	for _, f := range slices.Backward(body.Show.Fields) {
		for _, t := range slices.Backward(r.Named(f.Field)) {
			if _, ok := order[t.Name()]; !ok {
				order[t.Name()] = -len(order)
			}
		}
	}
	first := -len(order) - maxDocvalues
	for _, f := range docvalues {
		for _, t := range r.Named(f.Field) {
			if _, ok := order[t.Name()]; !ok {
				order[t.Name()] = first
				first++
			}
		}
	}
	return order
}

// maxDocvalues is more than the number of fields that docvalue_fields and a collapse may reach.
const maxDocvalues = 1 << 10

// highlightOrder returns the places of fields in the member highlight.
func (e *evaluation) highlightOrder(body *query.Body) map[string]int {
	order := map[string]int{}
	add := func(name string) {
		if _, ok := order[name]; !ok {
			order[name] = len(order)
		}
	}
	r := e.resolver()
	for i := range body.Show.Highlight {
		pattern := body.Show.Highlight[i].Name
		if t, ok := r.Resolve(pattern); ok {
			add(t.Name())
			continue
		}
		for _, f := range r.Reader.Fields() {
			if f.Type != snapshot.Text {
				continue
			}
			for _, name := range []string{f.Path, f.Path + fields.KeywordSuffix} {
				if fields.Matches(pattern, name) {
					add(name)
				}
			}
		}
	}
	return order
}

// maxExplanation limits how deep an explanation nests. Queries nest far less deep.
const maxExplanation = 500

// explanation reads the response to a request for the explanation of a score.
func (e *evaluation) explanation(response []byte) (text []byte, matches bool) {
	var matched []byte
	s := &shown{}
	for name, v := range e.members(e.check(response), "the response") {
		switch string(name) {
		case "_index":
			e.index(v)
		case "matched":
			matched = v
		case "explanation":
			s.explanation = v
		}
	}
	s.restore(e)
	text = e.appendExplanation(nil, s.explanation, 0)
	e.hold(len(text))
	return text, e.boolean(matched, "matched")
}

// appendExplanation writes an explanation with its details.
func (e *evaluation) appendExplanation(dst, v []byte, depth int) []byte {
	var value, description, details []byte
	for name, v := range e.members(v, "an explanation") {
		switch string(name) {
		case "value":
			value = v
		case "description":
			description = v
		case "details":
			details = v
		}
	}
	if depth > maxExplanation || !isString(description) {
		e.fail("an explanation has no description, or nests too deep")
		return dst
	}
	dst = e.appendScalar(append(dst, `{"value":`...), value, 32, "the value of an explanation")
	dst = e.appendDescription(append(dst, `,"description":`...), description)
	dst = append(dst, `,"details":[`...)
	if details == nil {
		return append(dst, "]}"...)
	}
	first := true
	for v := range e.elements(details, "details") {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = e.appendExplanation(dst, v, depth+1)
	}
	return append(dst, "]}"...)
}

// existing finds the text of a query for documents with a field, which has two names in Elasticsearch 7. addressed finds
// the text of an object of Java that has none: its address differs from node to node.
var (
	existing  = regexp.MustCompile(`\bFieldExistsQuery \[field=([^\]]*)\]`)
	addressed = regexp.MustCompile(`\b(org\.[\w.$]+)@[0-9a-f]+`)
)

// appendDescription writes the description of an explanation in the words of Elasticsearch 7. Equal requests have equal
// descriptions.
func (e *evaluation) appendDescription(dst, v []byte) []byte {
	if !bytes.Contains(v, []byte("FieldExistsQuery")) && !bytes.Contains(v, []byte("org.")) {
		return appendText(dst, v)
	}
	r := e.resolver()
	text := existing.ReplaceAllFunc(jsoncursor.Unquote(v), func(found []byte) []byte {
		kind := "DocValues"
		if t, ok := r.Resolve(string(existing.FindSubmatch(found)[1])); ok && t.Kind == fields.Text {
			kind = "Norms"
		}
		return append([]byte(kind), found...)
	})
	return envelope.JavaEscapes.AppendBytes(dst, addressed.ReplaceAll(text, []byte("$1")))
}
