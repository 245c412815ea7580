// This file finds out what has to be sent: it lists what is at the release's place in
// the store, and reads the index of the current release, so that no object is asked
// about one by one.

package publish

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// indexFormat is the number of the index's format:
//
//	1  the first
const indexFormat = 1

// maxIndex bounds an index that is read: some two million files.
const maxIndex = 256 << 20

// index lists the files of a release in a store, without the manifest and itself.
type index struct {
	Format int    `json:"format"`
	Build  string `json:"build"`
	Files  []file `json:"files"`
}

// root is the place of a release in a store.
func root(build string) string { return release.ReleasesDir + "/" + build + "/" }

// plan is what has to be done with each file.
type plan struct {
	*local
	index []byte
	from  string // the release that copies are of
	work  []work
	kept  int
	there map[string]bool // what is in its place already
}

// work is a file to bring into the store.
type work struct {
	file
	copied bool // from the release before
}

// compare makes the plan.
func compare(ctx context.Context, s *store.Store, l *local, before *release.Pointer) (*plan, error) {
	p := &plan{local: l}
	var err error
	if p.index, err = json.Marshal(index{indexFormat, l.build, l.files}); err != nil {
		return nil, err
	}
	there, err := present(ctx, s, p)
	p.there = there
	if err != nil {
		return nil, err
	}
	var old map[string]string
	if before != nil && before.Build != l.build {
		p.from = before.Build
		if old, err = indexed(ctx, s, before.Build); err != nil {
			return nil, err
		}
	}
	for _, f := range l.files {
		if there[f.Name] {
			p.kept++
			continue
		}
		p.work = append(p.work, work{f, old[f.Name] == f.SHA256})
	}
	return p, nil
}

// present lists the files that are in their place already.
func present(ctx context.Context, s *store.Store, p *plan) (map[string]bool, error) {
	want := make(map[string]*file, len(p.files)+2)
	for i := range p.files {
		want[p.files[i].Name] = &p.files[i]
	}
	want[release.IndexName] = whole(release.IndexName, p.index)
	want[release.ManifestName] = whole(release.ManifestName, p.manifest)
	there := map[string]bool{}
	prefix := root(p.build)
	return there, again(ctx, func() error {
		for info, err := range s.List(ctx, prefix) {
			if err != nil {
				return err
			}
			f := want[info.Key[len(prefix):]]
			if f != nil && f.Bytes == info.Bytes && f.md5 == info.MD5() {
				there[f.Name] = true
			}
		}
		return nil
	})
}

// whole is the file of some bytes.
func whole(name string, b []byte) *file {
	sum := md5.Sum(b)
	return &file{Name: name, Bytes: int64(len(b)), SHA256: sum256(b), md5: hex.EncodeToString(sum[:])}
}

// indexed gives the digests of a release's files by name. A release whose index cannot
// be used has none: everything is sent then.
func indexed(ctx context.Context, s *store.Store, build string) (map[string]string, error) {
	b, _, err := get(ctx, s, root(build)+release.IndexName, maxIndex)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var x index
	if json.Unmarshal(b, &x) != nil || x.Format != indexFormat || x.Build != build {
		return nil, nil
	}
	sums := make(map[string]string, len(x.Files))
	for _, f := range x.Files {
		sums[f.Name] = f.SHA256
	}
	return sums, nil
}

// report says what the plan comes to.
func (p *plan) report() *Report {
	r := &Report{Build: p.build, Files: len(p.files) + 1, Bytes: int64(len(p.manifest)), Kept: p.kept}
	for _, f := range p.files {
		r.Bytes += f.Bytes
	}
	for _, w := range p.work {
		if w.copied {
			r.Copied++
		} else {
			r.Sent++
			r.SentBytes += w.Bytes
		}
	}
	return r
}
