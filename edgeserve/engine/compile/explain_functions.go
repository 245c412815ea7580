// This file says in Elasticsearch's words what a function of function_score computes.

package compile

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

// functionWords explain a value of a function.
type functionWords = func(d snapshot.DocID, value float32) scorer.Explanation

func explainFactor(f *query.ScoreFunction) functionWords {
	return func(_ snapshot.DocID, value float32) scorer.Explanation {
		missing := ""
		if f.Missing != nil {
			missing = "?:" + javaDouble(*f.Missing)
		}
		return scorer.Because(value, fmt.Sprintf("field value function: %s(doc['%s'].value%s * factor=%s)", f.Modifier, f.Field, missing, envelope.AppendFloat(nil, f.Factor, 32)))
	}
}

func (c *Compiler) explainRandom(f *query.ScoreFunction) functionWords {
	return func(_ snapshot.DocID, value float32) scorer.Explanation {
		seed, field := fmt.Sprint(c.Clock.Now().UnixMilli()), "null"
		if f.Seed != nil {
			seed, field = fmt.Sprint(int32(seedOf(f.Seed))), "_id"
		}
		if f.Field != "" {
			field = f.Field
		}
		return scorer.Because(value, fmt.Sprintf("random score function (seed: %s, field: %s)", seed, field))
	}
}

func (c *Compiler) explainDecay(f *query.ScoreFunction) (functionWords, error) {
	t, _, err := c.numbersOf(f)
	if err != nil {
		return nil, err
	}
	origin, scale, offset, err := c.decayOptions(f, t)
	if err != nil {
		return nil, err
	}
	column, numbers := t.Values.Column(), t.Values.Numbers()
	return func(d snapshot.DocID, value float32) scorer.Explanation {
		distance := "0.0"
		if ord := column.Least(d); ord < column.Distinct {
			distance = fmt.Sprintf("%s[Math.max(Math.abs(%s(=doc value) - %s(=origin))) - %s(=offset), 0)]",
				strings.ToUpper(f.Values), javaDouble(numbers.Float(ord)), javaDouble(origin), javaDouble(offset))
		}
		var text string
		switch f.Kind {
		case "gauss":
			text = fmt.Sprintf("exp(-0.5*pow(%s,2.0)/%s)", distance, javaDouble(-0.5*scale*scale/portable.Log(f.Decay.Decay)))
		case "exp":
			text = fmt.Sprintf("exp(- %s * %s)", distance, javaDouble(-portable.Log(f.Decay.Decay)/scale))
		default:
			zero := scale / (1 - f.Decay.Decay)
			text = fmt.Sprintf("max(0.0, ((%s - %s)/%s)", javaDouble(zero), distance, javaDouble(zero))
		}
		return scorer.Because(value, "Function for field "+f.Field+":", scorer.Because(value, text))
	}, nil
}
