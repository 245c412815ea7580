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
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/contentcoding"
)

// makeOnce makes an answer, which must be possible, and tells how often the loop was
// handed over.
func makeOnce(t *testing.T, s *Server, r *fastpath.Request) (a fastpath.Response, handed int) {
	t.Helper()
	a, ok := s.fast.compute(r, time.Now(), func() { handed++ })
	if !ok {
		t.Fatalf("%s %s is not made", r.Target, r.Body)
	}
	return a, handed
}

// Compute leaves the event loop before work that takes long, once, and for nothing else.
func TestLongWorkIsHandedOver(t *testing.T) {
	long := site
	long.note = strings.Repeat("many words ", respcache.LargeBody/4)
	s, _, _ := startSite(t, long)
	bare, _ := startBare(t, long, nil)
	search := func(body string) *fastpath.Request {
		return &fastpath.Request{Post: true, Target: []byte(esRoot), Body: []byte(body)}
	}
	const nothing, blank = `{"query":{"ids":{"values":[]}}`, 32 << 10
	for _, c := range []struct {
		name   string
		server *Server
		asked  *fastpath.Request
		want   int
	}{
		{"short", s, search(nothing + "}"), 0},
		{"long body", s, search(nothing + strings.Repeat(" ", blank) + "}"), 1},
		{"long body with a fault", s, search(nothing + strings.Repeat(" ", blank)), 1},
		{"long answer", s, search(`{}`), 1},
		{"both", s, search("{" + strings.Repeat(" ", blank) + "}"), 1},
		{"long list", s, &fastpath.Request{Target: []byte(listRoot + "?pageSize=4")}, 1},
		{"long item without a file", bare, &fastpath.Request{Target: []byte(listRoot + "/Content_1")}, 1},
	} {
		a, handed := makeOnce(t, c.server, c.asked)
		if a.Done != nil {
			a.Done()
		}
		if handed != c.want {
			t.Errorf("%s: handed over %d times, want %d", c.name, handed, c.want)
		}
	}
}

// An answer that would have to wait is left to the engine as if nobody had asked; one that
// has waited for too long is refused.
func TestComputeDoesNotWait(t *testing.T) {
	s, addr, turns := busySite(t, time.Minute)
	search := &fastpath.Request{Post: true, Target: []byte(esRoot), Body: []byte(`{}`)}
	for _, r := range []*fastpath.Request{search, {Target: []byte(listRoot + "?pageSize=7")}, {Target: []byte(listRoot + "/Content_1")}, {Target: []byte(listRoot)}} {
		if _, ok := s.fast.compute(r, time.Now(), func() {}); ok {
			t.Errorf("%s is made", r.Target)
		}
	}
	if text := string(s.metricsText()); regexp.MustCompile(`search_rejections_total\{.*\} [1-9]`).MatchString(text) {
		t.Error("what is left to the engine counts as rejected")
	}
	for _, turn := range turns {
		turn.Release()
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
					a, _ = makeOnce(t, s, r)
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

// An answer that turns out larger than its memory was made for is sent as it is, whatever is
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
	for len(grown.note) < respcache.LargeBody {
		dir := t.TempDir()
		grown.write(t, dir)
		s := openSite(t, dir, func(c *Config) { c.CacheBytes = 0 })
		post := func(body string) *fasthttp.RequestCtx {
			ctx := newRequest(t, "POST", esRoot, "Content-Length: 0")
			ctx.Request.SetBodyString(body)
			s.handle(ctx)
			return ctx
		}
		want := read(post(search))
		if missing := respcache.LargeBody + 8 - len(want); missing > 0 {
			grown.note += strings.Repeat("n", missing)
			continue
		}
		first := post(search)
		post(`{"size":1,"_source":["Name"]}`)
		if got := read(first); len(want) != respcache.LargeBody+8 || got != want {
			t.Errorf("%d bytes are sent as %d: %.100s", len(want), len(got), got)
		}
		return
	}
}

// What is asked for once is not kept, also if it had to wait for its turn.
func TestAskedForOnceAndWaited(t *testing.T) {
	for _, q := range unfiledTargets {
		s, addr, turns := busySite(t, time.Minute)
		conn := reader(t, addr, q[0], q[1])
		defer conn.Close()
		waitFor(t, "it waits", func() bool { return s.resources.Searches.Waiting() == 1 })
		for _, turn := range turns {
			turn.Release()
		}
		if a, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || a.StatusCode != 200 {
			t.Fatal(a, err)
		}
		files := s.current.Load().Cache
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
	if _, ok := s.fast.compute(r, time.Now(), func() {}); ok {
		t.Error("an event loop reads a file")
	}
	_, body := ask(t, addr, "GET", string(r.Target), "", "")
	if _, ok := s.fast.compute(&fastpath.Request{Target: r.Target, AcceptEncoding: []byte("gzip")}, time.Now(), func() {}); ok {
		t.Error("an event loop looks for a compressed file")
	}
	if _, ok := s.fast.lookup(r); ok {
		t.Error("it is sent without being held")
	}
	waitFor(t, "it is sent", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
	a, handed := makeOnce(t, s, r)
	if string(a.Body) != body || handed > 0 || s.resources.Memory.Left() != s.cfg.ResponseBytes-int64(len(body)) {
		t.Errorf("%d bytes of %d, %d are free", len(a.Body), len(body), s.resources.Memory.Left())
	}
	if a.Done(); s.resources.Memory.Left() != s.cfg.ResponseBytes {
		t.Errorf("then %d bytes are free", s.resources.Memory.Left())
	}
}

// A request has one id, in its answer, in the access log and in the server's.
func TestComputedErrorHasID(t *testing.T) {
	access, log := &logBuffer{}, &logBuffer{}
	s, addr, _ := startSiteWith(t, site, func(c *Config) {
		c.Logger = slog.New(slog.NewJSONHandler(log, nil))
		c.AccessLog = logs.NewAccess(access, func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) })
		t.Cleanup(func() { _ = c.AccessLog.Close(t.Context()) })
	})
	g := s.current.Load()
	defer s.current.Store(g)
	for _, c := range []struct {
		name string
		do   func() *delivery.Served
		log  string // of the server; empty: none
	}{
		{"late", func() *delivery.Served { s.resources.Searches = admission.New(1, 1); return g }, ""},
		{"panicked", func() *delivery.Served { return &delivery.Served{Generation: g.Generation} }, `"msg":"request panicked".*"request_id":"%s","method":"POST","target":"` + esRoot + `"`},
	} {
		s.current.Store(c.do()) // requests load it, and with it what was written before
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
	if b := s.fast.errorResponse(&fastpath.Panic{Cause: "behind an answer"}); b != nil {
		t.Errorf("behind its answer a request gets %q", b)
	}
	log.waitFor(t, `"cause":"behind an answer".*"method":"","target":""`)
}
