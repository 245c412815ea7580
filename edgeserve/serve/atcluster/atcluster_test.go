package atcluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/releasedir/releasetest"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/pagetest"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/atcluster"
	"contentedge/edgeserve/serve/atcluster/clustertest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a release with an environment that is loaded.
type world struct {
	t     *testing.T
	dir   *releasedir.Dir
	nodes *clustertest.Nodes
	whole *releasedir.Dir // with its snapshots
}

func newWorld(t *testing.T, shards int, envs map[string]string) *world {
	t.Helper()
	path := t.TempDir()
	m := releasetest.Write(t, path, envs, "")
	whole, err := releasedir.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(whole.Close)
	dir, err := releasedir.OpenFieldsAfter(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dir.Close)
	w := &world{t, dir, clustertest.New(), whole}
	for i := range m.Environments {
		w.nodes.Load(t, m.Build, &m.Environments[i], whole.Readers[m.Environments[i].ID], shards)
	}
	w.nodes.Asked()
	return w
}

// get answers a request for an item.
func (w *world) get(v *answer.Release, id string) (status int, body string) {
	w.t.Helper()
	r, p, _ := v.Respond("/"+address.ItemFile("a", id), nil)
	if p != nil {
		return p.Status, p.Code
	}
	return http.StatusOK, string(r.Body)
}

// TestAtcluster opens a release, all of whose environments need an index.
func TestAtcluster(t *testing.T) {
	w := newWorld(t, 1, map[string]string{"a": "one", "b": "two"})
	c := &atcluster.Cluster{Nodes: w.nodes}
	v, err := c.Open(t.Context(), w.dir)
	if err != nil || len(v.Environments) != 2 || v.HasFile == nil {
		t.Fatalf("%+v, %v", v, err)
	}
	if status, body := w.get(v, "a"); status != 200 || !strings.Contains(body, "one") {
		t.Errorf("%d %s", status, body)
	}
	if status, code := w.get(v, "none"); status != 404 || code != "unknown_item" {
		t.Errorf("%d %s", status, code)
	}
	w.nodes.Change(func(all map[string]*clustertest.Index) { clear(all) })
	_, err = c.Open(t.Context(), w.dir)
	if problems := releasedir.Problems(err); len(problems) != 2 || !strings.Contains(problems[0], "environment a: index a-"+w.dir.Build()+": it does not exist") {
		t.Errorf("%q", problems)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.nodes.Fail(func(ctx context.Context, _ cluster.Request) error { return ctx.Err() })
	if _, err := c.Open(ctx, w.dir); !errors.Is(err, context.Canceled) {
		t.Errorf("of a server that ends: %v", err)
	}
}

// The number of items that a search finds counts, not only what an index says of itself.
func TestIndexLacksItems(t *testing.T) {
	w := newWorld(t, 1, map[string]string{"a": "one"})
	m := *w.dir.Manifest
	w.nodes.Load(t, m.Build, &m.Environments[0], w.dir.Readers["a"], 1) // of no items
	if _, err := (&atcluster.Cluster{Nodes: w.nodes}).Open(t.Context(), w.dir); err == nil || !strings.Contains(err.Error(), "it has 0 items instead of 1") {
		t.Error(err)
	}
}

// shop is a server of items.
type shop struct {
	mu      sync.Mutex
	answer  func(w http.ResponseWriter, r *http.Request)
	targets []string
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.targets = append(s.targets, r.URL.Path)
	s.answer(w, r)
}

// Items come from a store if that has them as they are, else from the index.
func TestItemsAt(t *testing.T) {
	item := []byte(`{"ContentID":"a","Name":"of the store"}`)
	whole := string(envelope.AppendItem(nil, item))
	send := func(body string, fields ...string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(fields); i += 2 {
				w.Header().Set(fields[i], fields[i+1])
			}
			_, _ = io.WriteString(w, body)
		}
	}
	w := newWorld(t, 1, map[string]string{"a": "of the index"})
	build := w.dir.Build()
	for _, tt := range []struct {
		name, address string
		answer        func(http.ResponseWriter, *http.Request)
		from, result  string
	}{
		{"a folder for each build", "/live/releases/{build}", send(whole), "store", "ok"},
		{"a part of the name of a folder", "/live/of-{build}-x/", send(whole), "store", "ok"},
		{"a node with this release", "", send(whole, httpfield.Release, build), "store", "ok"},
		{"a node with another release", "", send(whole, httpfield.Release, "0000000000000000"), "index", "failed"},
		{"files of nobody knows which release", "", send(whole), "index", "failed"},
		{"another item", "/{build}", send(strings.ReplaceAll(whole, `"a"`, `"b"`)), "index", "failed"},
		{"no item", "/{build}", send("<html>"), "index", "failed"},
		{"no JSON", "/{build}", send(`{"status":200,"data":{"ContentID":"a",x}}`), "index", "failed"},
		{"an endless one", "/{build}", func(w http.ResponseWriter, _ *http.Request) {
			for range 17 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		}, "index", "failed"},
		{"not there", "/{build}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "index", "missing"},
		{"not allowed", "/{build}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "index", "missing"},
		{"refused by a node", "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(412) }, "index", "missing"},
		{"broken", "/{build}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "index", "failed"},
		{"elsewhere", "/{build}", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://other.example/", http.StatusFound)
		}, "index", "failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &shop{answer: tt.answer}
			server := httptest.NewServer(s)
			defer server.Close()
			items, err := atcluster.OpenItems(server.URL+tt.address, false, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer items.Close()
			v, err := (&atcluster.Cluster{Nodes: w.nodes, Items: items}).Open(t.Context(), w.dir)
			if err != nil {
				t.Fatal(err)
			}
			w.nodes.Asked()
			status, body := w.get(v, "a")
			if status != 200 || !strings.Contains(body, "of the "+tt.from) || (len(w.nodes.Asked()) > 0) != (tt.from == "index") {
				t.Errorf("%d %s", status, body)
			}
			want := strings.ReplaceAll(strings.TrimSuffix(tt.address, "/"), "{build}", build) + "/" + address.ItemFile("a", "a")
			if len(s.targets) != 1 || s.targets[0] != want {
				t.Errorf("%q were asked for, want %s", s.targets, want)
			}
			var m prometheus.Text
			items.WriteMetrics(&m)
			if line := fmt.Sprintf(`contentedge_store_items_total{result=%q} 1`, tt.result); !strings.Contains(string(m.Bytes()), line) {
				t.Errorf("no %s in %s", line, m.Bytes())
			}
			if tt.result != "failed" {
				return
			}
			if w.get(v, "a"); len(s.targets) != 1 {
				t.Error("the store is asked again at once")
			}
		})
	}
	for _, wrong := range []string{"https://{build}", "https://h/{build}/{build}", "ftp://h/{build}", "http://h/x"} {
		if _, err := atcluster.OpenItems(wrong, false, nil); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

// A file of the release on this machine is read first.
func TestItemFiles(t *testing.T) {
	w := newWorld(t, 1, map[string]string{"a": "of the index"})
	file := filepath.Join(w.dir.Fingerprint.Dir, filepath.FromSlash(address.ItemFile("a", "a")))
	releasetest.WriteFile(t, file, envelope.AppendItem(nil, []byte(`{"ContentID":"a","Name":"of the file"}`)))
	dir, err := releasedir.OpenFieldsAfter(nil, w.dir.Fingerprint.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	v, err := (&atcluster.Cluster{Nodes: w.nodes}).Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := w.get(v, "a"); status != 200 || !strings.Contains(body, "of the file") {
		t.Errorf("%d %s", status, body)
	}
	releasetest.WriteFile(t, file, []byte("{"))
	if status, body := w.get(v, "a"); status != 200 || !strings.Contains(body, "of the index") {
		t.Errorf("a damaged file: %d %s", status, body)
	}
}

// A server of exact results alone refuses what several shards answer approximately, but wrong bodies first.
func TestExact(t *testing.T) {
	const rough, wrong = `{"terminate_after":1}`, `{"terminate_after":1,"collapse":{"field":"None"}}`
	for _, tt := range []struct {
		shards int
		exact  bool
		body   string
		want   string
	}{
		{3, true, rough, problem.NotExact}, {3, true, wrong, problem.BadCollapse}, {3, true, `{}`, ""}, {1, true, `{}`, ""}, {3, false, `{}`, ""},
	} {
		w := newWorld(t, tt.shards, map[string]string{"a": "one"})
		v, err := (&atcluster.Cluster{Nodes: w.nodes, Exact: tt.exact}).Open(t.Context(), w.dir)
		if err != nil {
			t.Fatal(err)
		}
		_, p, _ := v.Respond(address.Search.Path("a"), []byte(tt.body))
		code := ""
		if p != nil {
			code = p.Code
		}
		if code != tt.want {
			t.Errorf("%d shards, exact %t: %s: %q, want %q", tt.shards, tt.exact, tt.body, code, tt.want)
		}
	}
}

// TestLongTexts: an index says which paths have texts that its keywords lack. A server of exact results alone refuses
// what reads them.
func TestLongTexts(t *testing.T) {
	const body = `{"aggs":{"a":{"cardinality":{"field":"Name.keyword"}}}}`
	for _, long := range [][]string{nil, {"Name"}} {
		w := newWorld(t, 1, map[string]string{"a": "one"})
		w.nodes.Change(func(indices map[string]*clustertest.Index) {
			for _, x := range indices {
				x.Meta.Long = long
			}
		})
		v, err := (&atcluster.Cluster{Nodes: w.nodes, Exact: true}).Open(t.Context(), w.dir)
		if err != nil {
			t.Fatal(err)
		}
		_, p, _ := v.Respond(address.Search.Path("a"), []byte(body))
		if refused := p != nil && p.Code == problem.NotExact && strings.Contains(p.Message, translate.LongTexts); refused != (long != nil) {
			t.Errorf("long %q: %+v", long, p)
		}
	}
}

// CLUSTER.md has the reasons why results are approximate.
func TestReasons(t *testing.T) {
	var list strings.Builder
	for _, reason := range translate.Reasons() {
		list.WriteString("- " + reason + "\n")
	}
	pagetest.List(t, "../../CLUSTER.md", "reasons of approximate results", list.String())
}

// A cluster that does not answer within the time of a search is unavailable, while the search has some of it left.
func TestLate(t *testing.T) {
	w := newWorld(t, 1, map[string]string{"a": "one"})
	v, err := (&atcluster.Cluster{Nodes: w.nodes}).Open(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w.nodes.Fail(func(ctx context.Context, _ cluster.Request) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := v.Environments["a"].Items.Search(scorer.NewWorkLimit(ctx), &query.Body{}, false)
		if _, ok := errors.AsType[*hits.Unavailable](err); !ok || !errors.Is(err, cluster.ErrUnavailable) || ctx.Err() != nil {
			t.Errorf("%v, and of the search %v", err, ctx.Err())
		}
	})
	if d := atcluster.Deadline(2 * time.Second); d != 1800*time.Millisecond {
		t.Errorf("nodes have %s", d)
	}
}
