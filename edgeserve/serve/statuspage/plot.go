// This file draws plots of the last hour as SVG. A style sheet gives them colours, so that they are
// readable in the dark.

package statuspage

import (
	"math"
	"strconv"
)

// line is one value for each minute, the latest last; NaN means unknown.
type line struct {
	name   markup
	values []float64
}

// plot is lines over the same minutes.
type plot struct {
	id, title markup
	unit      func(float64) string
	lines     []line
	top       float64 // of the scale; 0 means that the highest value decides
}

// minutes computes a value for each minute between two points.
func minutes(points []point, value func(from, to *point, seconds float64) float64) []float64 {
	var values []float64
	for i := 1; i < len(points); i++ {
		seconds := points[i].at.Sub(points[i-1].at).Seconds()
		if seconds <= 0 {
			values = append(values, math.NaN())
			continue
		}
		values = append(values, value(&points[i-1], &points[i], seconds))
	}
	return values
}

// rate is how often a counter rose, by second.
func rate(points []point, of func(*point) float64) []float64 {
	return minutes(points, func(from, to *point, seconds float64) float64 { return (of(to) - of(from)) / seconds })
}

// hits is the share of responses that came from the cache.
func hits(points []point) []float64 {
	return minutes(points, func(from, to *point, _ float64) float64 { return hitRatio(from, to) })
}

// hitRatio is NaN without responses. A miss may be counted before its response is.
func hitRatio(from, to *point) float64 {
	all := to.cacheable - from.cacheable
	if all <= 0 {
		return math.NaN()
	}
	return max(0, 1-(to.misses-from.misses)/all)
}

// percentiles are the quantiles that the page shows.
var percentiles = [...]float64{0.5, 0.95, 0.99}

func quantiles(points []point, routes []string) []line {
	lines := []line{{name: "p50"}, {name: "p95"}, {name: "p99"}}
	for i, q := range percentiles {
		lines[i].values = minutes(points, func(from, to *point, _ float64) float64 {
			v, _ := to.took(routes).since(from.took(routes)).quantile(q)
			return v
		})
	}
	return lines
}

// plots are what the page shows of the last hour.
func plots(points []point) []plot {
	return []plot{
		{id: "requests", title: "Requests per second", unit: significant, lines: []line{
			{"all but probes", rate(points, func(p *point) float64 { return p.answered })}}},
		{id: "errors", title: "Errors per second", unit: significant, lines: []line{
			{"4xx", rate(points, func(p *point) float64 { return p.clientErrors })},
			{"5xx", rate(points, func(p *point) float64 { return p.serverErrors })}}},
		{id: "list-latency", title: "Time for items and lists", unit: duration, lines: quantiles(points, fileRoutes)},
		{id: "search-latency", title: "Time for searches", unit: duration, lines: quantiles(points, searchRoutes)},
		{id: "cache", title: "Responses from the cache", unit: percent, top: 1, lines: []line{{"hits", hits(points)}}},
	}
}

// highest is the end of the scale: a round number that no value exceeds.
func (p *plot) highest() float64 {
	if p.top > 0 {
		return p.top
	}
	return roundUp(p.most())
}

// most is the highest value of all lines; 0 without one.
func (p *plot) most() (most float64) {
	for _, l := range p.lines {
		for _, v := range l.values {
			if v > most { // NaN is not
				most = v
			}
		}
	}
	return most
}

// roundUp returns 1, 2 or 5 times a power of ten.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 1
	}
	unit := 1.0
	for unit < v {
		unit *= 10
	}
	for unit > v {
		unit /= 10
	}
	for _, n := range [...]float64{1, 2, 5} {
		if v <= n*unit {
			return n * unit
		}
	}
	return 10 * unit
}

const plotHeight = 100 // in the units of the drawing, whose width is Minutes

// classes tell the lines of a plot apart, by colour and by dashes.
var classes = [...]markup{"a", "b", "c"}

func (h *html) plot(p *plot) {
	top := p.highest()
	h.raw(`<figure id="` + p.id + `"><figcaption>` + p.title + `</figcaption><div class="plot"><span class="top">`)
	h.text(p.unit(top))
	h.raw(`</span><svg viewBox="0 0 60 100" preserveAspectRatio="none" role="img"`)
	h.attr("aria-label", string(p.title)+": "+p.summary())
	h.raw(`><path class="grid" d="M0 0H60M0 50H60M0 100H60"/>`)
	for i := range p.lines {
		h.raw(`<path class="line ` + classes[i] + `" d="`)
		h.path(p.lines[i].values, top)
		h.raw(`"/>`)
	}
	h.raw(`</svg><span class="from">an hour ago</span><span class="to">now</span></div><ul class="legend">`)
	for i := range p.lines {
		h.raw(`<li><svg viewBox="0 0 20 4" aria-hidden="true"><path class="line ` + classes[i] + `" d="M0 2H20"/></svg>` + p.lines[i].name + " ")
		h.text(p.last(i))
	}
	h.raw("</ul></figure>\n")
}

// path draws the values, the latest at the right. A gap ends a line.
func (h *html) path(values []float64, top float64) {
	open := false
	for i, v := range values {
		if math.IsNaN(v) {
			open = false
			continue
		}
		x := float64(Minutes-len(values)+i) + 0.5
		y := plotHeight * (1 - min(max(v/top, 0), 1))
		if !open {
			h.raw("M")
			h.coordinates(x, y)
			h.raw("h0") // a dot, should no value follow
		}
		h.raw("L")
		h.coordinates(x, y)
		open = true
	}
}

func (h *html) coordinates(x, y float64) {
	h.b = strconv.AppendFloat(h.b, x, 'f', 1, 64)
	h.raw(" ")
	h.b = strconv.AppendFloat(h.b, y, 'f', 1, 64)
}

// last is the latest value of a line.
func (p *plot) last(i int) string {
	values := p.lines[i].values
	if len(values) == 0 {
		return "–"
	}
	return p.write(values[len(values)-1])
}

// summary says in words what the plot shows last and at most.
func (p *plot) summary() string {
	text := ""
	for i := range p.lines {
		if i > 0 {
			text += "; "
		}
		text += string(p.lines[i].name) + " " + p.last(i) + " in the last minute"
	}
	if most := p.most(); most > 0 {
		text += "; at most " + p.unit(most) + " in the last hour"
	}
	return text
}
