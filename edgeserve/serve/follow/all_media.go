// This file fetches all media of a release before it becomes current. The list of checksums names them in
// its first lines; each file is verified by its own name, so that the rest of the list need not be read.

package follow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// mediaBatch is how many names of the list are in memory.
const mediaBatch = 1024

// allMedia fetches the media of a release that was downloaded into a directory.
func (f *Follower) allMedia(ctx context.Context, p *release.Pointer, dir string) error {
	raw, err := readManifest(dir)
	if err != nil {
		return err
	}
	m, err := parseManifest(dir, raw)
	if err != nil {
		return err
	}
	want := countMedia(m)
	if want.Files == 0 {
		return nil
	}
	if want.Bytes > f.cfg.MediaBytes {
		return fmt.Errorf("its media have %s, more than the %s to keep: raise --media-cache, or leave out --media", bytesize.Format(want.Bytes), bytesize.Format(f.cfg.MediaBytes))
	}
	list, err := f.openList(ctx, trusted{p.Build, p.ManifestSHA256}, p.Kind, dir, m.Checksums.Bytes)
	if err != nil {
		return err
	}
	defer func() { _ = list.Close() }()
	key := func(name string) string { return p.Kind.ObjectKey(p.Build, release.MediaDir+"/"+name) }
	return f.media.all(ctx, p.Build, key, bufio.NewReader(list), want.Files)
}

// openList opens a release's list of checksums, whose first lines name its media. With a trust file, and from a store
// for nodes, the list was verified, and has no other lines.
func (f *Follower) openList(ctx context.Context, r trusted, kind release.StoreKind, dir string, size int64) (io.ReadCloser, error) {
	if f.used == nil && kind != release.KindNodes {
		return f.cfg.Store.Get(ctx, kind.ObjectKey(r.build, release.ChecksumsName), store.GetOptions{Max: size})
	}
	if err := f.media.lists.ensure(ctx, r, kind, dir); err != nil {
		return nil, err
	}
	return os.Open(filepath.Join(dir, mediaListName))
}

// all fetches the n media files that the first lines of a release's list name, by their keys.
func (c *mediaCache) all(ctx context.Context, build string, key func(name string) string, list *bufio.Reader, n int) error {
	for n > 0 {
		var names []string
		for len(names) < min(n, mediaBatch) {
			name, err := nextMedia(list)
			if err != nil || name == "" {
				return errors.Join(fmt.Errorf("the list of release %s names fewer media than the manifest counts", build), err)
			}
			names = append(names, name)
		}
		n -= len(names)
		if err := parallel.Each(ctx, mediaJobs, len(names), func(_, i int) error { return c.ensure(ctx, key(names[i]), names[i]) }); err != nil {
			return err
		}
	}
	return nil
}

// nextMedia reads the name of a media file from a line of a list of checksums. It returns "" at the first line
// of another file: no media come after it.
func nextMedia(list *bufio.Reader) (string, error) {
	line, err := list.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	_, file, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
	if !ok {
		return "", errors.New("this is not a list of checksums")
	}
	if route, known := address.ParsePath("/" + file); !known || route.Kind != address.Media {
		return "", nil
	}
	return strings.TrimPrefix(file, release.MediaDir+"/"), nil
}

// ensure fetches a file of a release by its key unless the directory has it.
func (c *mediaCache) ensure(ctx context.Context, key, name string) error {
	if opened, _, err := c.cached(name); err == nil {
		return opened.Close()
	}
	f := newFlight(0)
	err := c.download(ctx, key, name, f)
	defer f.land(err)
	if f.unstored != nil { // it need not be sent, so an error about the memory would mislead
		return fmt.Errorf("%s: %w", key, f.unstored)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(name, f.size)
	return nil
}
