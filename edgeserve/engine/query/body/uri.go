// This file parses the URL parameters of a search. They become members of a body, whose limits and messages apply.

package body

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// URI holds the URL parameters of a search. An empty string means absent.
type URI struct {
	Q                              string // a query_string over the default field, or over all fields
	DefaultField                   string // df
	DefaultOperator                string
	AnalyzeWildcard, Lenient       string
	From, Size                     string
	Source                         string // _source: true, false or field patterns
	SourceIncludes, SourceExcludes string // field patterns
}

// uriParameters maps the name of a parameter to the member of URI.
var uriParameters = [...]struct {
	name string
	of   func(*URI) *string
}{
	{address.ParamFrom, func(u *URI) *string { return &u.From }},
	{address.ParamSize, func(u *URI) *string { return &u.Size }},
	{address.ParamQuery, func(u *URI) *string { return &u.Q }},
	{address.ParamDefaultField, func(u *URI) *string { return &u.DefaultField }},
	{address.ParamDefaultOperator, func(u *URI) *string { return &u.DefaultOperator }},
	{address.ParamAnalyzeWildcard, func(u *URI) *string { return &u.AnalyzeWildcard }},
	{address.ParamLenient, func(u *URI) *string { return &u.Lenient }},
	{address.ParamSource, func(u *URI) *string { return &u.Source }},
	{address.ParamSourceIncludes, func(u *URI) *string { return &u.SourceIncludes }},
	{address.ParamSourceExcludes, func(u *URI) *string { return &u.SourceExcludes }},
}

// URIParameters returns the names of the parameters of a URI.
func URIParameters() (names []string) {
	for _, p := range uriParameters {
		names = append(names, p.name)
	}
	return names
}

// Parameter returns the member of a parameter, or nil for an unknown name.
func (u *URI) Parameter(name string) *string {
	for _, p := range uriParameters {
		if p.name == name {
			return p.of(u)
		}
	}
	return nil
}

// Complete adds the parameters to b, whose own members take precedence. It checks the window. Errors are
// *query.Error.
func (u URI) Complete(b *query.Body) error {
	if u == (URI{}) {
		return b.Window.Check()
	}
	p := &parser{root: u.tree()}
	parseCompleteWindow(p, b)
	if q := p.root.Member(address.ParamQuery); q != nil && b.Query == nil {
		b.Query = parseURIQueryString(p, q)
	}
	if s, given := parseURISource(p); given && !b.Show.HasSource {
		b.Show.Source, b.Show.HasSource = s, true
	}
	if p.err != nil {
		return p.err
	}
	return b.Window.Check()
}

// tree returns the parameters as members of an object. Their positions only distinguish them.
func (u URI) tree() strictjson.Value {
	root := strictjson.Value{Kind: strictjson.Object}
	for _, p := range uriParameters {
		if text := *p.of(&u); text != "" {
			root.Items = append(root.Items, strictjson.Value{Name: p.name, Text: text, Kind: strictjson.String, Pos: int32(len(root.Items) + 1)})
		}
	}
	return root
}

func parseCompleteWindow(p *parser, b *query.Body) {
	if v := p.root.Member(address.ParamFrom); v != nil {
		if n, ok := parseWindow(p, v, problem.BadFrom, 0); ok && !b.Window.HasFrom {
			b.Window.From, b.Window.HasFrom = n, true
		}
	}
	if v := p.root.Member(address.ParamSize); v != nil {
		if n, ok := parseWindow(p, v, problem.BadSize, query.DefaultSize); ok && !b.Window.HasSize {
			b.Window.Size, b.Window.HasSize = n, true
		}
	}
}

// queryStringNames are the options of query_string that are also URL parameters.
var queryStringNames = []string{address.ParamDefaultOperator, address.ParamAnalyzeWildcard, address.ParamLenient}

func parseURIQueryString(p *parser, v *strictjson.Value) query.Node {
	n := newQueryString()
	n.node.Text = v.Text
	for i := range p.root.Items {
		switch m := &p.root.Items[i]; {
		case m.Name == address.ParamDefaultField:
			n.node.DefaultField = m.Text
		case slices.Contains(queryStringNames, m.Name):
			queryStringOptions.row(m.Name).parse(p, n, m)
		}
	}
	return n.finish(p, v)
}

func parseURISource(p *parser) (s *query.Source, given bool) {
	s = new(query.Source)
	for i := range p.root.Items {
		switch v := &p.root.Items[i]; {
		case v.Name == address.ParamSource && v.Text == "true":
			given = true
		case v.Name == address.ParamSource && v.Text == "false":
			s.None, given = true, true
		case v.Name == address.ParamSource || v.Name == address.ParamSourceIncludes:
			s.Includes, given = parsePatternList(p, v), true
		case v.Name == address.ParamSourceExcludes:
			s.Excludes, given = parsePatternList(p, v), true
		}
	}
	if !s.None && len(s.Includes) == 0 && len(s.Excludes) == 0 {
		s = nil
	}
	return s, given
}

func parsePatternList(p *parser, v *strictjson.Value) []string {
	list := splitList(v.Text)
	if p.tooMany(v, "entries", len(list), maxSourcePatterns) {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func splitList(text string) (list []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// ParseSort parses a list such as field:asc,field2:desc. By default a field ascends and _score
// descends. Text without comma or direction is a field name: listed is false and keys is nil.
func ParseSort(text string) (keys []query.SortKey, listed bool, err error) {
	if _, directed, _ := cutDirection(text); !directed && !strings.Contains(text, ",") {
		return nil, false, nil
	}
	for _, part := range splitList(text) {
		field, directed, asc := cutDirection(part)
		if !directed {
			asc = field != "_score"
		}
		if field == "" || !directed && strings.Contains(field, ":") {
			return nil, true, sortError("%q must be a field, or a field with :asc or :desc", strictjson.Clip(part))
		}
		keys = append(keys, query.SortKey{Field: field, Asc: asc})
	}
	if len(keys) > maxSortKeys {
		return nil, true, sortError("Sort has %d keys, at most %d are allowed", len(keys), maxSortKeys)
	}
	return keys, true, nil
}

func sortError(format string, args ...any) error {
	return &query.Error{Code: problem.BadSort, Message: fmt.Sprintf(format, args...), Parameter: "Sort", Position: -1}
}

// cutDirection splits a sort key into field and direction. directed reports whether the key has a direction.
func cutDirection(key string) (field string, directed, asc bool) {
	i := strings.LastIndexByte(key, ':')
	if i < 0 {
		return key, false, false
	}
	switch strings.ToLower(key[i+1:]) {
	case "asc":
		return key[:i], true, true
	case "desc":
		return key[:i], true, false
	}
	return key, false, false
}
