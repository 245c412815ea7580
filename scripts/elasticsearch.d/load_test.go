// This file kills loads of a real cluster at each of their requests, and lets nodes fail under them. `scripts/cluster
// load` runs it with what it needs in the process's environment; without, it skips.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"elasticsearch/index"
	"elasticsearch/release"
)

// loads runs loads of a release, through a proxy that tests give faults.
type loads struct {
	*testing.T
	programs release.Programs
	public   string
	name     string // of the index
	node     *index.Client
	proxy    string // its URL

	mu     sync.Mutex
	before func(w http.ResponseWriter, r *http.Request) bool // guarded by mu; true: it has answered
	after  func(r *http.Request)                             // guarded by mu
}

// loadedEnv is the environment that is loaded, loadedItems its items. They take two bulk requests.
const (
	loadedEnv   = "loaded"
	loadedItems = 1200
)

func newLoads(t *testing.T) *loads {
	urls := strings.Split(setting(t, "CLUSTER_URLS"), ",")
	l := &loads{T: t, programs: release.Programs(setting(t, "ELASTICSEARCH_PROGRAMS")), public: filepath.Join(t.TempDir(), "public"), node: index.New(urls[0])}
	content := t.TempDir()
	var items bytes.Buffer
	for i := range loadedItems {
		data := fmt.Sprintf(`"title":"title %d","long":%q`, i, strings.Repeat(fmt.Sprint("word", i, " "), 700))
		if i%3 == 0 {
			data = fmt.Sprintf(`"title":{"inner":1e2},"n":%d.50`, i)
		}
		fmt.Fprintf(&items, `{"ContentID":"item-%d","Name":"é %d","TemplateName":"T","CreatedAt":"2024-01-01T00:00:%02dZ","Data":{%s}}`+"\n", i, i, i%60, data)
	}
	if err := os.MkdirAll(filepath.Join(content, loadedEnv), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, loadedEnv, "items.ndjson"), items.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := l.programs.Build(content, l.public); err != nil {
		t.Fatal(err)
	}
	m, err := release.Read(l.public)
	if err != nil {
		t.Fatal(err)
	}
	l.name = loadedEnv + "-" + m.Build
	l.remove()
	t.Cleanup(l.remove)
	l.ask("PUT", "/_cluster/settings", `{"transient":{"action.auto_create_index":"true"}}`, http.StatusOK)
	t.Cleanup(func() {
		l.ask("PUT", "/_cluster/settings", `{"transient":{"action.auto_create_index":null,"cluster.*":null}}`, http.StatusOK)
	})
	l.proxy = l.serve(urls[0])
	return l
}

// serve starts a proxy before a node.
func (l *loads) serve(node string) string {
	u, err := url.Parse(node)
	if err != nil {
		l.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(u)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		before, after := l.before, l.after
		l.mu.Unlock()
		if before != nil && before(w, r) {
			return
		}
		recorded := httptest.NewRecorder()
		forward.ServeHTTP(recorded, r)
		if after != nil {
			after(r)
		}
		for name, values := range recorded.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(recorded.Body.Bytes()) // the load may have been killed
	}))
	l.Cleanup(server.Close)
	return server.URL
}

func (l *loads) set(before func(w http.ResponseWriter, r *http.Request) bool, after func(r *http.Request)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before, l.after = before, after
}

// ask sends a request to the node, past the proxy.
func (l *loads) ask(method, path, body string, want ...int) []byte {
	l.Helper()
	var content []byte
	if body != "" {
		content = []byte(body)
	}
	status, text, err := l.node.Do(method, path, content)
	if err != nil {
		l.Fatal(err)
	}
	for _, w := range want {
		if w == status {
			return text
		}
	}
	l.Fatalf("%s %s: %d %.500s", method, path, status, text)
	return nil
}

func (l *loads) remove() { l.ask("DELETE", "/"+l.name, "", http.StatusOK, http.StatusNotFound) }

func (l *loads) command(args ...string) *exec.Cmd {
	to := l.proxy
	if len(args) > 0 && strings.HasPrefix(args[0], "http") {
		to, args = args[0], args[1:]
	}
	args = append([]string{"load", "--to", to, "--from", l.public, "--jobs", "1"}, args...)
	cmd := exec.Command(filepath.Join(string(l.programs), "generator"), args...)
	cmd.Env = append(os.Environ(), "CONTENTEDGE_REPLICAS=0") // for the calls that make replicas
	return cmd
}

// complete runs a load that has to succeed, and compares the index.
func (l *loads) complete(what string, args ...string) {
	l.Helper()
	for _, cmd := range []*exec.Cmd{l.command(args...), l.command(l.node.URL, "--check", "--verify")} {
		if text, err := cmd.CombinedOutput(); err != nil {
			l.Errorf("%s: %v: %v\n%s", what, cmd.Args[1:], err, text)
		}
	}
	l.segments(what)
}

// segments looks that each shard has one segment without deleted documents, and that documents lie in order.
func (l *loads) segments(what string) {
	l.Helper()
	var rows []struct {
		Docs string `json:"docs.count"`
		Gone string `json:"docs.deleted"`
	}
	if err := json.Unmarshal(l.ask("GET", "/_cat/segments/"+l.name+"?format=json", "", http.StatusOK), &rows); err != nil {
		l.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Docs != fmt.Sprint(loadedItems) || rows[0].Gone != "0" {
		l.Errorf("%s: segments: %+v", what, rows)
	}
}

// refused runs a load that has to end with a status and a text.
func (l *loads) refused(status int, want string, args ...string) {
	l.Helper()
	cmd := l.command(args...)
	text, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != status || !strings.Contains(string(text), want) {
		l.Errorf("load %v: %v\n%s", args, err, text)
	}
}

// TestLoadKilled kills a load by SIGKILL at its n-th request, for each n: before the node gets it, and after it has
// answered. The next load completes the index.
func TestLoadKilled(t *testing.T) {
	l := newLoads(t)
	began, kills := time.Now(), 0
	for _, served := range []bool{false, true} {
		for n := 1; ; n++ {
			l.remove()
			cmd, seen, killed := l.command(), 0, false
			var mu sync.Mutex
			kill := func() {
				killed = true
				_ = cmd.Process.Kill()
			}
			started := make(chan struct{})
			l.set(func(_ http.ResponseWriter, _ *http.Request) bool {
				<-started
				mu.Lock()
				defer mu.Unlock()
				if seen++; seen == n && !served {
					kill()
				}
				return killed && !served
			}, func(*http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if seen == n && served {
					kill()
				}
			})
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			close(started)
			err := cmd.Wait()
			l.set(nil, nil)
			if !killed {
				if err != nil || n < 15 {
					t.Errorf("a load ended after %d requests: %v", seen, err)
				}
				break
			}
			kills++
			l.complete(fmt.Sprintf("killed at request %d, served %t", n, served))
		}
	}
	t.Logf("%d kills in %.0f s", kills, time.Since(began).Seconds())
}

// TestLoadTwice starts three loads at once: of one release, and with an index that all of them replace.
func TestLoadTwice(t *testing.T) {
	l := newLoads(t)
	for _, args := range [][]string{nil, {"--replace"}, {"--replace"}} {
		if args == nil {
			l.remove()
		}
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				if text, err := l.command(args...).CombinedOutput(); err != nil {
					t.Errorf("load %v: %v\n%s", args, err, text)
				}
			})
		}
		group.Wait()
		l.complete(fmt.Sprintf("three loads %v", args))
	}
}

// TestLoadFaults lets nodes refuse, end and lie, and fills disks.
func TestLoadFaults(t *testing.T) {
	l := newLoads(t)
	isBulk := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "_bulk") }

	busy := 3
	l.set(func(w http.ResponseWriter, r *http.Request) bool {
		if !isBulk(r) || busy == 0 {
			return false
		}
		busy--
		http.Error(w, "busy", http.StatusTooManyRequests)
		return true
	}, nil)
	l.complete("a node that is busy for a while")

	l.remove()
	l.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if isBulk(r) {
			change(t, r, `"rank·":7,`, `"rank·":"none",`)
		}
		return false
	}, nil)
	l.refused(2, "generator: refused: the cluster does not take an item")
	l.set(nil, nil)
	l.complete("after a refused item")

	l.remove()
	l.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if isBulk(r) {
			change(t, r, `word8 word8`, `word8 word9`)
		}
		return false
	}, nil)
	l.refused(1, "differs from the release")
	l.set(nil, nil)
	l.refused(1, "--replace recreates it")
	l.complete("after another document", "--replace")

	l.remove()
	vanished := false
	l.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if isBulk(r) && !vanished {
			vanished = true
			l.remove()
		}
		return false
	}, nil)
	l.complete("an index that vanished while it was filled")

	l.remove()
	ended := false
	l.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if ended = ended || isBulk(r); ended {
			panic(http.ErrAbortHandler)
		}
		return false
	}, nil)
	l.complete("a node that ends, of two", l.proxy+","+l.node.URL)

	// The disks count as full while a bulk request is on its way.
	l.remove()
	full := false
	l.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if isBulk(r) && !full {
			full = true
			l.watermarks(`"1%"`)
			l.until("the disks are full", func() bool {
				return bytes.Contains(l.ask("GET", "/"+l.name+"/_settings", "", http.StatusOK), []byte("read_only_allow_delete"))
			})
		}
		return false
	}, nil)
	l.refused(1, "the disks of the cluster are too full")
	l.set(nil, nil)
	l.watermarks(`null`)
	l.until("the disks have room", func() bool {
		return !bytes.Contains(l.ask("GET", "/"+l.name+"/_settings", "", http.StatusOK), []byte("read_only_allow_delete"))
	})
	l.complete("after full disks")
}

// watermarks sets from which use on disks are full.
func (l *loads) watermarks(value string) {
	const name = `"cluster.routing.allocation.disk.`
	l.ask("PUT", "/_cluster/settings", `{"transient":{"cluster.info.update.interval":"10s",`+name+`threshold_enabled":true,`+
		name+`watermark.low":`+value+`,`+name+`watermark.high":`+value+`,`+name+`watermark.flood_stage":`+value+`}}`, http.StatusOK)
}

// until waits for a condition.
func (l *loads) until(what string, is func() bool) {
	l.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Errorf("not in three minutes: %s", what)
			return
		}
	}
}

// change replaces a text in a request.
func change(t *testing.T, r *http.Request, from, to string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	body = bytes.ReplaceAll(body, []byte(from), []byte(to))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}
