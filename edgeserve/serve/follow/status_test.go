package follow

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// logged counts the lines of the log that hold a text.
func (w *world) logged(text string) int { return strings.Count(w.log.String(), text) }

// A release becomes stale without a poll, once, and recovers with the first successful
// poll.
func TestStaleIsToldOnce(t *testing.T) {
	w := newWorld(t)
	w.cfg.StaleAfter = 20 * time.Millisecond
	w.restart()
	defer w.f.stopAlarm()
	w.mustBe(w.publish("a", "b"))
	if s := w.f.Status(); s.Stale || w.logged("is stale") > 0 {
		t.Errorf("stale at once: %+v\n%s", s, w.log.String())
	}
	w.wire.Set(func(int, *http.Request) storetest.Fault { return storetest.Fault{Status: 503} })
	if w.sync() == nil {
		t.Fatal("no error")
	}
	storetest.WaitFor(t, "the log", func() bool { return w.logged("the release is stale") == 1 })
	for range 2 {
		if w.sync() == nil || w.logged("the release is stale") != 1 || !w.f.Status().Stale {
			t.Errorf("%+v\n%s", w.f.Status(), w.log.String())
		}
	}
	w.wire.Set(nil)
	for range 2 {
		if err := w.sync(); err != nil || w.f.Status().Stale || w.logged("no longer stale") != 1 {
			t.Errorf("%v %+v\n%s", err, w.f.Status(), w.log.String())
		}
	}
}

// A store whose pointer no longer changes responds normally, but the pointer ages. This
// counts only with MaxAge, and renewing the pointer ends it without a new release.
func TestPointerAge(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Hour} {
		w := newWorld(t)
		w.cfg.MaxAge = limit
		installed := 0
		w.cfg.Installed = func(string) { installed++ }
		w.restart()
		defer w.f.stopAlarm()
		build := w.publish("a", "b")
		w.last = w.last.Renewed(time.Now().Add(-2 * time.Hour))
		w.put(release.PointerName, w.last.Encode())
		w.mustBe(build)
		if s := w.f.Status(); s.Stale != (limit > 0) || s.LastError != "" || w.logged("the release is stale") != map[bool]int{true: 1}[limit > 0] {
			t.Errorf("%s: %+v\n%s", limit, s, w.log.String())
		}
		w.last = w.last.Renewed(time.Now())
		w.put(release.PointerName, w.last.Encode())
		w.mustBe(build)
		if s := w.f.Status(); s.Stale || s.Sequence != 3 || installed != 1 {
			t.Errorf("%s, renewed: %+v, %d installed", limit, s, installed)
		}
		w.restart()
		if s := w.f.Status(); s.Sequence != 3 {
			t.Errorf("after a restart: %+v", s)
		}
	}
}

// The age of a pointer is never negative and does not depend on how the clock is set while the node runs.
func TestPointerAgeIsMonotonic(t *testing.T) {
	for _, published := range []time.Duration{-time.Hour, 0, time.Hour, 1e6 * time.Hour} {
		w := newWorld(t)
		build := w.publish("a", "b")
		w.last = w.last.Renewed(time.Now().Add(published))
		w.put(release.PointerName, w.last.Encode())
		w.mustBe(build)
		age, known := w.f.pointerAge()
		if want := max(-published, 0); !known || age < want || age > want+time.Minute {
			t.Errorf("published %s from now: %s, %t", published, age, known)
		}
		w.f.mu.Lock()
		at, _ := w.f.published()
		w.f.mu.Unlock()
		if !strings.Contains(at.String(), "m=") {
			t.Errorf("%s has no reading of the monotonic clock", at)
		}
	}
}

// The gauges of a state say what is now; the counters beside them keep what was.
func TestStateGauges(t *testing.T) {
	w := newWorld(t)
	w.mustBe(w.publish("a", "b"))
	older := w.last
	w.mustBe(w.publish("c", "d"))
	good := w.last
	expect := func(what, failing, older string) {
		t.Helper()
		err := w.f.Sync(t.Context())
		w.f.finish(err)
		all := strings.Count(w.exposition(), "contentedge_follow_refusal{")
		if f, r := w.metric("contentedge_follow_failing"), w.metric(`contentedge_follow_refusal{reason="older"}`); f != failing || r != older || all != len(Refusals()) {
			t.Errorf("%s: failing %s, older %s, %d reasons; %v", what, f, r, all, err)
		}
	}
	expect("well", "0", "0")
	w.put(release.PointerName, older.Encode())
	expect("an older pointer", "0", "1")
	w.wire.Set(func(int, *http.Request) storetest.Fault { return storetest.Fault{Status: 503} })
	expect("no store", "1", "0")
	w.wire.Set(nil)
	expect("the store with the older pointer", "0", "1")
	w.put(release.PointerName, good.Encode())
	expect("repaired", "0", "0")
	if n := w.metric(`contentedge_follow_refusals_total{reason="older"}`); n != "2" {
		t.Errorf("%s refusals were counted", n)
	}
}

// exposition returns the metrics.
func (w *world) exposition() string {
	var out prometheus.Text
	w.f.WriteMetrics(&out)
	return string(out.Bytes())
}

// metric returns the value of a series; "" if there is none.
func (w *world) metric(series string) string {
	_, rest, _ := strings.Cut(w.exposition(), "\n"+series+" ")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

func TestMetrics(t *testing.T) {
	w := newWorld(t)
	text := w.exposition
	for _, want := range []string{"last_success_timestamp_seconds 0\n", "failing_since_timestamp_seconds 1", "pointer_sequence 0\n", "stale 0\n", `polls_total{result="ok"} 0`} {
		if got := text(); !strings.Contains(got, "contentedge_follow_"+want) || strings.Contains(got, "pointer_age") {
			t.Errorf("want %s in\n%s\n%+v", want, got, w.f.Status())
		}
	}
	w.mustBe(w.publish("a", "b"))
	w.faults(storetest.Fault{Status: 503}, "manifest.json")
	w.publish("c", "d")
	if w.sync() == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"last_success_timestamp_seconds 1", "failing_since_timestamp_seconds 1", "pointer_sequence 1\n", "pointer_age_seconds ", "stale 0\n", "clock_skew_seconds ",
		`polls_total{result="ok"} 1`, `polls_total{result="failed"} 1`, `fetches_total{result="ok"} 1`, `fetches_total{result="failed"} 1`} {
		if got := text(); !strings.Contains(got, "contentedge_follow_"+want) {
			t.Errorf("want %s in\n%s\n%+v", want, got, w.f.Status())
		}
	}
}
