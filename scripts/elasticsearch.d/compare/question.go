// This file makes the question of a body for Elasticsearch.

package compare

import (
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/cluster/translate"
)

// question is a body for Elasticsearch.
type question struct {
	*translate.Question
	body    []byte
	refused string // why it cannot be asked
}

// ask makes the question of a body. Totals are exact unless the body says else, or exact does.
func ask(env string, fields translate.Fields, body []byte, exact bool) question {
	q := question{Question: &translate.Question{}, body: body}
	var members object
	if decode(body, &members) != nil || members == nil {
		return q
	}
	if exact {
		members["track_total_hits"] = true
	}
	x := translate.Index{Env: env, Name: layout.Alias(env), Shards: 1, Fields: fields, Compared: true}
	asked, err := x.Search(members)
	if asked != nil {
		q.Question, q.body = asked, asked.Body
	}
	if err != nil {
		q.refused = err.Error()
	}
	return q
}
