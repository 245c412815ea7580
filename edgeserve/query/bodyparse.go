// This file parses the members of a search body except query and aggs.

package query

import (
	"fmt"
	"slices"
)

const bodyMembers = "from, size, query, sort, aggs, aggregations, _source, track_total_hits"

// Parse parses a search body; blank or null is the first page of every item. Errors are *Error.
func Parse(raw []byte) (*Body, error) {
	b, err := ParsePart(raw)
	if err != nil {
		return nil, err
	}
	if err := b.CheckWindow(); err != nil {
		return nil, err
	}
	return b, nil
}

// ParsePart parses a body that URL parameters may complete. URI.Complete then checks the window.
func ParsePart(raw []byte) (*Body, error) {
	b, p := &Body{Size: DefaultSize}, new(bodyParser)
	if p.err = readJSON(string(raw), &p.root); p.err == nil {
		p.body(b)
	}
	if p.err != nil {
		return nil, p.err
	}
	return b, nil
}

func (p *bodyParser) body(b *Body) {
	switch p.root.kind {
	case kindObject:
	case kindNull:
		return
	default:
		p.fail(&p.root, CodeBody, "a search body must be a JSON object, not %s", kindNames[p.root.kind])
		return
	}
	for i := range p.root.items {
		if p.err != nil {
			return
		}
		switch m := &p.root.items[i]; m.name {
		case "from":
			b.From, b.HasFrom = p.window(m, CodeFrom, 0)
		case "size":
			b.Size, b.HasSize = p.window(m, CodeSize, DefaultSize)
		case "query":
			b.Query = p.query(m)
		case "sort":
			b.Sort = p.sort(m)
		case "aggs", "aggregations":
			b.Aggs = append(b.Aggs, p.aggregations(m, nil)...)
		case "_source":
			b.Source, b.HasSource = p.source(m), true
		case "track_total_hits":
			p.totalHits(m)
		default:
			p.fail(m, CodeBody, "unknown member %q of the body; known members: %s", clip(m.name), bodyMembers)
		}
	}
	if m := p.root.member("aggregations"); m != nil && p.root.member("aggs") != nil {
		p.fail(m, CodeAggregation, "aggs and aggregations are the same member: give one of them")
	}
}

// CheckWindow rejects a window whose end exceeds MaxWindow.
func (b *Body) CheckWindow() error {
	if b.From+b.Size <= MaxWindow {
		return nil
	}
	return &Error{Code: CodeFrom, Parameter: "from", Position: -1, Message: fmt.Sprintf("from + size must be at most %d, not %d", MaxWindow, b.From+b.Size)}
}

// window parses from or size. The value -1 selects the default, unset.
func (p *bodyParser) window(v *value, code string, unset int) (n int, given bool) {
	n = p.integer(v, -1)
	switch {
	case n == -1 || p.err != nil:
		return unset, false
	case n > MaxWindow:
		p.fail(v, code, "%s must be at most %d, not %d: from + size has this limit", v.name, MaxWindow, n)
		return unset, false
	}
	return n, true
}

// totalHits validates track_total_hits, which has no effect: totals are always exact.
func (p *bodyParser) totalHits(v *value) {
	if v.kind != kindBool && v.text != "true" && v.text != "false" {
		p.integer(v, -1)
	}
}

func (p *bodyParser) sort(v *value) []SortKey {
	var keys []SortKey
	p.each(v, func(e *value) {
		switch e.kind {
		case kindString:
			keys = append(keys, SortKey{Field: p.fieldName(e), Asc: e.text != "_score"})
		case kindObject:
			for i := range e.items {
				keys = append(keys, p.sortKey(&e.items[i]))
			}
		default:
			p.wrongValue(e, `a field name or an object like {"CreatedAt":"desc"}`)
		}
		if len(keys) > maxSortKeys {
			p.fail(e, CodeSort, "sort has more than %d keys", maxSortKeys)
		}
	})
	return keys
}

func (p *bodyParser) sortKey(m *value) SortKey {
	k := SortKey{Field: m.name, Asc: m.name != "_score"}
	if m.name == "" {
		p.fail(m, CodeSort, "a sort key needs the name of a field")
	}
	if m.kind != kindObject {
		k.Asc = p.ascending(m)
		return k
	}
	for i := range m.items {
		switch o := &m.items[i]; {
		case o.name == "order":
			k.Asc = p.ascending(o)
		case o.name == "missing" && m.name != "_score":
			p.oneOf(o, "_last")
		default:
			p.fail(o, CodeUnknownOption, "unknown option %q of a sort key; known options: order, missing", clip(o.name))
		}
	}
	return k
}

func (p *bodyParser) ascending(v *value) bool { return p.either(v, v.text, "asc", "desc") }

// source parses _source: a boolean, patterns, or includes and excludes. nil means whole items.
func (p *bodyParser) source(v *value) *Source {
	s := new(Source)
	switch v.kind {
	case kindBool:
		s.None = !p.bool(v)
	case kindString, kindArray:
		s.Includes = p.patterns(v)
	case kindObject:
		for i := range v.items {
			switch m := &v.items[i]; m.name {
			case "includes", "include":
				s.Includes = append(s.Includes, p.patterns(m)...)
			case "excludes", "exclude":
				s.Excludes = append(s.Excludes, p.patterns(m)...)
			default:
				p.fail(m, CodeUnknownOption, "unknown option %q of _source; known options: includes, excludes", clip(m.name))
			}
		}
	default:
		p.wrongValue(v, "true, false, a field pattern, an array of them or {includes, excludes}")
	}
	if !s.None && len(s.Includes) == 0 && len(s.Excludes) == 0 {
		return nil
	}
	return s
}

// patterns parses field patterns, sorted and without duplicates: their order has no meaning.
func (p *bodyParser) patterns(v *value) []string {
	list := p.texts(v, maxSourcePatterns)
	slices.Sort(list)
	return slices.Compact(list)
}
