// This file tests a week of faults in half an hour: a node follows a store while releases are published and ordinary
// clients ask, and one thing after the other breaks. Clients must get right responses, the log must stay readable, and
// Prometheus with the shipped alerts must see each fault within a minute. scripts/soak week sets the duration.
package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

const (
	weekFault    = 70 * time.Second // how long a fault lasts
	weekSeen     = time.Minute      // after which an alert must fire
	weekPause    = time.Minute      // the shortest pause after a fault
	weekScrape   = 5 * time.Second  // the interval of Prometheus
	weekPublish  = 3 * time.Second  // the pause between publications
	weekLines    = 10               // of the log that a message may have at once, and one more for each second
	weekDisk     = 192 << 20        // the size of the node's disk
	weekDiskFree = 64 << 10         // what a full disk has left
)

// weekAsleep are the faults in which the node cannot answer each client.
var weekAsleep = []string{"node stopped", "no descriptors"}

// weekDay is a fault with what came of it.
type weekDay struct {
	name       string
	begin, end time.Time
	asked      [4]int64 // responses that were right, refused, failed and wrong
	lines      int      // warnings and errors in the log
	alert      string   // the first that fired
	seen, over time.Duration
}

func TestWeek(t *testing.T) {
	text := os.Getenv("TEST_CONTENTEDGE_WEEK")
	if text == "" {
		t.Skip("scripts/soak week 30m runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal("prometheus is not installed")
	}
	e := newEverything(t)
	public := filepath.Join(t.TempDir(), "node")
	if err := os.Mkdir(public, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release(t, filepath.Dir(public)) })
	mount(t, "tmpfs", public, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", weekDisk))
	e.startNode(t, public, "--follow-interval", "5s")
	var quiet atomic.Bool
	faults := e.weekFaults(t, &quiet)
	pause := length/time.Duration(len(faults)) - weekFault
	if pause < weekPause {
		t.Fatalf("%d faults of %s need %s, not %s", len(faults), weekFault, time.Duration(len(faults))*(weekFault+weekPause), length)
	}
	server := startPrometheus(t, prometheus, strings.TrimPrefix(e.admin, "http://"))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	e.startOrdinary(t, ctx, &all)
	all.Go(func() { e.publishesInTurn(t, ctx, &quiet) })
	begun := time.Now()
	var days []*weekDay
	for _, f := range faults {
		every(ctx, pause/2)
		day := &weekDay{name: f.name, begin: time.Now()}
		days = append(days, day)
		before := e.ordinary.counts()
		f.begin(t)
		every(ctx, weekFault)
		f.end(t)
		day.end = time.Now()
		every(ctx, pause/2)
		for i, n := range e.ordinary.counts() {
			day.asked[i] = n - before[i]
		}
	}
	fired := firing(t, server, begun)
	cancel()
	all.Wait()
	e.judgeWeek(t, days, fired)
	e.judgeStore(t)
}

// publishesInTurn publishes the releases in turn, unless quiet is set. The store keeps one besides the current release, so
// a node fetches each again.
func (e *everything) publishesInTurn(t *testing.T, ctx context.Context, quiet *atomic.Bool) {
	for n := 1; every(ctx, weekPublish); n++ {
		if quiet.Load() {
			continue
		}
		e.race(t, "publish", storeURL, "--again", "--public", e.pool[n%len(e.pool)].public)
		e.race(t, "releases", "gc", storeURL, "--keep", "1")
	}
}

// counts are the requests that were answered rightly, refused, failed and answered wrongly.
func (c *ordinaryCounts) counts() [4]int64 {
	return [4]int64{c.ok.Load(), c.refused.Load(), c.failed.Load(), c.wrong.Load()}
}

// weekCause is what breaks in the node, its disk or its store, and how it is mended.
type weekCause struct {
	name       string
	begin, end func(*testing.T)
}

// weekFaults are the faults in their order.
func (e *everything) weekFaults(t *testing.T, quiet *atomic.Bool) []weekCause {
	const pointer, files = "/current.json", "/releases/"
	older := readFile(t, filepath.Join(e.storeDir(), "current.json"))
	ofStore := func(name, of string, fault storetest.Fault) weekCause {
		return weekCause{name,
			func(*testing.T) {
				e.wire.Set(func(_ int, r *http.Request) storetest.Fault {
					if strings.Contains(r.URL.Path, of) {
						return fault
					}
					return storetest.Fault{}
				})
			},
			func(*testing.T) { e.wire.Set(nil) },
		}
	}
	signal := func(s syscall.Signal) func(*testing.T) {
		return func(t *testing.T) {
			if err := e.cmd.Process.Signal(s); err != nil {
				t.Error(err)
			}
		}
	}
	filler := filepath.Join(e.public, "filler")
	remove := func(path string) func(*testing.T) {
		return func(t *testing.T) {
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
		}
	}
	return []weekCause{
		ofStore("store that does not answer", "", storetest.Fault{Wait: time.Hour}),
		ofStore("store that is gone", "", storetest.Fault{Drop: true}),
		ofStore("store that denies access", "", storetest.Fault{Status: http.StatusForbidden}),
		ofStore("corrupted objects", files, storetest.Fault{FlipAt: 200}),
		ofStore("malformed pointer", pointer, storetest.Fault{Body: []byte(`{"build":`)}),
		ofStore("older pointer", pointer, storetest.Fault{Body: []byte(older)}),
		{"disk full", func(t *testing.T) { fillDisk(t, filler) }, remove(filler)},
		{"no descriptors", func(t *testing.T) { e.descriptors(t, 2) }, func(t *testing.T) { e.descriptors(t, 1024) }},
		{"releases removed", func(t *testing.T) { // the next publication would mend it
			quiet.Store(true)
			remove(filepath.Join(e.public, "releases"))(t)
		}, func(*testing.T) { quiet.Store(false) }},
		{"node stopped", signal(syscall.SIGSTOP), signal(syscall.SIGCONT)},
	}
}

// fillDisk fills the disk of a file.
func fillDisk(t *testing.T, file string) {
	var disk unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(file), &disk); err != nil {
		t.Error(err)
		return
	}
	if err := os.WriteFile(file, make([]byte, int64(disk.Bavail)*disk.Bsize-weekDiskFree), 0o644); err != nil {
		t.Error(err)
	}
}

// descriptors lets the node open so many more files than it has open now.
func (e *everything) descriptors(t *testing.T, more int) {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", e.cmd.Process.Pid))
	if err != nil {
		t.Error(err)
		return
	}
	limit := unix.Rlimit{Cur: uint64(len(open) + more), Max: 1 << 14}
	if err := unix.Prlimit(e.cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Error(err)
	}
}

// startPrometheus scrapes a node's admin listener with the shipped alerts, and returns the address of its interface.
func startPrometheus(t *testing.T, bin, admin string) (base string) {
	t.Helper()
	dir, addr := t.TempDir(), freeport.Addr(t)
	rules, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	config := writeFile(t, dir, "prometheus.yml", fmt.Sprintf("global: {scrape_interval: %[1]s, evaluation_interval: %[1]s, scrape_timeout: %[1]s}\nrule_files: [%[2]s]\n"+
		"scrape_configs: [{job_name: contentedge, static_configs: [{targets: ['%[3]s']}]}]\n", weekScrape, rules, admin))
	cmd := exec.Command(bin, "--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", addr, "--log.level", "error")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	storetest.WaitFor(t, "Prometheus", func() bool {
		r, err := http.Get("http://" + addr + "/-/ready")
		if err == nil {
			_ = r.Body.Close()
		}
		return err == nil && r.StatusCode == http.StatusOK
	})
	return "http://" + addr
}

// firing returns the times at which alerts fired since a time, by name.
func firing(t *testing.T, base string, since time.Time) map[string][]time.Time {
	t.Helper()
	query := url.Values{"query": {`max by (alertname) (ALERTS{alertstate="firing"})`}, "step": {"5"},
		"start": {since.UTC().Format(time.RFC3339)}, "end": {time.Now().UTC().Format(time.RFC3339)}}
	var result struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Values [][2]any
			}
		}
	}
	if err := json.Unmarshal([]byte(get(t, base+"/api/v1/query_range?"+query.Encode())), &result); err != nil {
		t.Fatal(err)
	}
	fired := map[string][]time.Time{}
	for _, r := range result.Data.Result {
		for _, v := range r.Values {
			fired[r.Metric["alertname"]] = append(fired[r.Metric["alertname"]], time.Unix(int64(v[0].(float64)), 0))
		}
	}
	return fired
}

// judgeWeek prints a row for each fault, and fails for what a client or an operator would notice.
func (e *everything) judgeWeek(t *testing.T, days []*weekDay, fired map[string][]time.Time) {
	t.Log("| fault | lasted | right, refused, failed, wrong | lines of the log | first alert | after | ends after |")
	for _, d := range days {
		lines, often := e.warnings(t, d.begin, d.end)
		d.lines = len(lines)
		d.look(fired)
		lasted := d.end.Sub(d.begin)
		t.Logf("| %s | %s | %d, %d, %d, %d | %d | %s | %s | %s |", d.name, lasted.Round(time.Second), d.asked[0], d.asked[1], d.asked[2], d.asked[3], d.lines, d.alert, d.seen, d.over)
		total := d.asked[0] + d.asked[1] + d.asked[2] + d.asked[3]
		if d.asked[3] > 0 || !slices.Contains(weekAsleep, d.name) && float64(d.asked[0]) < everythingAnswered*float64(total) {
			t.Errorf("%s: of %d requests %d are answered, %d wrongly", d.name, total, d.asked[0], d.asked[3])
		}
		if most := weekLines + 1 + int(lasted/time.Second); often > most {
			t.Errorf("%s: %d lines of the log with one message; %d are allowed:\n%s", d.name, often, most, strings.Join(lines, ""))
		}
		if d.alert == "" || d.seen > weekSeen {
			t.Errorf("%s: no alert fires within %s", d.name, weekSeen)
		}
	}
}

// look finds the first alert that fires within a fault and did not fire when it began, and when that alert ends.
func (d *weekDay) look(fired map[string][]time.Time) {
	for name, times := range fired {
		at := slices.IndexFunc(times, d.begin.Before)
		if at < 0 || times[at].After(d.end) || at > 0 && d.begin.Sub(times[at-1]) < 2*weekScrape {
			continue
		}
		seen := times[at].Sub(d.begin)
		if d.alert != "" && seen >= d.seen {
			continue
		}
		for at+1 < len(times) && times[at+1].Sub(times[at]) <= 2*weekScrape {
			at++
		}
		d.alert, d.seen, d.over = name, seen.Round(time.Second), max(0, times[at].Sub(d.end)).Round(time.Second)
	}
}

// warnings returns the warnings and errors that the log has between two times, and how often the most frequent message
// occurs.
func (e *everything) warnings(t *testing.T, from, to time.Time) (lines []string, often int) {
	messages := map[string]int{}
	for line := range strings.Lines(readFile(t, e.log)) {
		var entry struct {
			Time  time.Time
			Level string
			Msg   string
		}
		if json.Unmarshal([]byte(line), &entry) == nil && (entry.Level == "WARN" || entry.Level == "ERROR") && !entry.Time.Before(from) && entry.Time.Before(to) {
			lines = append(lines, line)
			messages[entry.Msg]++
			often = max(often, messages[entry.Msg])
		}
	}
	return lines, often
}
