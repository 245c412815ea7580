package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/clusterhttp"
	"contentedge/generator"
)

// items is how many items the environment site has. The step of a resumed load is below.
const items = 1500

// releases builds two releases: the second has another title in one item.
var releases = sync.OnceValues(func() (dirs [2]string, err error) {
	root, err := os.MkdirTemp("", "load")
	if err != nil {
		return dirs, err
	}
	for n := range dirs {
		content := filepath.Join(root, fmt.Sprint("content", n))
		var text strings.Builder
		for i := range items {
			title := fmt.Sprint("title ", i)
			if i == 0 {
				title += fmt.Sprint(n)
			}
			long := ""
			if i == 7 { // a keyword takes one of them
				long = `,"fits":"` + strings.Repeat("é", layout.MaxKeyword) + `","long":["a","` + strings.Repeat("😀", layout.MaxKeyword/2+1) + `"]`
			}
			if i > 7 && i < 10 {
				long = `,"ties":"` + strings.Repeat("€", layout.MaxStart) + fmt.Sprint(i) + `"`
			}
			fmt.Fprintf(&text, `{"ContentID":"item-%05d","Name":"N","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"title":%q,"n":%d%s}}`+"\n", i, title, i, long)
		}
		if err := errors.Join(os.MkdirAll(content+"/site", 0o755), os.MkdirAll(content+"/small", 0o755),
			os.WriteFile(content+"/site/items.ndjson", []byte(text.String()), 0o644),
			os.WriteFile(content+"/small/a.json", []byte(`{"ContentID":"a","Name":"A","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o644)); err != nil {
			return dirs, err
		}
		dirs[n] = filepath.Join(root, fmt.Sprint("public", n))
		if _, err := generator.Build(context.Background(), generator.BuildConfig{Content: content, Out: dirs[n], Lists: "-", Compress: "none", SnapshotOnly: true, NoSync: true, Order: "CreatedAt:asc"}); err != nil {
			return dirs, err
		}
	}
	return dirs, nil
})

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if dirs, err := releases(); err == nil {
			_ = os.RemoveAll(filepath.Dir(dirs[0]))
		}
		os.Exit(code)
	}))
}

func config(t *testing.T, client *clusterhttp.Client, release int) Config {
	dirs, err := releases()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Client: client, From: dirs[release], Jobs: 2, Replicas: 1, MaxWait: time.Minute}
}

// load runs a load that has to succeed, and returns the report on the environment site.
func mustLoad(t *testing.T, c Config) EnvReport {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	mustBeComplete(t, c)
	return r.Environments[0]
}

func mustBeComplete(t *testing.T, c Config) {
	t.Helper()
	c.Verify = true
	r, err := Check(t.Context(), c)
	if err != nil || len(r.Missing()) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
}

// TestLoad loads a release, again, and then the next one. The aliases move, and gc removes the first one.
func TestLoad(t *testing.T) {
	f, client := newFake(t)
	first, second := config(t, client, 0), config(t, client, 1)
	if r, err := Check(t.Context(), first); err != nil || len(r.Missing()) != 2 || r.Environments[0].Problem == "" {
		t.Fatalf("%+v %v", r, err)
	}
	dry := first
	dry.DryRun = true
	if r, err := Run(t.Context(), dry); err != nil || r.Environments[0].Action != "load" || len(f.indices) != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	one := mustLoad(t, first)
	if one.Sent != items || one.Kept != 0 || one.Alias != "site" || !slices.Equal(f.named("site"), []string{one.Index}) || len(f.named("small")) != 1 {
		t.Errorf("%+v", one)
	}
	for name, i := range f.indices {
		if !i.blocked || len(i.definition.Aliases) != 2 || i.definition.Aliases[layout.Searched(name)] == nil {
			t.Errorf("%s is blocked: %t, and has the aliases %v", name, i.blocked, i.definition.Aliases)
		}
	}
	before := f.n
	if again := mustLoad(t, first); again.Sent != 0 || again.Kept != items || again.Action != Kept {
		t.Errorf("%+v", again)
	}
	for _, request := range f.seen[before:] {
		if strings.HasPrefix(request, "PUT") || strings.HasPrefix(request, "DELETE") || strings.Contains(request, "_bulk") || strings.Contains(request, "_aliases") {
			t.Errorf("a load of what is there sends %s", request)
		}
	}
	two := mustLoad(t, second)
	if !slices.Equal(two.AliasFrom, []string{one.Index}) || !slices.Equal(f.named("site"), []string{two.Index}) {
		t.Errorf("%+v", two)
	}
	for _, dry := range []bool{true, false} {
		second.DryRun = dry
		r, err := GC(t.Context(), second, 1)
		if err != nil || len(r.Removed) != 2 || r.Removed[0] != one.Index || len(r.Kept) != 2 || (f.indices[one.Index] != nil) != dry {
			t.Errorf("%+v %v", r, err)
		}
	}
}

// TestGC: what an alias names, what is newer than the newest complete one, the given release, and indices of others stay.
func TestGC(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	c.Envs = []string{"site"}
	mine := mustLoad(t, c).Index
	clear(f.indices[mine].definition.Aliases)
	add := func(name, env string, made int, complete bool, aliases ...string) {
		i := &fakeIndex{uuid: name, made: made, blocked: complete}
		meta, _ := json.Marshal(layout.Meta{Format: layout.Format, Environment: env, Build: strings.TrimPrefix(name, "site-"), Complete: complete})
		i.definition.Mappings, i.definition.Aliases = map[string]json.RawMessage{"_meta": meta}, map[string]any{}
		for _, a := range aliases {
			i.definition.Aliases[a] = object{}
		}
		f.indices[name] = i
	}
	add("site-a", "site", -5, true, "site") // aliased
	add("site-b", "site", -4, false)        // begun long ago
	add("site-c", "site", -3, true)
	add("site-d", "site", 5, true) // the second newest complete one
	add("site-e", "site", 6, true) // the newest one
	add("site-f", "site", 7, false)
	add("other-c", "other", -3, true)
	add("site-g", "other", -3, true)
	f.indices["site-g"].definition.Mappings["_meta"] = json.RawMessage(`{"build":"x"}`)
	r, err := GC(t.Context(), c, 2)
	if err != nil || !slices.Equal(r.Removed, []string{"site-c", "site-b"}) || !slices.Contains(r.Kept, mine) || !slices.Contains(r.Kept, "site-a") || len(f.indices) != 7 {
		t.Errorf("%+v %v", r, err)
	}
}

// TestKilled ends a load at its n-th request, before a node works on it and after, for each n. The next load completes
// the index.
func TestKilled(t *testing.T) {
	for _, served := range []bool{false, true} {
		for n := 1; ; n++ {
			f, client := newFake(t)
			c := config(t, client, 0)
			c.Envs, c.Jobs = []string{"small"}, 1
			ctx, cancel := context.WithCancel(t.Context())
			f.before = func(_ http.ResponseWriter, _ *http.Request, is int) bool {
				if is == n {
					cancel()
				}
				return is >= n && !served
			}
			f.after = func(*http.Request) {
				if f.n >= n {
					cancel()
				}
			}
			_, err := Run(ctx, c)
			f.mu.Lock()
			f.before, f.after = nil, nil
			f.mu.Unlock()
			ended := ctx.Err() == nil
			cancel()
			last := served && err == nil // the load ended before it saw that it was to end
			if (err == nil) != ended && !last {
				t.Fatalf("request %d, served %t: %v", n, served, err)
			}
			if ended {
				if n < 15 {
					t.Errorf("a load has %d requests: the test does not see them", n)
				}
				break
			}
			mustLoad(t, c)
		}
	}
}

// TestResume sends what is missing alone.
func TestResume(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	c.Envs = []string{"site"}
	index := mustLoad(t, c).Index
	i := f.indices[index]
	i.blocked = false
	delete(i.docs, "item-00003") // of the first 1000 by rank: the default order is by id here
	i.definition.Aliases = map[string]any{}
	if r := mustLoad(t, c); r.Sent != 1000 || r.Kept != 500 || f.indices[index].uuid != "u1" {
		t.Errorf("%+v", r)
	}
}

// TestTwoAtOnce: loads of one release end well and leave one complete index, also if all of them replace what is there.
func TestTwoAtOnce(t *testing.T) {
	for _, replace := range []bool{false, true} {
		_, client := newFake(t)
		c := config(t, client, 0)
		c.Replace = replace
		if err := parallel.Each(t.Context(), 3, 3, func(int, int) error { _, err := Run(t.Context(), c); return err }); err != nil {
			t.Errorf("replace %t: %v", replace, err)
		}
		mustBeComplete(t, c)
	}
}

// TestOtherwise lets a load with other shards begin while one is about to send. The second one completes its index.
func TestOtherwise(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	c.Envs = []string{"small"}
	other := c
	other.Shards = 3
	var begun atomic.Bool
	f.before = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, "_bulk") && begun.CompareAndSwap(false, true) {
			f.mu.Unlock()
			defer f.mu.Lock()
			if _, err := Run(t.Context(), other); err != nil {
				t.Error(err)
			}
		}
		return false
	}
	if _, err := Run(t.Context(), c); err != nil { // without --shards, those of the index are as good
		t.Error(err)
	}
	mustBeComplete(t, other)

	clear(f.indices)
	begun.Store(false)
	c.Shards = 1
	f.before = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, "_bulk") && begun.CompareAndSwap(false, true) {
			for name := range f.indices {
				f.answer("DELETE", []string{name}, nil, nil)
				other := strings.NewReplacer(`"shards":1`, `"shards":3`, aliasMark, aliasMark+"0").Replace(string(f.definition))
				f.answer("PUT", []string{name}, nil, []byte(other))
			}
		}
		return false
	}
	if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "let one end first") {
		t.Error(err)
	}
}

// TestVanished removes the index before a load sends documents. No index is made of them by themselves.
func TestVanished(t *testing.T) {
	for _, path := range []string{"/_bulk", "/_block/write", "/_forcemerge", "/_search", "/_count", "/_mapping"} {
		f, client := newFake(t)
		c := config(t, client, 0)
		c.Envs = []string{"small"}
		gone := false
		f.before = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
			if strings.HasSuffix(r.URL.Path, path) && !gone {
				gone = true
				clear(f.indices)
			}
			return false
		}
		if r := mustLoad(t, c); !gone || f.indices[r.Index].uuid != "u2" || len(f.indices) != 1 {
			t.Errorf("%s: %+v, indices: %v", path, r, f.indices)
		}
	}
}

// TestFaults lets nodes fail in ways that a load has to survive, or to name.
func TestFaults(t *testing.T) {
	refuse := func(w http.ResponseWriter, status int, response any) bool {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(response)
		return true
	}
	for _, tt := range []struct {
		name, path string
		times      int // that the fault happens
		fault      func(w http.ResponseWriter, r *http.Request) bool
		want       string // of the error; empty: none
		status     int    // of Refused
	}{
		{"too many requests", "_bulk", 1, func(w http.ResponseWriter, _ *http.Request) bool { return refuse(w, 429, object{}) }, "", 0},
		{"a connection ends", "_search", 1, func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, "", 0},
		{"a line is refused for a while", "_bulk", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, 200, object{"items": []any{result(429, "rejected_execution_exception", "full")}})
		}, "", 1},
		{"a line is refused", "_bulk", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, 200, object{"items": []any{result(400, "mapper_parsing_exception", "wrong\nvalue of "+password)}})
		}, "refuses the item a: status 400 mapper_parsing_exception: wrong value of (hidden)", 0},
		{"a line is missing", "_bulk", 100, func(w http.ResponseWriter, _ *http.Request) bool { return refuse(w, 200, object{"items": []any{}}) }, "has 0 lines, not 1", 0},
		{"an item is too large", "_bulk", 1, func(w http.ResponseWriter, _ *http.Request) bool { return refuse(w, 413, object{}) }, "the item a: its document of", 0},
		{"disks are full", "_bulk", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, 200, object{"items": []any{result(429, blockError, "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block]")}})
		}, "disks of the cluster are too full", 0},
		{"no index is made, as disks are full", "PUT /small-", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, 403, object{"error": object{"type": blockError, "reason": "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)]"}})
		}, "disks of the cluster are too full", 0},
		{"wrong credentials", "/", 1, func(w http.ResponseWriter, _ *http.Request) bool { return refuse(w, 401, object{}) }, "access denied", 0},
		{"a search is answered in part", "_search", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, 200, object{"_shards": object{"total": 1, "successful": 0}})
		}, "0 of 1 shards answered", 0},
		{"a search takes too long", "_search", 1, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, 200, object{"timed_out": true, "_shards": object{"total": 1, "successful": 1}})
		}, "timed out", 0},
		{"a response is no JSON", "_count", 1, func(w http.ResponseWriter, _ *http.Request) bool { return refuse(w, 200, "a text") }, "not the expected JSON", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, client := newFake(t)
			c := config(t, client, 0)
			c.Envs = []string{"small"}
			if tt.times > 1 { // the fault lasts longer than the load waits
				c.MaxWait = time.Second
			}
			n := 0
			f.before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if n == tt.times || !strings.Contains(r.Method+" "+r.URL.Path, tt.path) {
					return false
				}
				n++
				return tt.fault(w, r)
			}
			r, err := Run(t.Context(), c)
			if tt.want == "" && (err != nil || !r.Environments[0].Complete || r.Environments[0].Refused != tt.status) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%+v %v", r, err)
			}
			if _, item := errors.AsType[*ItemError](err); item != strings.Contains(tt.want, "the item a") {
				t.Errorf("%T", err)
			}
		})
	}
}

// TestHalves sends requests that a node finds too large again, in halves.
func TestHalves(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	c.Envs = []string{"site"}
	most := 0
	f.before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, "_bulk") {
			return false
		}
		if r.ContentLength <= 100_000 {
			most = max(most, int(r.ContentLength))
			return false
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return true
	}
	if r := mustLoad(t, c); r.Sent != items || most < 50_000 {
		t.Errorf("%+v, at most %d bytes", r, most)
	}
}

// TestRefusedLines sends the lines again that were refused, and no others.
func TestRefusedLines(t *testing.T) {
	f, client := newFake(t)
	c := config(t, client, 0)
	c.Envs = []string{"site"}
	var sizes []int
	f.before = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, "_bulk") {
			return false
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		n := bytes.Count(body, []byte("\n")) / 2
		if sizes = append(sizes, n); len(sizes) > 1 {
			return false
		}
		_, taken := f.bulk(strings.Split(r.URL.Path, "/")[1], true, body)
		results := taken.(object)["items"].([]any)
		for i := 0; i < n; i += 3 {
			results[i] = result(429, "rejected_execution_exception", "")
		}
		_ = json.NewEncoder(w).Encode(taken)
		return true
	}
	if r := mustLoad(t, c); r.Sent != items || r.Refused != items/3 || !slices.Equal(sizes, []int{items, items / 3}) {
		t.Errorf("%+v, requests of %v lines", r, sizes)
	}
}

// TestOthers: what a load did not make, or another version made, is not touched without being asked.
func TestOthers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(f *fake, i *fakeIndex)
		config func(c *Config)
		want   string // of the error; empty: the index is made anew
	}{
		{"an index of somebody else", func(_ *fake, i *fakeIndex) { delete(i.definition.Mappings, "_meta") }, nil, "was not made by generator load"},
		{"the same, to be replaced", func(_ *fake, i *fakeIndex) { delete(i.definition.Mappings, "_meta") }, func(c *Config) { c.Replace = true }, "was not made by generator load"},
		{"other shards", nil, func(c *Config) { c.Shards = 3 }, "shards 1, not 3"},
		{"other shards, to be replaced", nil, func(c *Config) { c.Shards, c.Replace = 3, true }, ""},
		{"other shards, not complete", func(_ *fake, i *fakeIndex) { i.blocked = false }, func(c *Config) { c.Shards = 3 }, ""},
		{"another item", func(_ *fake, i *fakeIndex) { i.docs["a"] = strings.Replace(i.docs["a"], `"A"`, `"B"`, 1) }, nil, "the item a differs"},
		{"the same, to be replaced", func(_ *fake, i *fakeIndex) { i.docs["a"] = strings.Replace(i.docs["a"], `"A"`, `"B"`, 1) }, func(c *Config) { c.Replace = true }, ""},
		{"a missing item", func(_ *fake, i *fakeIndex) { delete(i.docs, "a") }, nil, "it has 0 documents"},
		{"a missing item in a blocked index", func(_ *fake, i *fakeIndex) {
			delete(i.docs, "a")
			i.definition.Mappings["_meta"] = bytes.Replace(i.definition.Mappings["_meta"], []byte("true"), []byte("false"), 1)
		}, nil, "lacks 1 documents"},
		{"a document more", func(_ *fake, i *fakeIndex) { i.docs["b"] = `{}` }, nil, "it has 2 documents"},
		{"a document more in one that is not blocked", func(_ *fake, i *fakeIndex) { i.docs["b"], i.blocked = `{}`, false }, nil, "1 of its documents belong to no item"},
		{"a rank twice", func(_ *fake, i *fakeIndex) { i.docs["b"], i.blocked = i.docs["a"], false }, nil, "2 documents for the 1 ranks"},
		{"deleted documents in one that is not blocked", func(_ *fake, i *fakeIndex) { i.deleted, i.blocked = 1, false }, nil, "1 deleted documents"},
		{"an alias of somebody else", func(f *fake, _ *fakeIndex) {
			other := &fakeIndex{}
			other.definition.Aliases = map[string]any{"small": object{}}
			f.indices["other"] = other
		}, nil, "names the index other"},
		{"the same, without moving it", func(f *fake, i *fakeIndex) {
			other := &fakeIndex{}
			other.definition.Aliases = map[string]any{"small": object{}}
			f.indices["other"] = other
		}, func(c *Config) { c.NoAlias, c.Replace = true, true }, ""},
		{"another engine", func(f *fake, _ *fakeIndex) { f.version = `{"version":{"number":"8.1.0"}}` }, nil, "Elasticsearch 8.1.0"},
		{"a newer engine", func(f *fake, _ *fakeIndex) { f.version = `{"version":{"distribution":"opensearch","number":"3.0.0"}}` }, nil, "OpenSearch 3.0.0"},
		{"no engine", func(f *fake, _ *fakeIndex) { f.version = `{}` }, nil, "GET / has no version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, client := newFake(t)
			c := config(t, client, 0)
			c.Envs = []string{"small"}
			name := mustLoad(t, c).Index
			c.Verify = true
			if tt.change != nil {
				tt.change(f, f.indices[name])
			}
			if tt.config != nil {
				tt.config(&c)
			}
			_, err := Run(t.Context(), c)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || f.indices[name].uuid != "u1" {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || f.indices[name].uuid != "u2" {
				t.Errorf("%v", err)
			}
			mustBeComplete(t, c)
		})
	}
}
