// This file reads the members of a search body around the query: the window, the
// order of hits and which of their members come out.

package query

import (
	"fmt"
	"slices"
	"strings"
)

// bodyMembers lists what a body may hold, for messages.
const bodyMembers = "from, size, query, sort, aggs, aggregations, _source, track_total_hits"

// Parse reads a search body. Nothing but white space, and null, is the default body: the
// first page of every item. An error is always an *Error.
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

// ParsePart is Parse for a body that parameters complete: only then can its window be
// checked.
func ParsePart(raw []byte) (*Body, error) {
	b := &Body{Size: DefaultSize}
	root, err := readJSON(string(raw))
	if err != nil {
		return nil, err
	}
	if root == nil || root.kind == kindNull {
		return b, nil
	}
	p := &bodyParser{root: root}
	p.body(b)
	if p.err != nil {
		return nil, p.err
	}
	return b, nil
}

func (p *bodyParser) body(b *Body) {
	if p.root.kind != kindObject {
		p.fail(p.root, CodeBody, "a search body must be a JSON object, not %s", kindNames[p.root.kind])
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
	p.checkBody(b)
}

// checkBody refuses members that do not go together.
func (p *bodyParser) checkBody(b *Body) {
	if m := p.root.member("aggregations"); m != nil && p.root.member("aggs") != nil {
		p.fail(m, CodeAggregation, "aggs and aggregations are the same member: give one of them")
	}
}

// CheckWindow refuses a page that lies too deep.
func (b *Body) CheckWindow() error {
	if b.From+b.Size <= MaxWindow {
		return nil
	}
	return &Error{Code: CodeFrom, Parameter: "from", Position: -1, Message: fmt.Sprintf("from + size must be at most %d, not %d", MaxWindow, b.From+b.Size)}
}

// window reads from or size; -1 means that it is not given.
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

// totalHits checks track_total_hits, which changes nothing: totals are always exact.
func (p *bodyParser) totalHits(v *value) {
	if v.kind != kindBool && v.text != "true" && v.text != "false" {
		p.integer(v, -1)
	}
}

// sort reads a field name, an object of keys, or an array of both.
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
			p.wrong(e, `a field name or an object like {"CreatedAt":"desc"}`)
		}
		if len(keys) > maxSortKeys {
			p.fail(e, CodeSort, "sort has more than %d keys", maxSortKeys)
		}
	})
	return keys
}

// sortKey reads {"F":"asc"} or {"F":{"order":"asc"}}, of which m is the member F.
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
			p.fixed(o, "_last")
		default:
			p.fail(o, CodeUnknownOption, "unknown option %q of a sort key; known options: order, missing", clip(o.name))
		}
	}
	return k
}

// ascending reads an order, asc or desc.
func (p *bodyParser) ascending(v *value) bool {
	if v.kind == kindString {
		switch strings.ToLower(v.text) {
		case "asc":
			return true
		case "desc":
			return false
		}
	}
	p.wrong(v, "asc or desc")
	return false
}

// source reads _source: true, false, a pattern, an array of them, or an object of
// includes and excludes. It is nil when items come out whole.
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
		p.wrong(v, "true, false, a field pattern, an array of them or {includes, excludes}")
	}
	if !s.None && len(s.Includes) == 0 && len(s.Excludes) == 0 {
		return nil
	}
	return s
}

// patterns reads field patterns; the order and repetitions mean nothing, so they go.
func (p *bodyParser) patterns(v *value) []string {
	list := p.texts(v, maxSourcePatterns)
	slices.Sort(list)
	return slices.Compact(list)
}
