// Package metrics counts what the edge server does, for Prometheus. This file counts requests, the
// most frequent event. All series exist from the start, so counting takes two look-ups, no
// allocation and no lock. Shards avoid contention on cache lines; readers add them up.
package metrics

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/prometheus"
)

// Route is the kind of a request's path.
type Route uint8

// The routes, named as in the label route.
const (
	Malformed Route = iota // refused before its path was parsed
	Unknown                // not a path of the interface
	Item
	List // by query string or by file name
	Search
	Media
	Probe
	routes
)

var routeNames = [routes]string{"malformed", "unknown", "item", "list", "search", "media", "probe"}

// String is the value of the label route.
func (r Route) String() string { return routeNames[min(r, routes-1)] }

// statuses have a series each; all others count as "other".
var statuses = [...]int{200, 204, 206, 304, 400, 404, 405, 408, 412, 413, 415, 416, 421, 429, 431, 500, 503, 505}

const (
	otherStatus = len(statuses)
	maxStatus   = 600
)

var statusSlot = func() (t [maxStatus]uint8) {
	for i := range t {
		t[i] = uint8(otherStatus)
	}
	for i, status := range statuses {
		t[status] = uint8(i)
	}
	return t
}()

// bounds are the upper bounds of the buckets. A file from memory takes 20 us, a search at most 2 s.
var bounds = [...]time.Duration{
	25 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 10 * time.Millisecond, 25 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, time.Second, 2500 * time.Millisecond,
}

type series struct {
	status  [otherStatus + 1]atomic.Uint64
	buckets [len(bounds) + 1]atomic.Uint64 // not cumulative
	nanos   atomic.Uint64                  // sum of durations
	bytes   atomic.Uint64                  // sum of body sizes
}

// shard is one set of all counters. The padding keeps shards off each other's cache lines.
type shard struct {
	began  atomic.Uint64
	routes [routes]series
	_      [128]byte
}

// Requests counts the requests of a server. It is safe for concurrent use.
type Requests struct {
	shards []shard // a power of two

	// Waiting is the number of requests in flight for which Began was not yet called.
	Waiting atomic.Int64
}

const maxShards = 64 // limits the memory; a shard has about 1.5 KiB

// NewRequests returns counts that are all zero.
func NewRequests() *Requests {
	n := 1 << bits.Len(uint(runtime.GOMAXPROCS(0)-1))
	return &Requests{shards: make([]shard, min(n, maxShards))}
}

func (r *Requests) pick() *shard { return &r.shards[rand.Uint32()&uint32(len(r.shards)-1)] }

// Began counts a request as in flight until Answered.
func (r *Requests) Began() { r.pick().began.Add(1) }

// Answered counts a response by status, body size and duration.
func (r *Requests) Answered(route Route, status, bytes int, took time.Duration) {
	slot := otherStatus
	if uint(status) < maxStatus {
		slot = int(statusSlot[status])
	}
	s := &r.pick().routes[min(route, routes-1)]
	s.status[slot].Add(1)
	s.buckets[prometheus.BucketOf(bounds[:], took)].Add(1)
	s.nanos.Add(uint64(max(took, 0)))
	s.bytes.Add(uint64(max(bytes, 0)))
}

// Write writes the families of requests.
func (r *Requests) Write(t *prometheus.Text) {
	// Read the ends before the starts, so that the difference is never negative.
	var totals [routes]series
	ended := r.sum(&totals)
	t.Family("contentedge_http_requests_total", "counter", "Responses, by route and status code.")
	for route := range totals {
		for slot := range totals[route].status {
			if n := totals[route].status[slot].Load(); n > 0 || slot == 0 {
				t.Uint(n, "route", routeNames[route], "code", statusName(slot))
			}
		}
	}
	t.Family("contentedge_http_response_bytes_total", "counter", "Bytes of response bodies, by route.")
	for route := range totals {
		t.Uint(totals[route].bytes.Load(), "route", routeNames[route])
	}
	t.Family("contentedge_http_request_duration_seconds", "histogram", "Time from reading a request to having its response ready, by route.")
	for route := range totals {
		t.Histogram(bounds[:], totals[route].buckets[:], time.Duration(totals[route].nanos.Load()), "route", routeNames[route])
	}
	t.Family("contentedge_http_requests_in_flight", "gauge", "Requests read but without a response yet.")
	t.Uint(r.began() - ended + uint64(r.Waiting.Load()))
}

func statusName(slot int) string {
	if slot == otherStatus {
		return "other"
	}
	return strconv.Itoa(int(statuses[slot]))
}

// sum adds up the shards; ended is the number of responses.
func (r *Requests) sum(totals *[routes]series) (ended uint64) {
	for i := range r.shards {
		for route := range totals {
			from, to := &r.shards[i].routes[route], &totals[route]
			for slot := range from.status {
				n := from.status[slot].Load()
				to.status[slot].Add(n)
				ended += n
			}
			for b := range from.buckets {
				to.buckets[b].Add(from.buckets[b].Load())
			}
			to.nanos.Add(from.nanos.Load())
			to.bytes.Add(from.bytes.Load())
		}
	}
	return ended
}

func (r *Requests) began() (n uint64) {
	for i := range r.shards {
		n += r.shards[i].began.Load()
	}
	return n
}
