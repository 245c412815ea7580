// Package offline answers whole requests from a release in memory: its manifest and its snapshots. The WebAssembly
// module is made of it. Status, fields and body equal a node's that answers in the identity coding, without Date,
// X-Request-Id and the fields of a connection. The package knows no HTTP and no files: when an answer needs a file of
// the release, Respond names it, and the caller brings it and asks again.
package offline

import (
	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// Release is a release in memory. It is not safe for concurrent use.
type Release struct {
	content *answer.Release
	site    *respond.Site
	// waiting are the environments whose snapshots an answer needed and that are not loaded, by id.
	waiting map[string]bool
	lacking []string // the files of items that the last answer lacked
	loaded  int64    // bytes of the loaded snapshots
}

// File is a file of the release that an answer needs.
type File struct {
	Name  string // below the release's root
	Bytes int64  // its size
	// Environment is the environment whose snapshot it is; "" for the file of an item, whose size is not known.
	Environment string
}

// Open returns the release of a manifest, without snapshots.
func Open(manifest []byte) (*Release, error) {
	m, err := release.ParseRows(manifest)
	if err == nil {
		err = m.CheckWhole()
	}
	if err != nil {
		return nil, err
	}
	r := &Release{
		content: answer.FromSnapshots(m, nil), waiting: map[string]bool{},
		site: respond.NewSite(m.Build, release.Standard(), []string{release.AnyOrigin}),
	}
	for i := range m.Environments {
		id := m.Environments[i].ID
		r.content.Environments[id] = &elastic.Index{
			Items: absent{func() { r.waiting[id] = true }}, Fields: fields.Resolver{Reader: new(snapshot.Reader)},
		}
	}
	return r, nil
}

// Build is the release's identity.
func (r *Release) Build() string { return r.content.Manifest.Build }

// Load answers from a snapshot that has arrived, or reads a part of the manifest. The bytes must not change afterwards.
func (r *Release) Load(in *Incoming) error {
	if in.part != nil {
		return r.content.Manifest.Fill(*in.part, in.data[:in.n])
	}
	reader, err := in.reader()
	if err != nil {
		return err
	}
	r.loaded += int64(len(in.data))
	r.content.Environments[in.env.ID] = &elastic.Index{Items: search.Snapshot{Reader: reader}, Fields: fields.Resolver{Reader: reader}}
	return nil
}

// Loaded returns the size of the loaded snapshots in bytes.
func (r *Release) Loaded() int64 { return r.loaded }

// isLoaded reports whether the snapshot of an environment is loaded.
func (r *Release) isLoaded(environment string) bool {
	_, no := r.content.Environments[environment].Items.(absent)
	return !no
}
