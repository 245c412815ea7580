// This file explains the functions of function_score, and the second score of a rescore.

package explain

import (
	"fmt"
	"math"

	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/envelope"
)

// NoFunction explains the value of a function that has only a weight.
func NoFunction() Explanation { return Because(1, "constant score 1.0 - no function provided") }

// Factor explains the value of a field_value_factor.
func Factor(f *query.ScoreFunction, value float32) Explanation {
	missing := ""
	if f.Missing != nil {
		missing = "?:" + Double(*f.Missing)
	}
	return Because(value, fmt.Sprintf("field value function: %s(doc['%s'].value%s * factor=%s)", f.Modifier, f.Field, missing, envelope.AppendFloat(nil, f.Factor, 32)))
}

// Random explains the value of a random_score. field is null if neither a seed nor a field is given.
func Random(seed, field string, value float32) Explanation {
	return Because(value, fmt.Sprintf("random score function (seed: %s, field: %s)", seed, field))
}

// Decay explains the value of a decay function. distance is the text of the distance from the origin.
func Decay(f *query.ScoreFunction, distance string, scale float64, value float32) Explanation {
	var text string
	switch f.Kind {
	case "gauss":
		text = fmt.Sprintf("exp(-0.5*pow(%s,2.0)/%s)", distance, Double(-0.5*scale*scale/portable.Log(f.Decay.Decay)))
	case "exp":
		text = fmt.Sprintf("exp(- %s * %s)", distance, Double(-portable.Log(f.Decay.Decay)/scale))
	default:
		zero := scale / (1 - f.Decay.Decay)
		text = fmt.Sprintf("max(0.0, ((%s - %s)/%s)", Double(zero), distance, Double(zero))
	}
	return Because(value, "Function for field "+f.Field+":", Because(value, text))
}

var combinedBy = map[string]string{"sum": "sum of", "avg": "avg of", "min": "min of", "max": "max of:"}

// Combined explains the score of a function_score by the score of its query and the result of its functions.
func Combined(boostMode string, maxBoost float32, query, functions Explanation, score float32) Explanation {
	least := Because(float32(math.Min(functions.Value, float64(maxBoost))), "min of:", functions, Because(maxBoost, "maxBoost"))
	switch boostMode {
	case "replace":
		return least
	case "multiply":
		return Because(score, "function score, product of:", query, least)
	}
	return Because(score, combinedBy[boostMode], query, least)
}

// First explains the first score of a rescored match.
func First(r *query.Rescore, score float32, first Explanation) Explanation {
	return Because(score, "product of:", first, Because(r.Weight, "primaryWeight"))
}

// Second explains the score of an item that the query of the body and the query of a rescore match. added is the
// weighted score of the rescore's query.
func Second(r *query.Rescore, score, added float32, first, second Explanation) Explanation {
	return Because(score, rescoreModes[r.Mode]+" of:", first, Because(added, "product of:", second, Because(r.QueryWeight, "secondaryWeight")))
}

// rescoreModes are Elasticsearch's names of the ways to combine two scores.
var rescoreModes = map[string]string{"multiply": "product", "avg": "avg", "max": "max", "min": "min", "total": "sum", "": "sum"}
