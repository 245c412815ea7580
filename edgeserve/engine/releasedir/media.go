// This file opens media of a release and of the one before it: pages that clients still show lead to both.

package releasedir

import (
	"errors"
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
	f, size, err := d.OpenFile(name, address.MaxMedia)
	if errors.Is(err, fs.ErrNotExist) && d.previous != nil {
		return d.previous.OpenFile(name, address.MaxMedia)
	}
	return f, size, err
}
