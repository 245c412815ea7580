// This file finds what to send, from a listing of the release's objects and the list of the
// current release's files, without a request for each object.

package ship

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"slices"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

// maxList bounds a list of checksums that is read from a store. It is enough for some two million files.
const maxList = 256 << 20

func root(build string) string { return release.ReleasesDir + "/" + build + "/" }

type plan struct {
	*local
	from     string // the release that files are copied from
	work     []work
	kept     int
	complete bool // the store has the manifest already
}

// work is a file to bring into the store.
type work struct {
	file
	copied bool // inside the store, from the current release
}

// compare makes the plan. before is the manifest of the current release; if it is nil, nothing is
// copied.
func compare(ctx context.Context, c *PublishConfig, l *local, before *release.Manifest) (*plan, error) {
	p := &plan{local: l}
	there, err := p.present(ctx, c)
	if err != nil {
		return nil, err
	}
	copies := make([]bool, len(l.files))
	if before != nil {
		p.from = before.Build
		if err := l.markUnchanged(ctx, c.Store, before, copies); err != nil {
			return nil, err
		}
	}
	for i, f := range l.files {
		if there[i] {
			p.kept++
			continue
		}
		p.work = append(p.work, work{f, copies[i]})
	}
	return p, nil
}

func (l *local) find(name string) (int, bool) {
	if name == release.ChecksumsName {
		return len(l.files) - 1, true
	}
	return search(l.listed(), name)
}

func search(files []file, name string) (int, bool) {
	return slices.BinarySearchFunc(files, name, func(f file, name string) int { return cmp.Compare(f.name, name) })
}

// object is an object at the key of a file of the release, with the size of the file.
type object struct {
	file int
	md5  string
}

func (p *plan) present(ctx context.Context, c *PublishConfig) ([]bool, error) {
	objects, err := p.objects(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	there := make([]bool, len(p.files))
	return there, each(ctx, c.Jobs, len(objects), func(i int) error {
		o := objects[i]
		sum, err := p.md5(&p.files[o.file])
		there[o.file] = sum == o.md5
		return err
	})
}

func (p *plan) objects(ctx context.Context, s *store.Store) ([]object, error) {
	prefix := root(p.Manifest.Build)
	sum := md5.Sum(p.Raw)
	return again(ctx, func() (found []object, err error) {
		for info, err := range s.List(ctx, prefix) {
			if err != nil {
				return nil, err
			}
			name := info.Key[len(prefix):]
			if name == release.ManifestName {
				p.complete = info.MD5() == hex.EncodeToString(sum[:])
			} else if i, ok := p.find(name); ok && p.files[i].bytes == info.Bytes {
				found = append(found, object{i, info.MD5()})
			}
		}
		return found, nil
	})
}

// markUnchanged marks the files that a release in the store has too.
func (l *local) markUnchanged(ctx context.Context, s *store.Store, m *release.Manifest, marks []bool) error {
	list, err := remoteList(ctx, s, m)
	if err != nil || list == nil {
		return err
	}
	for list.Next() {
		if i, ok := search(l.listed(), string(list.Name())); ok {
			marks[i] = l.files[i].sum == list.Sum()
		}
	}
	return list.Err()
}

// remoteList reads the list of a complete release in the store. It returns nil if the list is missing or damaged.
func remoteList(ctx context.Context, s *store.Store, m *release.Manifest) (*checksums.Reader, error) {
	b, _, err := remoteListText(ctx, s, release.KindComplete, m)
	if b == nil {
		return nil, err
	}
	return checksums.NewReader(bytes.NewReader(b)), nil
}

// remoteListText reads the text of the list, and its ETag, in a store of a kind.
func remoteListText(ctx context.Context, s *store.Store, kind release.StoreKind, m *release.Manifest) (text []byte, etag string, err error) {
	b, info, err := get(ctx, s, kind.ObjectKey(m.Build, release.ChecksumsName), min(m.Checksums.Bytes, maxList))
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrTooLarge) {
		return nil, "", nil
	}
	if err != nil || release.HexSHA256(b) != m.Checksums.SHA256 {
		return nil, "", err
	}
	return b, info.ETag, nil
}

func (p *plan) report() *Report {
	r := &Report{Build: p.Manifest.Build, Files: len(p.files) + 1, Bytes: int64(len(p.Raw)), Kept: p.kept}
	for _, f := range p.files {
		r.Bytes += f.bytes
	}
	for _, w := range p.work {
		if w.copied {
			r.Copied++
		} else {
			r.Sent++
			r.SentBytes += w.bytes
		}
	}
	return r
}
