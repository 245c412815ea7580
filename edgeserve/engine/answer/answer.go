// Package answer turns a request for content into the body of its response, or into a problem. It answers
// requests for items, lists, saved searches, searches and Elasticsearch's endpoints. Builds and commands call
// Respond, which needs no server. A node calls the three steps of Respond, with work of its own between them:
//
//	Find      the address → Content: its class, its file, its links; then a node looks for the file and into its cache
//	Evaluate  Content, body, Budget → Answer: its size, and whether it depends on the clock; before it a node admits the request
//	Write     Answer → the bytes of the body; before it a node takes memory for them
//
// A hits.Evaluator finds the hits, and this package writes them. The package knows no HTTP, no cache and no files.
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
	// StrictParameters refuses all unknown parameters of lists and searches.
	StrictParameters bool
	// ListEnvironments lets the document of OpenAPI name environments, templates and fields.
	ListEnvironments bool
	// HasFile reports whether a file of the release is on this machine. It is set where evaluators are on other machines:
	// they are not asked which items there are before a response is evaluated. Nil: evaluators are here.
	HasFile func(name string) bool
}

// FromSnapshots returns a Release that evaluates requests from snapshots. The caller closes the readers.
func FromSnapshots(m *release.Manifest, readers map[string]*snapshot.Reader) *Release {
	v := &Release{Manifest: m, Environments: make(map[string]*elastic.Index, len(readers))}
	for env, r := range readers {
		v.Environments[env] = &elastic.Index{Items: search.Snapshot{Reader: r}, Fields: fields.Resolver{Reader: r}}
	}
	return v
}

// Budget limits the work of an evaluation, and counts it.
type Budget struct {
	Work *scorer.WorkLimit
	// Next ends a search of a request with several searches. It returns the work limit of the next search.
	Next func() (*scorer.WorkLimit, *problem.Problem)
	// Count counts an evaluated search by its kind, one of SearchKinds. Nil: searches are not counted.
	Count func(kind string)
}

// Answer is a response before its body is written.
type Answer struct {
	Size  int    // the approximate length of the body in bytes
	Total int    // of a list or a search: the number of items that match
	Link  []byte // value of the Link header, may be empty
	Timed bool   // the response depends on the clock
	// Approximate says why results are approximate; nil if they are exact.
	Approximate []string

	write func(dst []byte) ([]byte, error)
}

// New returns an answer of about size bytes. write appends its body.
func New(size int, write func(dst []byte) ([]byte, error)) Answer {
	return Answer{Size: size, write: write}
}

// Write appends the body. Call it once: it also gives memory back to other searches.
func (a Answer) Write(dst []byte) ([]byte, error) { return a.write(dst) }
