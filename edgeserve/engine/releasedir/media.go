// This file opens media of a release and of the one before it: pages that clients still show lead to both.

package releasedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// openPrevious opens the release that was current before, if the directory of releases has a link to it.
func (d *Dir) openPrevious() {
	releases := filepath.Dir(d.Fingerprint.Dir)
	if filepath.Base(releases) != release.ReleasesDir {
		return
	}
	m, err := Find(filepath.Join(filepath.Dir(releases), release.PreviousLink))
	if err != nil || m.Dir == d.Fingerprint.Dir {
		return
	}
	if root, err := os.OpenRoot(m.Dir); err == nil {
		d.previous = &Dir{Fingerprint: m, root: root}
	}
}

// OpenMedia opens a media file of this release or of the one before it, and returns its size. The address
// has a digest of the bytes, so that both have the same file.
func (d *Dir) OpenMedia(name string) (*os.File, int64, error) {
	f, size, err := d.openMedia(name)
	if err == nil || d.previous == nil {
		return f, size, err
	}
	f, size, older := d.previous.openMedia(name)
	if errors.Is(older, fs.ErrNotExist) {
		return nil, 0, err
	}
	return f, size, older
}

// openMedia opens a media file of this release. None is empty: then a disk has lost its bytes, and a client
// would hold nothing under the name for ever.
func (d *Dir) openMedia(name string) (*os.File, int64, error) {
	f, size, err := d.OpenFile(name, address.MaxMedia)
	if err == nil && size == 0 {
		_ = f.Close()
		return nil, 0, fmt.Errorf("%s is empty", name)
	}
	return f, size, err
}
