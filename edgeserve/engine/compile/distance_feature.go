// This file compiles distance_feature.

package compile

import (
	"fmt"
	"math"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

func (c *Compiler) distanceFeature(t fields.Target, n *query.DistanceFeature, boost float64) (scorer.Scorer, error) {
	if t.Kind != fields.Date {
		return nil, &unfitError{why: "holds no dates, which distance_feature needs: on numbers use function_score with linear, exp or gauss"}
	}
	origin, ok := analysis.ParseDate(n.Origin.Text, true, c.Clock.Now)
	if !ok {
		return nil, unfit(fields.Date, n.Origin.Text)
	}
	column, numbers, pivot := t.Values.Column(), t.Values.Numbers(), float64(n.Pivot)
	distance := func(ord int) float64 { return math.Abs(float64(numbers.Int(ord)) - float64(origin)) }
	curve := func(v float64) float64 { return boost * (pivot / (pivot + v)) }
	f := scorer.Function{Weight: 1, Most: boost, Value: func(d snapshot.DocID) float64 { return curve(distance(column.Least(d))) }}
	if !column.Single {
		var err error
		if f.Value, err = c.decayOfSeveral(column, "min", distance, curve); err != nil {
			return nil, err
		}
	}
	score := scorer.FunctionScore{Functions: []scorer.Function{f}, ScoreMode: "multiply", BoostMode: "replace", MaxBoost: math.MaxFloat32}
	if c.request.Explain {
		score.Name = fmt.Sprintf("LongDistanceFeatureQuery(field=%s,origin=%d,pivotDistance=%d)", t.Name(), origin, n.Pivot)
		score.Plain = func(d snapshot.DocID, value float32) explain.Explanation {
			return explain.Because(value, "Distance score, computed as weight * pivotDistance / (pivotDistance + abs(value - origin)) from:",
				explain.Because(float32(boost), "weight"), explain.Number(n.Pivot, "pivotDistance"), explain.Number(origin, "origin"),
				explain.Number(nearest(column, numbers, d, origin), "current value"))
		}
	}
	return c.request.FunctionScore(c.request.WithDescription(c.request.HasValue(column, boost), func() string { return existsText(&t) }), score), nil
}
