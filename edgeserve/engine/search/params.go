// This file turns REST lists into bodies, and adds the parameters of the search endpoint to a body.

package search

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// FromList is the body that answers a REST list.
func FromList(l address.List) *query.Body {
	b := &query.Body{Window: query.Window{From: (l.Page - 1) * l.Size, Size: l.Size}}
	var filters []query.Node
	for i, field := range address.FilterFields {
		if text := l.Filter(address.Filters[i]); text != "" {
			filters = append(filters, &compile.KeywordTerm{Field: field, Text: text})
		}
	}
	for path, value := range l.Data.All() {
		filters = append(filters, equal(Equal{Field: path, Value: value}))
	}
	if len(filters) > 0 {
		b.Query = &query.Bool{Filter: filters, Boost: 1}
	}
	if patterns := l.Show.Patterns(); patterns != nil {
		b.Show.Source, b.Show.HasSource = &query.Source{Includes: patterns}, true
	}
	b.Order.Keys = []query.SortKey{{Field: l.Sort, Asc: l.Asc, Exact: true}, {Field: snapshot.IDField, Asc: true}}
	return b
}

// Params are the endpoint's parameters, "" if absent, and the default order, which SortAsc turns.
type Params struct {
	Defaults address.Defaults

	Equal                         []Equal // Name, TemplateName, …, and Data.<path>
	CreatedAt, Data               string
	Page, PageSize, Sort, SortAsc string

	URI body.URI // what Elasticsearch has parameters for
}

// Equal keeps the items whose value at Field is Value.
type Equal struct{ Field, Value string }

// WithParams adds parameters to a body. Filters are combined by AND with its query. Others count
// only if the body does not say the same, Page and PageSize only without from and size.
func WithParams(body *query.Body, p Params) (*query.Body, error) {
	out := *body
	if err := p.URI.Complete(&out); err != nil {
		return nil, err
	}
	var filters []query.Node
	for _, e := range p.Equal {
		if e.Value != "" {
			filters = append(filters, equal(e))
		}
	}
	if p.CreatedAt != "" {
		r, err := period(p.CreatedAt)
		if err != nil {
			return nil, err
		}
		filters = append(filters, r)
	}
	if p.Data != "" {
		filters = append(filters, data(p.Data))
	}
	if len(filters) > 0 {
		b := &query.Bool{Filter: filters, Boost: 1}
		if out.Query != nil {
			b.Must = []query.Node{out.Query}
		}
		out.Query = b
	}
	if err := paging(&out, p); err != nil {
		return nil, err
	}
	return &out, sorting(&out, p)
}

// equal matches a whole value: a string exactly, a number or a boolean by value.
func equal(e Equal) query.Node {
	text := &compile.KeywordTerm{Field: e.Field, Text: e.Value}
	if !strings.HasPrefix(e.Field, compile.DataPrefix) {
		return text
	}
	typed := &query.Match{Field: e.Field, Text: query.Value{Text: e.Value}, Lenient: true, And: true, Spelling: query.Spelling{MaxExpansions: compile.MaxFuzzyTerms}, Boost: 1}
	return &query.Bool{Should: []query.Node{text, &compile.TypedOnly{Match: typed}}, Boost: 1}
}

// data keeps items with all words of a text somewhere in Data, or an element or path of that name.
func data(text string) query.Node {
	return &query.Bool{Should: []query.Node{dataWords(text), &compile.ElementNamed{Name: text}}, Boost: 1}
}

func dataWords(text string) query.Node {
	b := &query.Bool{Boost: 1}
	for _, w := range analysis.Terms(text) {
		b.Filter = append(b.Filter, &compile.WordBelow{Prefix: compile.DataPrefix, Word: w})
	}
	if b.Filter == nil {
		return &query.MatchNone{}
	}
	return b
}

// periodForms are the forms of a CreatedAt parameter and how long each lasts.
var periodForms = []struct {
	layout              string
	years, months, days int
	clock               time.Duration
}{
	{layout: "2006", years: 1}, {layout: "2006-01", months: 1}, {layout: "2006-01-02", days: 1},
	{layout: "2006-01-02T15", clock: time.Hour}, {layout: "2006-01-02T15:04", clock: time.Minute}, {layout: "2006-01-02T15:04:05", clock: time.Second},
}

const lastYear = 9999

// period matches a whole year, month, day, hour, minute or second, or an instant.
func period(text string) (query.Node, error) {
	r := &query.Range{Field: address.FieldCreatedAt, Boost: 1}
	for _, f := range periodForms {
		if len(text) != len(f.layout) {
			continue // time.Parse takes hours of one digit, and fractions that no layout has
		}
		if from, err := time.Parse(f.layout, text); err == nil {
			r.Gte = instant(from)
			if end := from.AddDate(f.years, f.months, f.days).Add(f.clock); end.Year() <= lastYear {
				r.Lt = instant(end)
			}
			return r, nil
		}
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.UTC().Year() > lastYear || at.UTC().Year() < 0 {
		return nil, badParam(problem.BadCreatedAt, address.FieldCreatedAt, text, "a timestamp like 2021-04-23T10:15:00Z, or its beginning: 2021, 2021-04, 2021-04-23, 2021-04-23T10, 2021-04-23T10:15, 2021-04-23T10:15:00")
	}
	r.Gte, r.Lte = instant(at.Truncate(time.Millisecond)), instant(at.Truncate(time.Millisecond))
	return r, nil
}

func instant(t time.Time) *query.Value {
	return &query.Value{Text: t.UTC().Format("2006-01-02T15:04:05.000Z")}
}

func badParam(code, name, value, want string) error {
	return &query.Error{Code: code, Parameter: name, Position: -1, Message: fmt.Sprintf("%s must be %s, not %.80q", name, want, value)}
}

func paging(b *query.Body, p Params) error {
	page, err := number(problem.BadPage, address.ParamSearchPage, p.Page, 1, query.MaxWindow)
	if err != nil {
		return err
	}
	size, err := number(problem.BadPageSize, address.ParamSearchPageSize, p.PageSize, b.Window.Size, query.MaxWindow)
	if err != nil || b.Window.HasFrom || b.Window.HasSize {
		return err
	}
	if page*size > query.MaxWindow {
		return badParam(problem.BadPage, address.ParamSearchPage, p.Page, fmt.Sprintf("small enough that Page times PageSize is at most %d (for later hits send a body with search_after)", query.MaxWindow))
	}
	b.Window.From, b.Window.Size = (page-1)*size, size
	return nil
}

func number(code, name, text string, def, most int) (int, error) {
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most || text[0] == '+' {
		return 0, badParam(code, name, text, fmt.Sprintf("an integer from 1 to %d", most))
	}
	return n, nil
}

func sorting(b *query.Body, p Params) error {
	asc, ok := address.ParseAsc(p.SortAsc)
	if !ok && p.SortAsc != "" {
		return badParam(problem.BadSortAsc, address.ParamSearchSortAsc, p.SortAsc, "true or false")
	}
	if b.Order.Keys != nil || p.Sort == "" && p.SortAsc == "" {
		return nil
	}
	keys, listed, err := body.ParseSort(p.Sort)
	if listed {
		b.Order.Keys = keys
		return err
	}
	field := cmp.Or(p.Sort, p.Defaults.Sort)
	if !sortable(field) {
		return badParam(problem.BadSort, address.ParamSearchSort, p.Sort, "a field of the items: one of "+strings.Join(address.ScalarFields(), ", ")+
			", a path like Data.title, or several with directions like TemplateName:asc,CreatedAt:desc")
	}
	if field == "_doc" && p.SortAsc == "" {
		asc = true // as in a body
	}
	b.Order.Keys = []query.SortKey{{Field: field, Asc: asc}}
	return nil
}

// sortable reports whether Sort accepts only a name: a field of every item or its sub-field, a path of Data, a metadata
// field, or a name that only sorts have.
func sortable(name string) bool {
	field, _, _ := strings.Cut(name, ".")
	return address.IsScalar(field) || compile.IsDataPath(name) || name == "_score" || name == "_doc" || fields.IsMetadata(name)
}
