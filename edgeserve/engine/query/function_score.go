// This file defines function_score, which scores the matches of a query by their values.

package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FunctionScore combines the score of each match of Query with functions of the item's values.
type FunctionScore struct {
	Query     Node // nil means all items
	Functions []ScoreFunction
	ScoreMode string // multiply, sum, avg, first, max or min: how functions combine
	BoostMode string // multiply, replace, sum, avg, max or min: how their result and the score combine
	MaxBoost  float64
	MinScore  *float64 // lower scores do not match
	Boost     float64  // of Query
}

// Type implements Node.
func (*FunctionScore) Type() string { return "function_score" }

func (n *FunctionScore) BoostOption() *float64 { return &n.Boost }

// Visit implements Part. Elasticsearch builds the filters of functions before the query.
func (n *FunctionScore) Visit(v *Visitor) {
	for i := range n.Functions {
		v.Field(n.Functions[i].Field)
		v.Part(n.Functions[i].Filter)
	}
	v.Part(n.Query)
}

// Map implements parent. Elasticsearch rewrites the query before the filters.
func (n *FunctionScore) Map(f func(Node) Node) Node {
	out := *n
	out.Query = f(n.Query)
	changed, filters := out.Query != n.Query, false
	for i := range n.Functions {
		filter := f(n.Functions[i].Filter)
		if filter == n.Functions[i].Filter {
			continue
		}
		if !filters {
			out.Functions, changed, filters = slices.Clone(n.Functions), true, true
		}
		out.Functions[i].Filter = filter
	}
	if !changed {
		return n
	}
	return &out
}

// ScoreFunction is a function of the items that Filter matches.
type ScoreFunction struct {
	Filter Node   // nil means all items
	Kind   string // "" (one), field_value_factor, random_score, linear, exp or gauss
	Weight float64

	Weighted bool     // Weight was given
	Field    string   // "" in a random_score: the id
	Factor   float64  // field_value_factor
	Modifier string   // none, log, log1p, log2p, ln, ln1p, ln2p, square, sqrt or reciprocal
	Missing  *float64 // field_value_factor: the value of items that have none; nil means that such an item is an error
	Seed     *Value   // random_score: an integer or a text; nil means the clock
	Decay    Decay    // linear, exp, gauss
	Values   string   // decay: how several values of an item become one: min, max, avg, sum or median
}

// Decay are the options of a decay. Origin, Scale and Offset depend on the type of the field.
type Decay struct {
	Origin, Scale, Offset *Value
	Decay                 float64
}

// timeUnits are Elasticsearch's units of time. A unit such as ms precedes a unit that it ends with, such as s.
var timeUnits = []struct {
	name string
	unit time.Duration
}{{"nanos", 1}, {"micros", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour}}

// ParseDuration reads a duration as Elasticsearch does, like 10d, in milliseconds.
func ParseDuration(text string) (ms int64, err error) {
	s := strings.Trim(text, " \t\n\r")
	if strings.Trim(s, "0") == "" && s != "" {
		return 0, nil
	}
	for _, u := range timeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok && u.name != "m" {
			digits, ok = strings.CutSuffix(strings.ToLower(s), u.name)
		}
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.Trim(digits, " "), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/int64(u.unit) {
			break
		}
		return time.Duration(n * int64(u.unit)).Milliseconds(), nil
	}
	return 0, fmt.Errorf("%.80q is not a duration like 10d: an integer with one of d, h, m, s, ms, micros, nanos", text)
}
