package metrics

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// sampleLine matches a sample with escaped label values.
var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*")*\})? (\S+)$`)

// parse reads metrics strictly. It refuses repeated or untyped families, repeated
// samples, samples outside their family, and invalid numbers.
func parse(t *testing.T, text []byte) map[string]float64 {
	t.Helper()
	samples, families, family, kind := map[string]float64{}, map[string]bool{}, "", ""
	if !bytes.HasSuffix(text, []byte("\n")) {
		t.Fatal("the last line does not end")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(rest, " ")
			if families[family] {
				t.Errorf("family %s is there twice", family)
			}
			families[family] = true
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			var name string
			name, kind, _ = strings.Cut(rest, " ")
			if name != family || !strings.Contains(" counter gauge histogram ", " "+kind+" ") {
				t.Errorf("%q in family %s", line, family)
			}
			if (kind == "counter") != strings.HasSuffix(name, "_total") {
				t.Errorf("%s is a %s: counters, and only they, end in _total", name, kind)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("no sample: %q", line)
			continue
		}
		base := m[1]
		if kind == "histogram" {
			base = regexp.MustCompile("_(bucket|sum|count)$").ReplaceAllString(base, "")
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := samples[m[1]+m[2]]; twice || base != family || err != nil {
			t.Errorf("%q in family %s: twice %t, %v", line, family, twice, err)
		}
		samples[m[1]+m[2]] = v
	}
	return samples
}

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
	var text Text
	r.Write(&text)
	got := parse(t, text.Bytes())
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
			want[fmt.Sprintf(`%s_bucket{route="%s",le="%s"}`, h, route, ftoa(bound.Seconds()))]++
		}
	}
	want[fmt.Sprintf(`%s_bucket{route="%s",le="+Inf"}`, h, route)]++
}

func TestCounters(t *testing.T) {
	c := NewCounters("code", "a", "b\"\\\n")
	for _, v := range []string{"a", "a", "b\"\\\n", "never heard of"} {
		c.Inc(v)
	}
	var text Text
	c.Write(&text, "x_total", "two\nlines")
	want := "# HELP x_total two\\nlines\n# TYPE x_total counter\nx_total{code=\"a\"} 2\nx_total{code=\"b\\\"\\\\\\n\"} 1\nx_total{code=\"other\"} 1\n"
	if got := string(text.Bytes()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	parse(t, text.Bytes())
}

func TestWriteProcess(t *testing.T) {
	var text Text
	WriteProcess(&text)
	got := parse(t, text.Bytes())
	for _, name := range []string{
		"go_goroutines", "go_memstats_heap_alloc_bytes", "go_memstats_sys_bytes", "process_cpu_seconds_total",
		"process_open_fds", "process_max_fds", "process_start_time_seconds",
	} {
		if got[name] <= 0 {
			t.Errorf("%s: %g", name, got[name])
		}
	}
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
