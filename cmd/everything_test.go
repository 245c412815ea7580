// This file tests an edge server that follows a store with little memory, under
// everything at once: ordinary clients, attacks, racing publishers, and a failing
// store. Ordinary clients must not notice. scripts/soak everything sets the duration.
package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

const (
	everythingItems    = 1000
	everythingReleases = 4
	everythingSamples  = 200 * time.Millisecond
	// everythingAnswered is the share of ordinary requests that must succeed.
	everythingAnswered = 0.999
	// everythingLag is the tolerance between a swap's time in the log and the first
	// response.
	everythingLag = time.Second
)

// everything is the server under test with its environment.
type everything struct {
	*soaked
	*publisher
	service    *storetest.Service
	wire       *storetest.Proxy // between the edge server and the store
	pool       []published
	right      map[string]map[string]string // body by target and build
	group      string                       // control group, or ""
	ordinary   ordinaryCounts
	attacked   map[string]*atomic.Int64 // requests by attack
	leftUnread atomic.Int64             // long responses left unread
	swapped    tally                    // commands to the store, by result
	faults     tally                    // of the store, by kind
}

// published is a release of the publisher.
type published struct{ build, public string }

// tally counts by name.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name]++
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.n)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, c.n[name]))
	}
	return strings.Join(parts, ", ")
}

func TestEverythingAtOnce(t *testing.T) {
	text := os.Getenv("TEST_CONTENTEDGE_EVERYTHING")
	if text == "" {
		t.Skip("scripts/soak everything 15s runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	e := startEverything(t)
	e.askAll(t)
	idle := e.sample(t)
	faults := e.storeFaults(t)
	ctx, cancel := context.WithTimeout(t.Context(), length)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	e.startOrdinary(t, ctx, &all)
	e.startAttacks(t, ctx, &all)
	all.Go(func() { e.publishes(t, ctx) })
	all.Go(func() { e.turns(t, ctx) })
	all.Go(func() { e.failStore(ctx, faults, length) })
	memory, peak := e.samples(t, ctx), 0.0
	for _, v := range memory {
		peak = max(peak, v)
	}
	all.Wait()
	e.mendStore()
	e.judgeOrdinary(t)
	e.judgeStore(t)
	e.settles(t, idle)
	third := len(memory) / 3
	t.Logf("%s: ordinary: %s; attacks: %s; store: %s; %d swaps; faults: %s; memory: median %.0f MiB, then %.0f MiB, peak %.0f of %d MiB%s",
		length, &e.ordinary, e.judgeAttacks(t), &e.swapped, e.swaps, &e.faults,
		median(memory[third:2*third])/(1<<20), median(memory[2*third:])/(1<<20), peak/(1<<20), boxed>>20, e.groupPeak())
	if len(e.faults.n) < 2 || len(e.swapped.n) < 3 {
		t.Error("too few faults or commands prove nothing")
	}
	if peak > boxed {
		t.Errorf("it took %.0f MiB of memory", peak/(1<<20))
	}
}

// startEverything starts a server with little memory that follows the store closely.
func startEverything(t *testing.T) *everything {
	e := newEverything(t)
	if group, ok := controlGroup(t); ok { // its limit would kill the process
		e.group = group
	}
	e.startNode(t, filepath.Join(t.TempDir(), "node"), "--follow-interval", "50ms", "--poll", "50ms", "--follow-timeout", "5s", "--memory-limit", strconv.Itoa(boxed))
	return e
}

// newEverything builds the releases, and publishes one.
func newEverything(t *testing.T) *everything {
	service := storetest.Serve(t)
	e := &everything{service: service, publisher: newPublisher(t, service.URL()), right: map[string]map[string]string{}, attacked: map[string]*atomic.Int64{}}
	e.wire = storetest.NewProxy(t, e.service.Addr)
	for n := range everythingReleases {
		e.makeRelease(t, fmt.Sprintf("mark%d", n))
	}
	e.publish(e.pool[0].public)
	return e
}

// startNode starts the server, which keeps its releases in a directory.
func (e *everything) startNode(t *testing.T, public string, flags ...string) {
	e.soaked = &soaked{public: public, log: filepath.Join(t.TempDir(), "log")}
	args := append([]string{"--follow", storeURL, "--public", e.public, "--addr", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, flags...)
	cmd := exec.Command(e.bin["edgeserve"], args...)
	if e.group != "" {
		cmd = inGroup(e.group, e.bin["edgeserve"], args...)
	}
	cmd.Env = os.Environ()
	for name, value := range storetest.Variables(e.wire.URL) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	e.start(t, cmd)
	waitReady(t, e.base)
}

// makeRelease builds a release and records its responses.
func (e *everything) makeRelease(t *testing.T, mark string) {
	t.Helper()
	content, public := filepath.Join(e.dir, "content-"+mark), filepath.Join(e.dir, mark)
	var items bytes.Buffer
	for i := range everythingItems {
		fmt.Fprintf(&items, `{"ContentID":"Content_%d","Name":"item %[1]d","TemplateName":"T%d","CreatedAt":"2024-01-01T00:00:00Z","Data":{"mark":%q,"text":"word%d %s","list":[{"a":%[1]d,"b":"x"}],"m0":1,"m1":2,"m2":3,"m3":4,"m4":5,"m5":6,"m6":7,"m7":8}}`+"\n",
			i, i%5, []string{mark, "kept"}[i%2], i%97, strings.Repeat("and some more of it ", 20+i%200))
	}
	if err := os.MkdirAll(filepath.Join(content, "site"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "site", "items.ndjson"), items.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	e.must("build", "--content", content, "--out", public, "--quiet", "--no-sync", "--compress", "none")
	var manifest struct{ Build string }
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(public, "current", "manifest.json"))), &manifest); err != nil || manifest.Build == "" {
		t.Fatal(err, manifest)
	}
	e.pool = append(e.pool, published{manifest.Build, public})
	if !t.Run(mark, func(t *testing.T) { e.learn(t, manifest.Build, serve(t, e.bin["edgeserve"], public)) }) {
		t.FailNow()
	}
}

// samples samples the process's resources until the end and returns its memory.
func (e *everything) samples(t *testing.T, ctx context.Context) (memory []float64) {
	tick := time.NewTicker(everythingSamples)
	defer tick.Stop()
	for {
		memory = append(memory, e.sample(t)["memory"])
		select {
		case <-ctx.Done():
			return memory
		case <-tick.C:
		}
	}
}

func (e *everything) judgeOrdinary(t *testing.T) {
	c := &e.ordinary
	ok, refused, failed, wrong := c.ok.Load(), c.refused.Load(), c.failed.Load(), c.wrong.Load()
	if total := ok + refused + failed + wrong; wrong > 0 || total < 100 || float64(ok) < everythingAnswered*float64(total) {
		t.Errorf("of %d ordinary requests %d are answered", total, ok)
	}
	served := e.servedTimes(t)
	late := 0
	for _, m := range c.moments {
		if !slices.ContainsFunc(served[m.build], func(s span) bool { return m.to.After(s.from) && m.from.Before(s.to) }) {
			if late++; late == 1 {
				t.Errorf("answered by %s, asked at %s for %s; it was served at %v", m.build, m.from, m.to.Sub(m.from), served[m.build])
			}
		}
	}
	if late > 0 {
		t.Errorf("%d answers are of a release that was not current", late)
	}
}

// span is a time during which a release was served.
type span struct{ from, to time.Time }

// servedTimes reads from the log when each build was served, with the tolerance.
func (e *everything) servedTimes(t *testing.T) map[string][]span {
	served := map[string][]span{}
	build := ""
	end := func(at time.Time) {
		if s := served[build]; build != "" {
			s[len(s)-1].to = at.Add(everythingLag)
		}
	}
	for lines := bufio.NewScanner(strings.NewReader(readFile(t, e.log))); lines.Scan(); {
		var line struct {
			Time  time.Time
			Msg   string
			Build string
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "serving release" {
			continue
		}
		end(line.Time)
		build = line.Build
		served[build] = append(served[build], span{from: line.Time.Add(-everythingLag)})
		e.swaps++
	}
	end(time.Now())
	if e.swaps < 3 {
		t.Errorf("%d swaps prove nothing", e.swaps)
	}
	return served
}

// groupPeak is the control group's peak memory, including mapped and cached files.
func (e *everything) groupPeak() string {
	for _, file := range []string{"memory.max_usage_in_bytes", "memory.peak"} {
		if text, err := os.ReadFile(filepath.Join(e.group, file)); err == nil && e.group != "" {
			n, _ := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
			return fmt.Sprintf(", its control group %.0f MiB", n/(1<<20))
		}
	}
	return ", without a control group"
}
