// This file reads tests from the tree of a file.

package expect

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
)

const (
	testMembers = "name, env, search, q, path, total, ids, fields, aggregations, maxFall"
	fileMembers = "tests, env, maxFall"
)

// read reads the file's object.
func (p *parser) read(root *node) {
	if root.kind != '{' {
		p.fault(root.start, "write {\"tests\":[…]}", "a file of expectations must be an object")
		return
	}
	env, tests := "", (*node)(nil)
	for i := range root.members {
		switch m := &root.members[i]; m.name {
		case "tests":
			tests = m
		case "env":
			env = p.text(m)
		case "maxFall":
			p.maxFall = p.percent(m)
		default:
			p.fault(m.keyAt, "known members: "+fileMembers, "unknown member %q", m.name)
		}
	}
	if tests == nil || tests.kind != '[' || len(tests.list) == 0 {
		p.fault(root.start, "write {\"tests\":[…]}", "tests must be an array with at least one test")
		return
	}
	names := map[string]int{}
	for i := range tests.list {
		t := p.test(&tests.list[i], env)
		if other := names[t.Name]; other > 0 {
			p.fault(tests.list[i].start, "name each test differently", "the test of line %d has the name %q, too", other, t.Name)
		}
		names[t.Name] = t.Line
		p.file.Tests = append(p.file.Tests, t)
	}
}

func (p *parser) test(n *node, env string) Test {
	t := Test{File: p.file.Name, maxFall: p.maxFall}
	t.Line, t.Col = p.place(n.start)
	faults := len(p.found)
	if n.kind != '{' {
		p.fault(n.start, "known members: "+testMembers, "a test must be an object")
		return t
	}
	var requests []*node
	for i := range n.members {
		switch m := &n.members[i]; m.name {
		case "name":
			t.Name = p.text(m)
		case "env":
			env = p.text(m)
		case "search", "q", "path":
			requests = append(requests, m)
		case "maxFall":
			t.maxFall = p.percent(m)
		case "total":
			p.total(&t, m)
		case "ids":
			p.ids(&t, m)
		case "fields":
			p.fields(&t, m)
		case "aggregations":
			p.aggregations(&t, m)
		default:
			p.fault(m.keyAt, "known members: "+testMembers, "unknown member %q of a test", m.name)
		}
	}
	if t.Name == "" {
		p.fault(n.start, "for example \"name\":\"bread finds the pot\"", "a test needs a name")
	}
	if len(requests) != 1 {
		p.fault(n.start, "search is a body, q a query string, path an address", "a test needs one of search, q and path")
		return t
	}
	p.request(&t, requests[0], env, n)
	if len(t.expected) == 0 && t.maxFall < 0 && len(p.found) == faults {
		p.fault(n.start, "give it total, ids, fields, aggregations or maxFall", "the test expects nothing")
	}
	return t
}

func (p *parser) request(t *Test, m *node, env string, test *node) {
	if m.name == "path" {
		t.Target = p.text(m)
		path, _, _ := strings.Cut(t.Target, "?")
		if r, ok := address.ParsePath(path); !ok || r.Env == "" || r.Kind.IsElastic() {
			p.fault(m.start, "for example "+address.Contents.Path("site")+"?status=Published", "path must be an address of the interface")
		}
		return
	}
	if !address.ValidEnv(env) {
		p.fault(test.start, "name it in the test, or once in the file: \"env\":\"site\"", "a test with %s needs the environment", m.name)
	}
	t.fromSearch, t.Target = true, address.ElasticSearch.Path(env)
	if m.name == "q" {
		t.Target += "?q=" + url.QueryEscape(p.text(m))
		return
	}
	if m.kind != '{' {
		p.fault(m.start, "for example \"search\":{\"query\":{\"match_all\":{}}}", "search must be a search body, an object")
	}
	t.Body, t.BodyAt = p.file.Text[m.start:m.end], m.start
}

func (p *parser) text(n *node) string {
	s, ok := n.value.(string)
	if !ok || s == "" {
		p.fault(n.start, "", "%s must be a text", n.name)
	}
	return s
}

func (p *parser) percent(n *node) float64 {
	f, ok := number(n.value)
	if !ok || f < 0 || f > 100 {
		p.fault(n.start, "with --against, the total may not fall by more", "maxFall must be a percentage from 0 to 100")
	}
	return f
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func (p *parser) total(t *Test, n *node) {
	want := p.matcher(n, "gte", "lte")
	t.expected = append(t.expected, check{"total", func(r *response) (string, string, bool) {
		got := json.Number(fmt.Sprint(r.total))
		return want.text, string(got), want.of(got, true)
	}})
}

func (p *parser) ids(t *Test, n *node) {
	if n.kind == '[' {
		want := p.texts(n)
		t.expected = append(t.expected, check{"ids", func(r *response) (string, string, bool) {
			return show(want), show(r.ids), slices.Equal(want, r.ids)
		}})
		return
	}
	if n.kind != '{' || len(n.members) == 0 {
		p.fault(n.start, "", "ids must be an array of ids, or {\"first\":[…]} or {\"contains\":[…]}")
		return
	}
	for i := range n.members {
		m := &n.members[i]
		want := p.texts(m)
		switch m.name {
		case "first":
			t.expected = append(t.expected, check{"ids, the first", func(r *response) (string, string, bool) {
				got := r.ids[:min(len(want), len(r.ids))]
				return show(want), show(got), slices.Equal(want, got)
			}})
		case "contains":
			t.expected = append(t.expected, check{"ids", func(r *response) (string, string, bool) {
				missing := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(r.ids, id) })
				return show(missing) + " among them", show(r.ids), len(missing) == 0
			}})
		default:
			p.fault(m.keyAt, "known members: first, contains", "unknown member %q of ids", m.name)
		}
	}
}

func (p *parser) texts(n *node) []string {
	out := []string{}
	if n.kind != '[' {
		p.fault(n.start, "", "%s must be an array of ids", n.name)
	}
	for i := range n.list {
		s, ok := n.list[i].value.(string)
		if !ok {
			p.fault(n.list[i].start, "", "an id must be a text")
		}
		out = append(out, s)
	}
	return out
}

// fields reads what every hit must have, or the hits one by one.
func (p *parser) fields(t *Test, n *node) {
	if n.kind == '{' {
		for _, m := range p.matchers(n) {
			t.expected = append(t.expected, check{m.path, func(r *response) (string, string, bool) {
				for i, item := range r.items {
					if got, ok := m.on(item); !ok {
						return m.text + " in each hit", fmt.Sprintf("%s in hit %d (%s)", got, i+1, r.ids[i]), false
					}
				}
				return m.text + " in each hit", "no hit", len(r.items) > 0
			}})
		}
		return
	}
	if n.kind != '[' {
		p.fault(n.start, "", "fields must be an object for all hits, or an array with an object for each of the first hits")
	}
	for i := range n.list {
		for _, m := range p.matchers(&n.list[i]) {
			t.expected = append(t.expected, check{fmt.Sprintf("hit %d, %s", i+1, m.path), func(r *response) (string, string, bool) {
				if i >= len(r.items) {
					return m.text, fmt.Sprintf("%d hits", len(r.items)), false
				}
				got, ok := m.on(r.items[i])
				return m.text, got, ok
			}})
		}
	}
}

func (p *parser) aggregations(t *Test, n *node) {
	for _, m := range p.matchers(n) {
		t.expected = append(t.expected, check{"aggregations, " + m.path, func(r *response) (string, string, bool) {
			got, ok := m.on(r.aggregations)
			return m.text, got, ok
		}})
	}
}

// maxShown bounds a list of ids in a message.
const maxShown = 20

func show(ids []string) string {
	more := ""
	if n := len(ids) - maxShown; n > 0 {
		ids, more = ids[:maxShown], fmt.Sprintf(" and %d more", n)
	}
	return "[" + strings.Join(ids, " ") + "]" + more
}
