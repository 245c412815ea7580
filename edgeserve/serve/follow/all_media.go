// This file fetches all media of a release before it becomes current. The list of checksums names them in
// its first lines; each file is verified by its own name, so that the rest of the list need not be read.

package follow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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
func (f *Follower) allMedia(ctx context.Context, build, dir string) error {
	raw, err := f.dir.manifest(filepath.Base(dir))
	if err != nil {
		return err
	}
	m, err := release.Parse(raw)
	if err != nil {
		return err
	}
	var want release.Media
	for _, e := range m.Environments {
		want.Files += e.Media.Files
		want.Bytes += e.Media.Bytes
	}
	if want.Files == 0 {
		return nil
	}
	if want.Bytes > f.cfg.MediaBytes {
		return fmt.Errorf("its media have %s, more than the %s to keep: raise --media-cache, or leave out --media", bytesize.Format(want.Bytes), bytesize.Format(f.cfg.MediaBytes))
	}
	root := release.ReleasesDir + "/" + build + "/"
	list, err := f.cfg.Store.Get(ctx, root+release.ChecksumsName, store.GetOptions{Max: m.Checksums.Bytes})
	if err != nil {
		return err
	}
	defer func() { _ = list.Close() }()
	return f.media.all(ctx, root, bufio.NewReader(list), want.Files)
}

// all fetches the n media files that the first lines of a list name.
func (c *mediaCache) all(ctx context.Context, root string, list *bufio.Reader, n int) error {
	for n > 0 {
		var names []string
		for len(names) < min(n, mediaBatch) {
			name, err := nextMedia(list)
			if err != nil || name == "" {
				return errors.Join(fmt.Errorf("%s%s names fewer media than the manifest counts", root, release.ChecksumsName), err)
			}
			names = append(names, name)
		}
		n -= len(names)
		if err := parallel.Each(ctx, mediaJobs, len(names), func(_, i int) error { return c.ensure(ctx, root, names[i]) }); err != nil {
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
		return "", errors.New("this is no list of checksums")
	}
	if route, known := address.ParsePath("/" + file); !known || route.Kind != address.Media {
		return "", nil
	}
	return strings.TrimPrefix(file, release.MediaDir+"/"), nil
}

// ensure fetches a file of a release unless the directory has it.
func (c *mediaCache) ensure(ctx context.Context, root, name string) error {
	if opened, _, err := c.cached(name); err == nil {
		return opened.Close()
	}
	size, err := c.download(ctx, root+release.MediaDir+"/"+name, name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(name, size)
	return nil
}
