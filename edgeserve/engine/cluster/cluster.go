// Package cluster evaluates requests from an index of an OpenSearch cluster, which generator load has filled from a
// release. Its answers equal the answers of a snapshot of the release, byte by byte.
//
//	a body  → the twin, a snapshot without items, refuses what package search refuses, with its errors
//	        → package encode writes the tree as a body, and package translate as one for the index
//	        → a Transport asks the nodes
//	        → the response is checked: nothing partial becomes an answer
//	        → hits, aggregations and suggestions are written again, as the tree of the body asks for them
package cluster

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// Index evaluates requests for the items of an environment from an index. It implements hits.Evaluator, and is safe for
// concurrent use.
type Index struct {
	twin        *snapshot.Reader
	name        string
	at          string // what requests name: the index, or its alias
	shards      int
	items       int
	transport   Transport
	translation translate.Index
	ties        []string
	spans       sync.Map // of fields, by name: their span in all items
}

// New returns an evaluator of an environment. twin has the fields of the environment and no items. name is the name of
// the index, which has a number of shards; long are the paths of the index's layout.Meta.
func New(env release.Environment, twin *snapshot.Reader, name string, shards int, t Transport, long ...string) *Index {
	return &Index{
		twin: twin, name: name, at: name, shards: shards, items: env.Items, transport: t,
		translation: translate.Index{Env: env.ID, Name: name, Shards: shards, Fields: translate.NewFields(env.Fields, long...)},
	}
}

// ByAlias lets requests name an alias of the index. Call it before the first request. It returns the index.
func (x *Index) ByAlias(alias string) *Index {
	x.at = alias
	return x
}

// Tying names the paths of the index's layout.Meta of which different values tie. Call it before the first request. It
// returns the index.
func (x *Index) Tying(paths []string) *Index {
	x.ties = paths
	return x
}

// tells reports whether the responses that a key orders say that it has a long text. Lists show no sort values, so that
// only ties can differ.
func (x *Index) tells(k *query.SortKey) bool {
	return x.translation.Fields.Cut(k) && (!k.Exact || slices.Contains(x.ties, k.Field) || slices.Contains(x.ties, layout.AnyPath))
}

// path is the path of an endpoint of the index, and of names below it.
func (x *Index) path(names ...string) string {
	var b strings.Builder
	b.WriteByte('/')
	b.WriteString(url.PathEscape(x.at))
	for _, name := range names {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(name))
	}
	return b.String()
}
