// This file tests the edge server over time with valid and hostile requests and swaps:
// no resource may grow. It runs for a few seconds; scripts/soak sets the duration.
package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

const (
	soakDefault = 4 * time.Second
	soakSamples = 60
	soakClients = 3
)

// soakSlack is the permitted growth between the first and the last third of a run of
// any length. Connections come and go, and the heap size varies.
var soakSlack = map[string]float64{"goroutines": 32, "descriptors": 32, "mappings": 2, "memory": 24 << 20}

// soaked is the edge server under test.
type soaked struct {
	cmd            *exec.Cmd
	public         string   // directory
	releases       []string // names to point to
	base, admin    string
	log            string // file
	bodies         sync.Map
	valid, attacks atomic.Int64
	swaps          int
}

func TestSoak(t *testing.T) {
	length := soakDefault
	if text := os.Getenv("TEST_CONTENTEDGE_SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		length = time.Second
	}
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip("what a process holds is read from /proc")
	}
	s := startSoaked(t)
	s.target(t, "/readyz")
	idle := s.sample(t)
	end := time.Now().Add(length)
	var wg sync.WaitGroup
	for i := range soakClients {
		wg.Go(func() { s.client(t, uint64(i), end) })
	}
	wg.Go(func() { s.swapper(t, end) })
	samples := map[string][]float64{}
	for range soakSamples {
		time.Sleep(length / soakSamples) // the interval of samples, not a wait for a condition
		for name, v := range s.sample(t) {
			samples[name] = append(samples[name], v)
		}
	}
	wg.Wait()
	judge(t, samples)
	s.settles(t, idle)
	t.Logf("%s: %d valid answers, %d hostile requests, %d swaps", length, s.valid.Load(), s.attacks.Load(), s.swaps)
}

// judge compares the medians of the second and the last third.
func judge(t *testing.T, samples map[string][]float64) {
	for name, v := range samples {
		third := len(v) / 3
		from, to := median(v[third:2*third]), median(v[2*third:])
		t.Logf("%s: %.0f, then %.0f", name, from, to)
		if to > from+soakSlack[name] {
			t.Errorf("%s grew from %.0f to %.0f: %.0f", name, from, to, v)
		}
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// settles waits until the server has no more connections and releases than before the
// first request. Goroutines may exceed it, because Fiber's worker pool keeps them for
// some seconds.
func (s *soaked) settles(t *testing.T, idle map[string]float64) {
	http.DefaultClient.CloseIdleConnections()
	storetest.WaitFor(t, "the server to let go of what it held", func() bool {
		now := s.sample(t)
		return now["goroutines"] <= idle["goroutines"]+soakSlack["goroutines"] && now["descriptors"] <= idle["descriptors"]+3 && now["mappings"] <= idle["mappings"]
	})
	log, err := os.ReadFile(s.log)
	if err != nil || bytes.Contains(log, []byte("panicked")) || len(log) > 1<<20+1000*s.swaps {
		t.Errorf("%v, %d bytes of log:\n%.2000s", err, len(log), log)
	}
	if n := s.metric(t, "contentedge_http_panics_total"); n > 0 {
		t.Errorf("%g panics", n)
	}
}

// startSoaked builds two releases and serves one.
func startSoaked(t *testing.T) *soaked {
	bin := binaries(t, "generator", "edgeserve")
	dir := t.TempDir()
	s := &soaked{public: filepath.Join(dir, "public"), log: filepath.Join(dir, "log")}
	content := filepath.Join(dir, "content")
	if err := os.CopyFS(content, os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		more := fmt.Sprintf(`{"ContentID":"Content_soak","Name":"soak %d","TemplateName":"Soak","CreatedAt":"2024-01-01T00:00:00Z","Data":{}}`, i)
		if err := os.WriteFile(filepath.Join(content, "site", "soak.json"), []byte(more), 0o644); err != nil {
			t.Fatal(err)
		}
		buildSite(t, bin["generator"], content, s.public)
		release, err := os.Readlink(filepath.Join(s.public, "current"))
		if err != nil {
			t.Fatal(err)
		}
		s.releases = append(s.releases, release)
	}
	s.start(t, exec.Command(bin["edgeserve"], "--public", s.public, "--addr", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--poll", "100ms", "--access-log",
		"--fast-path", cmp.Or(os.Getenv("TEST_CONTENTEDGE_FAST_PATH"), "auto")))
	return s
}

// start starts the server with its log, and waits until it is ready.
func (s *soaked) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.cmd = cmd
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if t.Failed() {
			t.Logf("%.5000s", readFile(t, s.log))
		}
	})
	s.base = "http://" + s.logged(t, `"listening","address":"([^"]+)"`)
	s.admin = "http://" + s.logged(t, `"admin listening","address":"([^"]+)"`)
	s.logged(t, "serving (release)")
}

// logged waits for a log line and returns the parenthesized group.
func (s *soaked) logged(t *testing.T, pattern string) (found string) {
	re := regexp.MustCompile(pattern)
	storetest.WaitFor(t, pattern, func() bool {
		log, _ := os.ReadFile(s.log)
		m := re.FindSubmatch(log)
		if m != nil {
			found = string(m[1])
		}
		return m != nil
	})
	return found
}

// sample measures the process's resources.
func (s *soaked) sample(t *testing.T) map[string]float64 {
	proc := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	maps, err := os.ReadFile(proc + "maps")
	fds, err2 := os.ReadDir(proc + "fd")
	status, err3 := os.ReadFile(proc + "status")
	if err != nil || err2 != nil || err3 != nil {
		t.Fatal(err, err2, err3)
	}
	_, rest, there := strings.Cut(string(status), "RssAnon:")
	if !there {
		t.Fatal("the server has ended")
	}
	anon, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]float64{
		"goroutines": s.metric(t, "go_goroutines"), "descriptors": float64(len(fds)),
		"mappings": float64(bytes.Count(maps, []byte("/snapshots/"))), "memory": 1024 * anon,
	}
}

// metric reads a sample from the admin listener.
func (s *soaked) metric(t *testing.T, name string) float64 {
	for line := range strings.SplitSeq(get(t, s.admin+"/metrics"), "\n") {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(rest, 64)
			if err != nil {
				t.Fatal(line)
			}
			return v
		}
	}
	t.Errorf("no metric %s", name)
	return 0
}

// swapper changes the release by polling, SIGHUP and the admin listener in turn.
func (s *soaked) swapper(t *testing.T, end time.Time) {
	for i := 0; time.Now().Before(end); i++ {
		link := filepath.Join(s.public, "next")
		if err := os.Symlink(s.releases[i%2], link); err != nil {
			t.Error(err)
			return
		}
		if err := os.Rename(link, filepath.Join(s.public, "current")); err != nil {
			t.Error(err)
			return
		}
		build := filepath.Base(s.releases[i%2])
		switch i % 3 {
		case 1:
			_ = s.cmd.Process.Signal(syscall.SIGHUP)
		case 2:
			r, err := http.Post(s.admin+"/-/reload", "", nil)
			if err != nil || r.StatusCode != http.StatusOK {
				t.Errorf("reload: %v %v", r, err)
				return
			}
			r.Body.Close()
		}
		storetest.WaitFor(t, "the swap to "+build, func() bool { return strings.Contains(get(t, s.admin+"/readyz"), build) })
		s.swaps++
	}
}

// client sends valid and hostile requests until the end.
func (s *soaked) client(t *testing.T, seed uint64, end time.Time) {
	rnd := rand.New(rand.NewPCG(seed, seed))
	for time.Now().Before(end) && !t.Failed() {
		if rnd.IntN(4) > 0 {
			s.target(t, validTargets[rnd.IntN(len(validTargets))])
		} else {
			s.hostile(hostileBytes[rnd.IntN(len(hostileBytes))], rnd)
		}
	}
}

// validTargets are paths; a target with a body after a space is a search.
var validTargets = []string{
	"/cda/rest/v1/site/contents", "/cda/rest/v1/site/contents/Content_soak", "/cda/rest/v1/site/contents?page=2&pageSize=3",
	"/cda/rest/v1/events/contents?sort=Name&sortAsc=true", "/livez", "/readyz",
	`/cda/es/v1/site {"query":{"query_string":{"query":"bread OR s*"}}}`,
	`/cda/es/v1/site {"size":0,"aggs":{"t":{"terms":{"field":"TemplateName.keyword"}}}}`,
}

// target expects 200 and, with two releases, at most two different bodies.
func (s *soaked) target(t *testing.T, target string) {
	path, body, search := strings.Cut(target, " ")
	var r *http.Response
	var err error
	if search {
		r, err = http.Post(s.base+path, "application/json", strings.NewReader(body))
	} else {
		r, err = http.Get(s.base + path)
	}
	if err != nil {
		t.Errorf("%s: %v", target, err)
		return
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%s: %d %v %s", target, r.StatusCode, err, b)
		return
	}
	seen, _ := s.bodies.LoadOrStore(target, &sync.Map{})
	seen.(*sync.Map).Store(string(b), true)
	n := 0
	seen.(*sync.Map).Range(func(any, any) bool { n++; return true })
	if n > len(s.releases) {
		t.Errorf("%s has been answered in %d ways", target, n)
	}
	s.valid.Add(1)
}

// hostileBytes are sent only by malicious clients; # stands for some kilobytes.
var hostileBytes = []string{
	"GET /cda/rest/v1/site/contents/..%2f..%2fmanifest.json HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /%0d%0a\x1b[31m HTTP/1.1\r\nHost: a\r\nX-Request-Id: \x1b\r\n\r\n",
	"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00", "G", "FOO * HTTP/9.9\r\nHost: a\r\n\r\n",
	"GET /# HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: ########\r\n\r\n",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n{",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: 30000\r\n\r\n((((#",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n#",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: 55\r\n\r\n" + `{"query":{"regexp":{"Name":"(((((((((a*)*)*)*)*)*)*)*"`,
	"GET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: a\r\n\r\nGET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
}

// hostile sends bytes and disconnects, sometimes before the response.
func (s *soaked) hostile(text string, rnd *rand.Rand) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		return // valid requests report a dead server
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(50 * time.Millisecond))
	_, _ = io.WriteString(conn, strings.ReplaceAll(text, "#", strings.Repeat("(", 4000)))
	if rnd.IntN(2) == 0 {
		_, _ = io.Copy(io.Discard, conn)
	}
	s.attacks.Add(1)
}
