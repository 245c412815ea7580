// Package metrics counts what the edge server does and writes the counts in
// Prometheus' text format. This file counts requests: the one thing counted so often
// that how it is counted matters.
//
// Every series exists before the first request: counting finds it by two table
// look-ups, allocates nothing and locks nothing. The counts are spread over shards, so
// that processors do not pass the same cache line around, and added up when read.
package metrics

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
)

// Route is the kind of address that a request asked for.
type Route uint8

// The routes, as the label route has them.
const (
	Malformed Route = iota // refused before it had an address
	Unknown                // no address of the interface
	Item
	List // both forms
	Search
	Probe
	routes
)

var routeNames = [routes]string{"malformed", "unknown", "item", "list", "search", "probe"}

// String is the value of the label route.
func (r Route) String() string { return routeNames[min(r, routes-1)] }

// statuses are the ones with a series of their own; any other is counted as "other".
var statuses = [...]int{200, 204, 206, 304, 400, 404, 405, 408, 412, 413, 415, 416, 421, 431, 500, 503, 505}

const (
	otherStatus = len(statuses)
	maxStatus   = 600
)

// statusSlot finds a status's place in a shard.
var statusSlot = func() (t [maxStatus]uint8) {
	for i := range t {
		t[i] = uint8(otherStatus)
	}
	for i, status := range statuses {
		t[status] = uint8(i)
	}
	return t
}()

// bounds are the upper bounds of the histogram's buckets: from a file out of memory
// (some 20 microseconds) to a search at its time limit (2 s).
var bounds = [...]time.Duration{
	25 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 10 * time.Millisecond, 25 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, time.Second, 2500 * time.Millisecond,
}

// bucketOf is the number of the first bucket that a duration is not above.
func bucketOf(d time.Duration) int {
	for i, bound := range bounds {
		if d <= bound {
			return i
		}
	}
	return len(bounds)
}

// series are the counts of one route.
type series struct {
	status  [otherStatus + 1]atomic.Uint64
	buckets [len(bounds) + 1]atomic.Uint64 // not cumulative
	nanos   atomic.Uint64                  // the durations' sum
	bytes   atomic.Uint64                  // the bodies' sum
}

// shard is one share of all counts. The padding keeps two shards' counts off one
// cache line.
type shard struct {
	began  atomic.Uint64
	routes [routes]series
	_      [128]byte
}

// Requests counts the requests of a server. Its methods may be called at any time
// from any goroutine.
type Requests struct {
	shards []shard // a power of two of them

	// Waiting is how many requests are in flight that have not Begun.
	Waiting atomic.Int64
}

// maxShards bounds what the counts take: some 1.5 KiB a shard.
const maxShards = 64

// NewRequests makes counts that are all zero.
func NewRequests() *Requests {
	n := 1 << bits.Len(uint(runtime.GOMAXPROCS(0)-1))
	return &Requests{shards: make([]shard, min(n, maxShards))}
}

// pick chooses a shard. The generator is the thread's own, which nothing else of the
// runtime gives for so little.
func (r *Requests) pick() *shard { return &r.shards[rand.Uint32()&uint32(len(r.shards)-1)] }

// Began counts a request into those in flight; Answered takes it out.
func (r *Requests) Began() { r.pick().began.Add(1) }

// Answered counts a request that Began: its answer's status, how many bytes its body
// has and how long it took.
func (r *Requests) Answered(route Route, status, bytes int, took time.Duration) {
	slot := otherStatus
	if uint(status) < maxStatus {
		slot = int(statusSlot[status])
	}
	s := &r.pick().routes[min(route, routes-1)]
	s.status[slot].Add(1)
	s.buckets[bucketOf(took)].Add(1)
	s.nanos.Add(uint64(max(took, 0)))
	s.bytes.Add(uint64(max(bytes, 0)))
}

// Write writes the requests' families.
func (r *Requests) Write(t *Text) {
	// What ended is read before what began, so that nothing in flight is negative.
	totals, ended := r.totals()
	t.Family("contentedge_http_requests_total", "counter", "Requests answered, by route and status code.")
	for route := range totals {
		for slot, n := range totals[route].status {
			if n > 0 || slot == 0 {
				t.Uint(n, "route", routeNames[route], "code", statusName(slot))
			}
		}
	}
	t.Family("contentedge_http_response_bytes_total", "counter", "Bytes of answers' bodies, by route.")
	for route := range totals {
		t.Uint(totals[route].bytes, "route", routeNames[route])
	}
	t.Family("contentedge_http_request_duration_seconds", "histogram", "Time from a request being read to its answer being ready to be sent, by route.")
	for route := range totals {
		totals[route].histogram(t, routeNames[route])
	}
	t.Family("contentedge_http_requests_in_flight", "gauge", "Requests read and not yet answered.")
	t.Uint(r.began() - ended + uint64(r.Waiting.Load()))
}

func statusName(slot int) string {
	if slot == otherStatus {
		return "other"
	}
	return itoa(uint64(statuses[slot]))
}

// total is the sum of a route's series over all shards.
type total struct {
	status  [otherStatus + 1]uint64
	buckets [len(bounds) + 1]uint64
	nanos   uint64
	bytes   uint64
}

// totals adds the shards up; ended is the number of all requests answered.
func (r *Requests) totals() (sum [routes]total, ended uint64) {
	for i := range r.shards {
		for route := range sum {
			from, to := &r.shards[i].routes[route], &sum[route]
			for slot := range from.status {
				n := from.status[slot].Load()
				to.status[slot] += n
				ended += n
			}
			for b := range from.buckets {
				to.buckets[b] += from.buckets[b].Load()
			}
			to.nanos += from.nanos.Load()
			to.bytes += from.bytes.Load()
		}
	}
	return sum, ended
}

func (r *Requests) began() (n uint64) {
	for i := range r.shards {
		n += r.shards[i].began.Load()
	}
	return n
}

// histogram writes a route's durations. The count is the last bucket's, so that a
// reader finds them equal even while requests are counted.
func (s *total) histogram(t *Text, route string) {
	var n uint64
	for i, count := range s.buckets {
		n += count
		le := "+Inf"
		if i < len(bounds) {
			le = ftoa(bounds[i].Seconds())
		}
		t.suffixed("_bucket").Uint(n, "route", route, "le", le)
	}
	t.suffixed("_sum").Float(time.Duration(s.nanos).Seconds(), "route", route)
	t.suffixed("_count").Uint(n, "route", route)
}
