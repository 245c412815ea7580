// This file removes whole stores. Pointers go first, so that no node begins to fetch objects that go.

package ship

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// RemoveConfig says which stores Remove removes.
type RemoveConfig struct {
	Store     *store.Store
	Each      string        // if set, the stores one level below Store whose names begin so, instead of Store
	OlderThan time.Duration // only stores of which nothing was written for this time; zero means all
	Jobs      int           // concurrent requests; DefaultJobs if 0
	DryRun    bool
}

// RemovedStores lists the stores that were removed, or that a dry run would remove.
type RemovedStores struct {
	Removed []RemovedStore `json:"removed"`
	Kept    []string       `json:"kept"` // stores that are not older than OlderThan
}

// RemovedStore reports the removal of a store.
type RemovedStore struct {
	Store   string `json:"store"`
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

// pointerNames are the objects in the root of a store: pointers, and the list of withdrawn releases.
var pointerNames = []string{release.PointerName, ProposedName, WithdrawnName}

// storeDirs are the directories of a store.
var storeDirs = slices.Concat(sharedDirs, []string{release.ReleasesDir, release.LiveDir, release.ChangesDir, release.PatchesDir, locksDir})

// Remove removes stores with all of their releases. Objects that are not part of a store stay, other stores below the
// prefix too. A publication that runs meanwhile may leave a store that is not whole.
func Remove(ctx context.Context, c RemoveConfig) (*RemovedStores, error) {
	r := &RemovedStores{Removed: []RemovedStore{}, Kept: []string{}}
	c.Jobs = cmp.Or(c.Jobs, DefaultJobs)
	places, err := c.places(ctx)
	if err != nil {
		return r, err
	}
	for _, place := range places {
		pointers, others, err := storeObjects(ctx, c.Store, place)
		if err != nil {
			return r, err
		}
		objects := slices.Concat(pointers, others)
		name := strings.TrimSuffix(c.Store.String()+"/"+place, "/")
		switch {
		case len(objects) == 0:
		case time.Since(lastWritten(objects)) < c.OlderThan:
			r.Kept = append(r.Kept, name)
		default:
			if err := c.remove(ctx, pointers, others); err != nil {
				return r, err
			}
			r.Removed = append(r.Removed, removedStore(name, objects))
		}
	}
	return r, nil
}

// places returns the key prefixes of the stores.
func (c RemoveConfig) places(ctx context.Context) ([]string, error) {
	if c.Each == "" {
		return []string{""}, nil
	}
	names, err := again(ctx, func() ([]string, error) { return c.Store.Dirs(ctx, "") })
	var places []string
	for _, name := range names {
		if strings.HasPrefix(name, c.Each) {
			places = append(places, name+"/")
		}
	}
	return places, err
}

// storeObjects lists the pointers and the other objects of a store. A store below it may be named like one of its
// directories, for example live: that store is another one.
func storeObjects(ctx context.Context, s *store.Store, place string) (pointers, others []store.Info, err error) {
	for _, name := range pointerNames {
		same, err := listAll(ctx, s, place+name)
		if err != nil {
			return nil, nil, err
		}
		pointers = append(pointers, slices.DeleteFunc(same, func(o store.Info) bool { return o.Key != place+name })...)
	}
	for _, dir := range storeDirs {
		dir = place + dir + "/"
		objects, err := listAll(ctx, s, dir)
		if err != nil {
			return nil, nil, err
		}
		if !slices.ContainsFunc(objects, func(o store.Info) bool { return o.Key == dir+release.PointerName }) {
			others = append(others, objects...)
		}
	}
	return pointers, others, nil
}

func listAll(ctx context.Context, s *store.Store, prefix string) (objects []store.Info, err error) {
	for info, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		objects = append(objects, info)
	}
	return objects, nil
}

func lastWritten(objects []store.Info) (last time.Time) {
	for _, o := range objects {
		if o.Modified.After(last) {
			last = o.Modified
		}
	}
	return last
}

func removedStore(name string, objects []store.Info) RemovedStore {
	r := RemovedStore{Store: name, Objects: len(objects)}
	for _, o := range objects {
		r.Bytes += o.Bytes
	}
	return r
}

// remove removes lists of objects, one after the other.
func (c RemoveConfig) remove(ctx context.Context, lists ...[]store.Info) error {
	if c.DryRun {
		return nil
	}
	for _, objects := range lists {
		err := each(ctx, c.Jobs, len(objects), func(i int) error { return remove(ctx, c.Store, objects[i].Key) })
		if err != nil {
			return err
		}
	}
	return nil
}
