package prometheus

import (
	"testing"

	"contentedge/edgeserve/prometheus/prometheustest"
)

// TestPrometheus shows the text of counters: every known value of a label, and the others together.
func TestPrometheus(t *testing.T) {
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
	prometheustest.Parse(t, text.Bytes())
}

func TestWriteProcess(t *testing.T) {
	var text Text
	WriteProcess(&text)
	got := prometheustest.Parse(t, text.Bytes())
	for _, name := range []string{
		"go_goroutines", "go_memstats_heap_alloc_bytes", "go_memstats_sys_bytes", "process_cpu_seconds_total",
		"process_open_fds", "process_max_fds", "process_start_time_seconds",
	} {
		if got[name] <= 0 {
			t.Errorf("%s: %g", name, got[name])
		}
	}
}
