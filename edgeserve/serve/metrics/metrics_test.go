package metrics

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
)

// TestMetrics counts requests from many goroutines, and compares the text with a naive counter.
func TestMetrics(t *testing.T) {
	r := NewRequests()
	r.shards = make([]shard, 4)
	var mu sync.Mutex
	want := map[string]float64{}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(g)))
			for range 5000 {
				route := Route(rnd.IntN(int(routes)))
				status := []int{200, 304, 404, 503, 418, 799, -1}[rnd.IntN(7)]
				n, took := rnd.IntN(1000), time.Duration(rnd.Int64N(int64(4*time.Second)))>>rnd.IntN(30)
				r.Began()
				r.Answered(route, status, n, took)
				mu.Lock()
				count(want, route, status, n, took)
				mu.Unlock()
			}
		})
	}
	r.Began()
	r.Waiting.Add(2)
	wg.Wait()
	var text prometheus.Text
	r.Write(&text)
	got := prometheustest.Parse(t, text.Bytes())
	want["contentedge_http_requests_in_flight"] = 3
	for name, v := range want {
		if diff := got[name] - v; diff > 1e-6*v || diff < -1e-6*v {
			t.Errorf("%s: %g, want %g", name, got[name], v)
		}
	}
}

// count is what Answered adds to the samples.
func count(want map[string]float64, route Route, status, n int, took time.Duration) {
	code := strconv.Itoa(status)
	if status == 418 || status == 799 || status == -1 {
		code = "other"
	}
	want[fmt.Sprintf(`contentedge_http_requests_total{route="%s",code="%s"}`, route, code)]++
	want[fmt.Sprintf(`contentedge_http_response_bytes_total{route="%s"}`, route)] += float64(n)
	const h = "contentedge_http_request_duration_seconds"
	want[fmt.Sprintf(`%s_sum{route="%s"}`, h, route)] += took.Seconds()
	want[fmt.Sprintf(`%s_count{route="%s"}`, h, route)]++
	for _, bound := range bounds {
		if took <= bound {
			want[fmt.Sprintf(`%s_bucket{route="%s",le="%s"}`, h, route, prometheus.Number(bound.Seconds()))]++
		}
	}
	want[fmt.Sprintf(`%s_bucket{route="%s",le="+Inf"}`, h, route)]++
}

// Counting does not allocate.
func TestAnsweredAllocatesNothing(t *testing.T) {
	r := NewRequests()
	if n := testing.AllocsPerRun(100, func() { r.Began(); r.Answered(Item, 200, 10, time.Millisecond) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkAnswered(b *testing.B) {
	r := NewRequests()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.Began()
			r.Answered(Item, 200, 1000, 20*time.Microsecond)
		}
	})
}
