// Package diff compares the files, and so the items, of two releases. It reads their manifests and lists of checksums
// in one pass. It finds the addresses of changed files and the cache keys to purge: an item's responses have the keys
// item-ID and env-ENV, responses of lists and searches lists-ENV and env-ENV.
package diff

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// Kind is the kind of a change.
type Kind string

// The kinds.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Removed Kind = "removed"
)

// File is a file that differs between the releases.
type File struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // below the release's root

	// Only the files of items and pages have the next two, without the precompressed ones.
	URLs []string `json:"urls,omitempty"` // the requests that the file answers: paths, for lists with queries
	Key  string   `json:"key,omitempty"`  // of the responses that caches have to drop
}

// Item returns the environment and the id of an item, if f is its file.
func (f *File) Item() (env, id string, ok bool) {
	if !f.OfItem() {
		return "", "", false
	}
	r, ok := address.ParsePath("/" + f.Name)
	if !ok || r.Kind != address.Item {
		return "", "", false
	}
	return r.Env, r.ID, true
}

// OfItem reports whether f belongs to an item: it is the item's file, or the file of the items that refer to it. Its
// key is not in a Summary.
func (f *File) OfItem() bool { return strings.HasPrefix(f.Key, ItemKey("")) }

// Summary counts the changes and lists the keys that follow from them.
type Summary struct {
	Old string `json:"old"` // the build ids
	New string `json:"new"`
	// OldManifest and NewManifest are the SHA-256 of the manifests; "" for a directory without a release.
	OldManifest string   `json:"oldManifestSHA256,omitempty"`
	NewManifest string   `json:"newManifestSHA256,omitempty"`
	Added       int      `json:"added"` // files
	Changed     int      `json:"changed"`
	Removed     int      `json:"removed"`
	Items       Counts   `json:"itemCounts"`
	Keys        []string `json:"keys"` // lists-ENV and env-ENV of the responses that caches have to drop

	LeftOut []LeftOut `json:"leftOut,omitempty"` // by environment, where searches see other paths
	// Requests is how many requests a publication into the store of the old release would take; 0: not known.
	Requests int `json:"requests,omitempty"`
}

// LeftOut is a change of the paths that an environment leaves out of its index.
type LeftOut struct {
	Env string        `json:"environment"`
	Old leftout.Rules `json:"old"`
	New leftout.Rules `json:"new"`
}

// Counts are the items by kind of their change.
type Counts struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

func (c *Counts) add(kind Kind) {
	switch kind {
	case Added:
		c.Added++
	case Changed:
		c.Changed++
	case Removed:
		c.Removed++
	}
}

// Compare calls visit for each file that differs, by name.
func Compare(ctx context.Context, old, new *checksums.List, visit func(File) error) (*Summary, error) {
	c := &comparison{defaults: defaults(new.Manifest), visit: visit, keys: map[string]bool{},
		s: &Summary{Old: old.Manifest.Build, New: new.Manifest.Build, OldManifest: manifestSHA256(old), NewManifest: manifestSHA256(new)}}
	c.environments(old.Manifest, new.Manifest)
	if err := c.merge(ctx, old.Lines(), new.Lines()); err != nil {
		return nil, err
	}
	c.s.Keys = slices.AppendSeq([]string{}, maps.Keys(c.keys)) // in JSON [], never null
	slices.Sort(c.s.Keys)
	return c.s, nil
}

func manifestSHA256(l *checksums.List) string {
	if l.Raw == nil {
		return ""
	}
	return release.HexSHA256(l.Raw)
}

type comparison struct {
	s        *Summary
	defaults address.Defaults // of the new release
	keys     map[string]bool
	visit    func(File) error
}

func defaults(m *release.Manifest) address.Defaults {
	return address.Defaults{Sort: m.Defaults.Sort, Asc: m.Defaults.Asc, Size: m.Defaults.PageSize}
}

// ItemKey is the cache key of an item's responses.
func ItemKey(id string) string { return "item-" + id }

// ListsKey is the cache key of the responses of an environment's lists and searches.
func ListsKey(env string) string { return "lists-" + env }

// EnvKey is the cache key of all responses of an environment.
func EnvKey(env string) string { return "env-" + env }

// ItemURLs returns the paths of requests for an item.
func ItemURLs(env, id string) []string {
	name := "/" + address.ItemFile(env, id)
	return []string{name, strings.TrimSuffix(name, ".json")}
}

// environments finds the keys that follow from the manifests: an environment that comes or
// goes, or other defaults, changes responses that have no file or another one.
func (c *comparison) environments(old, new *release.Manifest) {
	was := map[string]release.Environment{}
	for _, e := range old.Environments {
		was[e.ID] = e
	}
	for _, e := range new.Environments {
		before, ok := was[e.ID]
		if delete(was, e.ID); !ok || old.Defaults != new.Defaults {
			c.keys[EnvKey(e.ID)] = true
		}
		if ok && !before.LeftOut.Equal(e.LeftOut) {
			c.s.LeftOut = append(c.s.LeftOut, LeftOut{e.ID, before.LeftOut, e.LeftOut})
		}
		if before.Snapshot != e.Snapshot {
			c.keys[ListsKey(e.ID)] = true // of searches
		}
	}
	for id := range was {
		c.keys[EnvKey(id)], c.keys[ListsKey(id)] = true, true
	}
}

// merge walks both lists, which are in order of names.
func (c *comparison) merge(ctx context.Context, old, new *checksums.Reader) error {
	a, b := old.Next(), new.Next()
	for n := 0; a || b; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		order := -1
		if a && b {
			order = bytes.Compare(old.Name(), new.Name())
		} else if b {
			order = 1
		}
		var err error
		switch {
		case order < 0:
			err = c.file(Removed, &c.s.Removed, old.Name())
		case order > 0:
			err = c.file(Added, &c.s.Added, new.Name())
		case old.Sum() != new.Sum():
			err = c.file(Changed, &c.s.Changed, new.Name())
		}
		if err != nil {
			return err
		}
		if order <= 0 {
			a = old.Next()
		}
		if order >= 0 {
			b = new.Next()
		}
	}
	if err := old.Err(); err != nil {
		return err
	}
	return new.Err()
}

func (c *comparison) file(kind Kind, count *int, name []byte) error {
	*count++
	f := File{Kind: kind, Name: string(name)}
	if _, coding := contentcoding.OfFile(f.Name); coding == contentcoding.Identity {
		if r, ok := address.ParsePath("/" + f.Name); ok {
			c.describe(&f, r)
		}
	}
	return c.visit(f)
}

// describe sets the addresses and keys of a file. Of a list's many addresses it gives its
// file's name, all parameters in order, and for the default list no parameters.
func (c *comparison) describe(f *File, r address.Route) {
	switch r.Kind {
	case address.Item:
		f.URLs, f.Key = ItemURLs(r.Env, r.ID), ItemKey(r.ID)
		c.s.Items.add(f.Kind)
	case address.UsedIn:
		f.URLs, f.Key = []string{"/" + f.Name}, ItemKey(r.ID)
	case address.SavedSearch:
		f.URLs, f.Key = []string{"/" + f.Name}, ListsKey(r.Env)
		c.keys[f.Key] = true
	case address.ListFile:
		contents := address.Contents.Path(r.Env)
		f.URLs = append(f.URLs, "/"+f.Name, contents+"?"+r.List.Canonical())
		if d := c.defaults; r.List == (address.List{Sort: d.Sort, Asc: d.Asc, Page: 1, Size: d.Size}) {
			f.URLs = append(f.URLs, contents)
		}
		f.Key = ListsKey(r.Env)
		c.keys[f.Key] = true
	}
}

// ItemName returns the Name in the file of an item, or "".
func ItemName(file []byte) string {
	var response struct{ Data struct{ Name string } }
	if json.Unmarshal(file, &response) != nil {
		return ""
	}
	return response.Data.Name
}
