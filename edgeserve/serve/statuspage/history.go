// This file remembers the counters of the last hour, once a minute: requests pay nothing for it.

package statuspage

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/metrics"
)

const (
	// Minutes is how much of the past the page shows.
	Minutes = 60
	// tick is the time between two points.
	tick = time.Minute
)

// point is the counters at one moment.
type point struct {
	at time.Time

	answered, clientErrors, serverErrors float64              // responses, without probes
	cacheable, misses                    float64              // responses with content, and responses that were not in the cache
	durations                            map[string]histogram // by route
}

// routeGroups are the routes whose durations are shown together: a search takes far longer than a file.
var (
	fileRoutes   = []string{metrics.Item.String(), metrics.List.String()}
	searchRoutes = []string{metrics.Search.String()}
)

func pointOf(at time.Time, s prometheus.Samples) point {
	p := point{at: at, durations: histogramsOf(s)}
	for _, sample := range s.Named(requestsMetric) {
		route, code := sample.Label("route"), sample.Label("code")
		if route == metrics.Probe.String() {
			continue
		}
		p.answered += sample.Value
		switch {
		case strings.HasPrefix(code, "4"):
			p.clientErrors += sample.Value
		case strings.HasPrefix(code, "5"):
			p.serverErrors += sample.Value
		case slices.Contains(fileRoutes, route) || slices.Contains(searchRoutes, route):
			p.cacheable += sample.Value
		}
	}
	p.misses, _ = of(missesMetric).of(s)
	return p
}

// took returns the durations of some routes together.
func (p *point) took(routes []string) (sum histogram) {
	for _, route := range routes {
		h := p.durations[route]
		for i := range h.bounds {
			sum.add(h.bounds[i], h.counts[i])
		}
	}
	return sum
}

// History holds the counters of the last hour. The zero value is empty and ready.
type History struct {
	mu     sync.Mutex
	points []point // the oldest first, at most Minutes+1; guarded by mu
}

// Add remembers the counters of a moment, after all others.
func (h *History) Add(at time.Time, s prometheus.Samples) {
	p := pointOf(at, s)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) == Minutes+1 {
		h.points = append(h.points[:0], h.points[1:]...)
	}
	h.points = append(h.points, p)
}

// Run adds the counters now, and then each minute until ctx ends.
func (h *History) Run(ctx context.Context, read func() []byte) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for now := time.Now(); ; {
		h.Add(now, prometheus.Read(read()))
		select {
		case <-ctx.Done():
			return
		case now = <-ticker.C:
		}
	}
}

// all returns a copy of the points.
func (h *History) all() []point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]point(nil), h.points...)
}
