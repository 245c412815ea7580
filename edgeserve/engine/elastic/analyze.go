// This file answers _analyze, which shows how a text is analyzed.

package elastic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/fields"
)

const (
	// Names of analyzers, which are also names of tokenizers. standard analyzes text. keyword makes a token of a
	// whole value. whitespace splits only at white space.
	standard, keyword, whitespace = "standard", "keyword", "whitespace"
	// maxTokens is Elasticsearch's limit of the tokens of a response.
	maxTokens = 10000
	// maxFilters limits the filters of an analyzer: an explanation repeats the text for each filter.
	maxFilters = 4
	// tokenSteps is the cost of writing a token.
	tokenSteps = 32
)

// analyzeBody is the body of _analyze.
type analyzeBody struct {
	Analyzer    string          `json:"analyzer"`
	Tokenizer   any             `json:"tokenizer"`
	Filters     []any           `json:"filter"`
	CharFilters []any           `json:"char_filter"`
	Field       string          `json:"field"`
	Text        json.RawMessage `json:"text"`
	Explain     bool            `json:"explain"`
	Attributes  []string        `json:"attributes"`
}

// analyzer splits a text into tokens with a tokenizer, and changes them with filters.
type analyzer struct {
	name      string // "" if the request gives the parts of the analyzer
	tokenizer string
	filters   []tokenFilter
}

// analyze answers _analyze.
func (c *Call) analyze() (*Response, error) {
	body := analyzeBody{Analyzer: c.params.Get("analyzer"), Field: c.params.Get("field")}
	if err := parseJSON(c.Body, &body); err != nil {
		return nil, err
	}
	texts, err := c.textsOf(body.Text)
	if err != nil {
		return nil, err
	}
	an, err := c.analyzer(&body)
	if err != nil {
		return nil, err
	}
	var t tokens
	for _, text := range texts {
		if err := c.Work.Charge(len(text) * (1 + len(an.filters))); err != nil {
			return nil, err
		}
		if t.read(an.tokenizer, text); len(t.list) > maxTokens {
			return nil, badParameter("text", "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [%d].", maxTokens)
		}
	}
	if err := c.Work.Charge(tokenSteps * len(t.list) * (1 + len(an.filters))); err != nil {
		return nil, err
	}
	if body.Explain {
		return written(an.appendDetail(t.list, body.Attributes)), nil
	}
	for _, f := range an.filters {
		t.list = f.apply(t.list)
	}
	return written(append(appendTokens([]byte{'{'}, t.list, nil), '}')), nil
}

// textsOf reads the texts of a body or, if it has none, of the address.
func (c *Call) textsOf(raw json.RawMessage) (texts []string, err error) {
	var one string
	var list []docID // scalars become texts
	switch {
	case raw == nil && c.params.Has("text"):
		texts = []string{c.params.Get("text")}
	case raw != nil && json.Unmarshal(raw, &one) == nil && raw[0] == '"':
		texts = []string{one}
	case raw != nil && (raw[0] != '[' || json.Unmarshal(raw, &list) != nil):
		return nil, badParameter("text", "text must be a string or an array of strings")
	}
	for _, text := range list {
		texts = append(texts, string(text))
	}
	if len(texts) == 0 {
		return nil, invalid("text is missing")
	}
	return texts, nil
}

// analyzer returns the analyzer that a body asks for: by name, by parts or by the name of a field.
func (c *Call) analyzer(body *analyzeBody) (an analyzer, err error) {
	parts := body.Tokenizer != nil || len(body.Filters) > 0
	switch {
	case body.Analyzer != "" && (parts || len(body.CharFilters) > 0):
		return an, invalid("tokenizer/filters should be null if analyzer is specified")
	case len(body.CharFilters) > 0:
		return an, badParameter("char_filter", "this node has no char filters")
	case parts:
		return analyzerOf(body)
	}
	switch body.Analyzer {
	case standard:
		return analyzer{standard, standard, []tokenFilter{lowercase}}, nil
	case keyword, whitespace:
		return analyzer{name: body.Analyzer, tokenizer: body.Analyzer}, nil
	case "":
	default:
		return an, badParameter("analyzer", "failed to find analyzer [%.80s]: this node has standard, keyword and whitespace", body.Analyzer)
	}
	switch t, ok := c.environment().Fields.Resolve(body.Field); {
	case !ok || t.Kind == fields.Text:
		return analyzer{"default", standard, []tokenFilter{lowercase}}, nil
	case t.Kind == fields.Keyword:
		return analyzer{name: "_keyword", tokenizer: keyword}, nil
	}
	return an, badParameter("field", "Can't process field [%.80s], Analysis requests are only supported on tokenized fields", body.Field)
}

// analyzerOf returns the analyzer of the parts that a body gives. Without a tokenizer the whole text is a token.
func analyzerOf(body *analyzeBody) (an analyzer, err error) {
	an.tokenizer = keyword
	if body.Tokenizer != nil {
		name, _ := body.Tokenizer.(string)
		if !slices.Contains([]string{standard, keyword, whitespace}, name) {
			return an, badParameter("tokenizer", "failed to find tokenizer under [%.80s]: this node has standard, keyword and whitespace", fmt.Sprint(body.Tokenizer))
		}
		an.tokenizer = name
	}
	if len(body.Filters) > maxFilters {
		return an, badParameter("filter", "an analyzer has more than %d filters", maxFilters)
	}
	for _, v := range body.Filters {
		f, err := filterOf(v)
		if err != nil {
			return an, err
		}
		if body.Tokenizer == nil && f.stop != nil {
			return an, badParameter("filter", "Custom normalizer may not use filter [%s]", f.name)
		}
		an.filters = append(an.filters, f)
	}
	return an, nil
}

// appendDetail writes the tokens after each part of an analyzer. If the analyzer has a name, it writes only the
// result.
func (an *analyzer) appendDetail(list []token, attributes []string) []byte {
	shown := func(name string) bool { return len(attributes) == 0 || slices.Contains(attributes, name) }
	part := func(dst []byte, name string) []byte {
		return append(appendTokens(append(appendString(append(dst, `{"name":`...), name), ','), list, shown), '}')
	}
	if an.name != "" {
		for _, f := range an.filters {
			list = f.apply(list)
		}
		return append(part([]byte(`{"detail":{"custom_analyzer":false,"analyzer":`), an.name), "}}"...)
	}
	dst := part([]byte(`{"detail":{"custom_analyzer":true,"charfilters":[],"tokenizer":`), an.tokenizer)
	dst = append(dst, `,"tokenfilters":[`...)
	for i, f := range an.filters {
		if list = f.apply(list); i > 0 {
			dst = append(dst, ',')
		}
		dst = part(dst, f.name)
	}
	return append(dst, "]}}"...)
}

// appendTokens writes tokens as a member. shown reports which further attributes to write. Nil means none.
func appendTokens(dst []byte, list []token, shown func(attribute string) bool) []byte {
	dst = append(dst, `"tokens":[`...)
	for i := range list {
		t := &list[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"token":`...), t.term)
		dst = strconv.AppendInt(append(dst, `,"start_offset":`...), int64(t.start), 10)
		dst = strconv.AppendInt(append(dst, `,"end_offset":`...), int64(t.end), 10)
		dst = appendString(append(dst, `,"type":`...), t.kind)
		dst = strconv.AppendInt(append(dst, `,"position":`...), int64(t.position), 10)
		if shown != nil {
			dst = t.appendAttributes(dst, shown)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// appendAttributes writes the attributes of a token that only an explanation has.
func (t *token) appendAttributes(dst []byte, shown func(attribute string) bool) []byte {
	if shown("bytes") {
		dst = append(dst, `,"bytes":"[`...)
		for i := range len(t.term) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = strconv.AppendUint(dst, uint64(t.term[i]), 16)
		}
		dst = append(dst, `]"`...)
	}
	for _, name := range []string{"positionLength", "termFrequency"} {
		if shown(name) {
			dst = append(append(append(dst, `,"`...), name...), `":1`...)
		}
	}
	return dst
}
