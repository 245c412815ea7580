// This file answers aggregations that are one number, or a few, about a field.

package search

import (
	"math"
	"strconv"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
)

// metric gathers the numbers of a field.
type metric struct {
	kind     query.AggKind
	s        *source
	count    int // values
	distinct int
	sum      compensated
	min, max float64
}

func newMetric(kind query.AggKind, s *source) *metric {
	m := &metric{kind: kind, s: s}
	m.reset()
	return m
}

func (m *metric) reset() {
	*m = metric{kind: m.kind, s: m.s, min: math.Inf(1), max: math.Inf(-1)}
}

func (m *metric) source() *source { return m.s }
func (m *metric) direct() bool    { return m.kind != query.AggCardinality }

func (m *metric) take(id, n int) {
	m.count += n
	m.distinct++
	if m.s.kind == onKeyword {
		return
	}
	v := m.s.number(id)
	m.sum.add(v * float64(n))
	m.min, m.max = min(m.min, v), max(m.max, v)
}

// compensated is a sum that does not lose what single additions round away.
type compensated struct{ sum, lost float64 }

func (c *compensated) add(v float64) {
	v -= c.lost
	sum := c.sum + v
	if c.lost = sum - c.sum - v; math.IsInf(sum, 0) {
		c.lost = 0
	}
	c.sum = sum
}

// number is the value an order compares, by kind or by part of a stats.
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

func (m *metric) finish(dst []byte, _ *bitset) ([]byte, error) {
	defer m.reset()
	switch m.kind {
	case query.AggStats:
		return m.appendStats(dst), nil
	case query.AggValueCount, query.AggCardinality:
		dst = strconv.AppendInt(append(dst, `{"value":`...), int64(m.number(string(m.kind))), 10)
		return append(dst, '}'), nil
	}
	if m.count == 0 && m.kind != query.AggSum {
		return append(dst, `{"value":null}`...), nil
	}
	v := m.number(string(m.kind))
	dst = appendDouble(append(dst, `{"value":`...), v)
	if m.worded() {
		dst = m.appendText(append(dst, `,"value_as_string":`...), v)
	}
	return append(dst, '}'), nil
}

// statsParts are the members of a stats, behind its count.
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

// worded tells that values are given as text too.
func (m *metric) worded() bool { return m.s.v != nil && (m.s.kind == onDate || m.s.kind == onBool) }

func (m *metric) appendText(dst []byte, v float64) []byte {
	if m.s.kind == onBool {
		return strconv.AppendQuote(dst, strconv.FormatBool(v != 0))
	}
	return appendJSONString(dst, analysis.FormatDate(toMillis(v)))
}
