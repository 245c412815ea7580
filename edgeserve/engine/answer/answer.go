// Package answer turns a request for content into the body of its response, or a problem: items, lists,
// saved searches, searches and Elasticsearch's endpoints. It is the product without a server. Builds and
// commands call Respond. A node calls its three steps, and does its own work between them:
//
//	Find      the address → Content: its class, its file, its links; a node looks for a file and into its cache
//	Evaluate  Content, body, Budget → Answer: its size, and whether it depends on the clock; a node has admitted the request
//	Write     Answer → the bytes of the body; a node has taken memory for them
//
// An evaluator finds the hits (hits.Evaluator); this package writes them. It knows no HTTP, no cache and no
// files.
package answer

import (
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Release answers requests for the content of a release.
type Release struct {
	Manifest     *release.Manifest
	Environments map[string]*elastic.Index
	// StrictParameters refuses unknown parameters of lists and searches.
	StrictParameters bool
}

// FromSnapshots returns a Release whose snapshots evaluate requests. They stay the caller's.
func FromSnapshots(m *release.Manifest, readers map[string]*snapshot.Reader) *Release {
	v := &Release{Manifest: m, Environments: make(map[string]*elastic.Index, len(readers))}
	for env, r := range readers {
		v.Environments[env] = &elastic.Index{Items: search.Snapshot{Reader: r}, Fields: fields.Resolver{Reader: r}}
	}
	return v
}

// Budget is what an evaluation may use.
type Budget struct {
	Work *scorer.WorkLimit
	// Next ends a search of a request that has several, and returns the budget of the next one.
	Next func() (*scorer.WorkLimit, *problem.Problem)
	// Count counts an evaluated search by its kind, one of SearchKinds; nil: nobody counts.
	Count func(kind string)
}

// Answer is a response before its body is written.
type Answer struct {
	Size  int    // of the body in bytes, about
	Total int    // of a list or a search: the number of all its items
	Link  []byte // value of the Link header, may be empty
	Timed bool   // the response depends on the clock

	write func(dst []byte) ([]byte, error)
}

// New returns an answer of about size bytes, which write writes.
func New(size int, write func(dst []byte) ([]byte, error)) Answer {
	return Answer{Size: size, write: write}
}

// Write appends the body. It gives memory back to other searches, so it is called once.
func (a Answer) Write(dst []byte) ([]byte, error) { return a.write(dst) }
