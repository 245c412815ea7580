// This file computes the metric aggregations: one or several numbers of a field.

package aggs

import (
	"math"
	"strconv"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

type metric struct {
	kind     query.AggKind
	s        *valuesSource
	count    int
	distinct int
	sum      compensated
	min, max float64
}

func newMetric(kind query.AggKind, s *valuesSource) *metric {
	m := &metric{kind: kind, s: s}
	m.reset()
	return m
}

func (m *metric) reset() {
	*m = metric{kind: m.kind, s: m.s, min: math.Inf(1), max: math.Inf(-1)}
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
	v -= c.lost
	sum := c.sum + v
	if c.lost = sum - c.sum - v; math.IsInf(sum, 0) {
		c.lost = 0
	}
	c.sum = sum
}

// number returns the value to sort by: that of the kind, or the given part of stats.
func (m *metric) number(part string) float64 {
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

func (m *metric) finish(dst []byte, _ *iter.Bitset) []byte {
	defer m.reset()
	switch m.kind {
	case query.AggStats:
		return m.appendStats(dst)
	case query.AggValueCount, query.AggCardinality:
		dst = strconv.AppendInt(append(dst, `{"value":`...), int64(m.number(string(m.kind))), 10)
		return append(dst, '}')
	}
	if m.count == 0 && m.kind != query.AggSum {
		return append(dst, `{"value":null}`...)
	}
	v := m.number(string(m.kind))
	dst = appendDouble(append(dst, `{"value":`...), v)
	if m.worded() {
		dst = m.appendText(append(dst, `,"value_as_string":`...), v)
	}
	return append(dst, '}')
}

var statsParts = []string{"min", "max", "avg", "sum"}

func (m *metric) appendStats(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"count":`...), int64(m.count), 10)
	if m.count == 0 {
		return append(dst, `,"min":null,"max":null,"avg":null,"sum":0.0}`...)
	}
	for _, p := range statsParts {
		dst = append(append(append(dst, `,"`...), p...), `":`...)
		dst = appendDouble(dst, m.number(p))
	}
	for _, p := range statsParts {
		if m.worded() {
			dst = append(append(append(dst, `,"`...), p...), `_as_string":`...)
			dst = m.appendText(dst, m.number(p))
		}
	}
	return append(dst, '}')
}

func (m *metric) worded() bool {
	return m.s.v != nil && (m.s.kind == fields.Date || m.s.kind == fields.Boolean)
}

func (m *metric) appendText(dst []byte, v float64) []byte {
	if m.s.kind == fields.Boolean {
		return strconv.AppendQuote(dst, strconv.FormatBool(v != 0))
	}
	return appendJSONString(dst, analysis.FormatDate(toMillis(v)))
}
