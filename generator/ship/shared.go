// This file has the objects of a store for nodes. Their names depend on their content, so releases share them, and a
// publication sends only the objects that the current release does not have.

package ship

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

const (
	// maxProbes is up to how many objects a publication asks the store for one by one. Beyond it lists the store,
	// which has a thousand objects a request.
	maxProbes = 16
	// probeBytes is from which size on a publication asks whether the store has an object, before it sends it.
	probeBytes = 1 << 20
)

// sharedDirs are the directories of objects that releases share.
var sharedDirs = []string{release.SnapshotDir, release.PartsDir, release.MediaListDir, release.MediaDir}

// isShared reports whether a key names an object that releases share. A bucket may have other objects in the same
// place.
func isShared(key string) bool {
	if release.EnvironmentOf(key) != "" {
		return true
	}
	route, ok := address.ParsePath("/" + key)
	return ok && route.Kind == address.Media
}

// content is an object of a release in a store for nodes, under its name.
type content struct {
	file
	known bool   // its size is known
	text  []byte // of a list of media, which is not a file of the release
}

// readLines reads the lines of the list of checksums that name the media of an environment of a release.
type readLines func(ctx context.Context, e *release.Environment) ([]byte, error)

// lists are the lists of media of two releases.
type lists struct {
	of, base readLines
}

// objectsOf returns the objects of a release that base, a release of the same store, does not have: all if it is nil.
func objectsOf(ctx context.Context, m, base *release.Manifest, l lists) (all []content, err error) {
	parts := base != nil && base.HasParts()
	for i := range m.Environments {
		e := &m.Environments[i]
		old := base.Environment(e.ID)
		same := old != nil && old.Part() == e.Part()
		if m.HasParts() && !(same && parts) {
			p := e.PartFile()
			all = append(all, sized(p.Name, p.Bytes, p.SHA256))
		}
		if same {
			continue
		}
		if old == nil || old.Snapshot != e.Snapshot {
			all = append(all, sized(e.Snapshot.File, e.Snapshot.Bytes, e.Snapshot.SHA256))
		}
		media, err := mediaOf(ctx, e, old, l)
		if err != nil {
			return nil, fmt.Errorf("the media of environment %s: %w", e.ID, err)
		}
		all = append(all, media...)
	}
	return all, nil
}

func sized(name string, size int64, digest string) content {
	s := content{file: file{name: name, bytes: size}, known: true}
	_, _ = hex.Decode(s.sum[:], []byte(digest)) // the manifest is valid
	return s
}

// errOldMedia: the release has media, but its manifest does not have the digest of their list.
var errOldMedia = errors.New("an older version built the release, whose manifest has no digest for the list of media: build it again, with --full")

// mediaOf returns the list of media of an environment and the media that its older state does not name.
func mediaOf(ctx context.Context, e, old *release.Environment, l lists) (all []content, err error) {
	list, ok := e.MediaList()
	if !ok {
		if e.Media.Files > 0 {
			return nil, errOldMedia
		}
		return nil, nil
	}
	known := map[string]bool{}
	if old != nil {
		before, ok := old.MediaList()
		if ok && before == list {
			return nil, nil
		}
		if ok {
			text, err := l.base(ctx, old)
			if err != nil && !isDamaged(err) { // the store lacks it: all media are looked for
				return nil, err
			}
			known = namesOf(text)
		}
	}
	text, err := l.of(ctx, e)
	if err != nil {
		return nil, err
	}
	o := sized(list.Name, int64(len(text)), list.SHA256)
	o.text = text
	all = append(all, o)
	for lines := checksums.NewReader(bytes.NewReader(text)); lines.Next(); {
		if name := string(lines.Name()); !known[name] {
			all = append(all, content{file: file{name: name, sum: lines.Sum()}})
		}
	}
	return all, nil
}

func namesOf(lines []byte) map[string]bool {
	names := map[string]bool{}
	for r := checksums.NewReader(bytes.NewReader(lines)); r.Next(); {
		names[string(r.Name())] = true
	}
	return names
}

// mediaLines reads the lines of media from the list of checksums of a release on disk, once for all environments.
func (l *local) mediaLines() readLines {
	var byEnv map[string][]byte
	return func(_ context.Context, e *release.Environment) ([]byte, error) {
		if byEnv == nil {
			byEnv = map[string][]byte{}
			lines := l.Lines()
			for lines.Next() && bytes.HasPrefix(lines.Name(), []byte(release.MediaDir+"/")) {
				env, _, _ := strings.Cut(string(lines.Name()[len(release.MediaDir)+1:]), "/")
				byEnv[env] = fmt.Appendf(byEnv[env], "%x  %s\n", lines.Sum(), lines.Name())
			}
			if err := lines.Err(); err != nil {
				return nil, err
			}
		}
		return byEnv[e.ID], checkLines(e, byEnv[e.ID])
	}
}

// storedLines reads the list of media of an environment from a store for nodes.
func storedLines(s *store.Store) readLines {
	return func(ctx context.Context, e *release.Environment) ([]byte, error) {
		list, ok := e.MediaList()
		if !ok {
			return nil, nil
		}
		b, _, err := get(ctx, s, list.Name, list.MaxBytes)
		if errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%w: %s/%s is missing", release.ErrManifest, s, list.Name)
		}
		if err != nil {
			return nil, err
		}
		return b, checkLines(e, b)
	}
}

func checkLines(e *release.Environment, lines []byte) error {
	if e.Media.SHA256 != "" && release.HexSHA256(lines) != e.Media.SHA256 {
		return fmt.Errorf("%w: the list of the media of environment %s is not what the manifest says", release.ErrManifest, e.ID)
	}
	return nil
}

// open opens an object's content, of a release on disk.
func (l *local) open(o *content) (io.ReaderAt, int64, func(), error) {
	if o.text != nil {
		return bytes.NewReader(o.text), int64(len(o.text)), func() {}, nil
	}
	in, err := l.root.Open(o.name)
	if err != nil {
		return nil, 0, nil, err
	}
	info, err := in.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file: build the release again", o.name)
	}
	if err != nil {
		_ = in.Close()
		return nil, 0, nil, err
	}
	return in, info.Size(), func() { _ = in.Close() }, nil
}

// digest returns the size and the MD5 of an object's content, of a release on disk.
func (l *local) digest(o *content) (int64, string, error) {
	in, size, end, err := l.open(o)
	if err != nil {
		return 0, "", err
	}
	defer end()
	h := md5.New()
	_, err = io.Copy(h, io.NewSectionReader(in, 0, size))
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// stat finds the sizes of objects whose size the manifest does not say.
func (l *local) stat(objects []content) error {
	for i := range objects {
		if o := &objects[i]; !o.known {
			info, err := l.root.Lstat(o.name)
			if err != nil {
				return err
			}
			o.bytes, o.known = info.Size(), true
		}
	}
	return nil
}

// absent returns the objects that the store does not have as they are on disk. Few small ones are not asked for, and
// sent again instead.
func (l *local) absent(ctx context.Context, c *PublishConfig, objects []content) ([]content, error) {
	if len(objects) > maxProbes {
		return l.absentFromList(ctx, c, objects)
	}
	return filterShared(ctx, c.Jobs, objects, func(o *content) (bool, error) {
		if o.bytes < probeBytes {
			return true, nil
		}
		info, err := again(ctx, func() (store.Info, error) { return c.Store.Stat(ctx, o.name) })
		if errors.Is(err, store.ErrNotFound) {
			return true, nil
		}
		if err != nil || info.Bytes != o.bytes {
			return true, err
		}
		_, sum, err := l.digest(o)
		return sum != info.MD5(), err
	})
}

func (l *local) absentFromList(ctx context.Context, c *PublishConfig, objects []content) ([]content, error) {
	there, err := listShared(ctx, c.Store, objects)
	if err != nil {
		return nil, err
	}
	return filterShared(ctx, c.Jobs, objects, func(o *content) (bool, error) {
		info, ok := there[o.name]
		if !ok || info.Bytes != o.bytes {
			return true, nil
		}
		_, sum, err := l.digest(o)
		return sum != info.MD5(), err
	})
}

// filterShared returns the objects that keep accepts, in their order.
func filterShared(ctx context.Context, jobs int, objects []content, keep func(*content) (bool, error)) (kept []content, err error) {
	keeps := make([]bool, len(objects))
	err = each(ctx, jobs, len(objects), func(i int) (err error) {
		keeps[i], err = keep(&objects[i])
		return err
	})
	for i, o := range objects {
		if keeps[i] {
			kept = append(kept, o)
		}
	}
	return kept, err
}

// listShared lists the shared directories that some objects lie in, by key.
func listShared(ctx context.Context, s *store.Store, objects []content) (map[string]store.Info, error) {
	dirs := map[string]bool{}
	for _, o := range objects {
		for _, dir := range sharedDirs {
			if strings.HasPrefix(o.name, dir+"/") {
				dirs[dir] = true
			}
		}
	}
	return again(ctx, func() (map[string]store.Info, error) {
		there := map[string]store.Info{}
		for _, dir := range slices.Sorted(maps.Keys(dirs)) {
			for info, err := range s.List(ctx, dir+"/") {
				if err != nil {
					return nil, err
				}
				there[info.Key] = info
			}
		}
		return there, nil
	})
}

// lacking returns the names of the objects that a store does not have, by their sizes as far as these are known.
func lacking(ctx context.Context, s *store.Store, jobs int, objects []content) (names []string, err error) {
	find := func(o *content) (store.Info, error) {
		return again(ctx, func() (store.Info, error) { return s.Stat(ctx, o.name) })
	}
	if len(objects) > maxProbes {
		there, err := listShared(ctx, s, objects)
		if err != nil {
			return nil, err
		}
		find = func(o *content) (store.Info, error) {
			if info, ok := there[o.name]; ok {
				return info, nil
			}
			return store.Info{}, store.ErrNotFound
		}
	}
	gone, err := filterShared(ctx, jobs, objects, func(o *content) (bool, error) {
		info, err := find(o)
		if errors.Is(err, store.ErrNotFound) {
			return true, nil
		}
		return err == nil && o.known && info.Bytes != o.bytes, err
	})
	for _, o := range gone {
		names = append(names, o.name)
	}
	return names, err
}
