// This file computes the metric aggregations: one or several numbers of a field.

package aggs

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

type metric struct {
	kind     query.AggKind
	s        *valuesSource
	text     numberText
	count    int
	distinct int
	sum      compensated
	min, max float64
}

func (a *aggregator) newMetric(agg *query.Agg, path string, in scope) (evaluator, error) {
	m, err := a.metric(agg, path)
	if err != nil {
		return nil, err
	}
	return &columnEvaluator{collector: m, a: a, in: in}, nil
}

func (a *aggregator) metric(agg *query.Agg, path string) (*metric, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	m := &metric{kind: agg.Kind, s: s}
	m.text, err = s.numberText(agg, path)
	m.reset()
	return m, err
}

// metricOf returns the collector of an evaluator if it is a metric, with the evaluator that feeds the collector.
func metricOf(e evaluator) (*columnEvaluator, *metric) {
	if of, ok := e.(*columnEvaluator); ok {
		m, _ := of.collector.(*metric)
		return of, m
	}
	return nil, nil
}

func (m *metric) reset() {
	*m = metric{kind: m.kind, s: m.s, text: m.text, min: math.Inf(1), max: math.Inf(-1)}
}

func (m *metric) values() *valuesSource { return m.s }
func (m *metric) direct() bool          { return m.kind != query.AggCardinality }

func (m *metric) take(id, n int) {
	m.count += n
	m.distinct++
	if m.s.kind == fields.Keyword {
		return
	}
	v := m.s.number(id)
	m.sum.add(v * float64(n))
	m.min, m.max = min(m.min, v), max(m.max, v)
}

// compensated is a sum with compensated rounding errors.
type compensated struct{ sum, lost float64 }

func (c *compensated) add(v float64) {
	v = float64(v) - c.lost
	sum := c.sum + v
	if c.lost = sum - c.sum - v; math.IsInf(sum, 0) {
		c.lost = 0
	}
	c.sum = sum
}

// value returns the value to sort by: the value of the metric, or a part of stats.
func (m *metric) value(part string) float64 {
	if part == "" {
		part = string(m.kind)
	}
	switch part {
	case "min":
		return m.min
	case "max":
		return m.max
	case "avg":
		return m.sum.sum / float64(m.count)
	case "sum":
		return m.sum.sum
	case "cardinality":
		return float64(m.distinct)
	}
	return float64(m.count)
}

func (m *metric) finish(dst []byte, _ *scorer.Bitset) []byte {
	defer m.reset()
	switch m.kind {
	case query.AggStats:
		return m.appendStats(dst)
	case query.AggValueCount, query.AggCardinality:
		dst = strconv.AppendInt(append(dst, `{"value":`...), int64(m.value(string(m.kind))), 10)
		return append(dst, '}')
	}
	v := m.value(string(m.kind))
	if m.count == 0 && m.kind != query.AggSum {
		v = math.NaN()
	}
	return m.text.single(dst, v)
}

var statsParts = []string{"min", "max", "avg", "sum"}

func (m *metric) appendStats(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"count":`...), int64(m.count), 10)
	if m.count == 0 {
		return append(dst, `,"min":null,"max":null,"avg":null,"sum":0.0}`...)
	}
	for _, p := range statsParts {
		dst = append(append(append(dst, `,"`...), p...), `":`...)
		dst = appendDouble(dst, m.value(p))
	}
	if m.text == nil {
		return append(dst, '}')
	}
	for _, p := range statsParts {
		dst = append(append(append(dst, `,"`...), p...), `_as_string":`...)
		dst = m.appendStatsText(dst, m.value(p))
	}
	return append(dst, '}')
}

// appendStatsText writes the text of a number of stats. The text of a boolean field is a boolean.
func (m *metric) appendStatsText(dst []byte, f float64) []byte {
	if m.s.kind == fields.Boolean {
		return strconv.AppendBool(dst, f != 0)
	}
	return m.text(dst, f)
}
