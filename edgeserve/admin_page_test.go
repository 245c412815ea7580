package edgeserve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/slowlog"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/wire/release"
)

// rawHost is a request for a host.
func rawHost(method, path, host, fields string) string {
	return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "Content-Length: 0\r\nConnection: close\r\n\r\n"
}

// Every route answers only for addresses and names of the listener, as pages of other sites may lead their names to it.
func TestAdminHosts(t *testing.T) {
	_, admin, _, _ := startAdmin(t, func(c *ServerConfig) { c.AdminHosts = []string{"ops.example"} })
	_, port, _ := net.SplitHostPort(admin)
	for _, c := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "/", "127.0.0.1:" + port, 200},
		{"GET", "/", "localhost:" + port, 200},
		{"GET", "/", "[::1]:" + port, 200},
		{"GET", "/", "ops.example", 200},
		{"HEAD", "/", "OPS.example.:80", 200},
		{"GET", "/", "evil.example", 421},
		{"GET", "/", "localhost.evil.example:" + port, 421},
		{"GET", "/", "192.0.2.1", 200},
		{"GET", "http://evil.example/", "localhost", 421},
		{"GET", statuspage.StylePath, "evil.example", 421},
		{"GET", statuspage.ScriptPath, "evil.example", 421},
		{"GET", statuspage.StylePath, "localhost", 200},
		{"GET", statuspage.ScriptPath, "localhost", 200},
		{"POST", "/", "localhost", 405},
		{"POST", "/", "evil.example", 421},
		{"DELETE", statuspage.ScriptPath, "localhost", 405},
		{"GET", "/livez", "10.1.2.3:9090", 200},
		{"GET", "/readyz", "[2001:db8::7]:9090", 200},
		{"GET", "/metrics", "10.1.2.3:9090", 200},
		{"GET", "/metrics", "ops.example:9090", 200},
		{"GET", "/metrics", "site.localhost", 200},
		{"POST", "/-/reload", "ops.example", 200},
		{"GET", "/livez", "node-7.prod.svc:9090", 421},
		{"HEAD", "/livez", "node-7.prod.svc:9090", 421},
		{"GET", "/readyz", "evil.example", 421},
		{"GET", "/metrics", "evil.example", 421},
		{"GET", "/metrics", "10.1.2.3.evil.example", 421},
		{"GET", "http://evil.example/metrics", "10.1.2.3", 421},
		{"GET", "http://10.1.2.3/metrics", "evil.example", 421},
		{"POST", "/metrics", "evil.example", 421},
		{"POST", "/-/reload", "evil.example", 421},
		{"GET", "/nowhere", "evil.example", 421},
		{"GET", "/nowhere", "localhost", 404},
		{"GET", "/debug/pprof/heap", "localhost", 404},
	} {
		answers, _ := exchange(t, admin, rawHost(c.method, c.path, c.host, ""))
		if len(answers) != 1 || answers[0].StatusCode != c.status {
			t.Errorf("%s %s for %s: %v, want %d", c.method, c.path, c.host, answers, c.status)
			continue
		}
		for _, fields := range []string{"Sec-Fetch-Site: none\r\n", "User-Agent: Prometheus/3.0\r\n", "X-Forwarded-Host: localhost\r\n", "Forwarded: host=localhost\r\n"} {
			if c.status != 421 {
				break
			}
			if again, _ := exchange(t, admin, rawHost(c.method, c.path, c.host, fields)); len(again) != 1 || again[0].StatusCode != 421 {
				t.Errorf("%s %s for %s with %q: %v", c.method, c.path, c.host, fields, again)
			}
		}
		if h := answers[0].Header; c.path == "/" && c.status == 200 && (h.Get("Content-Security-Policy") != statuspage.Policy || h.Get("Cache-Control") != "no-store" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" || h.Get("Access-Control-Allow-Origin") != "") {
			t.Errorf("%s: fields %v", c.host, h)
		}
	}
}

// The refusal names the flag, and the name in --admin is one of the listener.
func TestAdminHostsOfListener(t *testing.T) {
	_, admin, _, _ := startAdmin(t, func(*ServerConfig) {})
	heard, _ := say(t, admin, rawHost("GET", "/metrics", "evil.example", ""))
	if !strings.Contains(string(heard), "--admin-host NAME") || strings.Contains(string(heard), "contentedge_") {
		t.Errorf("%s", heard)
	}
	if heard, _ := say(t, admin, "GET /livez HTTP/1.0\r\n\r\n"); !strings.HasPrefix(string(heard), "HTTP/1.1 200 ") { // a load balancer's probe
		t.Errorf("without Host: %s", heard)
	}
	for _, c := range []struct {
		listens string
		names   []string
		host    string
		want    bool
	}{
		{"node-7:9090", nil, "node-7:9090", true}, {"node-7:9090", nil, "NODE-7.", true}, {"node-7:9090", nil, "node-8:9090", false},
		{":9090", nil, "node-7", false}, {":9090", []string{"*"}, "evil.example", true}, {"node-7:9090", []string{"*"}, "evil.example", true}, {"", nil, "evil.example", false},
	} {
		if got := hostsOfAdmin(&ServerConfig{Admin: c.listens, AdminHosts: c.names}).AllowRequest([]byte(c.host), []byte("/metrics")); got != c.want {
			t.Errorf("%q of %q with %q: %t", c.host, c.listens, c.names, got)
		}
	}
}

var pageFigure = regexp.MustCompile(`<data value="([^"]*)" data-metric="([^"]*)">`)

// pageFigures are the figures of the admin page, by their selectors, and its text.
func pageFigures(t *testing.T, admin string) (map[string]float64, string) {
	t.Helper()
	r, err := http.Get("http://" + admin + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	page := string(b)
	if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d, %v: %s", r.StatusCode, err, page)
	}
	figures := map[string]float64{}
	for _, m := range pageFigure.FindAllStringSubmatch(page, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Errorf("%s: %v", m[0], err)
		}
		figures[strings.ReplaceAll(m[2], "&#34;", `"`)] = v
	}
	return figures, page
}

// The page shows the release, slow searches with their texts as texts, and why a release was refused:
// each thing that is wrong with it.
func TestAdminPage(t *testing.T) {
	public, admin, dir, _ := startAdmin(t, func(c *ServerConfig) {
		c.Settings = []statuspage.Setting{{Name: "poll", Value: "0s", Source: "flag"}}
		c.Versions = []statuspage.Setting{{Name: "Version", Value: "v1.2.3"}}
	})
	const noSlow = "No search of this release has taken more than 1 ms."
	if _, page := pageFigures(t, admin); !strings.Contains(page, noSlow) { // a machine may need longer for any search
		t.Errorf("before the first search the page lacks %q:\n%s", noSlow, page)
	}
	ask(t, public, "GET", listRoot+"/Content_1", "", "")
	ask(t, public, "GET", listRoot+"/Content_9", "", "")
	ask(t, public, "GET", listRoot, "", "")
	ask(t, public, "POST", esRoot, "", `{"query":{"nope":{}}}`)
	figures, page := pageFigures(t, admin)
	for selector, want := range map[string]float64{
		`contentedge_http_requests_total{route="item"}`:               2,
		`contentedge_http_requests_total{route="item",code=~"4.."}`:   1,
		`contentedge_search_rejections_total{code="unknown_query"}`:   1,
		`contentedge_release_items{environment="demo"}`:               float64(len(site.names)),
		`contentedge_memory_budget_bytes{budget="cache"}`:             DefaultCacheBytes,
		`contentedge_release_swaps_total{result="ok"}`:                1,
		`contentedge_http_connections_limit`:                          DefaultMaxConns,
		`contentedge_http_request_duration_seconds_count`:             4,
		`contentedge_cache_misses_total{source="file"}`:               1,
		`contentedge_http_requests_total{route="search",code=~"4.."}`: 1,
	} {
		if figures[selector] != want {
			t.Errorf("%s: %g, want %g", selector, figures[selector], want)
		}
	}
	for _, text := range []string{"Ready: this node serves a release.", "<td>0s<td>flag", "<dt>Version<dd>v1.2.3", "in the last minute"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}

	second := site
	second.note = "second"
	second.write(t, filepath.Join(dir, release.ReleasesDir, "2"))
	snaps, _ := filepath.Glob(filepath.Join(dir, release.ReleasesDir, "2", release.SnapshotDir, "*"))
	flip(t, snaps[0])
	point(t, dir, "2")
	ask(t, admin, "POST", "/-/reload", "", "")
	_, page = pageFigures(t, admin)
	for _, text := range []string{"The last release was refused.", "<h3>Problems</h3><ul><li><code>", "snapshots/demo"} {
		if !strings.Contains(page, text) {
			t.Errorf("after a refusal the page lacks %q", text)
		}
	}
}

// A search that took long is shown with its body, which is text, and only until the next release.
func TestAdminPageSlowSearches(t *testing.T) {
	s, _, admin, dir, _ := startAdminServer(t, nil)
	s.current.Served.Load().Slow.Add(slowlog.Entry{Took: time.Second, Environment: "demo"}, []byte(esRoot), []byte("</code><script>alert(1)</script>"))
	if _, page := pageFigures(t, admin); !strings.Contains(page, "&lt;/code&gt;&lt;script&gt;") || strings.Contains(page, "<script>") {
		t.Errorf("the body is not there, or is markup:\n%s", page)
	}
	if _, text := ask(t, admin, "GET", "/metrics", "", ""); strings.Contains(text, "alert") {
		t.Error("the metrics have the body")
	}
	if _, text := ask(t, admin, "GET", "/readyz", "", ""); strings.Contains(text, "alert") {
		t.Error("the probe has the body")
	}
	second := site
	second.note = "second"
	publish(t, dir, "2", second)
	ask(t, admin, "POST", "/-/reload", "", "")
	if _, page := pageFigures(t, admin); strings.Contains(page, "alert") {
		t.Error("the next release shows searches of the last one")
	}
}

// Without slow searches, or without anybody who could see them, none are remembered.
func TestSlowSearchesAreOff(t *testing.T) {
	s, _, admin, _, _ := startAdminServer(t, func(c *ServerConfig) { c.SlowSearches = 0 })
	if s.current.Served.Load().Slow != nil {
		t.Error("slow searches are remembered")
	}
	if _, page := pageFigures(t, admin); !strings.Contains(page, "They are not remembered") {
		t.Error("the page does not say so")
	}
	cfg := Defaults()
	if n := rememberedSearches(&cfg); n != 0 {
		t.Errorf("without an admin listener %d are remembered", n)
	}
}

// Profiles are off unless asked for. go tool pprof reads them; one processor profile is taken at a time,
// for a bounded time; pages of other sites and other names get none.
func TestProfiles(t *testing.T) {
	_, admin, _, _ := startAdmin(t, func(c *ServerConfig) { c.Profiling = true })
	for _, c := range []struct {
		path, host, fields string
		status             int
	}{
		{"/debug/pprof/heap", "localhost", "", 200},
		{"/debug/pprof/heap", "localhost", "Sec-Fetch-Site: none\r\n", 200},
		{"/debug/pprof/heap", "localhost", "Sec-Fetch-Site: cross-site\r\n", 403},
		{"/debug/pprof/profile?seconds=1", "localhost", "Sec-Fetch-Site: same-site\r\n", 403},
		{"/debug/pprof/heap", "evil.example", "", 421},
		{"/debug/pprof/goroutine", "localhost", "", 200},
		{"/debug/pprof/profile?seconds=0", "localhost", "", 400},
		{"/debug/pprof/profile?seconds=61", "localhost", "", 400},
		{"/debug/pprof/profile?seconds=1e9", "localhost", "", 400},
		{"/debug/pprof/profile?seconds=%zz", "localhost", "", 400},
		{"/debug/pprof/trace", "localhost", "", 404},
		{"/debug/pprof/", "localhost", "", 404},
	} {
		answers, _ := exchange(t, admin, rawHost("GET", c.path, c.host, c.fields))
		if len(answers) != 1 || answers[0].StatusCode != c.status {
			t.Errorf("%s for %s, %q: %v, want %d", c.path, c.host, c.fields, answers, c.status)
		}
	}
	if err := pprof.StartCPUProfile(io.Discard); err != nil { // as another request does
		t.Fatal(err)
	}
	answers, _ := exchange(t, admin, rawHost("GET", "/debug/pprof/profile?seconds=1", "localhost", ""))
	pprof.StopCPUProfile()
	if len(answers) != 1 || answers[0].StatusCode != 503 {
		t.Errorf("a second profile: %v", answers)
	}
	tool, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("no go tool, or a short run: profiles are not read by it")
	}
	for _, profile := range []string{"heap", "profile?seconds=1"} {
		out, err := exec.Command(tool, "tool", "pprof", "-top", "http://"+admin+"/debug/pprof/"+profile).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Showing nodes accounting for") {
			t.Errorf("%s: %v\n%s", profile, err, out)
		}
	}
	if _, page := pageFigures(t, admin); !strings.Contains(page, "This listener serves profiles.") {
		t.Error("the page does not say that there are profiles")
	}
}

// A server that stops does not wait for a profile.
func TestProfileEndsWithTheServer(t *testing.T) {
	s, _ := newServer(t, nil)
	serving, stop := context.WithCancel(t.Context())
	stop()
	ctx, start := newRequestCtx("GET", cpuProfile), time.Now()
	s.profileCPU(serving, ctx, "seconds=60")
	if took := time.Since(start); ctx.Response.StatusCode() != 200 || took > 30*time.Second {
		t.Errorf("%d after %s", ctx.Response.StatusCode(), took)
	}
}

// Clients that ask for what goroutines do, and read slowly, hold the texts alone.
func TestStacksHoldTheirText(t *testing.T) {
	s, _ := newServer(t, func(c *ServerConfig) { c.Admin, c.Profiling = "127.0.0.1:0", true })
	ctx := newRequestCtx("GET", stacks)
	s.profile(t.Context(), stacks, "")(ctx)
	if body := ctx.Response.Body(); !strings.Contains(string(body), "goroutine ") || cap(body) > 2*len(body) {
		t.Errorf("%d bytes hold %d", len(body), cap(body))
	}
}

// What a page costs, with a full history and slow searches: a browser asks for one each five seconds.
func BenchmarkAdminPage(b *testing.B) {
	cfg := Defaults()
	cfg.Admin = "127.0.0.1:0"
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	busyHour(&s.history)
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			s.adminPage().HTML()
		}
	})
	b.Run("minute", func(b *testing.B) {
		var h statuspage.History
		for b.Loop() {
			h.Add(time.Now(), prometheus.Read(s.metricsText()))
		}
	})
	b.Run("metrics", func(b *testing.B) {
		for b.Loop() {
			s.metricsText()
		}
	})
}

// writeTwo writes a release of two environments into a directory. Their snapshots are those that change
// returns for the ones of the manifest.
func writeTwo(t *testing.T, dir string, change func(env string, snap []byte) []byte) {
	t.Helper()
	m := &release.Manifest{Format: release.Format, Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 2}, Checksums: release.Checksums{SHA256: strings.Repeat("0", 64)}}
	for _, env := range []string{"left", "right"} {
		f := fixture{env: env, names: site.names, note: "one"}
		snap := f.snapshot(t)
		sum := sha256.Sum256(snap)
		name := release.SnapshotName(env, sum)
		m.Environments = append(m.Environments, release.Environment{ID: env, Items: len(f.names), Snapshot: release.Snapshot{File: name, Bytes: int64(len(snap)), SHA256: hex.EncodeToString(sum[:])}})
		writeFile(t, filepath.Join(dir, name), change(env, snap))
	}
	writeFile(t, filepath.Join(dir, release.ManifestName), m.Encode())
}

// A refused release is examined to its end: each damaged snapshot, and each that is another one than the
// manifest's.
func TestRefusalListsAllProblems(t *testing.T) {
	_, admin, dir, _ := startAdmin(t, nil)
	for i, c := range []struct {
		want   string
		change func(env string, snap []byte) []byte
	}{
		{"checksum", func(_ string, snap []byte) []byte { snap[len(snap)/2] ^= 1; return snap }},
		{"SHA-256 is not the one", func(env string, _ []byte) []byte {
			return fixture{env: env, names: site.names, note: "two"}.snapshot(t)
		}},
	} {
		name := strconv.Itoa(i + 2)
		writeTwo(t, filepath.Join(dir, release.ReleasesDir, name), c.change)
		point(t, dir, name)
		if a, body := ask(t, admin, "POST", "/-/reload", "", ""); a.StatusCode != 500 || !strings.Contains(body, "(and 1 more problem)") {
			t.Errorf("%d %s", a.StatusCode, body)
		}
		_, page := pageFigures(t, admin)
		_, problems, _ := strings.Cut(page, "<h3>Problems</h3>")
		problems, _, _ = strings.Cut(problems, "</ul>")
		if strings.Count(problems, "<li>") != 2 || strings.Count(problems, c.want) != 2 || !strings.Contains(problems, "snapshots/left") || !strings.Contains(problems, "snapshots/right") {
			t.Errorf("problems, of which two have %q: %s", c.want, problems)
		}
	}
}
