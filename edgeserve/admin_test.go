package edgeserve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/release"
)

// logBuffer is a log that a test reads while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// waitFor returns the first match of a pattern in the log.
func (l *logBuffer) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patient); time.Now().Before(end); runtime.Gosched() {
		if m := re.FindStringSubmatch(l.String()); m != nil {
			return m[len(m)-1]
		}
	}
	t.Fatalf("nothing like %s in the log:\n%s", pattern, l.String())
	return ""
}

// startAdmin serves a public directory that holds the site, with an admin listener.
func startAdmin(t *testing.T, change func(*ServerConfig)) (public, admin, dir string, log *logBuffer) {
	t.Helper()
	_, public, admin, dir, log = startAdminServer(t, change)
	return public, admin, dir, log
}

// startAdminServer is startAdmin for a test that needs the server.
func startAdminServer(t *testing.T, change func(*ServerConfig)) (s *Server, public, admin, dir string, log *logBuffer) {
	t.Helper()
	log, dir = &logBuffer{}, t.TempDir()
	publish(t, dir, "1", site)
	s, public = startServer(t, func(c *ServerConfig) {
		c.Public, c.Admin, c.PollInterval = dir, "127.0.0.1:0", 0
		c.Logger = slog.New(slog.NewJSONHandler(log, nil))
		if change != nil {
			change(c)
		}
	})
	admin = log.waitFor(t, `"admin listening","address":"([^"]+)"`)
	log.waitFor(t, "serving release")
	return s, public, admin, dir, log
}

// metric reads a sample of /metrics; what is not there is 0.
func metric(t *testing.T, admin, series string) float64 {
	t.Helper()
	_, text := ask(t, admin, "GET", "/metrics", "", "")
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(rest, 64)
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			return v
		}
	}
	return 0
}

func TestAdminRoutes(t *testing.T) {
	public, admin, _, _ := startAdmin(t, nil)
	for _, c := range []struct {
		name, addr, method, path, fields string
		status                           int
		allow                            string
	}{
		{"live", admin, "GET", "/livez", "", 200, ""},
		{"ready", admin, "GET", "/readyz", "", 200, ""},
		{"head", admin, "HEAD", "/metrics", "", 200, ""},
		{"reload", admin, "POST", "/-/reload", "", 200, ""},
		{"reload by GET", admin, "GET", "/-/reload", "", 405, "POST"},
		{"post to metrics", admin, "POST", "/metrics", "", 405, "GET, HEAD"},
		{"preflight", admin, "OPTIONS", "/-/reload", "", 405, "POST"},
		{"reload from a page", admin, "POST", "/-/reload", "Origin: http://a\r\n", 403, ""},
		{"reload from a page, said otherwise", admin, "POST", "/-/reload", "Sec-Fetch-Site: cross-site\r\n", 403, ""},
		{"no content here", admin, "GET", listRoot, "", 404, ""},
		{"guarded", admin, "GET", "/livez", "X : y\r\n", 400, ""},
		{"no metrics in public", public, "GET", "/metrics", "", 404, ""},
		{"no reload in public", public, "POST", "/-/reload", "", 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, body := ask(t, c.addr, c.method, c.path, c.fields, "")
			if a.StatusCode != c.status || a.Header.Get("Allow") != c.allow {
				t.Errorf("%d, Allow %q, %s; want %d, %q", a.StatusCode, a.Header.Get("Allow"), body, c.status, c.allow)
			}
			if c.addr == admin && (a.Header.Get("Access-Control-Allow-Origin") != "" || a.Header.Get("Cache-Control") == "" || c.status == 200 && a.Header.Get("Cache-Control") != "no-store") {
				t.Errorf("headers %v", a.Header)
			}
		})
	}
}

// A reload swaps to a new release, and says why it does not; the counts tell both.
func TestAdminReload(t *testing.T) {
	_, admin, dir, log := startAdmin(t, nil)
	second := site
	second.note = "second"
	build := publish(t, dir, "2", second)
	if a, body := ask(t, admin, "POST", "/-/reload", "", ""); a.StatusCode != 200 || !strings.Contains(body, build) {
		t.Errorf("%d %s, want build %s", a.StatusCode, body, build)
	}
	third := site
	third.note = "third"
	third.write(t, filepath.Join(dir, release.ReleasesDir, "3"))
	snaps, _ := filepath.Glob(filepath.Join(dir, release.ReleasesDir, "3", release.SnapshotDir, "*"))
	flip(t, snaps[0])
	point(t, dir, "3")
	for range 2 {
		if a, body := ask(t, admin, "POST", "/-/reload", "", ""); a.StatusCode != 500 || !strings.Contains(body, "releases/3: snapshots") {
			t.Errorf("a broken release: %d %s", a.StatusCode, body)
		}
	}
	if a, body := ask(t, admin, "GET", "/readyz", "", ""); a.StatusCode != 200 || !strings.Contains(body, build) || !strings.Contains(body, "releases/3: snapshots") {
		t.Errorf("after it: %d %s", a.StatusCode, body)
	}
	log.waitFor(t, `(?s)"release refused".*`+build+`.*"release refused".*`+build)
	for series, want := range map[string]float64{
		`contentedge_release_swaps_total{result="ok"}`:     2,
		`contentedge_release_swaps_total{result="failed"}`: 1,
		`contentedge_release_info{build="` + build + `"}`:  1,
		`contentedge_release_items{environment="demo"}`:    float64(len(site.names)),
	} {
		if got := metric(t, admin, series); got != want {
			t.Errorf("%s: %g, want %g", series, got, want)
		}
	}
	if age := metric(t, admin, "contentedge_release_age_seconds"); age <= 0 || age > 60 {
		t.Errorf("age %g s", age)
	}
}

// Callers that come while a release is being verified share one further attempt.
func TestReloadsAreShared(t *testing.T) {
	dir := t.TempDir()
	publish(t, dir, "1", site)
	cfg := Defaults()
	cfg.Public, cfg.Logger = dir, slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Swap(nil)
	s.reloading.Lock() // as an attempt under way does
	const callers = 50
	joined, errs := make(chan *reload, callers), make(chan error, callers)
	for range callers {
		go func() {
			joined <- s.joinReload()
			errs <- s.Reload(t.Context())
		}()
	}
	one := <-joined
	for range callers - 1 {
		if <-joined != one {
			t.Fatal("two attempts wait")
		}
	}
	s.reloading.Unlock()
	for range callers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	s.endReloads()
	if err := s.Reload(t.Context()); err != errStopped {
		t.Errorf("after the end: %v", err)
	}
}

// Every answer is counted under its route and status, whoever gave it.
func TestRequestsAreCounted(t *testing.T) {
	public, admin, dir, _ := startAdmin(t, func(c *ServerConfig) { c.BodyLimit = 300 })
	remove(t, filepath.Join(dir, "releases/1/cda/rest/v1/demo/contents/Content_2.json"))
	for _, c := range []struct{ raw, series string }{
		{"GET " + listRoot + "/Content_1 HTTP/1.1\r\nHost: a\r\n\r\n", `requests_total{route="item",code="200"}`},
		{"GET " + listRoot + "/Content_9 HTTP/1.1\r\nHost: a\r\n\r\n", `requests_total{route="item",code="404"}`},
		{"GET " + listRoot + " HTTP/1.1\r\nHost: a\r\n\r\n", `requests_total{route="list",code="200"}`},
		{"PUT " + listRoot + " HTTP/1.1\r\nHost: a\r\n\r\n", `requests_total{route="list",code="405"}`},
		{"POST " + esRoot + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", `requests_total{route="search",code="200"}`},
		{"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n", `requests_total{route="unknown",code="404"}`},
		{"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", `requests_total{route="probe",code="200"}`},
		{"GET /livez HTTP/1.1\r\n\r\n", `requests_total{route="malformed",code="400"}`},
		{"GET /livez HTTP/1.1\r\nno colon\r\n\r\n", `requests_total{route="malformed",code="400"}`},
		{"POST " + esRoot + " HTTP/1.1\r\nHost: a\r\nContent-Length: 301\r\n\r\n", `requests_total{route="malformed",code="413"}`},
		{"POST " + esRoot + " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 301\r\n\r\n", `requests_total{route="malformed",code="413"}`},
	} {
		series := "contentedge_http_" + c.series
		before := metric(t, admin, series)
		if answers, _ := exchange(t, public, c.raw); len(answers) != 1 {
			t.Errorf("%q: %d answers", c.raw, len(answers))
		}
		if got := metric(t, admin, series) - before; got != 1 {
			t.Errorf("%q: %s rose by %g", c.raw, series, got)
		}
	}
	ask(t, public, "POST", esRoot, "", `{"query":{"match":{"Name":"x"}}}`)
	ask(t, public, "POST", esRoot, "", `{"query":{"nope":{}}}`)
	ask(t, public, "GET", listRoot+"/Content_2", "", "")
	ask(t, public, "GET", listRoot+"?page=2", "", "")
	for series, want := range map[string]float64{
		`contentedge_searches_total{kind="match_all"}`:                  1,
		`contentedge_searches_total{kind="match"}`:                      1,
		`contentedge_searches_total{kind="list"}`:                       1,
		`contentedge_search_rejections_total{code="unknown_query"}`:     1,
		"contentedge_release_missing_files_total":                       1, // of the list
		`contentedge_http_request_duration_seconds_count{route="item"}`: 3,
		`contentedge_http_response_bytes_total{route="list"}`: float64(len(site.list(5, 0, 1)) + len(site.list(5, 2, 3)) +
			len(`{"status":405,"error":{"code":"method_not_allowed","message":"this address does not take that method; see Allow"}}`)),
	} {
		if got := metric(t, admin, series); got != want {
			t.Errorf("%s: %g, want %g", series, got, want)
		}
	}
	waitFor(t, "no request is in flight", func() bool { return metric(t, admin, "contentedge_http_requests_in_flight") == 0 })
}

// A request's id is the client's if it can be, and comes back only where no cache may
// keep the answer.
func TestRequestID(t *testing.T) {
	log := &logBuffer{}
	public, _, _, _ := startAdmin(t, func(c *ServerConfig) {
		c.AccessLog = logs.NewAccess(log, logs.JSON)
		t.Cleanup(func() { _ = c.AccessLog.Close(t.Context()) })
	})
	for _, c := range []struct {
		what, method, path, fields string
		echoed                     string // "new": one made here
	}{
		{"a cacheable answer", "GET", listRoot, "X-Request-Id: mine-1\r\n", ""},
		{"a cacheable error", "GET", "/nowhere", "X-Request-Id: mine-2\r\n", ""},
		{"an error nobody keeps", "PUT", listRoot, "X-Request-Id: mine-3\r\n", "mine-3"},
		{"without one", "PUT", listRoot, "", "new"},
		{"one with odd bytes", "PUT", listRoot, "X-Request-Id: a b\x1b[31m\r\n", "new"},
		{"one that is not ASCII", "PUT", listRoot, "X-Request-Id: \xff\xfe\r\n", "new"},
		{"one too long", "PUT", listRoot, "X-Request-Id: " + strings.Repeat("a", 65) + "\r\n", "new"},
	} {
		a, _ := ask(t, public, c.method, c.path, c.fields, "")
		got := a.Header.Get("X-Request-Id")
		if c.echoed == "new" {
			if !logs.ValidID([]byte(got)) || strings.Contains(c.fields, got) {
				t.Errorf("%s: id %q", c.what, got)
			}
		} else if got != c.echoed {
			t.Errorf("%s: id %q, want %q", c.what, got, c.echoed)
		}
	}
	for _, id := range []string{"mine-1", "mine-2", "mine-3"} {
		log.waitFor(t, `"id":"`+id+`"`)
	}
}

// Whatever a client sends, a request is one line of printable ASCII.
func TestAccessLogInjection(t *testing.T) {
	log := &logBuffer{}
	public, _, _, _ := startAdmin(t, func(c *ServerConfig) {
		c.AccessLog = logs.NewAccess(log, logs.JSON)
		t.Cleanup(func() { _ = c.AccessLog.Close(t.Context()) })
	})
	hostile := []string{
		"/%0d%0a%1b[31m", "/\x1b[31m", "/\u202e\u009b", "/\"}{\"msg\":\"request\"", `/\`, "/\xff\xfe", "/" + strings.Repeat("a", 5000), "/\x7f",
	}
	for _, target := range hostile {
		for _, method := range []string{"GET", "G\x1bT"} {
			exchange(t, public, method+" "+target+" HTTP/1.1\r\nHost: a\r\nX-Request-Id: x\x01\r\nConnection: close\r\n\r\n")
		}
	}
	exchange(t, public, "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	exchange(t, public, "GET /of/1.0 HTTP/1.0\r\n\r\n")
	exchange(t, public, "GET / HTTP/1.1\r\nHost: a\r\nno field\r\n\r\n")
	log.waitFor(t, `"method":"GET","host":"a","target":"/","protocol":"HTTP/1.1","status":400,"error":"bad_request".*\n`)
	log.waitFor(t, `"method":"GET","host":"","target":"/of/1.0".*\n`)
	exchange(t, public, "GET /the/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	log.waitFor(t, "/the/last.*\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(log.String(), "\n"), "\n") {
		var v struct {
			Msg, ID, Target string
			Status          int
			Bytes           *int
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil || v.Msg != "request" || !logs.ValidID([]byte(v.ID)) || v.Status < 200 || v.Bytes == nil {
			t.Errorf("%q: %v", line, err)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return r < 0x20 || r > 0x7e }); i >= 0 || len(line) > 8000 {
			t.Errorf("%d bytes, byte %d of %q", len(line), i, line)
		}
		if v.Target == "/livez" {
			t.Error("a probe is logged")
		}
	}
}

// newRequestCtx is a request as a handler gets it.
func newRequestCtx(method, target string) *fasthttp.RequestCtx {
	var req fasthttp.Request
	req.Header.SetMethod(method)
	req.SetRequestURI(target)
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&req, nil, nil)
	return ctx
}

// Without an access log, observing a request costs no memory.
func TestObserveAllocatesNothing(t *testing.T) {
	s, err := New(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	ctx := newRequestCtx("GET", listRoot)
	n := testing.AllocsPerRun(100, func() {
		ctx.ResetUserValues()
		s.telemetry.requests.Began()
		setRoute(ctx, routeOfKind(1))
		s.observer.recordResponse(ctx)
	})
	if n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	s, err := New(Defaults())
	if err != nil {
		b.Fatal(err)
	}
	b.RunParallel(func(pb *testing.PB) {
		ctx := newRequestCtx("GET", listRoot)
		began := time.Now()
		for pb.Next() {
			_ = time.Since(began) // finished does so where the engine set the time
			ctx.ResetUserValues()
			s.telemetry.requests.Began()
			setRoute(ctx, routeOfKind(1))
			s.observer.recordResponse(ctx)
		}
	})
}

// An address that is taken ends the start; nothing is served half.
func TestAdminAddressTaken(t *testing.T) {
	_, admin, _, _ := startAdmin(t, nil)
	cfg := Defaults()
	cfg.Public, cfg.Addr, cfg.Admin = t.TempDir(), "127.0.0.1:0", admin
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "admin") {
		t.Errorf("Listen: %v", err)
	}
}

// While requests are drained the operator's probe says so; the listener stays for it.
func TestAdminWhileDraining(t *testing.T) {
	log, dir := &logBuffer{}, t.TempDir()
	publish(t, dir, "1", site)
	cfg := Defaults()
	cfg.Public, cfg.Addr, cfg.Admin, cfg.PollInterval, cfg.DrainGrace = dir, "127.0.0.1:0", "127.0.0.1:0", 0, 0
	cfg.Logger = slog.New(slog.NewJSONHandler(log, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Listen(ctx) }()
	admin := log.waitFor(t, `"admin listening","address":"([^"]+)"`)
	conn, err := net.Dial("tcp", log.waitFor(t, `"listening","address":"([^"]+)"`))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	log.waitFor(t, "serving release")
	if _, err := io.WriteString(conn, "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	for s.telemetry.node.Connections.Load() < 1 {
		runtime.Gosched()
	}
	stop()
	log.waitFor(t, "draining")
	if a, body := ask(t, admin, "GET", "/readyz", "", ""); a.StatusCode != 503 || !strings.Contains(body, "stopping") {
		t.Errorf("ready: %d %s", a.StatusCode, body)
	}
	if a, _ := ask(t, admin, "GET", "/livez", "", ""); a.StatusCode != 200 {
		t.Errorf("live: %d", a.StatusCode)
	}
	if _, err := io.WriteString(conn, "}"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Connections above a limit are counted, of one address as of all.
func TestTurnedAwayIsCounted(t *testing.T) {
	for name, limit := range map[string]func(*ServerConfig){
		"all":         func(c *ServerConfig) { c.MaxConns = 1 },
		"one address": func(c *ServerConfig) { c.MaxConnsPerIP = 1 },
	} {
		public, admin, _, _ := startAdmin(t, limit)
		first, err := net.Dial("tcp", public)
		if err != nil {
			t.Fatal(err)
		}
		defer first.Close()
		if _, err := io.WriteString(first, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nG"); err != nil {
			t.Fatal(err)
		}
		if _, err := first.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if a, _ := ask(t, public, "GET", "/livez", "", ""); a.StatusCode != 503 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
		if n := metric(t, admin, "contentedge_http_connections_refused_total"); n != 1 {
			t.Errorf("%s: %g counted", name, n)
		}
	}
}

// quietSource is a source that has brought nothing yet.
type quietSource struct{}

func (quietSource) State() any { return map[string]bool{"stale": true} }

func (quietSource) Problem() string { return "the store is silent" }

func (quietSource) WriteMetrics(t *prometheus.Text) {
	t.Family("contentedge_follow_stale", "gauge", "Quiet.")
	t.Uint(1)
}

// A node that follows waits for its first release without calling that an error, and
// says how its source is; a source that fails makes nobody unready.
func TestSource(t *testing.T) {
	dir, log := t.TempDir(), &logBuffer{}
	s, public := startServer(t, func(c *ServerConfig) {
		c.Public, c.Admin, c.PollInterval, c.Source = dir, "127.0.0.1:0", time.Millisecond, quietSource{}
		c.Logger = slog.New(slog.NewJSONHandler(log, nil))
	})
	admin := log.waitFor(t, `"admin listening","address":"([^"]+)"`)
	log.waitFor(t, "waiting for the first release")
	if a, body := ask(t, admin, "GET", "/readyz", "", ""); a.StatusCode != 503 || !strings.Contains(body, `no release has arrived yet: the store is silent`) {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	publish(t, dir, "1", site)
	log.waitFor(t, "serving release")
	waitFor(t, "the release is noted", func() bool { return s.refusal.Load() == nil })
	if a, body := ask(t, admin, "GET", "/readyz", "", ""); a.StatusCode != 200 || !strings.Contains(body, `"error":"","following":{"stale":true}`) {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	if a, _ := ask(t, public, "GET", "/readyz", "", ""); a.StatusCode != 200 {
		t.Errorf("clients: %d", a.StatusCode)
	}
	if metric(t, admin, "contentedge_follow_stale") != 1 || metric(t, admin, `contentedge_release_swaps_total{result="failed"}`) != 0 {
		t.Error("metrics")
	}
	if n := strings.Count(log.String(), "waiting for the first"); n != 1 || strings.Contains(log.String(), "ERROR") {
		t.Errorf("%d times:\n%s", n, log.String())
	}
}
