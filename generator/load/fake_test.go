// This file is a cluster for tests: indices in memory, with the requests that loads send, and faults before them.

package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/wire/clusterhttp"
)

type fakeIndex struct {
	definition struct {
		Settings map[string]any
		Mappings map[string]json.RawMessage
		Aliases  map[string]any
	}
	docs    map[string]string // by id
	blocked bool
	merged  bool
	deleted int
	uuid    string
	made    int
}

// fake is a cluster. Of each request before may make an end itself.
type fake struct {
	t       *testing.T
	version string
	before  func(w http.ResponseWriter, r *http.Request, n int) bool
	after   func(r *http.Request) // called with mu held

	mu      sync.Mutex
	n       int // requests
	made    int
	indices map[string]*fakeIndex
	seen    []string

	definition []byte // of the index that was made last
}

// password is that of the loads.
const password = "a long password"

func newFake(t *testing.T) (*fake, *clusterhttp.Client) {
	f := &fake{t: t, indices: map[string]*fakeIndex{}, version: `{"version":{"distribution":"opensearch","number":"2.19.6"}}`}
	server := httptest.NewServer(f)
	client, err := clusterhttp.New(clusterhttp.Options{Nodes: []string{server.URL}, User: "loader", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return f, client
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.seen = append(f.seen, r.Method+" "+r.URL.Path)
	if f.before != nil && f.before(w, r, f.n) {
		return
	}
	status, response := f.answer(r.Method, strings.Split(r.URL.Path[1:], "/"), r.URL.Query(), body)
	if f.after != nil {
		f.after(r)
	}
	w.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(response)
	if raw, ok := response.(string); ok {
		text = []byte(raw)
	}
	if err != nil {
		f.t.Error(err)
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func failure(status int, kind, reason string) (int, any) {
	return status, object{"error": object{"type": kind, "reason": reason}, "status": status}
}

type object = map[string]any

func (f *fake) answer(method string, path []string, query url.Values, body []byte) (int, any) {
	ok := object{"acknowledged": true, "shards_acknowledged": true}
	name, end := path[0], strings.Join(path[1:], "/")
	switch {
	case name == "":
		return 200, f.version
	case name == "_aliases":
		return f.aliases(body)
	case name == "_cluster" && strings.HasPrefix(end, "health/"):
		if len(f.named(path[2])) == 0 {
			return failure(408, "", "")
		}
		return 200, object{"status": "green", "number_of_data_nodes": 3}
	case end == "_bulk":
		return f.bulk(name, query.Get("require_alias") == "true", body)
	case end == "" && method == "GET":
		return f.states(name)
	}
	if of := f.named(name); len(of) == 1 && method+end != "DELETE" {
		name = of[0]
	}
	i := f.indices[name]
	if end == "" && method == "PUT" {
		if i != nil {
			return failure(400, errExists, "it exists")
		}
		f.made++
		i = &fakeIndex{docs: map[string]string{}, uuid: fmt.Sprint("u", f.made), made: f.made}
		if f.definition = body; json.Unmarshal(body, &i.definition) != nil {
			f.t.Errorf("the definition is no JSON: %s", body)
		}
		f.indices[name] = i
		return 200, ok
	}
	if i == nil {
		return failure(404, "index_not_found_exception", "no such index")
	}
	n := 1
	if shards, ok := i.definition.Settings["number_of_shards"].(float64); ok {
		n = int(shards)
	}
	all := object{"total": n, "successful": n, "failed": 0}
	switch method + " " + end {
	case "DELETE ":
		delete(f.indices, name)
		return 200, ok
	case "PUT _block/write":
		i.blocked = true
		return 200, ok
	case "POST _forcemerge":
		i.merged = true
		return 200, object{"_shards": all}
	case "POST _refresh", "POST _flush":
		return 200, object{"_shards": all}
	case "GET _stats/docs,segments,merge":
		shards, segments := object{}, 2
		if i.merged {
			segments = 1
		}
		for s := range n {
			shards[fmt.Sprint(s)] = []any{object{"routing": object{"primary": true}, "docs": object{"deleted": i.deleted}, "segments": object{"count": segments}, "merges": object{"current": 0}}}
		}
		return 200, object{"indices": object{name: object{"shards": shards}}}
	case "GET _stats/store":
		return 200, object{"_all": object{"primaries": object{"store": object{"size_in_bytes": 1000}}}}
	case "GET _count":
		return 200, object{"count": len(i.docs), "_shards": all}
	case "PUT _mapping":
		var m struct {
			Meta json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(body, &m); err != nil {
			f.t.Error(err)
		}
		i.definition.Mappings["_meta"] = m.Meta
		return 200, ok
	case "PUT _settings":
		return 200, ok
	case "POST _search":
		if query.Get("allow_partial_search_results") != "false" {
			f.t.Error("a search may be answered in part")
		}
		response := i.search(body)
		response["_shards"], response["timed_out"] = all, false
		return 200, response
	}
	f.t.Errorf("unexpected request: %s %v", method, path)
	return failure(400, "", "unexpected")
}

func (f *fake) named(name string) (found []string) {
	for index, i := range f.indices {
		if _, alias := i.definition.Aliases[name]; alias || index == name || name == "*" {
			found = append(found, index)
		}
	}
	slices.Sort(found)
	return found
}

func (f *fake) states(name string) (int, any) {
	all := object{}
	for _, index := range f.named(name) {
		i := f.indices[index]
		settings := object{"uuid": i.uuid, "creation_date": fmt.Sprint(i.made)}
		if i.blocked {
			settings["blocks"] = object{"write": "true"}
		}
		all[index] = object{"aliases": i.definition.Aliases, "mappings": object{"_meta": i.definition.Mappings["_meta"]}, "settings": object{"index": settings}}
	}
	if len(all) == 0 && name != "*" {
		return failure(404, "index_not_found_exception", "no such index")
	}
	return 200, all
}

func (f *fake) aliases(body []byte) (int, any) {
	var changes struct {
		Actions []map[string]struct {
			Index, Alias string
			MustExist    bool `json:"must_exist"`
		}
	}
	if err := json.Unmarshal(body, &changes); err != nil {
		f.t.Error(err)
	}
	for _, c := range changes.Actions {
		for do, a := range c {
			i := f.indices[a.Index]
			switch {
			case do != "add" && do != "remove":
				f.t.Errorf("an alias is changed with %s", do)
			case i == nil:
				return failure(404, "index_not_found_exception", "no such index")
			case do == "remove" && (a.MustExist || len(changes.Actions) == 1) && i.definition.Aliases[a.Alias] == nil:
				return failure(404, "aliases_not_found_exception", "aliases missing")
			case do == "remove":
				delete(i.definition.Aliases, a.Alias)
			default:
				i.definition.Aliases[a.Alias] = object{}
			}
		}
	}
	return 200, object{"acknowledged": true}
}

func (f *fake) bulk(alias string, onlyAlias bool, body []byte) (int, any) {
	found := f.named(alias)
	if len(found) == 0 && !onlyAlias {
		f.indices[alias] = &fakeIndex{docs: map[string]string{}}
		found = []string{alias}
	}
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	var items []any
	for n := 0; n < len(lines); n += 2 {
		var action struct {
			Create struct {
				ID string `json:"_id"`
			}
		}
		if err := json.Unmarshal([]byte(lines[n]), &action); err != nil {
			f.t.Error(err)
		}
		status, kind := 201, ""
		switch {
		case len(found) != 1 || found[0] == alias && onlyAlias:
			status, kind = 404, "index_not_found_exception"
		case f.indices[found[0]].blocked:
			status, kind = 403, blockError
		case f.indices[found[0]].docs[action.Create.ID] != "":
			status, kind = 409, errThere
		default:
			f.indices[found[0]].docs[action.Create.ID] = lines[n+1]
		}
		items = append(items, result(status, kind, ""))
	}
	return 200, object{"items": items}
}

// result is the result of a line.
func result(status int, kind, reason string) any {
	r := object{"status": status}
	if kind != "" {
		r["error"] = object{"type": kind, "reason": reason}
	}
	return object{"create": r}
}

func (i *fakeIndex) search(body []byte) object {
	var q struct {
		Query struct {
			Range map[string]struct{ Gte, Lt int }
		}
		Aggs struct {
			Ranks struct{ Histogram struct{ Interval int } }
		}
	}
	_ = json.Unmarshal(body, &q)
	type hit struct {
		rank int
		id   string
	}
	var hits []hit
	for id, source := range i.docs {
		if _, rank, err := layout.Item(nil, []byte(source)); err == nil {
			hits = append(hits, hit{rank, id})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return a.rank - b.rank })
	var shown, buckets []any
	for _, h := range hits {
		if r, ok := q.Query.Range[layout.Rank]; ok && h.rank >= r.Gte && h.rank < r.Lt {
			shown = append(shown, object{"_id": h.id, "_source": json.RawMessage(i.docs[h.id])})
		}
	}
	total := len(shown)
	if step := q.Aggs.Ranks.Histogram.Interval; step > 0 {
		total = len(i.docs)
		counts := map[int]int{}
		for _, h := range hits {
			counts[h.rank/step*step]++
		}
		for key, n := range counts {
			buckets = append(buckets, object{"key": float64(key), "doc_count": n})
		}
	}
	return object{"hits": object{"total": object{"value": total}, "hits": shown}, "aggregations": object{"ranks": object{"buckets": buckets}}}
}
