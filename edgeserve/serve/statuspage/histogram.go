// This file estimates percentiles from the buckets of a histogram, as Prometheus does.

package statuspage

import (
	"math"
	"strconv"

	"contentedge/edgeserve/prometheus"
)

// histogram is the buckets of durations: how many took at most the seconds of each bound.
type histogram struct {
	bounds []float64 // rising; the last is infinite
	counts []float64 // cumulative
}

const durationMetric = "contentedge_http_request_duration_seconds"

// histogramsOf returns the durations of each route.
func histogramsOf(s prometheus.Samples) map[string]histogram {
	all := map[string]histogram{}
	for _, sample := range s.Named(durationMetric + "_bucket") {
		bound, err := strconv.ParseFloat(sample.Label("le"), 64)
		if err != nil {
			continue
		}
		route := sample.Label("route")
		h := all[route]
		h.add(bound, sample.Value)
		all[route] = h
	}
	return all
}

// add adds to a bucket. Each route has the buckets of the first, in the same order.
func (h *histogram) add(bound, n float64) {
	for i, b := range h.bounds {
		if b == bound {
			h.counts[i] += n
			return
		}
	}
	h.bounds, h.counts = append(h.bounds, bound), append(h.counts, n)
}

// since returns what was counted after an earlier moment.
func (h histogram) since(before histogram) histogram {
	d := histogram{bounds: h.bounds, counts: make([]float64, len(h.counts))}
	for i := range d.counts {
		d.counts[i] = h.counts[i]
		if i < len(before.counts) {
			d.counts[i] -= before.counts[i]
		}
	}
	return d
}

// total is how many durations were counted.
func (h histogram) total() float64 {
	if len(h.counts) == 0 {
		return 0
	}
	return h.counts[len(h.counts)-1]
}

// quantile estimates a quantile: between the bounds of a bucket it takes the durations as evenly
// spread. Above the last finite bound it is that bound, and beyond is true. NaN: nothing was counted.
func (h histogram) quantile(q float64) (seconds float64, beyond bool) {
	rank := float64(q * h.total())
	if rank == 0 {
		return math.NaN(), false
	}
	lower, below := 0.0, 0.0
	for i, upper := range h.bounds {
		if n := h.counts[i]; n >= rank {
			if math.IsInf(upper, 1) {
				return lower, true
			}
			return lower + (upper-lower)*(rank-below)/(n-below), false
		}
		lower, below = upper, h.counts[i]
	}
	return math.NaN(), false
}

// percentile writes a quantile.
func (h histogram) percentile(q float64) string {
	v, beyond := h.quantile(q)
	switch {
	case math.IsNaN(v):
		return "–"
	case beyond:
		return "> " + duration(v)
	}
	return duration(v)
}
