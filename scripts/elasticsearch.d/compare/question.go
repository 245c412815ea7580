// This file makes the question of a body for Elasticsearch.

package compare

import (
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/cluster/translate"
)

// question is a body for Elasticsearch.
type question struct {
	*translate.Question
	fields  translate.Fields
	body    []byte
	refused string // why it cannot be asked
}

// ask makes the question of a body. Totals are exact unless the body says else, or exact does.
func (j *Judge) ask(env string, fields translate.Fields, body []byte, exact bool) question {
	q := question{Question: &translate.Question{}, fields: fields, body: body}
	var members object
	if decode(body, &members) != nil || members == nil {
		return q
	}
	if exact {
		members["track_total_hits"] = true
	}
	x := translate.Index{Env: env, Name: j.name(env), Shards: 1, Fields: fields, Compared: true}
	asked, err := x.Search(members)
	if asked != nil {
		q.Question, q.body = asked, asked.Body
	}
	if err != nil {
		q.refused = err.Error()
	}
	return q
}

// sources gives the sources of hits in a part of a response the names of the release.
func sources(fields translate.Fields, v any) {
	switch v := v.(type) {
	case object:
		for name, inner := range v {
			if name == "_source" {
				v[name] = source(fields, inner, "")
			} else {
				sources(fields, inner)
			}
		}
	case []any:
		for _, inner := range v {
			sources(fields, inner)
		}
	}
}

// source gives the source of a hit the names of the release. Beside objects, values are not shown, unless a filter
// leaves out the objects.
func source(fields translate.Fields, v any, prefix string) any {
	switch v := v.(type) {
	case object:
		for name, inner := range v {
			if prefix == "" && layout.IsHidden(name) {
				delete(v, name)
				continue
			}
			inner = source(fields, inner, prefix+name+".")
			path, ok := fields.ToRelease(prefix + name)
			to, below := strings.CutPrefix(path, prefix)
			if !ok || !below || to == name {
				continue
			}
			if delete(v, name); v[to] == nil {
				v[to] = inner
			}
		}
	case []any:
		for i := range v {
			v[i] = source(fields, v[i], prefix)
		}
	}
	return v
}
