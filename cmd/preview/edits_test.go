// This file edits a site at random while it is served, and compares what is served with a build
// of the same content by nobody who remembers anything.

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/cmd/preview/page"
	"contentedge/cmd/scripttest"
	"contentedge/edgeserve"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator"
)

// manyEdits names the environment variable with the number of edits of a long run.
const manyEdits = "TEST_CONTENTEDGE_EDITS"

// fewEdits is the number of edits of an ordinary run.
const fewEdits = 50

// TestRandomEdits: after each edit the served answers become those of a build from nothing, and a
// client that follows the events, and reconnects now and then, gets each one once.
func TestRandomEdits(t *testing.T) {
	edits := fewEdits
	if n, err := strconv.Atoi(os.Getenv(manyEdits)); err == nil {
		edits = n
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	e := &editor{site: startSite(t, small()), rnd: rand.New(rand.NewPCG(seed, 0)), view: page.View{As: page.Editor}, broken: map[string]bool{}}
	e.fresh = startFresh(t, filepath.Join(e.dir, "content"))
	counts, good := map[string]int{}, 0
	for n := range edits {
		what := e.edit()
		counts[what]++
		if e.rnd.IntN(5) == 0 {
			e.follow() // events that were sent and not read are lost with the connection
		}
		if e.settle(fmt.Sprintf("edit %d, %s", n, what)) {
			good++
		}
	}
	t.Logf("%v, %d of them leave content that can be built; %d builds", counts, good, e.state().Build.Number)
	if good < edits/4 || good == edits {
		t.Errorf("%d of %d edits leave content that can be built", good, edits)
	}
}

// editor edits a site at random.
type editor struct {
	*site
	rnd    *rand.Rand
	view   page.View
	broken map[string]bool // files that stop a build
	fresh  *fresh
	ids    int
}

// edit makes one edit and says which.
func (e *editor) edit() string {
	files := e.files()
	if len(e.broken) > 0 && e.rnd.IntN(2) == 0 {
		for name := range e.broken {
			e.write(name, e.item())
			delete(e.broken, name)
			return "mend"
		}
	}
	pick := func() string { return files[e.rnd.IntN(len(files))] }
	switch n := e.rnd.IntN(20); {
	case n < 4 || len(files) == 0:
		e.write(e.newName(".json"), e.item())
		return "add"
	case n < 5:
		e.write(e.newName(".ndjson"), e.item()+"\n"+e.item()+"\n"+e.item()+"\n")
		return "add lines"
	case n < 10:
		name := pick()
		e.write(name, e.item())
		delete(e.broken, name)
		return "change"
	case n < 12:
		name := pick()
		e.check(os.Remove(e.path(name)))
		delete(e.broken, name)
		return "remove"
	case n < 14:
		from, to := pick(), e.newName(".json")
		e.check(errors.Join(os.MkdirAll(filepath.Dir(e.path(to)), 0o755), os.Rename(e.path(from), e.path(to))))
		if e.broken[from] {
			delete(e.broken, from)
			e.broken[to] = true
		}
		return "rename"
	case n < 16:
		name := pick()
		e.broken[name] = true
		e.write(name, []string{e.item()[:40], `{"ContentID":"x"}`, e.item() + e.item(), ""}[e.rnd.IntN(4)])
		return "break"
	case n < 18:
		env := fmt.Sprintf("env%d", e.rnd.IntN(3))
		if _, err := os.Stat(e.path(env)); err == nil {
			e.check(os.RemoveAll(e.path(env)))
			for name := range e.broken {
				if strings.HasPrefix(name, env+"/") {
					delete(e.broken, name)
				}
			}
			return "remove environment"
		}
		e.write(env+"/first.json", e.item())
		return "add environment"
	}
	return e.look()
}

// look changes the view.
func (e *editor) look() string {
	body := []string{`{"as":"editor"}`, `{"as":"visitor"}`, `{"as":"visitor","statuses":["Draft"]}`, `{"as":"visitor","at":"2026-06-01T00:00:00Z"}`}
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	i := e.rnd.IntN(len(body))
	e.view = []page.View{{As: page.Editor}, {As: page.Visitor, Statuses: []string{"Published"}}, {As: page.Visitor, Statuses: []string{"Draft"}},
		{As: page.Visitor, Statuses: []string{"Published"}, At: &at}}[i]
	if a, text := e.post("/-/api/view", body[i]); a.StatusCode != http.StatusOK {
		e.t.Fatalf("%d %s", a.StatusCode, text)
	}
	return "look as " + body[i]
}

func (e *editor) check(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) path(name string) string { return filepath.Join(e.dir, "content", name) }

// files lists the files of the content, by their names below it.
func (e *editor) files() (names []string) {
	for _, pattern := range []string{"*/*.json", "*/*.ndjson", "*/*/*.json"} {
		found, err := filepath.Glob(e.path(pattern))
		e.check(err)
		for _, name := range found {
			names = append(names, strings.TrimPrefix(name, e.path("")+"/"))
		}
	}
	slices.Sort(names)
	return names
}

// newName is a name that no file has, in some environment that need not be there.
func (e *editor) newName(ext string) string {
	e.ids++
	return []string{"site/", "site/deep/", "shop/", "env0/"}[e.rnd.IntN(4)] + "n" + strconv.Itoa(e.ids) + ext
}

// item is an item with a new id, and members that change how others are stored.
func (e *editor) item() string {
	e.ids++
	status := []string{"Published", "Draft"}[e.rnd.IntN(2)]
	published := []string{"2026-01-01T00:00:00Z", "2026-08-01T00:00:00Z"}[e.rnd.IntN(2)]
	size := []string{"1", `"big"`, "true", "1.5", `"2026-01-01"`}[e.rnd.IntN(5)]
	template := fmt.Sprintf(`"TemplateName":"T%d"`, e.rnd.IntN(3))
	item := anItem(strconv.Itoa(100+e.ids), fmt.Sprintf(`,"Status":%q,"PublishedAt":%q,"Data":{"title":"word%d bread","size":%s,"next":{"Type":"Reference","ReferenceType":"Content","ContentIDs":[%q]}}`,
		status, published, e.rnd.IntN(50), size, "Content_00000000-0000-4000-8000-"+fmt.Sprintf("%012d", 100+e.rnd.IntN(e.ids))))
	return strings.Replace(item, `"TemplateName":"Page"`, template, 1)
}

// settle waits until what is served is what a fresh build serves, and reports whether there is
// one.
func (e *editor) settle(what string) bool {
	e.t.Helper()
	failure := e.fresh.build(e.t, e.view)
	different := ""
	for begin := time.Now(); ; {
		if name, _ := e.event(); name != "built" && name != "failed" {
			continue
		}
		if different = e.compare(failure); different == "" {
			return failure == nil
		}
		if time.Since(begin) > scripttest.Patience {
			e.t.Fatalf("after %s: %s", what, different)
		}
	}
}

// compare says how the served answers differ from those of the fresh build.
func (e *editor) compare(failure error) string {
	st := e.state()
	if failure != nil {
		var content *generator.ContentError
		switch {
		case st.Build.Phase != "failed":
			return fmt.Sprintf("the build is %s, want %v", st.Build.Phase, failure)
		case errors.As(failure, &content) && st.Build.Diagnostics[0].Message != firstError(content).Message:
			return fmt.Sprintf("it says %+v, want %v", st.Build.Diagnostics[0], firstError(content))
		}
	} else if st.Build.Phase != "built" {
		return fmt.Sprintf("the build failed: %+v", st.Build.Diagnostics)
	}
	for _, env := range []string{"site", "shop", "env0", "env1", "env2"} {
		for _, request := range []struct{ target, body string }{
			{"/cda/rest/v1/" + env + "/contents?pageSize=1000", ""},
			{"/cda/rest/v1/" + env + "/contents?sort=Data.size&sortAsc=true", ""},
			{"/cda/rest/v1/" + env + "/contents/" + firstID, ""},
			{"/cda/es/v1/" + env, `{"size":1000,"query":{"query_string":{"query":"bread Data.title:word1 Data.size:>1"}}}`},
			{"/cda/es/v1/" + env, `{"size":0,"aggs":{"t":{"terms":{"field":"TemplateName.keyword","size":50}},"s":{"terms":{"field":"Data.size.keyword","size":50}}}}`},
		} {
			if got, want := e.answer(e.base, request.target, request.body), e.answer(e.fresh.base, request.target, request.body); got != want {
				return fmt.Sprintf("%s %s:\n%s\nwant\n%s", request.target, request.body, got, want)
			}
		}
	}
	return ""
}

// answer is a response's status, release and body.
func (e *editor) answer(base, target, body string) string {
	e.t.Helper()
	s := *e.site
	s.base = base
	method := "GET"
	if body != "" {
		method = "POST"
	}
	a, text := s.do(method, target, body)
	return fmt.Sprintf("%d %s %s", a.StatusCode, a.Header.Get(httpfield.Release), text)
}

// firstError is the first finding that stops a build.
func firstError(e *generator.ContentError) generator.Diagnostic {
	return e.Diagnostics[slices.IndexFunc(e.Diagnostics, func(d generator.Diagnostic) bool { return !d.Warning })]
}

// fresh serves builds that know nothing of those before.
type fresh struct {
	config generator.BuildConfig
	server *edgeserve.Server
	base   string
}

// startFresh serves releases of a content directory on another port.
func startFresh(t *testing.T, content string) *fresh {
	t.Helper()
	f := &fresh{config: buildConfig(options{content: content}, &workDir{out: t.TempDir(), dir: "temporary"})}
	cfg := edgeserve.Defaults()
	cfg.Public, cfg.FastPath, cfg.PollInterval = f.config.Out, edgeserve.FastPathOff, 0
	cfg.Logger = slog.New(slog.DiscardHandler)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if f.server, err = edgeserve.New(cfg); err != nil {
		t.Fatal(err)
	}
	f.base = "http://" + ln.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- f.server.Serve(t.Context(), ln) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	f.build(t, page.View{As: page.Editor})
	return f
}

// build builds and serves a view, or returns why that fails.
func (f *fresh) build(t *testing.T, v page.View) error {
	t.Helper()
	s, err := generator.NewSession(f.config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Build(t.Context(), v.Selection(time.Now())); err != nil {
		return err
	}
	if err := f.server.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	return nil
}
