// This file compiles the query that finds the inner hits of a collapse: the items with one value of its field.

package compile

import (
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
)

// InGroup matches the documents whose value of the field of a collapse has an ordinal in [Low, High). Of a keyword it stands
// for all values: a query.Term looks for one.
type InGroup struct {
	Target    fields.Target
	Low, High int
}

// Type implements query.Node.
func (*InGroup) Type() string { return "in_group" }

// Visit implements query.Part. The field has been resolved already.
func (*InGroup) Visit(*query.Visitor) {}

func (c *Compiler) inGroup(n *InGroup, boost float64) scorer.Scorer {
	s := c.request.Ordinals(n.Target.Values.Column(), n.Low, n.High, boost)
	if n.Target.Kind == fields.Keyword {
		return c.request.WithDescription(s, func() string { return existsText(&n.Target) })
	}
	return c.field.named(n.Target, s, func() string {
		number := func(ord int) string {
			if n.Target.Kind == fields.Long {
				return strconv.FormatInt(n.Target.Values.Numbers().Int(ord), 10)
			}
			return string(envelope.AppendFloat(nil, n.Target.Values.Numbers().Float(ord), 64))
		}
		return "[" + number(n.Low) + " TO " + number(n.High-1) + "]"
	})
}
