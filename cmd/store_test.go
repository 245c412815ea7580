package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

const storeURL = "s3://" + storetest.Bucket + "/site/live"

// output is a process's output, readable while the process runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// node is an edge server that follows the store.
type node struct {
	*exec.Cmd
	base string
	log  output
}

// follow starts a node without waiting until it is ready.
func (p *publisher) follow(public string, args ...string) *node {
	p.t.Helper()
	return p.followFrom(storeURL, public, args...)
}

func (p *publisher) followFrom(store, public string, args ...string) *node {
	t := p.t
	t.Helper()
	addr := freeport.Addr(t)
	n := &node{base: "http://" + addr}
	n.Cmd = p.run("edgeserve", append([]string{"--follow", store, "--public", public, "--addr", addr, "--follow-interval", "50ms", "--poll", "50ms"}, args...)...)
	n.Stdout, n.Stderr = &n.log, &n.log
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.kill()
		noCanary(t, n.log.String())
		if t.Failed() {
			t.Logf("node %s:\n%s", public, n.log.String())
		}
	})
	return n
}

func (n *node) kill() {
	_ = n.Process.Kill()
	_ = n.Wait()
}

// noCanary fails the test if text contains credentials.
func noCanary(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, storetest.Access) || strings.Contains(text, storetest.Secret) {
		t.Errorf("credentials in the output: %s", text)
	}
}

// answer returns the status, ETag and body of a list.
func (n *node) answer() string {
	r, err := http.Get(n.base + "/cda/rest/v1/site/contents?pageSize=300")
	if err != nil {
		return err.Error()
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(r.StatusCode, r.Header.Get("ETag"), string(b))
}

// watch sends requests until stopped: every response must be that of one release.
func (n *node) watch(t *testing.T, marks ...string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for asked := 0; ; asked++ {
			select {
			case <-quit:
				t.Logf("%d answers looked at", asked)
				return
			default:
			}
			got, whole := n.answer(), false
			for _, mark := range marks {
				whole = whole || strings.Count(got, `"mark":"`+mark+`"`) == siteMarks
			}
			if !whole || strings.Count(got, `"mark":`) != siteItems {
				t.Errorf("an answer of no release: %.300s", got)
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// publisher builds releases with different marks and publishes them.
type publisher struct {
	t   *testing.T
	bin map[string]string
	dir string
	env []string // of its commands and nodes, with the endpoint of the store
}

// newPublisher returns a publisher to an endpoint.
func newPublisher(t *testing.T, endpoint string) *publisher {
	p := &publisher{t, binaries(t, "generator", "edgeserve"), t.TempDir(), os.Environ()}
	for name, value := range storetest.Variables(endpoint) {
		p.env = append(p.env, name+"="+value)
	}
	return p
}

// run is a command of a binary, to start.
func (p *publisher) run(binary string, args ...string) *exec.Cmd {
	cmd := exec.Command(p.bin[binary], args...)
	cmd.Env = p.env
	return cmd
}

// build builds a release and returns its public directory.
func (p *publisher) build(mark string) string {
	p.t.Helper()
	public := filepath.Join(p.dir, mark)
	writeSite(p.t, filepath.Join(p.dir, "content-"+mark), mark)
	p.must("build", "--content", filepath.Join(p.dir, "content-"+mark), "--out", public, "--quiet")
	return public
}

func (p *publisher) command(args ...string) *exec.Cmd {
	return p.run("generator", args...)
}

func (p *publisher) must(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	noCanary(p.t, string(out))
	if err != nil {
		p.t.Fatalf("generator %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *publisher) publish(public string) string {
	p.t.Helper()
	return p.must("publish", storeURL, "--public", public)
}

// has waits until a node serves a mark, and checks the whole response.
func has(t *testing.T, n *node, mark string) {
	t.Helper()
	storetest.WaitFor(t, "the answer "+mark, func() bool { return strings.Contains(n.answer(), `"mark":"`+mark+`"`) })
	if got := strings.Count(n.answer(), `"mark":"`+mark+`"`); got != siteMarks {
		t.Fatalf("%d of the items have the mark %s", got, mark)
	}
}

// TestNodesFollow takes two nodes through publications, a rollback, a store outage and
// restarts.
func TestNodesFollow(t *testing.T) {
	t.Parallel()
	s := storetest.Serve(t)
	p := newPublisher(t, s.URL())
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	admin := freeport.Addr(t)
	a, b := p.follow(one, "--admin", admin, "--stale-after", "1s"), p.follow(two)
	storetest.WaitFor(t, "a node without a release to say so", func() bool { return strings.Contains(a.log.String(), "cannot follow") })
	storetest.WaitFor(t, "a node without a release to wait", func() bool { return strings.Contains(a.log.String(), "waiting for the first release") })
	if strings.Contains(b.log.String(), "ERROR") {
		t.Errorf("an error before the first release: %s", b.log.String())
	}

	first := p.build("first")
	p.publish(first)
	has(t, a, "first")
	has(t, b, "first")
	unwatch := a.watch(t, "first", "second", "third")
	if x, y := a.answer(), b.answer(); x != y {
		t.Errorf("two nodes answer %.100s and %.100s", x, y)
	}
	local := &node{base: serve(t, p.bin["edgeserve"], first)}
	if x, y := a.answer(), local.answer(); x != y {
		t.Errorf("with and without page files: %.100s and %.100s", x, y)
	}
	if strings.Contains(get(t, a.base+"/cda/rest/v1/site/contents/Content_0001"), "second") || strings.Contains(a.log.String(), "is missing") {
		t.Errorf("page files are missed: %s", a.log.String())
	}

	p.publish(p.build("second"))
	has(t, a, "second")
	has(t, b, "second")
	p.must("releases", "rollback", storeURL)
	has(t, a, "first")
	has(t, b, "first")

	s.Stop()
	storetest.WaitFor(t, "a node to see that the store is gone", func() bool { return strings.Count(a.log.String(), "cannot follow") > 1 })
	has(t, a, "first")
	stale := func(want string) func() bool {
		return func() bool {
			return strings.Contains(get(t, "http://"+admin+"/readyz"), `"stale":`+want) &&
				strings.Contains(get(t, "http://"+admin+"/metrics"), "contentedge_follow_stale "+map[string]string{"true": "1", "false": "0"}[want]+"\n")
		}
	}
	storetest.WaitFor(t, "a stale node to tell the operator, and only him", stale("true"))
	if got := get(t, a.base+"/readyz"); !strings.Contains(got, `"ready"`) || strings.Contains(got, "stale") {
		t.Errorf("clients are told %s", got)
	}
	b.kill()
	b = p.follow(two)
	has(t, b, "first")
	s.Run(t)
	p.publish(p.build("third"))
	has(t, a, "third")
	has(t, b, "third")
	storetest.WaitFor(t, "the node to be stale no longer", stale("false"))
	for _, dir := range []string{one, two} {
		storetest.WaitFor(t, "old releases to go", func() bool { left, _ := os.ReadDir(filepath.Join(dir, "releases")); return len(left) == 2 })
		if files, _ := filepath.Glob(filepath.Join(dir, "releases", "*", "cda")); len(files) > 0 {
			t.Errorf("page files were fetched: %v", files)
		}
	}
	unwatch()
	if err := a.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := a.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if out, err := p.command("build", "--content", filepath.Join(p.dir, "content-first"), "--out", two).CombinedOutput(); err == nil || !strings.Contains(string(out), "follows a store") {
		t.Errorf("a build into a node's directory: %v, %s", err, out)
	}
}

// TestKilledPublisher kills the publisher at requests all along its way. Nodes see the previous
// release until the pointer moves, and the next run continues.
func TestKilledPublisher(t *testing.T) {
	t.Parallel()
	wire := storetest.NewProxy(t, storetest.Serve(t).Addr)
	p := newPublisher(t, wire.URL)
	p.publish(p.build("first"))
	n := p.follow(filepath.Join(t.TempDir(), "node"))
	has(t, n, "first")
	old := n.answer()
	second := p.build("second")

	step := 37 // requests between two kills; each run continues after the last one
	kills := 0
	var moved atomic.Bool // the pointer names the second release
	for at := 3; ; at += step {
		cmd := p.command("publish", storeURL, "--public", second, "--jobs", "4")
		var out output
		cmd.Stdout, cmd.Stderr = &out, &out
		var once sync.Once
		count := 0
		wire.Set(func(_ int, r *http.Request) storetest.Fault {
			if !strings.Contains(r.URL.Path, "/releases/") && r.Method == http.MethodGet && !strings.Contains(r.URL.RawQuery, "list") {
				return storetest.Fault{} // a poll of the node
			}
			if count++; count == min(at, step) {
				once.Do(func() { _ = cmd.Process.Kill() })
				return storetest.Fault{Drop: true}
			}
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/current.json") {
				moved.Store(true)
			}
			return storetest.Fault{}
		})
		err := cmd.Run()
		noCanary(t, out.String())
		if err == nil {
			break
		}
		if out.String() != "" {
			t.Fatalf("not killed, but: %s", out.String())
		}
		if kills++; kills > 100 {
			t.Fatal("the publisher does not come to an end")
		}
		if got := n.answer(); got != old && !moved.Load() {
			t.Fatalf("killed at request %d: %.200s", at, got)
		}
	}
	if kills < 3 {
		t.Fatalf("%d kills prove nothing", kills)
	}
	t.Logf("%d kills", kills)
	wire.Set(nil)
	has(t, n, "second")
}

// TestTwoPublishers publishes from two processes at once: one wins, the other reports
// its loss.
func TestTwoPublishers(t *testing.T) {
	t.Parallel()
	wire := storetest.NewProxy(t, storetest.Serve(t).Addr)
	p := newPublisher(t, wire.URL)
	p.publish(p.build("first"))
	dirs := []string{p.build("second"), p.build("third")}
	// Neither moves the pointer before both have read it; a listing follows the read.
	reads := 0
	wire.Set(func(_ int, r *http.Request) storetest.Fault {
		if strings.Contains(r.URL.RawQuery, "list-type") {
			reads++
		}
		if strings.HasSuffix(r.URL.Path, "/current.json") && r.Method == http.MethodPut && reads < 2 {
			return storetest.Fault{Status: http.StatusServiceUnavailable} // which is retried
		}
		return storetest.Fault{}
	})
	outs := make([][]byte, 2)
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i, dir := range dirs {
		both.Go(func() { outs[i], errs[i] = p.command("publish", storeURL, "--public", dir).CombinedOutput() })
	}
	both.Wait()
	wire.Set(nil)
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("%v: %s\n%v: %s", errs[0], outs[0], errs[1], outs[1])
	}
	winner, loser := 0, 1
	if errs[0] != nil {
		winner, loser = 1, 0
	}
	if code := errs[loser].(*exec.ExitError).ExitCode(); code != 1 || !strings.Contains(string(outs[loser]), "another publication finished meanwhile") {
		t.Errorf("the loser ends with %d: %s", code, outs[loser])
	}
	has(t, p.follow(filepath.Join(t.TempDir(), "node")), []string{"second", "third"}[winner])
}

// TestKilledNode kills a node during a fetch: it restarts with a complete release.
func TestKilledNode(t *testing.T) {
	t.Parallel()
	wire := storetest.NewProxy(t, storetest.Serve(t).Addr)
	p := newPublisher(t, wire.URL)
	p.publish(p.build("m0"))
	public := filepath.Join(t.TempDir(), "node")
	n := p.follow(public)
	has(t, n, "m0")
	old := n.answer()
	for i := range 8 {
		mark := fmt.Sprintf("m%d", i+1)
		release := p.build(mark)
		arrived, cut := make(chan struct{}), false
		wire.Set(func(_ int, r *http.Request) storetest.Fault {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/snapshots/") {
				if cut { // a resumed transfer, which would complete the fetch
					return storetest.Fault{Drop: true}
				}
				cut = true
				close(arrived)
				return storetest.Fault{CutAt: int64(1 + i*2000), Wait: time.Duration(i) * time.Millisecond}
			}
			return storetest.Fault{}
		})
		p.must("publish", storeURL, "--public", release, "--patches", "0") // nothing stands in for the snapshot
		<-arrived
		if got := n.answer(); got != old {
			t.Fatalf("while it fetches: %.200s", got)
		}
		n.kill()
		n = p.follow(public)
		storetest.WaitFor(t, "the node to be back", func() bool { return strings.HasPrefix(n.answer(), "200") })
		if got := n.answer(); got != old && strings.Count(got, mark) < 300 {
			t.Fatalf("after a kill: %.200s", got)
		}
		wire.Set(nil)
		has(t, n, mark)
		old = n.answer()
	}
}

// TestReleases lists, promotes and removes releases.
func TestReleases(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, storetest.Serve(t).URL())
	var builds []string
	for _, mark := range []string{"a", "b", "c", "d"} {
		var r struct {
			Build    string
			Sequence int
			Sent     int
			Copied   int
		}
		out := p.must("publish", storeURL, "--public", p.build(mark), "--json")
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Sequence != len(builds)+1 {
			t.Fatalf("%v: %s", err, out)
		}
		builds = append(builds, r.Build)
	}
	if out := p.publish(filepath.Join(p.dir, "d")); !strings.Contains(out, "0 sent") || !strings.Contains(out, "current already (sequence 4)") {
		t.Errorf("again: %s", out)
	}
	p.must("releases", "promote", storeURL, builds[0])
	list := p.must("releases", "list", storeURL)
	for i, want := range []string{"current, as of", "", "", "previous"} {
		line := list[strings.Index(list, builds[i]):]
		if line, _, _ = strings.Cut(line, "\n"); !strings.Contains(line, want) {
			t.Errorf("want %q in %s", want, line)
		}
	}
	if out := p.must("releases", "renew", storeURL); !strings.Contains(out, builds[0]+" is current (sequence 6)") {
		t.Errorf("renew: %s", out)
	}
	list = p.must("releases", "list", storeURL)
	if previous := list[strings.Index(list, builds[3]):]; !strings.HasPrefix(previous, builds[3]) || !strings.Contains(previous[:strings.Index(previous, "\n")], "previous") {
		t.Errorf("renewing forgets the previous release: %s", list)
	}
	for _, dry := range []struct {
		args []string
		want string
	}{
		{[]string{"promote", storeURL, builds[1]}, builds[1] + " would be current (sequence 7)\n"},
		{[]string{"promote", storeURL, builds[0]}, builds[0] + " would stay current (sequence 6)\n"},
		{[]string{"rollback", storeURL}, builds[3] + " would be current (sequence 7); " + builds[0] + " would be withdrawn then\n"},
		{[]string{"renew", storeURL}, builds[0] + " would be current (sequence 7)\n"},
		{[]string{"renew", storeURL, "--sequence", "9"}, builds[0] + " would be current (sequence 9)\n"},
		{[]string{"repair", storeURL}, "would repair 0 of the "},
	} {
		args := append(append([]string{"releases"}, dry.args...), "--dry-run")
		if out := p.must(args...); !strings.HasPrefix(out, dry.want) || p.must("releases", "list", storeURL) != list {
			t.Errorf("%v: %s", args, out)
		}
	}
	dry := p.must("releases", "gc", storeURL, "--keep", "1", "--dry-run")
	if !strings.Contains(dry, "would remove 2 releases, 2 stay") || p.must("releases", "list", storeURL) != list {
		t.Errorf("a dry run: %s", dry)
	}
	if out := p.must("releases", "gc", storeURL, "--keep", "1"); !strings.Contains(out, builds[1]) || !strings.Contains(out, builds[2]) || strings.Contains(out, builds[0]) {
		t.Errorf("gc: %s", out)
	}
	if out, err := p.command("releases", "promote", storeURL, builds[1]).CombinedOutput(); err == nil || !strings.Contains(string(out), "no such release") {
		t.Errorf("promoting what is gone: %v, %s", err, out)
	}
	p.must("releases", "rollback", storeURL)
	has(t, p.follow(filepath.Join(t.TempDir(), "node")), "d")
	for _, args := range [][]string{{"publish"}, {"publish", "ftp://x"}, {"releases", "list"}, {"releases", "drop", storeURL}, {"releases", "promote", storeURL},
		{"releases", "list", storeURL, "--dry-run"}, {"releases", "rollback", storeURL, "--keep", "3"}, {"releases", "renew", storeURL, "--public", "x"}} {
		err := p.command(args...).Run()
		if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 3 {
			t.Errorf("%v: %v", args, err)
		}
	}
}
