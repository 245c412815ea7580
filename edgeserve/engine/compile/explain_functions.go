// This file explains the values of the functions of function_score.

package compile

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// functionWords explains the value that a function gave a document.
type functionWords = func(d snapshot.DocID, value float32) explain.Explanation

func explainFactor(f *query.ScoreFunction) functionWords {
	return func(_ snapshot.DocID, value float32) explain.Explanation { return explain.Factor(f, value) }
}

func (c *Compiler) explainRandom(f *query.ScoreFunction) functionWords {
	return func(_ snapshot.DocID, value float32) explain.Explanation {
		seed, field := fmt.Sprint(c.Clock.Now().UnixMilli()), "null"
		if f.Seed != nil {
			seed, field = fmt.Sprint(int32(RandomSeed(f.Seed))), "_id"
		}
		if f.Field != "" {
			field = f.Field
		}
		return explain.Random(seed, field, value)
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
	return func(d snapshot.DocID, value float32) explain.Explanation {
		distance := "0.0"
		if ord := column.Least(d); ord < column.Distinct {
			distance = fmt.Sprintf("%s[Math.max(Math.abs(%s(=doc value) - %s(=origin))) - %s(=offset), 0)]",
				strings.ToUpper(f.Values), explain.Double(numbers.Float(ord)), explain.Double(origin), explain.Double(offset))
		}
		return explain.Decay(f, distance, scale, value)
	}, nil
}
