// This file parses URI searches. Parameters become body members, whose limits and messages apply.

package query

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// URI holds the URL parameters of a search. An empty string means absent.
type URI struct {
	Q                              string // a query_string over df, else over all fields
	DefaultField                   string // df
	DefaultOperator                string
	AnalyzeWildcard, Lenient       string
	From, Size                     string
	Source                         string // _source: true, false or field patterns
	SourceIncludes, SourceExcludes string // field patterns
}

// The parameters whose names differ from the corresponding body members.
const (
	uriQuery           = "q"
	uriField           = "df"
	uriOperator        = "default_operator"
	uriAnalyzeWildcard = "analyze_wildcard"
	uriLenient         = "lenient"
	uriIncludes        = "_source_includes"
	uriExcludes        = "_source_excludes"
)

// Complete adds the parameters to b, whose own members take precedence. Errors are *Error.
func (u URI) Complete(b *Body) error {
	if u == (URI{}) {
		return b.CheckWindow()
	}
	p := &bodyParser{root: u.tree()}
	p.completeWindow(b)
	if q := p.root.member(uriQuery); q != nil && b.Query == nil {
		b.Query = p.uriQueryString(q)
	}
	if s, given := p.uriSource(); given && !b.HasSource {
		b.Source, b.HasSource = s, true
	}
	if p.err != nil {
		return p.err
	}
	return b.CheckWindow()
}

// tree returns the parameters as members of an object. Positions only distinguish them.
func (u URI) tree() value {
	root := value{kind: kindObject}
	for _, m := range [...]value{
		{name: "from", text: u.From}, {name: "size", text: u.Size},
		{name: uriQuery, text: u.Q}, {name: uriField, text: u.DefaultField}, {name: uriOperator, text: u.DefaultOperator},
		{name: uriAnalyzeWildcard, text: u.AnalyzeWildcard}, {name: uriLenient, text: u.Lenient},
		{name: "_source", text: u.Source}, {name: uriIncludes, text: u.SourceIncludes}, {name: uriExcludes, text: u.SourceExcludes},
	} {
		if m.text != "" {
			m.kind, m.pos = kindString, int32(len(root.items)+1)
			root.items = append(root.items, m)
		}
	}
	return root
}

func (p *bodyParser) completeWindow(b *Body) {
	if v := p.root.member("from"); v != nil {
		if n, ok := p.window(v, problem.BadFrom, 0); ok && !b.HasFrom {
			b.From, b.HasFrom = n, true
		}
	}
	if v := p.root.member("size"); v != nil {
		if n, ok := p.window(v, problem.BadSize, DefaultSize); ok && !b.HasSize {
			b.Size, b.HasSize = n, true
		}
	}
}

func (p *bodyParser) uriQueryString(v *value) Node {
	o := newOptions(queryTypes["query_string"])
	o.value.Text = v.text
	for i := range p.root.items {
		switch m := &p.root.items[i]; m.name {
		case uriField:
			o.field = m.text
		case uriOperator, uriAnalyzeWildcard, uriLenient:
			p.option(&o, m)
		}
	}
	return p.parsedQueryString(&o, v)
}

func (p *bodyParser) uriSource() (s *Source, given bool) {
	s = new(Source)
	for i := range p.root.items {
		switch v := &p.root.items[i]; {
		case v.name == "_source" && v.text == "true":
			given = true
		case v.name == "_source" && v.text == "false":
			s.None, given = true, true
		case v.name == "_source" || v.name == uriIncludes:
			s.Includes, given = p.patternList(v), true
		case v.name == uriExcludes:
			s.Excludes, given = p.patternList(v), true
		}
	}
	if !s.None && len(s.Includes) == 0 && len(s.Excludes) == 0 {
		s = nil
	}
	return s, given
}

func (p *bodyParser) patternList(v *value) []string {
	list := splitList(v.text)
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
func ParseSort(text string) (keys []SortKey, listed bool, err error) {
	if _, directed, _ := cutDirection(text); !directed && !strings.Contains(text, ",") {
		return nil, false, nil
	}
	for _, part := range splitList(text) {
		field, directed, asc := cutDirection(part)
		if !directed {
			asc = field != "_score"
		}
		if field == "" || !directed && strings.Contains(field, ":") {
			return nil, true, sortError("%q must be a field, or a field with :asc or :desc", clip(part))
		}
		keys = append(keys, SortKey{Field: field, Asc: asc})
	}
	if len(keys) > maxSortKeys {
		return nil, true, sortError("Sort has %d keys, at most %d are allowed", len(keys), maxSortKeys)
	}
	return keys, true, nil
}

func sortError(format string, args ...any) error {
	return &Error{Code: problem.BadSort, Message: fmt.Sprintf(format, args...), Parameter: "Sort", Position: -1}
}

// cutDirection splits a sort key into field and direction. directed is false without one.
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
