// This file answers _explain, which explains the score of an item.

package elastic

import (
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
)

// explain answers _explain.
func (c *Call) explain() (*Response, error) {
	body, err := c.parseQuery()
	if err != nil {
		return nil, err
	}
	if body.Query == nil {
		return nil, invalid("query is missing")
	}
	items := c.environment().Items
	fragment, found, err := hits.Item(items, c.Work, c.Route.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errItem
	}
	c.Count(body.Query)
	e, err := items.Explain(c.Work, body, c.Route.ID)
	if err != nil {
		return nil, asEvaluated(err)
	}
	source := c.params.Has(address.ParamSource) || c.params.Has(address.ParamSourceIncludes) || c.params.Has(address.ParamSourceExcludes)
	shown := source && (body.Show.Source == nil || !body.Show.Source.None)
	return &Response{Size: len(e.JSON) + len(fragment) + len(c.Route.Env) + len(c.Route.ID) + 2*docBytes, Fixed: !e.Timed, Approximate: e.Approximate, write: func(dst []byte) ([]byte, error) {
		dst = hits.AppendNames(append(dst, '{'), c.Route.Env, c.Route.ID)
		dst = append(append(dst, matched[e.Matches]+`,"explanation":`...), e.JSON...)
		if shown || c.params.Has("stored_fields") {
			dst = append(dst, `,"get":{"_seq_no":0,"_primary_term":1,"found":true`...)
			if shown {
				dst = hits.NewSource(body.Show.Source).Append(dst, fragment)
			}
			dst = append(dst, '}')
		}
		if e.Approximate != nil {
			dst = envelope.AppendApproximate(dst)
		}
		return append(dst, '}'), nil
	}}, nil
}

var matched = map[bool]string{true: `,"matched":true`, false: `,"matched":false`}
