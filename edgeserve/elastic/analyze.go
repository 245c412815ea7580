// This file shows how a text is analyzed.

package elastic

import (
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/search/fields"
)

const (
	// standard is the analyzer of text, keyword that of whole values.
	standard, keyword = "standard", "keyword"
	// maxTokens is Elasticsearch's limit of the tokens of a response.
	maxTokens = 10000
	// positionGap stands between the values of a field.
	positionGap = 100
	// tokenSteps is the cost of writing a token.
	tokenSteps = 32
)

// analyzeBody is the body of _analyze.
type analyzeBody struct {
	Analyzer string          `json:"analyzer"`
	Field    string          `json:"field"`
	Text     json.RawMessage `json:"text"`
	Explain  bool            `json:"explain"`
}

// analyze answers _analyze.
func (c *Call) analyze() (*Response, error) {
	body := analyzeBody{Analyzer: c.params.Get("analyzer"), Field: c.params.Get("field")}
	if err := parseJSON(c.Body, &body); err != nil {
		return nil, err
	}
	var texts []string
	var one string
	switch {
	case body.Text != nil && json.Unmarshal(body.Text, &texts) != nil && json.Unmarshal(body.Text, &one) != nil:
		return nil, badParameter("text", "text must be a string or an array of strings")
	case body.Text != nil && texts == nil:
		texts = []string{one}
	case body.Text == nil && c.params.Has("text"):
		texts = []string{c.params.Get("text")}
	}
	switch {
	case len(texts) == 0:
		return nil, invalid("text is missing")
	case body.Explain:
		return nil, badParameter("explain", "this node does not explain analyzers")
	}
	name, err := c.analyzer(&body)
	if err != nil {
		return nil, err
	}
	a := analyzed{out: []byte(`{"tokens":[`)}
	for _, text := range texts {
		if err := c.Work.Charge(len(text)); err != nil {
			return nil, err
		}
		a.text(name, text)
		if err := c.Work.Charge(tokenSteps * a.tokens); err != nil {
			return nil, err
		}
		if a.tokens > maxTokens {
			return nil, badParameter("text", "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [%d].", maxTokens)
		}
	}
	return written(append(a.out, "]}"...)), nil
}

// analyzer is the analyzer that the body names: by itself, or of a field.
func (c *Call) analyzer(body *analyzeBody) (string, error) {
	switch body.Analyzer {
	case standard, keyword:
		return body.Analyzer, nil
	case "":
	default:
		return "", badParameter("analyzer", "failed to find analyzer [%.80s]", body.Analyzer)
	}
	switch t, ok := (fields.Resolver{Reader: c.reader()}).Resolve(body.Field); {
	case !ok || t.Kind == fields.Text:
		return standard, nil
	case t.Kind == fields.Keyword:
		return keyword, nil
	}
	return "", badParameter("field", "Can't process field [%.80s], Analysis requests are only supported on tokenized fields", body.Field)
}

// analyzed is the response so far.
type analyzed struct {
	out      []byte
	tokens   int
	position int // of the next text's first token
	offset   int // of the next text, in UTF-16 code units
}

// text adds the tokens of a text.
func (a *analyzed) text(analyzer, text string) {
	units := analysis.UTF16Len(text)
	if analyzer == keyword {
		a.token(text, a.offset, a.offset+units, "word", a.position)
		a.position += positionGap + 1
		a.offset += units + 1
		return
	}
	var t analysis.Tokenizer
	t.Reset([]byte(text))
	at, offset, last := 0, a.offset, a.position-1
	for t.Next() && a.tokens <= maxTokens {
		start, end := t.Span()
		offset += analysis.UTF16Len(text[at:start])
		next := offset + analysis.UTF16Len(text[start:end])
		last = a.position + t.Position()
		a.token(string(t.Term()), offset, next, typeOfToken(text[start:end]), last)
		at, offset = end, next
	}
	a.position = last + 1 + positionGap
	a.offset += units + 1
}

func (a *analyzed) token(term string, start, end int, kind string, position int) {
	if a.tokens++; a.tokens > 1 {
		a.out = append(a.out, ',')
	}
	a.out = appendString(append(a.out, `{"token":`...), term)
	a.out = strconv.AppendInt(append(a.out, `,"start_offset":`...), int64(start), 10)
	a.out = strconv.AppendInt(append(a.out, `,"end_offset":`...), int64(end), 10)
	a.out = appendString(append(a.out, `,"type":`...), kind)
	a.out = append(strconv.AppendInt(append(a.out, `,"position":`...), int64(position), 10), '}')
}

// scripts are the types of tokens by their first letter, as the standard tokenizer names them.
var scripts = []struct {
	table *unicode.RangeTable
	name  string
}{
	{unicode.Han, "<IDEOGRAPHIC>"}, {unicode.Hiragana, "<HIRAGANA>"}, {unicode.Katakana, "<KATAKANA>"}, {unicode.Hangul, "<HANGUL>"},
	{unicode.Thai, southeast}, {unicode.Lao, southeast}, {unicode.Khmer, southeast}, {unicode.Myanmar, southeast},
}

const southeast = "<SOUTHEAST_ASIAN>"

// typeOfToken is the type of a token.
func typeOfToken(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	for _, s := range scripts {
		if unicode.Is(s.table, first) {
			return s.name
		}
	}
	digits := false
	for _, r := range text {
		if unicode.IsLetter(r) {
			return "<ALPHANUM>"
		}
		digits = digits || unicode.IsDigit(r)
	}
	if digits {
		return "<NUM>"
	}
	if first > unicode.MaxLatin1 {
		return "<EMOJI>"
	}
	return "<ALPHANUM>"
}
