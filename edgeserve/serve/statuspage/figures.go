// This file writes figures of the metrics, each with the samples that it is made of.

package statuspage

import (
	"math"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/prometheus"
)

// selector chooses samples of a metric, which a figure adds up.
type selector struct {
	name         string
	label, value string // a label that the samples have; empty means any
	codes        string // the first digit of the label code; empty means any
}

// String is the selector in PromQL.
func (s selector) String() string {
	text := ""
	if s.label != "" {
		text = s.label + "=" + strconv.Quote(s.value)
	}
	if s.codes != "" {
		text += `,code=~"` + s.codes + `.."`
	}
	if text == "" {
		return s.name
	}
	return s.name + "{" + strings.TrimPrefix(text, ",") + "}"
}

// of adds up the samples. ok reports whether the metric has any with the label.
func (s selector) of(all prometheus.Samples) (sum float64, ok bool) {
	for i := range all {
		sample := &all[i]
		if sample.Name != s.name || s.label != "" && sample.Label(s.label) != s.value {
			continue
		}
		ok = true
		if s.codes == "" || strings.HasPrefix(sample.Label("code"), s.codes) {
			sum += sample.Value
		}
	}
	return sum, ok
}

// kind is how a figure is written.
type kind uint8

const (
	asNumber kind = iota
	asBytes
	asSeconds
	asMoment // seconds since 1970
)

// write writes a value in words of its kind.
func (r *renderer) write(k kind, v float64) {
	switch k {
	case asNumber:
		r.text(count(v))
	case asBytes:
		r.text(size(v))
	case asSeconds:
		r.text(duration(v))
	case asMoment:
		r.moment(moment(v), r.Now)
	}
}

// moment is a time in seconds since 1970; 0 is the zero time.
func moment(seconds float64) time.Time {
	if seconds == 0 || math.IsNaN(seconds) {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000))
}

// figure writes the value of a selector; or a dash without one.
func (r *renderer) figure(s selector, k kind) {
	v, ok := s.of(r.Metrics)
	if !ok {
		r.raw("–")
		return
	}
	r.data(s, k, v)
}

// data writes the value v of a selector.
func (r *renderer) data(s selector, k kind, v float64) {
	r.raw("<data")
	r.attr("value", prometheus.Number(v))
	r.attr("data-metric", s.String())
	r.raw(">")
	r.write(k, v)
	r.raw("</data>")
}

// figureCell is figure in a cell of numbers.
func (r *renderer) figureCell(s selector, k kind) {
	r.raw(`<td class="n">`)
	r.figure(s, k)
}

// fact is a figure with a name.
type fact struct {
	name markup
	selector
	kind kind
}

// facts writes the figures of a list. A node lacks the metrics of what it does not do.
func (r *renderer) facts(all []fact) {
	for _, f := range all {
		if _, ok := f.of(r.Metrics); ok {
			r.raw("<dt>" + f.name + "<dd>")
			r.figure(f.selector, f.kind)
		}
	}
}

// use writes a row with how much of a limit is in use, in numbers and as a bar.
func (r *renderer) use(name string, used, limit selector, k kind) {
	u, _ := used.of(r.Metrics)
	l, ok := limit.of(r.Metrics)
	if !ok {
		return
	}
	r.heading(name)
	r.figureCell(used, k)
	r.figureCell(limit, k)
	r.raw("<td><meter")
	r.attr("aria-label", name)
	r.attr("max", prometheus.Number(max(l, 1)))
	r.attr("high", prometheus.Number(max(l, 1)*0.9))
	r.attr("value", prometheus.Number(u))
	r.raw("></meter>")
	if l > 0 {
		r.text(" " + percent(u/l))
	}
}

// distinct returns the values of a label, in the order of the samples.
func (r *renderer) distinct(name, label string) (values []string) {
	seen := map[string]bool{}
	for i := range r.Metrics {
		if s := &r.Metrics[i]; s.Name == name && !seen[s.Label(label)] {
			seen[s.Label(label)] = true
			values = append(values, s.Label(label))
		}
	}
	return values
}
