// This file checks links, modes and times of a release: what is not in its bytes.

package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// links checks the links of a directory that points to its current release.
func (v *verifier) links(dir string) {
	if fi, err := os.Lstat(filepath.Join(dir, release.CurrentLink)); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		return
	}
	for _, name := range []string{release.FilesLink, release.ManifestName, release.ChecksumsName} {
		to, err := os.Readlink(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			v.r.Links = append(v.r.Links, filepath.Join(dir, name)+": the link is missing; the next build makes it")
		case err != nil || filepath.ToSlash(to) != release.CurrentLink+"/"+name:
			v.r.Links = append(v.r.Links, fmt.Sprintf("%s: it is not a link to %s/%s", filepath.Join(dir, name), release.CurrentLink, name))
		}
	}
}

// oddFiles counts files with another mode or time than expected.
type oddFiles struct {
	n     int
	first string // the first by name
}

func (o *oddFiles) add(name string) {
	if o.n++; o.n == 1 || name < o.first {
		o.first = name
	}
}

// attributes reports a file with another mode than the manifest, or with another time than follows from its bytes.
func (v *verifier) attributes(l listed) {
	fi, err := v.root.Lstat(l.name)
	if err != nil {
		return // the file was there a moment ago: another release is replacing this one
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if fi.Mode() != v.mode {
		v.modes.add(l.name)
	}
	if strings.HasPrefix(l.name, release.FilesLink+"/") && !fi.ModTime().Equal(release.FileTime(l.body)) {
		v.times.add(l.name)
	}
}

func (v *verifier) warn() {
	if v.modes.n > 0 {
		v.r.Warnings = append(v.r.Warnings, fmt.Sprintf("files with another mode than %s: %d (first: %s)", release.ManifestName, v.modes.n, v.modes.first))
	}
	if v.times.n > 0 {
		v.r.Warnings = append(v.r.Warnings, fmt.Sprintf("files that lost their times, from which web servers derive ETags: %d (first: %s)", v.times.n, v.times.first))
	}
}
