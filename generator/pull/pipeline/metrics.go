// This file counts runs, for Prometheus.

package pipeline

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/generator"
	"contentedge/generator/pull"
	"contentedge/generator/removal"
)

// outcome is how a step ended; it is the value of the label result.
type outcome string

const (
	changed   outcome = "changed"
	unchanged outcome = "unchanged"
	refused   outcome = "refused" // the content is wrong, or too much would be removed
	failed    outcome = "failed"
)

// figures may be read while a run counts.
type figures struct {
	steps   map[Step]*prometheus.Counters // by outcome
	failing map[Step]*atomic.Bool         // the last time
	good    atomic.Pointer[time.Time]     // the end of the last good pull
	items   atomic.Int64                  // of the mirror
	asked   atomic.Uint64                 // requests to the origin
	bytes   atomic.Uint64                 // of its responses
	build   atomic.Pointer[string]
}

// newFigures begins with the last good pull of an earlier process, if it left a state.
func newFigures(state string) *figures {
	f := &figures{steps: map[Step]*prometheus.Counters{}, failing: map[Step]*atomic.Bool{}}
	for _, s := range inOrder {
		f.steps[s] = prometheus.NewCounters("result", string(changed), string(unchanged), string(refused), string(failed))
		f.failing[s] = &atomic.Bool{}
	}
	last := time.Now()
	if info, err := os.Stat(state); err == nil {
		last = info.ModTime()
	}
	f.good.Store(&last)
	return f
}

func (f *figures) note(step Step, how outcome, err error) {
	f.failing[step].Store(err != nil)
	if err != nil {
		how = failed
		if isRefused(err) {
			how = refused
		}
	}
	f.steps[step].Inc(string(how))
}

func isRefused(err error) bool {
	_, content := errors.AsType[*generator.ContentError](err)
	_, origin := errors.AsType[*pull.RefusedError](err)
	_, guard := errors.AsType[*removal.Error](err)
	return content || origin || guard
}

func (f *figures) pulled(r *pull.Report) {
	now := time.Now()
	f.good.Store(&now)
	f.items.Store(int64(r.Items))
	f.asked.Add(uint64(r.Requests))
	f.bytes.Add(uint64(r.Received))
}

// WriteMetrics writes the families of the pipeline.
func (p *Pipeline) WriteMetrics(t *prometheus.Text) {
	f := p.metrics
	t.Family("contentedge_pull_age_seconds", "gauge", "Time since the last good pull, or since the start before the first one.")
	t.Float(max(time.Since(*f.good.Load()).Seconds(), 0)) // the file of an earlier process may be from the future
	t.Family("contentedge_pull_items", "gauge", "Items of the mirror, as of the last good pull.")
	t.Uint(uint64(f.items.Load()))
	t.Family("contentedge_pull_requests_total", "counter", "Requests to the origin by good pulls.")
	t.Uint(f.asked.Load())
	t.Family("contentedge_pull_received_bytes_total", "counter", "Decoded bytes of the origin's responses to good pulls.")
	t.Uint(f.bytes.Load())
	f.steps[Pulling].Write(t, "contentedge_pull_runs_total", "Pulls, by result.")
	f.steps[Building].Write(t, "contentedge_build_runs_total", "Builds, by result.")
	f.steps[Publishing].Write(t, "contentedge_publish_runs_total", "Publications, by result.")
	t.Family("contentedge_step_failing", "gauge", "1 if a step of the last run failed or was refused.")
	for _, s := range inOrder {
		t.Bool(f.failing[s].Load(), "step", string(s))
	}
	if build := f.build.Load(); build != nil { // none before the first build
		t.Family("contentedge_build_info", "gauge", "The release that was built last.")
		t.Uint(1, "build", *build)
	}
}
