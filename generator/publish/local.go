// This file reads a release on disk: its manifest, and the digests of all its files.

package publish

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// file is a file of a release.
type file struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	md5    string
}

// local is a release on disk.
type local struct {
	root     *os.Root
	build    string
	manifest []byte
	files    []file // by name, without the manifest
}

func sum256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// readLocal opens the release that a directory leads to. The caller closes its root if
// there is no error.
func readLocal(ctx context.Context, public string, jobs int) (l *local, err error) {
	real, err := filepath.EvalSymlinks(filepath.Join(public, release.ManifestName))
	if err != nil {
		return nil, fmt.Errorf("no release in %s: %w", public, err)
	}
	l = new(local)
	if l.root, err = os.OpenRoot(filepath.Dir(real)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = l.root.Close()
		}
	}()
	if l.manifest, err = l.root.ReadFile(release.ManifestName); err != nil {
		return nil, err
	}
	m, err := release.Parse(l.manifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", real, err)
	}
	l.build = m.Build
	if err := l.walk(); err != nil {
		return nil, err
	}
	err = each(ctx, jobs, len(l.files), func(i int) error { return l.digest(&l.files[i]) })
	if err != nil {
		return nil, err
	}
	return l, l.matches(m)
}

// walk lists the release's files.
func (l *local) walk() error {
	return fs.WalkDir(l.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || name == release.ManifestName:
			return err
		case !d.Type().IsRegular() || name == release.IndexName:
			return fmt.Errorf("%s does not belong into a release: build it anew", filepath.Join(l.root.Name(), name))
		}
		l.files = append(l.files, file{Name: name})
		return nil
	})
}

// digest reads a file once for both of its digests.
func (l *local) digest(f *file) error {
	in, err := l.root.Open(f.Name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	weak, strong := md5.New(), sha256.New()
	if f.Bytes, err = io.Copy(io.MultiWriter(weak, strong), in); err != nil {
		return err
	}
	f.md5, f.SHA256 = hex.EncodeToString(weak.Sum(nil)), hex.EncodeToString(strong.Sum(nil))
	return nil
}

// matches compares the snapshots with the manifest: the rest is for generator verify.
func (l *local) matches(m *release.Manifest) error {
	have := make(map[string]file, len(m.Environments))
	for _, f := range l.files {
		if strings.HasPrefix(f.Name, release.SnapshotDir+"/") {
			have[f.Name] = f
		}
	}
	for _, e := range m.Environments {
		if f := have[e.Snapshot.File]; f.Bytes != e.Snapshot.Bytes || f.SHA256 != e.Snapshot.SHA256 {
			return fmt.Errorf("%s is not what the manifest says: build the release anew", filepath.Join(l.root.Name(), e.Snapshot.File))
		}
	}
	return nil
}

// encodings are the suffixes of files that are encoded forms of another.
var encodings = map[string]string{".gz": "gzip", ".br": "br", ".zst": "zstd"}

// headers are those that an object of a name is kept with.
func headers(name string) store.PutOptions {
	plain := name
	encoding := encodings[path.Ext(name)]
	if encoding != "" {
		plain = strings.TrimSuffix(name, path.Ext(name))
	}
	o := store.PutOptions{ContentType: "application/json", ContentEncoding: encoding}
	class := release.ClassManifest
	if r, ok := address.ParsePath("/" + plain); ok {
		class = release.ClassItem
		if r.Kind == address.ListFile {
			class = release.ClassList
		}
	}
	if strings.HasPrefix(name, release.SnapshotDir+"/") {
		class, o.ContentType = release.ClassSnapshot, "application/octet-stream"
	}
	o.CacheControl = release.CacheControl(class)
	return o
}

// stages are the order in which a release is sent: what lists name before the lists.
const (
	stageItems = iota
	stageLists
	stageSnapshots
	stageSums
	stages
)

// stage is when a file is sent.
func stage(name string) int {
	switch {
	case name == release.SumsName:
		return stageSums
	case strings.HasPrefix(name, release.SnapshotDir+"/"):
		return stageSnapshots
	case strings.Contains(name, "/contents-list/"):
		return stageLists
	}
	return stageItems
}
