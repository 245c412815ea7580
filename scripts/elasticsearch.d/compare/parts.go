// This file compares what is left of a body without the parts that the engines answer otherwise on purpose, so that one clause does not
// excuse a whole response.

package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/wire/address"
)

// maxSpared is how many parts of a body may be left out.
const maxSpared = 12

// CompareParts is Compare for what a reason does not excuse: parts of the body are left out on both sides until the
// responses are equal. Spared names the parts.
func (j *Judge) CompareParts(env string, fields translate.Fields, body []byte) (Verdict, error) {
	first, err := j.Compare(env, fields, body)
	if err != nil || first.Reason == "" || first.Reason == unanswered {
		return first, err
	}
	rest, now := body, first
	var spared []string
	for range maxSpared {
		var name string
		if name, rest, now, err = j.withoutOne(env, fields, rest, now); err != nil || name == "" {
			return first, err
		}
		spared = append(spared, name)
		if now.Reason == "" {
			now.Spared = spared
			if now.Difference == "" {
				now.Reason = first.Reason
			} else {
				now.Difference += "\nof what is left: " + string(rest)
			}
			return now, nil
		}
	}
	return first, nil
}

// withoutOne leaves one part of a body out: the smallest one without which the responses are equal, differ without a reason, or
// something else is refused. Failing that, it is the smallest one without which they differ in something else. Without such a
// part the name is "".
func (j *Judge) withoutOne(env string, fields translate.Fields, body []byte, before Verdict) (name string, rest []byte, after Verdict, err error) {
	for _, p := range partsOf(body) {
		v, err := j.Compare(env, fields, p.rest)
		if err != nil {
			return "", nil, v, err
		}
		switch {
		case v.Reason == unanswered || v.Refused && v.Difference == "":
		case v.Reason == "" || v.Difference != before.Difference && isRefusal(v) && isRefusal(before):
			return p.name, p.rest, v, nil
		case name == "" && v.Difference != before.Difference:
			name, rest, after = p.name, p.rest, v
		}
	}
	return name, rest, after, nil
}

// isRefusal reports whether only one engine refuses a body.
func isRefusal(v Verdict) bool { return strings.HasPrefix(v.Difference, "status ") }

// part is a part of a body that can be left out.
type part struct {
	name string
	rest []byte // the body without it
	size int
}

// optional are the members that a body, or the hits inside a body, can do without.
var optional = map[string]bool{
	"sort": true, "highlight": true, "docvalue_fields": true, "fields": true, "collapse": true, "suggest": true, "rescore": true, "min_score": true, "search_after": true,
	"terminate_after": true, "explain": true, "inner_hits": true, "script_fields": true, "stored_fields": true, "post_filter": true, "highlight_query": true, "_source": true,
}

// severable are members whose elements can be left out one by one.
var severable = map[string]bool{"sort": true, "docvalue_fields": true, "fields": true, "rescore": true, "sources": true}

// partsOf returns the parts of a body, the smallest first, so that as much as possible is compared.
func partsOf(body []byte) (parts []part) {
	var root any
	if decode(body, &root) != nil {
		return nil
	}
	c := cutter{root: root}
	c.walk(root, func(v any) { c.root = v })
	parts = c.parts
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.size, b.size) })
	return parts
}

// cutter collects the parts of a body.
type cutter struct {
	root  any
	parts []part
}

// add adds a part: the body is written while cut is in force.
func (c *cutter) add(name string, v any, cut, restore func()) {
	cut()
	rest := write(c.root)
	restore()
	c.parts = append(c.parts, part{name, rest, len(write(v))})
}

// walk adds the parts of a value. set puts another value in its place.
func (c *cutter) walk(v any, set func(any)) {
	switch v := v.(type) {
	case object:
		c.members(v, set)
	case []any:
		for i, inner := range v {
			c.walk(inner, func(to any) { v[i] = to })
		}
	}
}

func (c *cutter) members(v object, set func(any)) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner := v[name]
		to := func(value any) { v[name] = value }
		back := func() { v[name] = inner }
		if _, isObject := inner.(object); isObject && len(v) == 1 && name != "query" && !isField(name) {
			c.add(name, v, func() { set(object{"match_all": object{}}) }, func() { set(v) })
		}
		if optional[name] {
			c.add(name, inner, func() { delete(v, name) }, back)
		}
		if entries, ok := inner.(object); ok && (name == "aggs" || name == "aggregations" || name == "suggest" || name == "sources") {
			for _, entry := range slices.Sorted(maps.Keys(entries)) {
				value := entries[entry]
				c.add(kindOf(value), value, func() { delete(entries, entry) }, func() { entries[entry] = value })
			}
		}
		if elements, ok := inner.([]any); ok && severable[name] && len(elements) > 1 {
			for i, e := range elements {
				c.add(name, e, func() { to(slices.Delete(slices.Clone(elements), i, i+1)) }, back)
			}
		}
		c.walk(inner, to)
	}
}

// isField reports whether a member is named as a field: its object holds the options of a query.
func isField(name string) bool {
	return strings.Contains(name, ".") || address.IsScalar(name) || strings.HasPrefix(name, "_")
}

// kindOf names the type of an aggregation or a suggestion.
func kindOf(entry any) string {
	members, _ := entry.(object)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name != "aggs" && name != "aggregations" && name != "meta" {
			return name
		}
	}
	return "an empty one"
}

// write is the JSON of a value, with the letters of its texts as they are.
func write(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(out.Bytes())
}
