// This file writes figures of the metrics, each with the samples that it is made of.

package statuspage

import (
	"math"
	"strconv"
	"strings"

	"contentedge/edgeserve/prometheus"
)

// selector chooses samples of a metric, which a figure adds up.
type selector struct {
	name   string
	labels []string // names and values in turn
	codes  string   // the first digit of the label code; empty: any
}

func metric(name string, labels ...string) selector { return selector{name: name, labels: labels} }

// String is the selector in PromQL.
func (s selector) String() string {
	var parts []string
	for i := 0; i+1 < len(s.labels); i += 2 {
		parts = append(parts, s.labels[i]+"="+strconv.Quote(s.labels[i+1]))
	}
	if s.codes != "" {
		parts = append(parts, `code=~"`+s.codes+`.."`)
	}
	if len(parts) == 0 {
		return s.name
	}
	return s.name + "{" + strings.Join(parts, ",") + "}"
}

// of adds up the samples. ok is false if there are none.
func (s selector) of(all prometheus.Samples) (sum float64, ok bool) {
	if s.codes == "" {
		return all.Sum(s.name, s.labels...)
	}
	for _, sample := range all.Named(s.name) {
		if code := sample.Label("code"); strings.HasPrefix(code, s.codes) {
			if v, has := (prometheus.Samples{sample}).Sum(s.name, s.labels...); has {
				sum += v
			}
		}
	}
	_, ok = all.Sum(s.name, s.labels...)
	return sum, ok
}

// figure writes the value of a selector in a unit; a dash if there is none.
func (r *renderer) figure(s selector, unit func(float64) string) {
	v, ok := s.of(r.Metrics)
	if !ok {
		r.raw("–")
		return
	}
	r.raw("<data")
	r.attr("value", prometheus.Number(v))
	r.attr("data-metric", s.String())
	r.raw(">")
	r.text(unit(v))
	r.raw("</data>")
}

// figureCell is figure in a cell of numbers.
func (r *renderer) figureCell(s selector, unit func(float64) string) {
	r.raw(`<td class="n">`)
	r.figure(s, unit)
}

// fact writes a name with its figure, in a list of facts.
func (r *renderer) fact(name markup, s selector, unit func(float64) string) {
	r.raw("<dt>" + name + "<dd>")
	r.figure(s, unit)
}

// optional is fact for a metric that some nodes lack.
func (r *renderer) optional(name markup, s selector, unit func(float64) string) {
	if _, ok := s.of(r.Metrics); ok {
		r.fact(name, s, unit)
	}
}

// stamp writes a name with a moment, whose seconds since 1970 are a metric; 0 is never.
func (r *renderer) stamp(name markup, s selector) {
	v, ok := s.of(r.Metrics)
	if !ok {
		return
	}
	r.raw("<dt>" + name + "<dd><data")
	r.attr("value", prometheus.Number(v))
	r.attr("data-metric", s.String())
	r.raw(">")
	r.moment(moment(v), r.Now)
	r.raw("</data>")
}

// use writes a row with how much of a limit is in use, in numbers and as a bar.
func (r *renderer) use(name string, used, limit selector, unit func(float64) string) {
	u, _ := used.of(r.Metrics)
	l, _ := limit.of(r.Metrics)
	r.heading(name)
	r.figureCell(used, unit)
	r.figureCell(limit, unit)
	r.raw("<td><meter")
	r.attr("aria-label", name)
	r.attr("max", prometheus.Number(max(l, 1)))
	r.attr("high", prometheus.Number(max(l, 1)*0.9))
	r.attr("value", prometheus.Number(u))
	r.raw("></meter>")
	if l > 0 && !math.IsNaN(u) {
		r.text(" " + percent(u/l))
	}
}
