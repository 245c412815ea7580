package edgeserve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/contentcoding"
)

// computeOnce computes a response, which must be possible. It reports whether Compute left the loop.
func computeOnce(t *testing.T, s *Server, r *fastpath.Request) (a fastpath.Response, left bool) {
	t.Helper()
	a, ok := s.fast.compute(r, time.Now(), func() { left = true })
	if !ok {
		t.Fatalf("%s %s is not made", r.Target, r.Body)
	}
	return a, left
}

// leaves reports whether the computation of a response leaves the event loop.
func leaves(t *testing.T, s *Server, r *fastpath.Request) bool {
	t.Helper()
	a, left := computeOnce(t, s, r)
	if a.Done != nil {
		a.Done()
	}
	return left
}

// Compute leaves the event loop before it reads the disk or works for long, and for nothing else.
func TestLongWorkLeavesTheLoop(t *testing.T) {
	long := site
	long.note = strings.Repeat("many words ", bodies.Large/4)
	s, _, _ := startSite(t, long)
	bare, _ := startSnapshotOnly(t, long, nil)
	short, _, _ := startSite(t, site)
	_, err := short.current.Served.Load().Generation.Dir.OpenCached(firstPage, 1<<20)
	waits := err != nil // on the disk: the system cannot tell what it has in memory
	search := func(body string) *fastpath.Request {
		return &fastpath.Request{Post: true, Target: []byte(esRoot), Body: []byte(body)}
	}
	const nothing, blank = `{"query":{"ids":{"values":[]}}`, 32 << 10
	for _, c := range []struct {
		name   string
		server *Server
		asked  *fastpath.Request
		want   bool
	}{
		{"short", s, search(nothing + "}"), false},
		{"long body", s, search(nothing + strings.Repeat(" ", blank) + "}"), true},
		{"long body with a fault", s, search(nothing + strings.Repeat(" ", blank)), true},
		{"long answer", s, search(`{}`), true},
		{"both", s, search("{" + strings.Repeat(" ", blank) + "}"), true},
		{"long list", s, &fastpath.Request{Target: []byte(listRoot + "?pageSize=4")}, true},
		{"long item without a file", bare, &fastpath.Request{Target: []byte(listRoot + "/Content_1")}, true},
		{"list page", s, &fastpath.Request{Target: []byte(listRoot)}, true},
		{"list page again", s, &fastpath.Request{Target: []byte(listRoot)}, false},
		{"long item", s, &fastpath.Request{Target: []byte(listRoot + "/Content_2")}, true},
		{"item", short, &fastpath.Request{Target: []byte(listRoot + "/Content_2")}, false},
		{"short list page", short, &fastpath.Request{Target: []byte(listRoot)}, waits},
		{"item that does not exist", s, &fastpath.Request{Target: []byte(listRoot + "/Content_9")}, false},
		{"item that does not exist, compressed", s, &fastpath.Request{Target: []byte(listRoot + "/Content_9"), AcceptEncoding: []byte("br")}, false},
		{"list page that does not exist", s, &fastpath.Request{Target: []byte(listRoot + "?page=9")}, false},
		{"several searches", s, &fastpath.Request{Post: true, Target: []byte(esRoot + "/_msearch"), Body: []byte("{}\n{}\n")}, true},
	} {
		left := leaves(t, c.server, c.asked)
		for again := 0; left && !c.want && again < 50; again++ {
			left = leaves(t, c.server, c.asked) // a busy system may answer later than at once: not each time
		}
		if left != c.want {
			t.Errorf("%s: left the loop: %t, want %t", c.name, left, c.want)
		}
	}
}

// A request without a free slot leaves the event loop and waits. One that has waited for too long
// is refused at once. A file needs no slot.
func TestComputeWaitsOutsideTheLoop(t *testing.T) {
	s, addr, permits := busySite(t, time.Minute)
	search := &fastpath.Request{Post: true, Target: []byte(esRoot), Body: []byte(`{}`)}
	for _, target := range []string{listRoot, listRoot + "/Content_1"} {
		if a, left := computeOnce(t, s, &fastpath.Request{Target: []byte(target)}); a.Status != 200 {
			t.Errorf("%s: %d, left the loop: %t", target, a.Status, left)
		}
	}
	waiting := []*fastpath.Request{search, {Target: []byte(listRoot + "?pageSize=7")}}
	statuses := make(chan int, len(waiting))
	for i, r := range waiting {
		left := make(chan struct{}, 8)
		go func() {
			a, _ := s.fast.compute(r, time.Now(), func() { left <- struct{}{} })
			statuses <- a.Status
		}()
		<-left
		waitFor(t, "it waits", func() bool { return s.resources.Searches.Waiting() == i+1 })
	}
	if text := string(s.metricsText()); regexp.MustCompile(`search_rejections_total\{.*\} [1-9]`).MatchString(text) {
		t.Error("a search that waits counts as rejected")
	}
	for _, permit := range permits {
		permit.Release()
	}
	for range waiting {
		if status := <-statuses; status != 200 {
			t.Errorf("after its wait: %d", status)
		}
	}
	a, ok := s.fast.compute(search, time.Now().Add(-31*time.Second), func() {})
	if !ok || a.Status != 503 || !bytes.Contains(a.Body, []byte(`"overloaded"`)) || !bytes.Contains(a.Fields, []byte("\r\nRetry-After: 1\r\n")) {
		t.Errorf("after half a minute: %v %d %s", ok, a.Status, a.Body)
	}
	if n := s.resources.Searches.Running(); n > 0 {
		t.Errorf("%d slots are taken", n)
	}
	if a, _ := ask(t, addr, "POST", esRoot, "", "{}"); a.StatusCode != 200 {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
}

// Answers that are being sent do not share memory, and what is kept shares it with none.
func TestComputedResponsesAreApart(t *testing.T) {
	noted := site
	noted.note = strings.Repeat("n", contentcoding.MinBody)
	s, _, _ := startSite(t, noted)
	type sent struct {
		fastpath.Response
		fields, body string
	}
	var all []sent
	for round := range 4 { // the second is kept, the third found
		for size := range 8 {
			for _, accept := range []string{"", "gzip"} {
				r := &fastpath.Request{Post: true, Target: []byte(esRoot), Body: fmt.Appendf(nil, `{"size":%d}`, size), AcceptEncoding: []byte(accept)}
				a, ok := s.fast.lookup(r)
				if !ok {
					a, _ = computeOnce(t, s, r)
				}
				all = append(all, sent{a, string(a.Fields), string(a.Body)})
				if a.Done != nil && round%2 == 0 {
					a.Done()
					all = all[:len(all)-1]
				}
			}
		}
	}
	for i, a := range all {
		if string(a.Fields) != a.fields || string(a.Body) != a.body {
			t.Errorf("answer %d became\n%s%s\nit was\n%s%s", i, a.Fields, a.Body, a.fields, a.body)
		}
	}
}

// An answer that permits out larger than its memory was made for is sent as it is, whatever is
// made before it has been read.
func TestAnswerThatGrew(t *testing.T) {
	const search = `{"size":1,"aggs":{"a":{"terms":{"field":"Name.keyword"}}}}`
	read := func(ctx *fasthttp.RequestCtx) string {
		if !ctx.Response.IsBodyStream() {
			return string(ctx.Response.Body())
		}
		b, err := io.ReadAll(ctx.Response.BodyStream())
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	grown := site
	for len(grown.note) < bodies.Large {
		dir := t.TempDir()
		grown.write(t, dir)
		s := openSite(t, dir, func(c *ServerConfig) { c.CacheBytes = 0 })
		post := func(body string) *fasthttp.RequestCtx {
			ctx := newRequest(t, "POST", esRoot, "Content-Length: 0")
			ctx.Request.SetBodyString(body)
			s.handle(ctx)
			return ctx
		}
		want := read(post(search))
		if missing := bodies.Large + 8 - len(want); missing > 0 {
			grown.note += strings.Repeat("n", missing)
			continue
		}
		first := post(search)
		post(`{"size":1,"_source":["Name"]}`)
		if got := read(first); len(want) != bodies.Large+8 || got != want {
			t.Errorf("%d bytes are sent as %d: %.100s", len(want), len(got), got)
		}
		return
	}
}

// What is asked for once is not kept, also if it had to wait for its permit.
func TestAskedForOnceAndWaited(t *testing.T) {
	for _, q := range computedTargets {
		s, addr, permits := busySite(t, time.Minute)
		conn := reader(t, addr, q[0], q[1])
		defer conn.Close()
		waitFor(t, "it waits", func() bool { return s.resources.Searches.Waiting() == 1 })
		for _, permit := range permits {
			permit.Release()
		}
		if a, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || a.StatusCode != 200 {
			t.Fatal(a, err)
		}
		files := s.current.Served.Load().Cache
		if f := files.GetTarget([]byte(q[1])); f != nil {
			t.Errorf("%s is kept", q[1])
		}
		if f := files.GetSearch([]byte(q[1]), nil); f != nil {
			t.Errorf("%s is kept as a search", q[1])
		}
	}
}

// A large file that is in memory is sent by the event loop, and held until that is done.
func TestLargeFileOnTheFastPath(t *testing.T) {
	s, addr, _ := startSite(t, largeSite())
	r := &fastpath.Request{Target: []byte(listRoot + "/Content_1")}
	if a, left := computeOnce(t, s, r); !left {
		t.Error("an event loop reads a file")
	} else {
		a.Done()
	}
	_, body := ask(t, addr, "GET", string(r.Target), "", "")
	compressed, _ := computeOnce(t, s, &fastpath.Request{Target: r.Target, AcceptEncoding: []byte("gzip")})
	compressed.Done()
	if _, ok := s.fast.lookup(r); ok {
		t.Error("it is sent without being held")
	}
	waitFor(t, "it is sent", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
	a, left := computeOnce(t, s, r)
	if string(a.Body) != body || left || s.resources.Memory.Left() != s.cfg.ResponseBytes-int64(len(body)) {
		t.Errorf("%d bytes of %d, %d are free", len(a.Body), len(body), s.resources.Memory.Left())
	}
	if a.Done(); s.resources.Memory.Left() != s.cfg.ResponseBytes {
		t.Errorf("then %d bytes are free", s.resources.Memory.Left())
	}
}

// A file that the cache does not hold is sent from the disk, with the same bytes on both paths.
func TestFileFromTheDiskOnTheFastPath(t *testing.T) {
	dir := t.TempDir()
	largeSite().write(t, dir)
	serve := func(start func(*testing.T, func(*ServerConfig)) (*Server, string)) (*Server, string) {
		s, addr := start(t, func(c *ServerConfig) { c.Public, c.CacheBytes = dir, 0 })
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, addr
	}
	s, fast := serve(startServer)
	_, engine := serve(startEngine)
	const item = listRoot + "/Content_1"
	if a, left := computeOnce(t, s, &fastpath.Request{Target: []byte(item)}); a.Stream == nil || !left || a.Stream.Close() != nil {
		t.Errorf("no stream, or it left the loop: %t", left)
	}
	for _, raw := range []string{
		"GET " + item + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"HEAD " + item + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET " + item + " HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n",
		"GET " + item + " HTTP/1.1\r\nHost: a\r\nRange: bytes=5-9\r\n\r\n",
		strings.Repeat("GET "+item+" HTTP/1.1\r\nHost: a\r\n\r\n", 3),
	} {
		if got, want := wholeResponse(t, fast, raw), wholeResponse(t, engine, raw); got != want {
			t.Errorf("%q gets %d bytes\n%.500s\nwant %d\n%.500s", raw, len(got), got, len(want), want)
		}
	}
	if left := s.resources.Memory.Left(); left != s.cfg.ResponseBytes {
		t.Errorf("%d bytes are free", left)
	}
}

// A request has one id, in its answer, in the access log and in the server's.
func TestComputedErrorHasID(t *testing.T) {
	access, log := &logBuffer{}, &logBuffer{}
	s, addr, _ := startSiteWith(t, site, func(c *ServerConfig) {
		c.Logger = slog.New(slog.NewJSONHandler(log, nil))
		c.AccessLog = logs.NewAccess(access, logs.JSON)
		t.Cleanup(func() { _ = c.AccessLog.Close(t.Context()) })
	})
	g := s.current.Served.Load()
	defer s.current.Served.Store(g)
	for _, c := range []struct {
		name string
		do   func() *delivery.Served
		log  string // of the server; empty: none
	}{
		{"late", func() *delivery.Served { s.resources.Searches = admission.New(1, 1); return g }, ""},
		{"panicked", func() *delivery.Served { return &delivery.Served{Generation: g.Generation} }, `"msg":"request panicked".*"request_id":"%s","method":"POST","target":"` + esRoot + `"`},
	} {
		s.current.Served.Store(c.do()) // requests load it, and with it what was written before
		for _, sent := range []string{"", "mine-" + c.name} {
			field := ""
			if sent != "" {
				field = "X-Request-Id: " + sent + "\r\n"
			}
			a, _ := ask(t, addr, "POST", esRoot, field, "{}")
			id := a.Header.Get("X-Request-Id")
			if a.StatusCode < 500 || id == "" || sent != "" && id != sent {
				t.Errorf("%s: %d for %q, sent as %q", c.name, a.StatusCode, id, sent)
			}
			access.waitFor(t, `"id":"`+id+`"`)
			if c.log != "" {
				log.waitFor(t, fmt.Sprintf(c.log, id))
			}
		}
	}
	if b := s.fast.errorResponse(&fastpath.Panic{Cause: "behind an answer"}, nil); b != nil {
		t.Errorf("behind its answer a request gets %q", b)
	}
	log.waitFor(t, `"cause":"behind an answer".*"method":"","target":""`)
}
