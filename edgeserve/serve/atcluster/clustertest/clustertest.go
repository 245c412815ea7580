// Package clustertest plays a cluster with the indices of a release, for tests. It finds items by their ids, or all
// items; other queries are tested with a real cluster.
package clustertest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/clusternodes"
	"contentedge/edgeserve/wire/release"
)

// Nodes are the nodes of a cluster. They implement atcluster.Nodes.
type Nodes struct {
	mu      sync.Mutex
	indices map[string]*Index // guarded by mu, as all below
	fault   func(ctx context.Context, r cluster.Request) error
	asked   []string
}

// Index is an index.
type Index struct {
	Meta    layout.Meta
	Blocked bool
	Hidden  bool // it lacks the alias for searches

	ids  []string
	docs [][]byte
}

// New returns nodes without indices.
func New() *Nodes { return &Nodes{indices: map[string]*Index{}} }

// Load makes an index of an environment as generator load does. It is complete.
func (n *Nodes) Load(tb testing.TB, build string, env *release.Environment, items *snapshot.Reader, shards int) *Index {
	tb.Helper()
	x := &Index{Blocked: true, Meta: layout.Meta{
		Format: layout.Format, Environment: env.ID, Build: build, Snapshot: env.Snapshot.SHA256, Items: env.Items, Shards: shards, Complete: true,
	}}
	docs := layout.NewDocuments(env.Fields)
	for d := range items.Items() {
		line, err := docs.Append(nil, items.Fragment(snapshot.DocID(d)), d)
		if err != nil {
			tb.Fatal(err)
		}
		x.ids, x.docs = append(x.ids, items.ID(snapshot.DocID(d))), append(x.docs, line)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.indices[layout.IndexName(env.ID, build)] = x
	return x
}

// Change changes indices.
func (n *Nodes) Change(change func(indices map[string]*Index)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n.indices)
}

// Fail has a function called before each request, whose error becomes the error of the request. It may be nil.
func (n *Nodes) Fail(fault func(ctx context.Context, r cluster.Request) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault = fault
}

// Asked returns the paths of the requests since the last call.
func (n *Nodes) Asked() (paths []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	paths, n.asked = n.asked, nil
	return paths
}

// Do implements cluster.Transport.
func (n *Nodes) Do(ctx context.Context, r cluster.Request) (response []byte, done func(), err error) {
	n.mu.Lock()
	n.asked = append(n.asked, r.Path)
	fault := n.fault
	n.mu.Unlock()
	if fault != nil {
		if err := fault(ctx, r); err != nil {
			return nil, nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	name, endpoint, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	x := n.indices[name]
	if endpoint != "" {
		x = n.searched(name)
	}
	switch {
	case x == nil:
		return nil, nil, &cluster.StatusError{Status: 404, Type: "index_not_found_exception"}
	case endpoint == "":
		response = x.state(name)
	case endpoint == "_search":
		response, err = x.search(r.Body)
	default:
		err = fmt.Errorf("clustertest: no answer to %s", r.Path)
	}
	if err == nil && int64(len(response)) > r.MaxResponse {
		err = cluster.ErrTooLarge
	}
	return response, func() {}, err
}

// searched returns the index that has the alias for searches; nil for none, as an index by its own name.
func (n *Nodes) searched(alias string) *Index {
	for name, x := range n.indices {
		if layout.Searched(name) == alias && !x.Hidden {
			return x
		}
	}
	return nil
}

func (x *Index) state(name string) []byte {
	aliases := map[string]any{}
	if !x.Hidden {
		aliases[layout.Searched(name)] = map[string]any{}
	}
	return encode(map[string]any{name: map[string]any{
		"aliases":  aliases,
		"mappings": map[string]any{"_meta": x.Meta}, "settings": map[string]any{"index": map[string]any{"blocks": map[string]any{"write": fmt.Sprint(x.Blocked)}}},
	}})
}

type object = map[string]any

// search finds the items that a body names by ids, or all.
func (x *Index) search(body []byte) ([]byte, error) {
	var asked struct {
		From, Size int
		Query      any
	}
	asked.Size = 10
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	ids := idsIn(asked.Query)
	var places []int
	for i, id := range x.ids {
		if ids == nil || slices.Contains(ids, id) {
			places = append(places, i)
		}
	}
	hits := []object{}
	for n, i := range places {
		if n >= asked.From && n < asked.From+asked.Size {
			hits = append(hits, object{"_id": x.ids[i], "_score": 1.0, "_source": json.RawMessage(x.docs[i]), "sort": []any{1.0, i}})
		}
	}
	return encode(object{
		"took": 1, "timed_out": false, "_shards": object{"total": x.Meta.Shards, "successful": x.Meta.Shards, "skipped": 0, "failed": 0},
		"hits": object{"total": object{"value": len(places), "relation": "eq"}, "max_score": 1.0, "hits": hits},
	}), nil
}

// idsIn returns the ids of the first ids query in a query.
func idsIn(v any) []string {
	switch v := v.(type) {
	case object:
		if named, ok := v["ids"].(object); ok {
			ids := []string{}
			for _, id := range named["values"].([]any) {
				ids = append(ids, id.(string))
			}
			return ids
		}
		for _, inside := range v {
			if ids := idsIn(inside); ids != nil {
				return ids
			}
		}
	case []any:
		for _, inside := range v {
			if ids := idsIn(inside); ids != nil {
				return ids
			}
		}
	}
	return nil
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("clustertest: " + err.Error())
	}
	return text
}

// State is the state of one node, which is not asked while requests fail.
func (n *Nodes) State() clusternodes.State {
	n.mu.Lock()
	defer n.mu.Unlock()
	failing := n.fault != nil
	node := clusternodes.NodeState{Name: "node:9200", Open: failing}
	if failing {
		node.Error, node.Since = "it fails", time.Now()
	}
	return clusternodes.State{Available: !failing, Nodes: []clusternodes.NodeState{node}}
}

// WriteMetrics writes one metric.
func (n *Nodes) WriteMetrics(t *prometheus.Text) {
	t.Family("contentedge_cluster_requests_waiting", "gauge", "Requests that wait until a node of the cluster may be asked.")
	t.Uint(0)
}
