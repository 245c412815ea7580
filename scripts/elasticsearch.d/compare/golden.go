// This file writes responses of Elasticsearch into files, for tests that run without it.

package compare

import (
	"bytes"
	"encoding/json"

	"contentedge/edgeserve/engine/cluster/translate"
)

// Golden is a body with Elasticsearch's response. Hits lack only their source.
type Golden struct {
	Body         json.RawMessage `json:"body"`
	Status       int             `json:"status"`
	Total        int             `json:"total,omitempty"`
	Hits         []any           `json:"hits,omitempty"`
	Aggregations any             `json:"aggregations,omitempty"`
	Suggest      any             `json:"suggest,omitempty"`
}

// Golden asks only Elasticsearch and returns a line of a golden file, or nil for a body that it
// cannot be asked.
func (j *Judge) Golden(env string, fields translate.Fields, body []byte) ([]byte, error) {
	q := j.ask(env, fields, body, false)
	if q.refused != "" {
		return nil, nil
	}
	a, err := j.theirs(env, q, q.body)
	if err != nil {
		return nil, err
	}
	g := Golden{Body: body, Status: a.Status}
	if a.Status == 200 {
		g.Total, g.Aggregations, g.Suggest = a.Total, a.Parts["aggregations"], a.Parts["suggest"]
		for _, h := range a.Hits {
			h.Rest["_id"] = h.ID
			if h.Source != nil {
				h.Rest["_source"] = h.Source
			}
			g.Hits = append(g.Hits, h.Rest)
		}
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err = enc.Encode(g)
	return line.Bytes(), err
}

// CompareKept compares our response to the body of a line that Golden wrote with the one there.
func (j *Judge) CompareKept(env string, fields translate.Fields, line []byte) (body []byte, v Verdict, err error) {
	var g struct {
		Golden
		Hits []object `json:"hits"`
	}
	if err := decode(line, &g); err != nil {
		return nil, v, err
	}
	theirs := &Response{Status: g.Status, Total: g.Total, Parts: object{}}
	for _, h := range g.Hits {
		theirs.Hits = append(theirs.Hits, readHit(h))
	}
	for name, part := range map[string]any{"aggregations": g.Aggregations, "suggest": g.Suggest} {
		if part != nil {
			theirs.Parts[name] = part
		}
	}
	ours, err := j.Ours.Search(env, g.Body)
	if err != nil {
		return g.Body, v, err
	}
	v = Verdict{Refused: g.Status != 200, Empty: g.Status == 200 && g.Total == 0}
	if v.Difference = difference(ours, theirs, func() *Response { return nil }); v.Difference != "" {
		q := j.ask(env, fields, g.Body, false)
		v.Reason = reason(seen{string(g.Body), string(q.body), ours, theirs, v.Difference, q.Lenient, env == Tame})
	}
	return g.Body, v, nil
}
