// This file opens media of a release and of the previous one: pages that clients still show use both.

package releasedir

import (
	"errors"
	"fmt"
	"io/fs"
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
	if previous := (&Dir{Fingerprint: m}); previous.openRoot() == nil {
		d.previous = previous
	}
}

// OpenMedia opens a media file of this release or of the previous one. The address has a digest of the bytes, so that
// both have the same file.
func (d *Dir) OpenMedia(name string) (File, error) { return d.openMedia(name, false) }

// OpenCachedMedia is OpenMedia as OpenCached is OpenFile.
func (d *Dir) OpenCachedMedia(name string) (File, error) { return d.openMedia(name, true) }

func (d *Dir) openMedia(name string, cached bool) (File, error) {
	f, err := d.openOwnMedia(name, cached)
	if err == nil || err == ErrWouldWait || d.previous == nil {
		return f, err
	}
	f, older := d.previous.openOwnMedia(name, cached)
	if errors.Is(older, fs.ErrNotExist) {
		return File{}, err
	}
	return f, older
}

// openOwnMedia opens a media file of this release. It refuses an empty file: a disk has lost its bytes, and a client
// would keep an empty file under the name for ever.
func (d *Dir) openOwnMedia(name string, cached bool) (File, error) {
	f, err := d.openFile(name, address.MaxMedia, cached)
	if err == nil && f.Size == 0 {
		_ = f.Close()
		return File{}, fmt.Errorf("%s is empty", name)
	}
	return f, err
}
