package edgeserve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/atcluster"
	"contentedge/edgeserve/serve/atcluster/clustertest"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// clusterSite is a release in a directory and at a cluster.
type clusterSite struct {
	fixture
	dir   string
	build string
	nodes *clustertest.Nodes
	index *clustertest.Index
}

// newClusterSite writes a release without snapshots, and loads it.
func newClusterSite(t *testing.T, nodes *clustertest.Nodes, f fixture, shards int) *clusterSite {
	t.Helper()
	s := &clusterSite{fixture: f, dir: t.TempDir(), nodes: nodes}
	snap := f.snapshot(t)
	f.writeWith(t, s.dir, snap)
	r, err := snapshot.OpenBytes(snap)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := releasedir.ReadManifest(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	env := &m.Environments[0]
	for _, field := range r.FieldTypes() {
		out := release.Field{Path: field.Path, Type: field.Type.String()}
		for _, sub := range field.Subs {
			out.SubFields = append(out.SubFields, sub.String())
		}
		env.Fields = append(env.Fields, out)
	}
	writeFile(t, filepath.Join(s.dir, release.ManifestName), m.Encode())
	s.build = m.Build
	s.index = nodes.Load(t, m.Build, env, r, shards)
	return s
}

// withoutSnapshots removes them.
func (s *clusterSite) withoutSnapshots(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, release.SnapshotDir)); err != nil {
		t.Fatal(err)
	}
}

var pair = fixture{env: "demo", names: []string{"Ada", "Bo", "Cy", "Di"}, searches: nil}

// TestCluster compares a node that searches at a cluster with one that has the snapshots: every byte of every response
// that does not need a real cluster.
func TestCluster(t *testing.T) {
	site := newClusterSite(t, clustertest.New(), pair, 1)
	for _, start := range []func(*testing.T, func(*ServerConfig)) (*Server, string){startServer, startEngine} {
		whole, wholeAddr := start(t, func(c *ServerConfig) { c.Public = site.dir })
		if err := whole.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		far, farAddr := start(t, func(c *ServerConfig) { c.Public = site.dir; c.Cluster = &atcluster.Cluster{Nodes: site.nodes} })
		if err := far.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(site.dir, address.ItemFile("demo", "Content_2"))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, files := range []bool{true, false} {
			if !files {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range []struct{ method, target, body string }{
				{"GET", "/cda/rest/v1/demo/contents/Content_1", ""},
				{"GET", "/cda/rest/v1/demo/contents/Content_2", ""},
				{"GET", "/cda/rest/v1/demo/contents/Content_2?_source=Name", ""},
				{"HEAD", "/cda/rest/v1/demo/contents/Content_2", ""},
				{"GET", "/cda/rest/v1/demo/contents/Content_2?include=1", ""},
				{"GET", "/cda/rest/v1/demo/contents/Content_9", ""},
				{"GET", "/cda/rest/v1/demo/contents/Content_2/used-in.json", ""},
				{"GET", "/cda/rest/v1/demo/contents", ""},
				{"GET", "/cda/rest/v1/demo/contents?page=2", ""},
				{"GET", "/cda/rest/v1/demo/contents?page=0", ""},
				{"GET", "/cda/rest/v1/other/contents", ""},
				{"POST", "/cda/es/v1/demo", `{"query":{"match_all":{}},"size":2}`},
				{"POST", "/cda/es/v1/demo", `{"query":{"wrong":{}}}`},
				{"POST", "/cda/es/v1/demo", `{"sort":[{"Name":{"mode":"avg"}}]}`},
				{"POST", "/cda/es/v1/demo/_count", `{}`},
				{"POST", "/cda/es/v1/demo/_search", `{"query":{"ids":{"values":["Content_3"]}},"_source":["Name"]}`},
				{"POST", "/cda/es/v1/_msearch", "{\"index\":\"demo\"}\n{\"size\":1}\n{\"index\":\"none\"}\n{}\n"},
				{"GET", "/cda/es/v1/demo/_doc/Content_2", ""},
				{"GET", "/cda/es/v1/demo/_doc/Content_9", ""},
				{"GET", "/cda/es/v1/demo/_source/Content_2?_source_includes=Name", ""},
				{"POST", "/cda/es/v1/demo/_mget", `{"ids":["Content_3","Content_9","Content_2","Content_2"]}`},
				{"GET", "/cda/es/v1/demo/_mapping", ""},
				{"GET", "/cda/es/v1/demo/_field_caps?fields=*", ""},
				{"POST", "/cda/es/v1/demo/_analyze", `{"text":"Ada Bo"}`},
				{"GET", "/cda/es/v1/demo", ""},
				{"GET", "/cda/es/v1/", ""},
				{"GET", "/", ""},
			} {
				for range 3 { // the second response is computed into the cache, the third one comes from it
					want, wantBody := ask(t, wholeAddr, r.method, r.target, "", r.body)
					got, gotBody := ask(t, farAddr, r.method, r.target, "", r.body)
					want.Header.Del("Date")
					got.Header.Del("Date")
					if strings.Contains(wantBody, "request_id") || got.StatusCode != want.StatusCode || gotBody != wantBody {
						t.Errorf("%s %s %s, files %t: %d %s\nwant %d %s", r.method, r.target, r.body, files, got.StatusCode, gotBody, want.StatusCode, wantBody)
					}
					for name := range want.Header {
						if name != httpfield.RequestID && got.Header.Get(name) != want.Header.Get(name) {
							t.Errorf("%s %s %s: %s: %q, want %q", r.method, r.target, r.body, name, got.Header.Get(name), want.Header.Get(name))
						}
					}
				}
			}
		}
		writeFile(t, file, text)
	}
}

// While the cluster is gone, files and cached responses are sent, and searches are 503 in the words of both interfaces.
func TestClusterUnavailable(t *testing.T) {
	site := newClusterSite(t, clustertest.New(), pair, 1)
	site.withoutSnapshots(t)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = site.dir; c.Cluster = &atcluster.Cluster{Nodes: site.nodes} })
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	const search, cached = `{"size":1}`, `{"size":2}`
	for range 2 {
		ask(t, addr, "POST", "/cda/es/v1/demo", "", cached)
	}
	site.nodes.Fail(func(context.Context, cluster.Request) error { return cluster.ErrUnavailable })
	for _, tt := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/cda/rest/v1/demo/contents/Content_1", "", 200, "Bo"},
		{"GET", "/cda/rest/v1/demo/contents", "", 200, "Ada"},
		{"POST", "/cda/es/v1/demo", cached, 200, "Bo"},
		{"POST", "/cda/es/v1/demo", search, 503, `"code":"search_unavailable"`},
		{"POST", "/cda/es/v1/demo", `{"query":{"wrong":{}}}`, 400, `"code":"unknown_query"`},
		{"POST", "/cda/es/v1/demo/_search", search, 503, `"type":"no_shard_available_action_exception"`},
		{"POST", "/cda/es/v1/_msearch", "{\"index\":\"demo\"}\n{}\n", 200, `"status":503`},
		{"GET", "/cda/es/v1/demo/_doc/Content_1", "", 200, "Bo"},
		{"GET", "/cda/es/v1/demo/_mapping", "", 200, "Name"},
		{"GET", "/readyz", "", 200, "ready"},
	} {
		response, body := ask(t, addr, tt.method, tt.target, "", tt.body)
		if response.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: %d %s", tt.method, tt.target, response.StatusCode, body)
		}
		if tt.status == http.StatusServiceUnavailable && response.Header.Get(httpfield.RetryAfter) == "" {
			t.Errorf("%s %s: no Retry-After", tt.method, tt.target)
		}
	}
	site.nodes.Fail(nil)
	if response, _ := ask(t, addr, "POST", "/cda/es/v1/demo", "", search); response.StatusCode != 200 {
		t.Errorf("with the cluster back: %d", response.StatusCode)
	}
}

// A release is served once its indices are complete. Until then the one before stays, and probes say why.
func TestClusterSwap(t *testing.T) {
	nodes := clustertest.New()
	one := newClusterSite(t, nodes, pair, 1)
	one.withoutSnapshots(t)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = one.dir; c.Cluster = &atcluster.Cluster{Nodes: nodes} })
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := pair
	next.note = "second"
	two := newClusterSite(t, nodes, next, 3)
	two.withoutSnapshots(t)
	manifest, err := os.ReadFile(filepath.Join(two.dir, release.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(one.dir, release.ManifestName), manifest)
	whole := *two.index
	for _, tt := range []struct {
		name   string
		change func(x *clustertest.Index)
		want   string
	}{
		{"not loaded yet", func(x *clustertest.Index) { x.Meta.Complete = false }, "it is not complete"},
		{"still open for writes", func(x *clustertest.Index) { x.Blocked = false }, "it is not complete"},
		{"without the alias for searches", func(x *clustertest.Index) { x.Hidden = true }, "it has no alias"},
		{"of another snapshot", func(x *clustertest.Index) { x.Meta.Snapshot = "0" }, "it was made from another release"},
		{"of another layout", func(x *clustertest.Index) { x.Meta.Format++ }, "its layout has version"},
		{"without shards", func(x *clustertest.Index) { x.Meta.Shards = 0 }, "its number of shards"},
		{"of nobody", func(x *clustertest.Index) { x.Meta.Build = "" }, "generator load did not make it"},
	} {
		nodes.Change(func(map[string]*clustertest.Index) { *two.index = whole; tt.change(two.index) })
		if err := s.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(s.refusalText(), tt.want) {
			t.Errorf("%s: %v, and the probe says %q", tt.name, err, s.refusalText())
		}
		if response, _ := ask(t, addr, "POST", "/cda/es/v1/demo", "", "{}"); response.StatusCode != 200 || response.Header.Get(httpfield.Release) != one.build {
			t.Errorf("%s: %d of release %s", tt.name, response.StatusCode, response.Header.Get(httpfield.Release))
		}
	}
	nodes.Change(func(all map[string]*clustertest.Index) {
		*two.index = whole
		delete(all, "demo-"+two.build)
	})
	if err := s.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "it does not exist") {
		t.Errorf("without an index: %v", err)
	}
	nodes.Change(func(all map[string]*clustertest.Index) { all["demo-"+two.build] = two.index })
	nodes.Fail(func(context.Context, cluster.Request) error { return cluster.ErrUnavailable })
	if err := s.Reload(t.Context()); !errors.Is(err, cluster.ErrUnavailable) {
		t.Errorf("without a cluster: %v", err)
	}
	nodes.Fail(nil)
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if response, body := ask(t, addr, "POST", "/cda/es/v1/demo", "", "{}"); response.Header.Get(httpfield.Release) != two.build || !strings.Contains(body, "second") {
		t.Errorf("release %s: %s", response.Header.Get(httpfield.Release), body)
	}
}

// Searches wait for the cluster beside each other, however few processors there are, and block neither the event loop nor
// other searches.
func TestClusterWaits(t *testing.T) {
	site := newClusterSite(t, clustertest.New(), pair, 1)
	const waiting = 40
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public, c.MaxSearches, c.Cluster = site.dir, 1, &atcluster.Cluster{Nodes: site.nodes}
	})
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	arrived, goOn := make(chan struct{}, waiting), make(chan struct{})
	site.nodes.Fail(func(ctx context.Context, r cluster.Request) error {
		arrived <- struct{}{}
		<-goOn
		return nil
	})
	conns := make([]net.Conn, waiting)
	for i := range conns {
		body := fmt.Sprintf(`{"size":1,"from":%d}`, i)
		var err error
		if conns[i], err = net.Dial("tcp", addr); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conns[i], "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	for range conns {
		<-arrived
	}
	if n := s.resources.Searches.Running(); n != 0 {
		t.Errorf("%d searches hold a lane or a slot", n)
	}
	if response, _ := ask(t, addr, "GET", "/cda/rest/v1/demo/contents/Content_1", "", ""); response.StatusCode != 200 {
		t.Errorf("a file: %d", response.StatusCode)
	}
	if used := s.resources.Memory.Total() - s.resources.Memory.Left(); used < waiting<<10 {
		t.Errorf("%d bytes of the memory budget are used", used)
	}
	close(goOn)
	for _, c := range conns {
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || response.StatusCode != 200 {
			t.Fatalf("%v, %v", response, err)
		}
	}
	waitFor(t, "no memory is held", func() bool { return s.resources.Memory.Left() == s.resources.Memory.Total() })
}

// farRequests are a request for each kind of routes.
var farRequests = map[address.Kind][3]string{
	address.Item: {"GET", "/cda/rest/v1/demo/contents/Content_1"}, address.UsedIn: {"GET", "/cda/rest/v1/demo/contents/Content_1/used-in.json"},
	address.Contents: {"GET", "/cda/rest/v1/demo/contents"}, address.ListFile: {"GET", ""}, address.SavedSearch: {"GET", "/" + address.SavedFile("demo", "all", 1)},
	address.Media:  {"GET", "/" + address.MediaFile("demo", [32]byte{}, "a.png")},
	address.Search: {"POST", "/cda/es/v1/demo", "{}"}, address.ElasticSearch: {"POST", "/cda/es/v1/demo/_search", "{}"},
	address.ElasticMultiSearch: {"POST", "/cda/es/v1/_msearch", "{\"index\":\"demo\"}\n{}\n"}, address.ElasticCount: {"POST", "/cda/es/v1/demo/_count", "{}"},
	address.ElasticDoc: {"GET", "/cda/es/v1/demo/_doc/Content_1"}, address.ElasticSource: {"GET", "/cda/es/v1/demo/_source/Content_1"},
	address.ElasticMultiGet: {"POST", "/cda/es/v1/demo/_mget", `{"ids":["Content_1"]}`},
	address.ElasticExplain:  {"POST", "/cda/es/v1/demo/_explain/Content_1", `{"query":{"match_all":{}}}`}, address.ElasticValidate: {"POST", "/cda/es/v1/demo/_validate/query", `{"query":{"match_all":{}}}`},
	address.ElasticMapping: {"GET", "/cda/es/v1/demo/_mapping"}, address.ElasticFieldCaps: {"GET", "/cda/es/v1/demo/_field_caps?fields=*"},
	address.ElasticAnalyze: {"POST", "/cda/es/v1/demo/_analyze", `{"text":"a"}`}, address.ElasticIndex: {"GET", "/cda/es/v1/demo"},
	address.ElasticInfo: {"GET", "/cda/es/v1/"}, address.Home: {"GET", "/"}, address.Description: {"GET", "/openapi.json"}, address.Live: {"GET", "/livez"}, address.Ready: {"GET", "/readyz"},
}

// Which routes ask the cluster is what the table in CLUSTER.md says.
func TestClusterRoutes(t *testing.T) {
	f := pair
	f.searches = []release.Search{{Name: "all", Body: []byte(`{"size":2}`), TotalItems: 4, Files: 1, Bytes: 1}}
	site := newClusterSite(t, clustertest.New(), f, 1)
	bare := t.TempDir()
	manifest, err := os.ReadFile(filepath.Join(site.dir, release.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(bare, release.ManifestName), manifest)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.Cluster = bare, &atcluster.Cluster{Nodes: site.nodes} })
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _ := address.ParseList("", address.Defaults{Sort: "CreatedAt", Size: 2})
	name, _ := list.File("demo")
	for _, route := range delivery.FarRoutes {
		for _, kind := range route.Kinds {
			r := farRequests[kind]
			if kind == address.ListFile {
				r[1] = "/" + name
			}
			if parsed, ok := address.ParsePath(strings.Split(r[1], "?")[0]); kind.Group() != 0 && !ok || ok && parsed.Kind != kind && parsed.ForGET("").Kind != kind {
				t.Fatalf("%s is no request for %s", r[1], route.Name)
			}
			site.nodes.Asked()
			response, body := ask(t, addr, r[0], r[1], "", r[2])
			asked := len(site.nodes.Asked()) > 0
			if want := slices.Contains(route.Sources, delivery.FromCluster) && kind != address.UsedIn; asked != want { // this release has no lists of references
				t.Errorf("%s %s: the cluster is asked: %t, want %t (%d %s)", r[0], r[1], asked, want, response.StatusCode, body)
			}
		}
	}
}

// Operators see the nodes: in the probe, on the page, in the metrics, and that none can be asked.
func TestClusterForOperators(t *testing.T) {
	site := newClusterSite(t, clustertest.New(), pair, 1)
	log := &logBuffer{}
	startServer(t, func(c *ServerConfig) {
		c.Public, c.Admin, c.AdminHosts, c.Cluster = site.dir, "127.0.0.1:0", []string{httphead.AnyHost}, &atcluster.Cluster{Nodes: site.nodes}
		c.Logger = slog.New(slog.NewJSONHandler(log, nil))
	})
	admin := log.waitFor(t, `"admin listening","address":"([^"]+)"`)
	log.waitFor(t, "serving release")
	for _, fails := range []bool{false, true} {
		if fails {
			site.nodes.Fail(func(context.Context, cluster.Request) error { return cluster.ErrUnavailable })
		}
		for _, tt := range []struct {
			path, text string
			always     bool
		}{
			{"/readyz", `"cluster":{"available":true,"nodes":[{"name":"node:9200","inFlight":0}]}`, false},
			{"/readyz", `"build":"` + site.build + `"`, true},
			{"/", `<section id="cluster">`, true},
			{"/metrics", "contentedge_cluster_requests_waiting 0", true},
		} {
			response, body := ask(t, admin, "GET", tt.path, "", "")
			if response.StatusCode != 200 || strings.Contains(body, tt.text) != (tt.always || !fails) {
				t.Errorf("%s, the cluster fails: %t: %d without %s:\n%s", tt.path, fails, response.StatusCode, tt.text, body)
			}
		}
		_, page := ask(t, admin, "GET", "/", "", "")
		if strings.Contains(page, "No node of the cluster can search") != fails || strings.Contains(page, "it fails") != fails {
			t.Errorf("the cluster fails: %t, and the page says\n%s", fails, page)
		}
	}
}
