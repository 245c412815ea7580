// This file breaks the nodes of a cluster, one fault at a time, while an edge server searches it. `scripts/cluster faults`
// runs it with what it needs in the process's environment; without, it skips.

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"

	"elasticsearch/index"
	"elasticsearch/release"
)

// breaker breaks nodes and mends them.
type breaker struct {
	t        *testing.T
	programs release.Programs
	dir      string // of the cluster
	urls     []string
	content  [2]string // directories of two releases
	public   [2]string
	live     string // the release directory that the edge server serves
	index    [2]string
	traffic  *traffic
	lasting  time.Duration // of a fault
}

// mendTime is how long the edge server may take to answer all requests again after a fault.
const mendTime = 90 * time.Second

// loadTime limits a load that a full disk hinders.
const loadTime = time.Minute

// TestClusterFaults sends CLUSTER_RATE requests a second. No fault may bring about a 200 with another body than the
// snapshot's, or another status than 200 and 503. It prints how many 503 there were, and for how long.
func TestClusterFaults(t *testing.T) {
	b := newBreaker(t)
	b.awaitCalm("before all faults")
	faults := []struct {
		name   string
		during func()
		mend   func()
	}{
		{"none", nil, nil},
		{"a node is killed", func() { b.signal(0, syscall.SIGKILL) }, func() { b.start() }},
		{"a node is paused", func() { b.signal(1, syscall.SIGSTOP) }, func() { b.signal(1, syscall.SIGCONT) }},
		{"a node is slow: it runs a fifth of the time", func() { b.slow(2) }, nil},
		{"the network of a node is cut", b.cut(0), b.join},
		{"two nodes of three are killed: the quorum is lost", func() { b.signal(0, syscall.SIGKILL); b.signal(1, syscall.SIGKILL) }, func() { b.start() }},
		{"the disk of a node is full, and a load writes", b.fill(2), b.empty(2)},
		{"releases are swapped every 10 s, and a load runs beside", b.swap, nil},
		{"the index is deleted", b.remove, func() { b.load(0) }},
	}
	for _, f := range faults {
		if pattern := os.Getenv("CLUSTER_FAULTS"); pattern != "" && !strings.Contains(f.name, pattern) || f.during == nil && f.name != "none" {
			continue
		}
		b.play(f.name, f.during, f.mend)
	}
	b.traffic.report()
}

// play breaks something, mends it, and waits until all requests are answered.
func (b *breaker) play(name string, during, mend func()) {
	w := b.traffic.window(name)
	begin := time.Now()
	if during != nil {
		during()
	}
	time.Sleep(b.lasting - time.Since(begin)) // the fault lasts so long
	w.mendedAt = time.Now()
	if mend != nil {
		mend()
	}
	b.awaitCalm(name)
	b.traffic.close(w)
	// The next fault meets a cluster that has all copies again.
	if _, text, err := index.New(b.urls[0]).Do(http.MethodGet, "/_cluster/health?wait_for_status=green&timeout=60s", nil); err != nil || !strings.Contains(string(text), `"status":"green"`) {
		b.t.Errorf("%s: not all copies are back: %v %s", name, err, text)
	}
	if name == "none" && w.unavailable > 0 {
		b.t.Errorf("%d responses are 503 without a fault", w.unavailable)
	}
}

// awaitCalm waits until all requests are answered. New nodes have not compiled anything yet, and are slow.
func (b *breaker) awaitCalm(after string) {
	for end := time.Now().Add(mendTime); !b.traffic.calm(3 * time.Second); {
		if time.Now().After(end) {
			b.t.Errorf("%s: not all requests are answered after %s", after, mendTime)
			return
		}
		time.Sleep(100 * time.Millisecond) // until they are
	}
}

func newBreaker(t *testing.T) *breaker {
	t.Helper()
	b := &breaker{t: t, urls: strings.Split(setting(t, "CLUSTER_URLS"), ","), dir: setting(t, "CLUSTER_DIR"), programs: release.Programs(setting(t, "ELASTICSEARCH_PROGRAMS"))}
	b.lasting = time.Duration(number(t, "CLUSTER_FAULT_SECONDS", 15)) * time.Second
	if len(b.urls) != 3 {
		t.Fatalf("%d nodes: three are needed", len(b.urls))
	}
	work := t.TempDir()
	b.live = filepath.Join(work, "live")
	requests := faultRequests()
	expected := map[string][]string{}
	for i := range b.content {
		b.content[i], b.public[i] = filepath.Join(work, fmt.Sprint("content", i)), filepath.Join(work, fmt.Sprint("public", i))
		if err := writeFaultContent(b.content[i], i); err != nil {
			t.Fatal(err)
		}
		if err := b.programs.Build(b.content[i], b.public[i]); err != nil {
			t.Fatal(err)
		}
		m, err := release.Read(b.public[i])
		if err != nil {
			t.Fatal(err)
		}
		b.index[i] = layout.IndexName(faultEnv, m.Build)
		expected[m.Build] = b.expect(b.public[i], requests)
		if b.load(i, "--replace"); t.Failed() {
			t.FailNow()
		}
	}
	if err := b.programs.Build(b.content[0], b.live); err != nil {
		t.Fatal(err)
	}
	url, stop, err := b.programs.Serve(b.live, "--search-at", strings.Join(b.urls, ","), "--cache-bytes", "0", "--poll", "500ms")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	b.traffic = startTraffic(t, url, requests, expected, number(t, "CLUSTER_RATE", 200))
	return b
}

// expect returns the responses of a server that has the snapshots.
func (b *breaker) expect(public string, requests []faultRequest) (bodies []string) {
	b.t.Helper()
	url, stop, err := b.programs.Serve(public)
	if err != nil {
		b.t.Fatal(err)
	}
	defer stop()
	for _, r := range requests {
		status, body, _, err := r.send(http.DefaultClient, url)
		if err != nil || status != http.StatusOK {
			b.t.Fatalf("%v %d %s", err, status, body)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// pid returns the process of a node.
func (b *breaker) pid(node int) int {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.nodeDir(node), "pid"))
	if err != nil {
		b.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		b.t.Fatalf("%v: %q is no process", err, text)
	}
	return pid
}

func (b *breaker) nodeDir(node int) string { return filepath.Join(b.dir, fmt.Sprint("node", node)) }

func (b *breaker) signal(node int, s syscall.Signal) {
	b.t.Helper()
	if err := syscall.Kill(b.pid(node), s); err != nil {
		b.t.Fatal(err)
	}
}

// end ends a node, and waits until it has ended.
func (b *breaker) end(node int, s syscall.Signal) {
	b.t.Helper()
	pid := b.pid(node)
	b.signal(node, s)
	for syscall.Kill(pid, 0) == nil {
		time.Sleep(50 * time.Millisecond) // until it has ended
	}
}

// start starts the nodes that have ended, and waits until the cluster is whole. before is a command that runs the script.
func (b *breaker) start(before ...string) {
	b.t.Helper()
	args := append(before, filepath.Join("..", "cluster"), "start")
	if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		b.t.Errorf("%v\n%s", err, text)
	}
}

// slow lets a node run a fifth of the time.
func (b *breaker) slow(node int) {
	for end := time.Now().Add(b.lasting); time.Now().Before(end); {
		b.signal(node, syscall.SIGSTOP)
		time.Sleep(400 * time.Millisecond) // it stands still
		b.signal(node, syscall.SIGCONT)
		time.Sleep(100 * time.Millisecond) // it runs
	}
}

// cutGroup is the group of the node whose packets the firewall drops. No user has it.
const cutGroup = 64999

var cutRule = []string{"OUTPUT", "-m", "owner", "--gid-owner", strconv.Itoa(cutGroup), "-j", "DROP"}

// cut returns what cuts the network of a node, or nil where that is not possible. The node runs in a group of its own:
// nodes share the address of loopback, and their connections to others have any port.
func (b *breaker) cut(node int) func() {
	if os.Geteuid() != 0 || exec.Command("iptables", append([]string{"-A"}, cutRule...)...).Run() != nil {
		b.t.Log("not run: the network of a node is cut. It needs root, and iptables that knows owners")
		return nil
	}
	b.join()
	b.t.Cleanup(b.join)
	return func() {
		b.end(node, syscall.SIGTERM)
		b.start("setpriv", "--regid", strconv.Itoa(cutGroup), "--clear-groups")
		if text, err := exec.Command("iptables", append([]string{"-A"}, cutRule...)...).CombinedOutput(); err != nil {
			b.t.Errorf("%v\n%s", err, text)
		}
		time.Sleep(b.lasting) // starting the node took as long as the fault shall last
	}
}

// join ends cut.
func (b *breaker) join() {
	for exec.Command("iptables", append([]string{"-D"}, cutRule...)...).Run() == nil {
		continue // a rule of a run that was killed goes, too
	}
}

// fill returns what fills the disk of a node while a load writes, or nil where no small disk can be mounted.
func (b *breaker) fill(node int) func() {
	data := filepath.Join(b.nodeDir(node), "data")
	if os.Geteuid() != 0 {
		b.t.Log("not run: the disk of a node is full. It needs root, to mount a small one")
		return nil
	}
	return func() {
		b.end(node, syscall.SIGTERM)
		b.run("mv", data, data+".kept")
		b.run("mkdir", data)
		used, err := exec.Command("du", "-sm", data+".kept").Output()
		if err != nil {
			b.t.Fatal(err)
		}
		megabytes, _ := strconv.Atoi(strings.Fields(string(used))[0])
		b.run("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes+8), "tmpfs", data)
		b.run("cp", "-a", data+".kept/.", data)
		b.start()
		// It ends when the disk is full.
		_ = exec.Command("dd", "if=/dev/zero", "of="+filepath.Join(data, "filler"), "bs=64k").Run()
		ctx, cancel := context.WithTimeout(b.t.Context(), loadTime)
		defer cancel()
		text, err := b.loading(ctx, 1, "--replace", "--replicas", "2", "--max-wait", "20s").CombinedOutput()
		b.t.Logf("the load beside a full disk: %v, %s", err, lastLine(text))
	}
}

// empty returns what ends fill. The node keeps nothing of what it wrote meanwhile.
func (b *breaker) empty(node int) func() {
	data := filepath.Join(b.nodeDir(node), "data")
	return func() {
		b.end(node, syscall.SIGKILL)
		b.run("umount", data)
		b.run("rmdir", data)
		b.run("mv", data+".kept", data)
		b.start()
		b.load(1)
	}
}

func (b *breaker) run(name string, args ...string) {
	b.t.Helper()
	if text, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.t.Fatalf("%s %v: %v\n%s", name, args, err, text)
	}
}

// loading is the command that loads a release.
func (b *breaker) loading(ctx context.Context, i int, args ...string) *exec.Cmd {
	args = append([]string{"load", "--to", strings.Join(b.urls, ","), "--from", b.public[i], "--no-alias", "--quiet"}, args...)
	return exec.CommandContext(ctx, filepath.Join(string(b.programs), "generator"), args...)
}

// load loads a release with a copy on each node.
func (b *breaker) load(i int, args ...string) {
	b.t.Helper()
	if text, err := b.loading(b.t.Context(), i, append(args, "--replicas", "2")...).CombinedOutput(); err != nil {
		b.t.Errorf("%v\n%s", err, text)
	}
}

// swap publishes the two releases in turn. Meanwhile a third index is loaded again and again.
func (b *breaker) swap() {
	third := filepath.Join(b.t.TempDir(), "third")
	if err := writeFaultContent(third, 2); err != nil {
		b.t.Fatal(err)
	}
	public := third + "-public"
	if err := b.programs.Build(third, public); err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.t.Context())
	ended := make(chan int)
	go func() {
		loads := 0
		for ctx.Err() == nil {
			cmd := b.loading(ctx, 0, "--replace", "--replicas", "2")
			cmd.Args[5] = public // in the place of --from
			if text, err := cmd.CombinedOutput(); err == nil {
				loads++
			} else if ctx.Err() == nil {
				b.t.Errorf("%v\n%s", err, text)
			}
		}
		ended <- loads
	}()
	const every = 10 * time.Second
	for i := range max(4, int(2*b.lasting/every)) / 2 * 2 { // the last one is the first release again
		if err := b.programs.Build(b.content[(i+1)%2], b.live); err != nil {
			b.t.Error(err)
		}
		time.Sleep(every) // a release is served so long
	}
	cancel()
	b.t.Logf("%d loads beside", <-ended)
}

// remove deletes the index that is searched.
func (b *breaker) remove() {
	status, text, err := index.New(b.urls[0]).Do(http.MethodDelete, "/"+b.index[0], nil)
	if err != nil || status != http.StatusOK {
		b.t.Errorf("%v %d %s", err, status, text)
	}
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
