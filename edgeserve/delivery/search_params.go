// This file reads the query parameters of the search endpoint. Which ones there are is
// the interface's business and stands here; what they mean is package search's.

package delivery

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search"
)

// maxFilters bounds the filters of a request: each is a clause of the query, and a form
// that filters by more fields than this does not exist.
const maxFilters = 64

const dataPrefix = "Data."

// paramNames are the names of parameters, but for those of paths of Data, under the same
// in lower case.
var paramNames = func() map[string]string {
	names := map[string]string{}
	for _, name := range [...]string{
		"Name", "TemplateName", "Status", "CreatedBy", "PublishedBy", "UpdatedBy", "ContentID", "TemplateID",
		"CreatedAt", "Data", "Page", "PageSize", "Sort", "SortAsc",
		"q", "df", "default_operator", "analyze_wildcard", "lenient", "from", "size", "_source", "_source_includes", "_source_excludes",
	} {
		names[lower(name)] = name
	}
	return names
}()

// searchParams is a raw query string taken apart. The case of names does not count.
// Unknown parameters are ignored, a known one given twice is an error, an empty value
// counts as absent.
type searchParams struct {
	values search.Params
	seen   map[string]bool
}

// parseSearchParams reads the parameters of a search request.
func parseSearchParams(raw string) (search.Params, error) {
	var p searchParams
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		name, value, _ := strings.Cut(pair, "=")
		if err := p.add(name, value); err != nil {
			return search.Params{}, err
		}
	}
	return p.values, nil
}

func (p *searchParams) add(rawName, rawValue string) error {
	name, ok := unescape(rawName)
	if !ok {
		return nil
	}
	if name, ok = paramName(name); !ok {
		return nil
	}
	if p.seen[name] {
		return &address.Error{Code: "duplicate_parameter", Message: "this parameter is given twice; give it once", Parameter: name}
	}
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.seen[name] = true
	value, ok := unescape(rawValue)
	if !ok {
		return &address.Error{Code: "bad_query", Message: "the value must be UTF-8 text, with % only before two hexadecimal digits", Parameter: name}
	}
	if value == "" {
		return nil
	}
	return p.set(name, value)
}

func (p *searchParams) set(name, value string) error {
	v := &p.values
	text := place(v, name)
	if len(value) > address.MaxValue && (text == nil || text == &v.Data || text == &v.CreatedAt) {
		return address.TooLong(name)
	}
	if text != nil {
		*text = value
		return nil
	}
	if len(v.Equal) == maxFilters {
		return &address.Error{Code: "too_many_parameters", Message: "at most 64 filters may be given", Parameter: name}
	}
	v.Equal = append(v.Equal, search.Equal{Field: name, Value: value})
	return nil
}

// place is where the value of a parameter belongs that is no filter by a whole value; nil
// for one that is.
func place(v *search.Params, name string) *string {
	switch name {
	case "CreatedAt":
		return &v.CreatedAt
	case "Data":
		return &v.Data
	case "Page":
		return &v.Page
	case "PageSize":
		return &v.PageSize
	case "Sort":
		return &v.Sort
	case "SortAsc":
		return &v.SortAsc
	}
	return placeInURI(&v.URI, name)
}

// placeInURI is place for the parameters that Elasticsearch has.
func placeInURI(u *query.URI, name string) *string {
	switch name {
	case "q":
		return &u.Q
	case "df":
		return &u.DefaultField
	case "default_operator":
		return &u.DefaultOperator
	case "analyze_wildcard":
		return &u.AnalyzeWildcard
	case "lenient":
		return &u.Lenient
	case "from":
		return &u.From
	case "size":
		return &u.Size
	case "_source":
		return &u.Source
	case "_source_includes":
		return &u.SourceIncludes
	case "_source_excludes":
		return &u.SourceExcludes
	}
	return nil
}

// paramName is how the interface writes a name that is given in any case; false if it has
// no such parameter. A path of Data is left as it is given: its case counts.
func paramName(given string) (name string, ok bool) {
	if n := len(dataPrefix); len(given) > n && lower(given[:n]) == lower(dataPrefix) {
		return dataPrefix + given[n:], true
	}
	name, ok = paramNames[lower(given)]
	return name, ok
}

// lower gives ASCII letters in lower case, and no others: some of those become ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// unescape decodes a name or a value; + is a space.
func unescape(raw string) (string, bool) {
	s, err := url.QueryUnescape(raw)
	return s, err == nil && utf8.ValidString(s)
}
