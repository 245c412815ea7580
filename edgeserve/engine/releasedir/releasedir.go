// Package releasedir opens a release in a directory, and verifies its manifest and its snapshots. Nodes and
// commands answer requests from it.
package releasedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// Dir is an open release.
type Dir struct {
	Manifest    *release.Manifest
	Fingerprint Fingerprint
	// ManifestSHA256 is the digest of the manifest's file, in hexadecimal digits.
	ManifestSHA256 string
	Readers        map[string]*snapshot.Reader // by environment
	Snapshots      []*Snapshot                 // of Manifest.Environments, in their order; nil with FieldsOnly
	SnapshotOnly   bool                        // the release came without page files: it has a manifest and snapshots
	FieldsOnly     bool                        // the readers have no items: snapshots are not opened

	previous  *Dir     // the previous release, only for its media; may be nil
	root      *os.Root // the release's directory: files are opened inside it only
	snapshots *os.Root // the directory of snapshots in it; nil if it has none
	opener    opener   // opens files of root faster
}

// Fingerprint identifies a release without reading it: its directory and its manifest file.
type Fingerprint struct {
	Dir  string
	Info os.FileInfo
}

// Same reports whether two fingerprints identify one release.
func (m Fingerprint) Same(o Fingerprint) bool {
	if m.Info == nil || o.Info == nil {
		return m.Info == nil && o.Info == nil
	}
	return m.Dir == o.Dir && SameFile(m.Info, o.Info)
}

// Find returns the fingerprint of the release that a public directory links to now.
func Find(public string) (Fingerprint, error) {
	path, err := filepath.EvalSymlinks(filepath.Join(public, release.ManifestName))
	if err != nil {
		return Fingerprint{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Fingerprint{}, err
	}
	return Fingerprint{Dir: filepath.Dir(path), Info: info}, nil
}

// Open opens the release that dir/manifest.json leads to, and verifies it without digests. It checks the
// manifest, and the structure, environment, size and number of items of each snapshot. A snapshot's own
// checksums cover every byte, so digests would only find a valid snapshot under a wrong name.
// Several goroutines call pause after each megabyte that they have read together, unless it is nil.
func Open(dir string, pause func()) (*Dir, error) { return OpenAfter(nil, dir, pause) }

// OpenAfter is Open with an open release, whose unchanged snapshots it shares: the snapshots that the manifest says the
// same of and whose file is the same one, with the same size and time. It opens and verifies the others. Either release
// may be closed first. A before of nil shares nothing.
func OpenAfter(before *Dir, dir string, pause func()) (*Dir, error) {
	return open(dir, before, func(d *Dir) error { return d.openSnapshots(before, pause) })
}

// OpenFieldsAfter is OpenAfter without snapshots, which need not be there: items are found elsewhere. The readers have
// the fields of environments, as the manifest lists them.
func OpenFieldsAfter(before *Dir, dir string) (*Dir, error) {
	return open(dir, before, func(d *Dir) error { return d.openFields(before) })
}

// open opens a release. readers opens its readers.
func open(dir string, before *Dir, readers func(*Dir) error) (*Dir, error) {
	m, err := Find(dir)
	if err != nil {
		return nil, fmt.Errorf("no release in %s: %w", dir, err)
	}
	d := &Dir{Fingerprint: m}
	if err = d.open(before); err == nil {
		err = readers(d)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("release %s: %w", m.Dir, err)
	}
	d.openPrevious()
	return d, nil
}

// openRoot opens the release's directory.
func (d *Dir) openRoot() (err error) {
	if d.root, err = os.OpenRoot(d.Fingerprint.Dir); err == nil {
		d.opener.begin(d)
	}
	return err
}

// open opens the directory and reads the manifest.
func (d *Dir) open(before *Dir) error {
	if err := d.openRoot(); err != nil {
		return err
	}
	_, err := d.root.Stat(release.BodiesDir)
	d.SnapshotOnly = errors.Is(err, fs.ErrNotExist)
	raw, err := d.read(release.ManifestName, release.MaxManifest)
	if err != nil {
		return err
	}
	d.Manifest, err = release.Read(raw, before.manifest(), func(p release.PartFile) ([]byte, error) { return d.read(p.Name, p.Bytes) })
	if err == nil {
		err = d.Manifest.CheckWhole()
	}
	if err != nil {
		return err
	}
	d.ManifestSHA256 = release.HexSHA256(raw)
	return nil
}

// manifest returns the manifest of a release, which may be nil.
func (d *Dir) manifest() *release.Manifest {
	if d == nil {
		return nil
	}
	return d.Manifest
}

// ReadManifest reads the manifest of the release in a directory, with its parts, and returns its bytes too.
func ReadManifest(dir string) (*release.Manifest, []byte, error) {
	return readManifest(dir, func(raw []byte) (*release.Manifest, error) {
		return release.Read(raw, nil, func(p release.PartFile) ([]byte, error) { return ReadPart(dir, p) })
	})
}

// ReadRows is ReadManifest without the parts.
func ReadRows(dir string) (*release.Manifest, []byte, error) {
	return readManifest(dir, release.ParseRows)
}

// ReadPart reads a part of the manifest of the release in a directory.
func ReadPart(dir string, p release.PartFile) ([]byte, error) {
	return readWhole(filepath.Join(dir, filepath.FromSlash(p.Name)), p.Bytes)
}

func readManifest(dir string, parse func(raw []byte) (*release.Manifest, error)) (*release.Manifest, []byte, error) {
	path := filepath.Join(dir, release.ManifestName)
	raw, err := readWhole(path, release.MaxManifest)
	if err != nil {
		return nil, nil, err
	}
	m, err := parse(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, raw, nil
}

// readWhole reads a file, up to one byte beyond the limit: the parser refuses a longer one.
func readWhole(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// Build is the release's identity.
func (d *Dir) Build() string { return d.Manifest.Build }

// Close unmaps the snapshots that no other release shares, and closes the directory.
func (d *Dir) Close() {
	for _, s := range d.Snapshots {
		if s != nil {
			_ = s.Reader.Close()
		}
	}
	if d.previous != nil {
		d.previous.Close()
	}
	d.opener.end()
	for _, root := range []*os.Root{d.root, d.snapshots} {
		if root != nil {
			_ = root.Close()
		}
	}
}
