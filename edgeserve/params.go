// This file reads the query parameters of the search endpoint. Which ones there are is
// the interface's business and stands here; what they mean is package search's.

package edgeserve

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/search"
)

// maxFilters bounds the filters of a request: each is a clause of the query, and a form
// that filters by more fields than this does not exist.
const maxFilters = 64

const dataPrefix = "Data."

// searchParams is a raw query string taken apart. Unknown parameters are ignored, a
// known one given twice is an error, an empty value counts as absent.
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
	if !ok || !knownParam(name) {
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
	switch name {
	case "CreatedAt":
		v.CreatedAt = value
	case "Data":
		v.Data = value
	case "Page":
		v.Page = value
	case "PageSize":
		v.PageSize = value
	case "Sort":
		v.Sort = value
	case "SortAsc":
		v.SortAsc = value
	default:
		if len(v.Equal) == maxFilters {
			return &address.Error{Code: "too_many_parameters", Message: "at most 64 filters may be given", Parameter: name}
		}
		v.Equal = append(v.Equal, search.Equal{Field: name, Value: value})
	}
	return nil
}

// knownParam reports whether the interface gives the name a meaning.
func knownParam(name string) bool {
	switch name {
	case "Name", "TemplateName", "Status", "CreatedBy", "PublishedBy", "UpdatedBy", "ContentID", "TemplateID",
		"CreatedAt", "Data", "Page", "PageSize", "Sort", "SortAsc":
		return true
	}
	return len(name) > len(dataPrefix) && strings.HasPrefix(name, dataPrefix)
}

// unescape decodes a name or a value; + is a space.
func unescape(raw string) (string, bool) {
	s, err := url.QueryUnescape(raw)
	return s, err == nil && utf8.ValidString(s)
}
