// These tests run the pipeline beside an origin in memory, whose faults and edits take no time.

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/generator"
	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
	"contentedge/generator/pull/schedule"
	"contentedge/generator/removal"
	"contentedge/generator/ship"
)

const items = 12

// site is a pipeline under test.
type site struct {
	t *testing.T
	o *pulltest.Origin
	c Config
	p *Pipeline

	mu        sync.Mutex
	store     []string // the releases that were published, in order
	storeDown error
	validity  time.Duration // of the published pointers; 0: without an end
	log       []string
}

// note adds to the log of a test.
func (s *site) note(words ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprint(words...))
}

func (s *site) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, "\n")
}

// published is the release that was published last.
func (s *site) published() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store[len(s.store)-1]
}

// breakStore makes publications fail, until breakStore(nil).
func (s *site) breakStore(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.storeDown = err
}

func open(t *testing.T, config func(*Config)) *site {
	o := pulltest.New(items)
	o.Start()
	s := &site{t: t, o: o}
	s.c = Config{
		Pull: pull.Config{URL: pulltest.URL, Env: pulltest.Env, Content: filepath.Join(t.TempDir(), "content"), PageSize: 5, MaxWait: 20 * time.Second,
			Client: &http.Transport{DialContext: o.Dial, DisableCompression: true}},
		Build: generator.BuildConfig{Out: filepath.Join(t.TempDir(), "public"), NoSync: true, Compress: "none"},
		Publish: func(_ context.Context, limit removal.Limit) (*ship.Report, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.storeDown != nil {
				return nil, s.storeDown
			}
			s.store = append(s.store, s.release())
			r := &ship.Report{Changed: true}
			if s.validity > 0 {
				r.Expires = time.Now().Add(s.validity).UTC().Format(time.RFC3339)
			}
			return r, nil
		},
	}
	if config != nil {
		config(&s.c)
	}
	s.restart()
	return s
}

func (s *site) restart() {
	s.t.Helper()
	p, err := New(s.c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.p = p
}

func (s *site) close() {
	s.p.Close()
	s.o.Close()
}

// run runs once and returns which steps failed.
func (s *site) run() (failed []Step) {
	s.t.Helper()
	r, err := s.p.Run(s.t.Context())
	if r == nil {
		s.t.Fatal("no result")
	}
	return steps(err)
}

func steps(err error) (failed []Step) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			failed = append(failed, e.(*StepError).Step)
		}
	}
	return failed
}

// release is the current release; "" if there is none.
func (s *site) release() string {
	b, _ := os.ReadFile(filepath.Join(s.c.Build.Out, "current", "manifest.json"))
	m := regexp.MustCompile(`"build":\s*"([0-9a-f]+)"`).FindSubmatch(b)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// expected is the release of the origin's newest state, built elsewhere.
func (s *site) expected(files map[string]string) string {
	s.t.Helper()
	dir := s.t.TempDir()
	content := filepath.Join(dir, "content")
	all := map[string]string{pulltest.Env + "/" + pull.FileName: s.o.Newest().Mirror()}
	maps.Copy(all, files)
	for name, text := range all {
		write(s.t, filepath.Join(content, name), text)
	}
	r, err := generator.Build(context.Background(), generator.BuildConfig{Content: content, Out: filepath.Join(dir, "public"), NoSync: true, Compress: "none"})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Build
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// metric is the value of a series.
func (s *site) metric(series string) float64 {
	s.t.Helper()
	var text prometheus.Text
	s.p.WriteMetrics(&text)
	v, ok := prometheustest.Parse(s.t, text.Bytes())[series]
	if !ok {
		s.t.Fatalf("no series %s in\n%s", series, text.Bytes())
	}
	return v
}

// TestPipeline shows what a run does, and what stays when a step fails.
func TestPipeline(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, s *site)
	}{
		{"the first run pulls, builds and publishes", func(t *testing.T, s *site) {
			if failed := s.run(); failed != nil || s.release() != s.expected(nil) || !slices.Equal(s.store, []string{s.release()}) {
				t.Errorf("failed %v, release %s, published %v", failed, s.release(), s.store)
			}
		}},
		{"without news nothing is built or published", func(t *testing.T, s *site) {
			s.run()
			r, err := s.p.Run(t.Context())
			if err != nil || !r.Pull.Unchanged || r.Build != nil || r.Publish != nil || len(s.store) != 1 {
				t.Errorf("%+v %v, published %v", r, err, s.store)
			}
		}},
		{"an edit arrives", func(t *testing.T, s *site) {
			s.run()
			s.o.Edit(3, "second")
			if failed := s.run(); failed != nil || s.release() != s.expected(nil) || len(s.store) != 2 || s.store[1] != s.release() {
				t.Errorf("failed %v, published %v", failed, s.store)
			}
		}},
		{"a file beside the mirror is built", func(t *testing.T, s *site) {
			s.run()
			const search = `{"query":{"match_all":{}}}`
			write(t, filepath.Join(s.c.Pull.Content, pulltest.Env, "_searches", "all.json"), search)
			if failed := s.run(); failed != nil || s.release() != s.expected(map[string]string{pulltest.Env + "/_searches/all.json": search}) {
				t.Errorf("failed %v", failed)
			}
		}},
		{"items that appear and expire make releases, also while the origin is down", func(t *testing.T, s *site) {
			appears, expires := time.Now().Add(10*time.Minute), time.Now().Add(20*time.Minute)
			file := timed(appears, expires)
			for name, text := range file {
				write(t, filepath.Join(s.c.Pull.Content, name), text)
			}
			s.run()
			for _, moment := range []time.Time{appears, expires} {
				if next := s.p.NextChange(); !next.Equal(moment) {
					t.Fatalf("the next change is at %s, want %s", next, moment)
				}
				time.Sleep(time.Until(moment) - time.Minute)
				before := s.release()
				if s.run(); s.release() != before || before != s.expected(file) {
					t.Errorf("a minute before %s: another release", moment)
				}
				time.Sleep(time.Until(moment))
				s.p.Close()
				s.o.Down(errors.New("connection refused"))
				if failed := s.run(); !slices.Equal(failed, []Step{Pulling}) || s.release() == before || s.release() != s.expected(file) || s.published() != s.release() {
					t.Errorf("at %s: failed %v, published %v", moment, failed, s.store)
				}
				s.o.Down(nil)
			}
			if next := s.p.NextChange(); !next.IsZero() {
				t.Errorf("later the next change is at %s", next)
			}
		}},
		{"an origin that is down leaves the release", func(t *testing.T, s *site) {
			s.run()
			before := s.release()
			s.p.Close()
			s.o.Down(errors.New("connection refused"))
			if failed := s.run(); !slices.Equal(failed, []Step{Pulling}) || s.release() != before || len(s.store) != 1 {
				t.Errorf("failed %v, published %v", failed, s.store)
			}
		}},
		{"after a restart a mirror is built although the origin is down", func(t *testing.T, s *site) {
			s.run()
			if err := os.RemoveAll(s.c.Build.Out); err != nil {
				t.Fatal(err)
			}
			s.close()
			s.restart()
			s.o.Down(errors.New("connection refused"))
			s.o.Start()
			if failed := s.run(); !slices.Equal(failed, []Step{Pulling}) || s.release() != s.expected(nil) || len(s.store) != 2 {
				t.Errorf("failed %v, published %v", failed, s.store)
			}
		}},
		{"without a mirror and without an origin nothing is built", func(t *testing.T, s *site) {
			s.o.Down(errors.New("connection refused"))
			if failed := s.run(); !slices.Equal(failed, []Step{Pulling}) || s.release() != "" || s.store != nil {
				t.Errorf("failed %v", failed)
			}
		}},
		{"a publication that fails is tried again", func(t *testing.T, s *site) {
			s.breakStore(errors.New("the store is down"))
			if failed := s.run(); !slices.Equal(failed, []Step{Publishing}) || s.metric(`contentedge_step_failing{step="publish"}`) != 1 {
				t.Errorf("failed %v", failed)
			}
			s.breakStore(nil)
			if failed := s.run(); failed != nil || !slices.Equal(s.store, []string{s.release()}) || s.metric(`contentedge_step_failing{step="publish"}`) != 0 {
				t.Errorf("failed %v, published %v", failed, s.store)
			}
		}},
		{"a pointer that expires is renewed in the middle of its time, although nothing changed", func(t *testing.T, s *site) {
			s.validity = time.Hour
			s.run()
			for n := 1; n <= 3; n++ {
				time.Sleep(29 * time.Minute)
				if failed := s.run(); failed != nil || len(s.store) != n {
					t.Fatalf("early: failed %v, published %v", failed, s.store)
				}
				time.Sleep(time.Minute)
				if n == 2 {
					s.breakStore(errors.New("the store is down"))
					if failed := s.run(); !slices.Equal(failed, []Step{Publishing}) {
						t.Fatalf("failed %v", failed)
					}
					s.breakStore(nil)
				}
				if failed := s.run(); failed != nil || len(s.store) != n+1 || s.published() != s.release() {
					t.Fatalf("late: failed %v, published %v", failed, s.store)
				}
			}
		}},
		{"a build that fails is tried again, and its mirror stays", func(t *testing.T, s *site) {
			bad := filepath.Join(s.c.Pull.Content, pulltest.Env, "own.json")
			write(t, bad, "{")
			if failed := s.run(); !slices.Equal(failed, []Step{Building}) || s.release() != "" {
				t.Errorf("failed %v", failed)
			}
			if s.metric(`contentedge_build_runs_total{result="refused"}`) != 1 {
				t.Error("not counted as refused")
			}
			if err := os.Remove(bad); err != nil {
				t.Fatal(err)
			}
			if failed := s.run(); failed != nil || s.release() != s.expected(nil) {
				t.Errorf("failed %v", failed)
			}
		}},
		{"a removal is refused until it is allowed, once", func(t *testing.T, s *site) {
			s.run()
			before := s.release()
			few := func(ks ...int) {
				var now []pulltest.Item
				for _, k := range ks {
					now = append(now, pulltest.Sample(k))
				}
				s.o.Set(now...)
			}
			few(1, 2, 3, 4)
			r, err := s.p.Run(t.Context())
			if !slices.Equal(steps(err), []Step{Pulling}) || s.release() != before || !strings.Contains(err.Error(), "start again with it") {
				t.Errorf("%+v, %v", r, err)
			}
			s.p.Close()
			s.c.Pull.Removal.Allow = true
			s.restart()
			if failed := s.run(); failed != nil || s.release() != s.expected(nil) {
				t.Errorf("allowed: failed %v", failed)
			}
			few(1)
			if failed := s.run(); !slices.Equal(failed, []Step{Pulling}) {
				t.Errorf("the second removal: failed %v", failed)
			}
		}},
		{"an origin that is emptied on purpose is empty here, once that is allowed", func(t *testing.T, s *site) {
			s.run()
			s.o.Set()
			if failed := s.run(); !slices.Equal(failed, []Step{Pulling}) {
				t.Errorf("failed %v", failed)
			}
			s.p.Close()
			s.c.Pull.Removal.Allow = true
			s.restart()
			r, err := s.p.Run(t.Context())
			if err != nil || r.Build == nil || len(r.Build.Environments) != 1 || r.Build.Environments[0].Items != 0 || len(s.store) != 2 {
				t.Errorf("%+v %v, published %v", r, err, s.store)
			}
			s.o.Set(pulltest.Sample(1))
			if failed := s.run(); failed != nil || s.release() != s.expected(nil) {
				t.Errorf("filled again: failed %v", failed)
			}
		}},
		{"an end during a run is no failure", func(t *testing.T, s *site) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("stopped")
			s.o.Play(pulltest.At(2, pulltest.Stall()), pulltest.At(2, pulltest.Fault{Name: "the end", Before: func(*pulltest.Origin) { cancel(stopped) }}))
			if _, err := s.p.Run(ctx); err != stopped || s.metric(`contentedge_pull_runs_total{result="failed"}`) != 0 {
				t.Errorf("it ends with %v", err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, nil)
				defer s.close()
				tt.run(t, s)
			})
		})
	}
}

// TestAnHour watches an origin for an hour, in which editors work and much goes wrong. After each run
// the release has a state of the origin, and it is the newest one whenever the origin is well.
func TestAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, nil)
		defer s.close()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errors.New("the hour is over"))
		defer cancel()
		began := time.Now()
		var oldest float64
		runs := schedule.New(schedule.Config{Every: 30 * time.Second, Run: func(ctx context.Context) error {
			_, err := s.p.Run(ctx)
			if ctx.Err() == nil {
				mirror, _ := os.ReadFile(filepath.Join(s.c.Pull.Content, pulltest.Env, pull.FileName))
				if s.o.Had(string(mirror)) < 0 {
					t.Errorf("after %s the mirror is no state of the origin: %v\n%s", time.Since(began), err, s.o.Log())
				}
				s.note(time.Since(began), " ", steps(err))
			}
			return err
		}})
		do := func(minute float64, name string, act func()) {
			time.Sleep(time.Until(began.Add(time.Duration(minute * float64(time.Minute)))))
			act()
			s.note(time.Since(began), " ", name)
		}
		newest := func(by float64) {
			do(by, "the release is the newest state", func() {
				synctest.Wait()
				if got, want := s.release(), s.expected(nil); got != want || s.published() != want {
					t.Errorf("after %s the release is %s, published is %s, want %s\n%s", time.Since(began), got, s.published(), want, s.logged())
				}
			})
		}
		failures := func(step Step) float64 {
			return s.metric("contentedge_step_failing{step=" + strconv.Quote(string(step)) + "}")
		}
		ended := make(chan error)
		go func() { ended <- runs.Run(ctx) }()

		newest(0.9)
		do(2, "an edit", func() { s.o.Edit(1, "at 2") })
		newest(2.9)
		do(5, "no network for ten minutes", func() {
			s.o.Down(&net.DNSError{Err: "no such host", IsNotFound: true})
			s.o.Play(pulltest.Always(pulltest.Drop()))
		})
		do(8, "an edit meanwhile", func() { s.o.Edit(2, "at 8") })
		do(14.9, "the age is told", func() { oldest = s.metric("contentedge_pull_age_seconds") })
		do(15, "the network is back", func() { s.o.Down(nil); s.o.Play() })
		newest(16.6)
		do(20, "20 webhooks in a second", func() {
			s.o.Edit(3, "at 20")
			before := s.metric(`contentedge_pull_runs_total{result="changed"}`) + s.metric(`contentedge_pull_runs_total{result="unchanged"}`)
			for range 20 {
				runs.Trigger()
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(5 * time.Second)
			if n := s.metric(`contentedge_pull_runs_total{result="changed"}`) + s.metric(`contentedge_pull_runs_total{result="unchanged"}`) - before; n > 3 { // one of them may be due anyway
				t.Errorf("%g runs", n)
			}
		})
		newest(20.2)
		do(25, "an empty list, by mistake", func() { s.o.Play(pulltest.Always(pulltest.Empty()), pulltest.Always(pulltest.Edit(4, "at 25"))) })
		do(28, "it is well", func() { s.o.Play() })
		newest(29.7)
		do(30, "an item that cannot be one", func() { s.o.Put(pulltest.NewItem("../x", time.Now(), time.Now(), "bad")) })
		do(33, "the pull is refused", func() {
			if failures(Pulling) != 1 {
				t.Error("not refused")
			}
		})
		do(34, "it is mended", func() { s.o.Remove("../x") })
		newest(35.7)
		do(40, "the store is down", func() { s.breakStore(errors.New("down")); s.o.Edit(5, "at 40") })
		do(43, "the release waits", func() {
			if failures(Publishing) != 1 || failures(Building) != 0 {
				t.Error("not waiting")
			}
		})
		do(44, "the store is back", func() { s.breakStore(nil) })
		newest(45.7)
		do(50, "errors now and then, while editors work", func() {
			s.o.Play(pulltest.At(2, pulltest.Status(503)), pulltest.At(4, pulltest.Busy("3")), pulltest.At(5, pulltest.Edit(6, "at 50")), pulltest.At(6, pulltest.Stall()), pulltest.At(9, pulltest.Cut(true)))
		})
		newest(55)
		if err := <-ended; err == nil || err.Error() != "the hour is over" {
			t.Errorf("it ends with %v", err)
		}
		if oldest < 9*60 || oldest > 11*60 || s.metric("contentedge_pull_age_seconds") > 70 {
			t.Errorf("the age was %g, and is %g", oldest, s.metric("contentedge_pull_age_seconds"))
		}
		// In ten minutes without a network a run begins each minute, after a minute of its own retries.
		if n := s.metric(`contentedge_pull_runs_total{result="failed"}`); n < 5 || n > 25 {
			t.Errorf("%g failed pulls:\n%s", n, s.logged())
		}
	})
}
