// This file sends a body to both engines and judges their responses.

package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"contentedge/edgeserve/engine/cluster/translate"

	"elasticsearch/index"
)

// Judge compares our responses with Elasticsearch's.
type Judge struct {
	Ours   Engine
	Theirs elasticsearch
	name   func(env string) string // of an index of theirs
}

// NewJudge returns a judge of an engine of ours.
func NewJudge(ours Engine, node *index.Client) *Judge {
	return &Judge{ours, theirs(node), node.Name}
}

// unanswered is why a body was not compared: Elasticsearch has no limit of work.
const unanswered = "Elasticsearch does not answer in two minutes"

// Verdict is what became of a body.
type Verdict struct {
	Difference string // between the responses, or ""
	Reason     string // of a difference that is meant, or why the body was not asked
	Refused    bool   // by both
	Empty      bool   // no item matches
	// Spared are the parts of the body that were left out, so that the rest could be compared.
	Spared []string
}

// Compare asks both engines about an environment with these fields.
func (j *Judge) Compare(env string, fields translate.Fields, body []byte) (Verdict, error) {
	if j.Ours.Bare() {
		body = without(body, "stored_fields") // the items of an envelope tell their ids
	}
	q := j.ask(env, fields, body, j.Ours.Bare())
	if q.refused != "" {
		return Verdict{Reason: q.refused}, nil
	}
	theirs, err := j.theirs(env, q, q.body)
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		return Verdict{Reason: unanswered}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	// A query that fails while it is built is a 503 without a shard that failed.
	if theirs.Status == http.StatusTooManyRequests || theirs.Status == http.StatusServiceUnavailable && !strings.Contains(theirs.Error, `"failed_shards":[]`) {
		return Verdict{}, fmt.Errorf("the node is overloaded: %.300s", theirs.Error)
	}
	ours, err := j.Ours.Search(env, body)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Refused: theirs.Status != 200, Empty: theirs.Status == 200 && theirs.Total == 0}
	v.Difference = difference(ours, theirs, func() *Response {
		a, err := j.theirs(env, q, longer(q.body))
		if err != nil || a.Status != 200 {
			return nil
		}
		return a
	})
	if v.Difference != "" {
		v.Reason = reason(seen{string(body), string(q.body), ours, theirs, v.Difference, q.Lenient, env == Tame})
	}
	return v, nil
}

// theirs is Elasticsearch's response, with the names of the release.
func (j *Judge) theirs(env string, q question, body []byte) (*Response, error) {
	status, text, err := j.Theirs.ask(env, body)
	if err != nil {
		return nil, err
	}
	if status == http.StatusOK {
		if text, err = q.Restore(nil, text); err != nil {
			return nil, err
		}
	}
	a, err := readSearch(status, text)
	if err != nil {
		return nil, err
	}
	for i, h := range a.Hits {
		a.Hits[i].Source = source(q.fields, h.Source, "")
		sources(q.fields, h.Rest)
	}
	sources(q.fields, a.Parts)
	return a, nil
}

// longer is a body whose page begins at the first hit and ends where pages must.
func longer(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	for _, name := range []string{"from", "aggs", "aggregations", "highlight", "suggest"} {
		delete(members, name)
	}
	members["size"] = json.RawMessage("10000")
	text, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return text
}
