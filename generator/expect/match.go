// This file finds values of a response by their paths and compares them with the expected ones.

package expect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// matcher is an expectation of one value.
type matcher struct {
	path string
	text string // for people
	of   func(v any, exists bool) bool
}

// on applies the matcher to the value at its path.
func (m *matcher) on(root any) (got string, ok bool) {
	v, exists := find(root, m.path)
	if !exists {
		return "nothing", m.of(nil, false)
	}
	return brief(v), m.of(v, true)
}

const maxBrief = 200 // bytes of a value in a message

func brief(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(b) > maxBrief {
		return strings.ToValidUTF8(string(b[:maxBrief]), "") + "…"
	}
	return string(b)
}

// matchers reads an object of paths and expected values.
func (p *parser) matchers(n *node) (out []*matcher) {
	if n.kind != '{' {
		p.fault(n.start, "for example {\"Name\":\"Bread Pot\"}", "this must be an object of paths and values")
		return nil
	}
	for i := range n.members {
		m := p.matcher(&n.members[i], "exists", "matches", "gte", "lte")
		m.path = n.members[i].name
		out = append(out, m)
	}
	return out
}

// matcher reads an expected value: a scalar, an array, or an object of known operators.
func (p *parser) matcher(n *node, operators ...string) *matcher {
	if n.kind != '{' {
		want := n.plain()
		return &matcher{text: brief(want), of: func(v any, exists bool) bool { return exists && equal(want, v) }}
	}
	var all []func(v any, exists bool) bool
	if len(n.members) == 0 {
		p.fault(n.start, "", "an empty object expects nothing")
	}
	for i := range n.members {
		m := &n.members[i]
		if !slices.Contains(operators, m.name) {
			p.fault(m.keyAt, "known operators: "+strings.Join(operators, ", ")+"; compare members of an object by their own paths", "unknown operator %q", m.name)
			continue
		}
		if of := p.operator(m); of != nil {
			all = append(all, of)
		}
	}
	return &matcher{text: string(compact(p.file.Text[n.start:n.end])), of: func(v any, exists bool) bool {
		return !slices.ContainsFunc(all, func(of func(any, bool) bool) bool { return !of(v, exists) })
	}}
}

func (p *parser) operator(m *node) func(v any, exists bool) bool {
	switch m.name {
	case "exists":
		want, ok := m.value.(bool)
		if !ok {
			p.fault(m.start, "", "exists must be true or false")
		}
		return func(_ any, exists bool) bool { return exists == want }
	case "matches":
		pattern, _ := m.value.(string)
		re, err := regexp.Compile(pattern)
		if err != nil || pattern == "" {
			p.fault(m.start, "it is a regular expression of Go, found anywhere in the text", "matches must be a regular expression")
			return nil
		}
		return func(v any, exists bool) bool { return exists && re.MatchString(scalarText(v)) }
	}
	bound, ok := number(m.value)
	if !ok {
		p.fault(m.start, "", "%s must be a number", m.name)
	}
	least := m.name == "gte"
	return func(v any, exists bool) bool {
		got, ok := number(v)
		return ok && (least && got >= bound || !least && got <= bound)
	}
}

// plain returns a node in the form that a response's values have: json.Number, []any, map[string]any.
func (n *node) plain() any {
	switch n.kind {
	case '[':
		list := make([]any, len(n.list))
		for i := range n.list {
			list[i] = n.list[i].plain()
		}
		return list
	case '{':
		members := make(map[string]any, len(n.members))
		for i := range n.members {
			members[n.members[i].name] = n.members[i].plain()
		}
		return members
	}
	return n.value
}

// equal reports whether two values are equal. Numbers are equal by value, not by spelling.
func equal(want, got any) bool {
	if a, ok := number(want); ok {
		b, ok := number(got)
		return ok && (a == b || want == got)
	}
	if a, ok := want.([]any); ok {
		b, ok := got.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return reflect.DeepEqual(want, got)
}

func scalarText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return brief(v)
}

// find finds the value at a path: names joined by dots, and indexes: buckets[0], or for a bucket
// its key: buckets[Article]. A name may contain dots.
func find(v any, path string) (found any, ok bool) {
	if path == "" {
		return v, true
	}
	if strings.HasPrefix(path, "[") {
		index, rest, closed := strings.Cut(path[1:], "]")
		if !closed {
			return nil, false
		}
		item, ok := element(v, index)
		if !ok {
			return nil, false
		}
		return find(item, strings.TrimPrefix(rest, "."))
	}
	members, _ := v.(map[string]any)
	for end := len(path); end > 0; end-- {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		if m, ok := members[path[:end]]; ok {
			if found, ok := find(m, strings.TrimPrefix(path[end:], ".")); ok {
				return found, true
			}
		}
	}
	return nil, false
}

func element(v any, index string) (any, bool) {
	if members, ok := v.(map[string]any); ok { // the buckets of named filters
		m, ok := members[index]
		return m, ok
	}
	list, _ := v.([]any)
	for _, item := range list {
		bucket, _ := item.(map[string]any)
		for _, key := range [...]string{"key_as_string", "key"} {
			if k, ok := bucket[key]; ok && scalarText(k) == index {
				return item, true
			}
		}
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(list) {
		return nil, false
	}
	return list[i], true
}
