// This file reads the URL parameters of a search. Package search adds them to the body.

package answer

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// places maps each parameter that is not a filter by a whole value to the member that holds its value.
var places = func() map[string]func(*search.Params) *string {
	all := map[string]func(*search.Params) *string{
		address.FieldCreatedAt:      func(p *search.Params) *string { return &p.CreatedAt },
		address.FieldData:           func(p *search.Params) *string { return &p.Data },
		address.ParamSearchPage:     func(p *search.Params) *string { return &p.Page },
		address.ParamSearchPageSize: func(p *search.Params) *string { return &p.PageSize },
		address.ParamSearchSort:     func(p *search.Params) *string { return &p.Sort },
		address.ParamSearchSortAsc:  func(p *search.Params) *string { return &p.SortAsc },
	}
	for _, name := range body.URIParameters() {
		all[name] = func(p *search.Params) *string { return p.URI.Parameter(name) }
	}
	return all
}()

// paramNames maps names of parameters in lower case to their spelling.
var paramNames = func() map[string]string {
	names := map[string]string{}
	for _, p := range address.Parameters(address.Search) {
		if !p.Below {
			names[lower(p.Name)] = p.Name
		}
	}
	return names
}()

// searchParams parses a raw query string. The case of names does not count. Unknown names are ignored unless
// strict is set or they surely mean a parameter. A repeated name is an error. A parameter with an empty value counts as absent.
type searchParams struct {
	values search.Params
	seen   map[string]bool
	strict bool
}

func parseSearchParams(raw string, strict bool) (search.Params, error) {
	p := searchParams{strict: strict}
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
	given, ok := unescape(rawName)
	name := ""
	if ok {
		name, ok = paramName(given)
	}
	if !ok {
		return searchVocabulary.refuse(cmp.Or(given, rawName), p.strict)
	}
	if p.seen[name] {
		return &address.Error{Code: problem.DuplicateParameter, Message: "this parameter is given twice; give it once", Parameter: name}
	}
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.seen[name] = true
	value, ok := unescape(rawValue)
	if !ok {
		return &address.Error{Code: problem.BadQuery, Message: "the value must be UTF-8 text, with % only before two hexadecimal digits", Parameter: name}
	}
	if value == "" {
		return nil
	}
	return p.set(name, value)
}

func (p *searchParams) set(name, value string) error {
	v, place := &p.values, places[name]
	if len(value) > address.MaxValue && (place == nil || name == address.FieldData || name == address.FieldCreatedAt) {
		return address.TooLong(name)
	}
	if place != nil {
		*place(v) = value
		return nil
	}
	if len(v.Equal) == address.MaxFilters {
		return address.TooManyFilters(name)
	}
	v.Equal = append(v.Equal, search.Equal{Field: name, Value: value})
	return nil
}

// SearchParameterNames returns the names of the parameters of a search. Paths of Data, which are parameters too, are
// not in the list.
func SearchParameterNames() []string { return slices.Sorted(maps.Values(paramNames)) }

// IsSearchParameter reports whether a search has the parameter, in any case.
func IsSearchParameter(name string) bool {
	_, ok := paramName(name)
	return ok
}

// paramName returns the interface's spelling of a name in any case. ok is false if no parameter has the
// name. It keeps the case of a path of Data, which counts.
func paramName(given string) (name string, ok bool) {
	if n := len(address.DataPrefix); len(given) > n && lower(given[:n]) == lower(address.DataPrefix) {
		return address.DataPrefix + given[n:], true
	}
	name, ok = paramNames[lower(given)]
	return name, ok
}

// lower lowers only ASCII letters: some other letters have lower-case forms in ASCII.
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
