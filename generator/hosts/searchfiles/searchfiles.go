// Package searchfiles writes the files from which browsers and workers answer searches without an edge server: the
// manifest and search-only snapshots of a release, cut into parts under names with their digests, and the pointer that
// names them. A part never changes, so a reader that has the pointer has all files of one release or an error.
package searchfiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// Names below the directory that is published.
const (
	Dir         = "contentedge"
	Immutable   = Dir + "/immutable" // hosts may let caches keep its files for ever
	PointerName = Dir + "/search.json"
)

// PointerFormat is the version of the pointer. It changes with any member that programs must not ignore.
const PointerFormat = 1

// PartBytes is the most bytes of a part: a reader holds one besides what it has passed on, a download that broke off
// begins with its part, and CDNs compress files of at most 10 MB and take assets of at most 25 MiB.
const PartBytes = 8 << 20

// Pointer names the files of a release by the names that the module reads.
type Pointer struct {
	Format    int                 `json:"format"`
	Build     string              `json:"build"`
	Files     map[string]File     `json:"files"`
	Snapshots map[string]Snapshot `json:"snapshots"` // by environment
}

// Snapshot describes the search-only snapshot of an environment.
type Snapshot struct {
	File   string `json:"file"` // a name in Files
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// SnapshotName is the name in a pointer of the search-only snapshot of an environment.
func SnapshotName(env string) string { return "search/" + env }

// File is a file in parts.
type File struct {
	Bytes int64  `json:"bytes"`
	Parts []Part `json:"parts"` // in order, at least one
}

// Part is a part of a file.
type Part struct {
	File   string `json:"file"` // in Immutable
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`         // in hexadecimal digits
	Gzip   int    `json:"gzip,omitempty"` // bytes of the .gz file next to it, or 0
	Brotli int    `json:"br,omitempty"`   // bytes of the .br file
}

// Sizes are bytes of files as a browser loads them.
type Sizes struct{ Bytes, Gzip, Brotli int64 }

// Sizes returns the sizes of a file. Parts without a compressed file count as they are.
func (f File) Sizes() (s Sizes) {
	for _, p := range f.Parts {
		s.Bytes += int64(p.Bytes)
		s.Gzip += int64(cmp.Or(p.Gzip, p.Bytes))
		s.Brotli += int64(cmp.Or(p.Brotli, p.Bytes))
	}
	return s
}

// shortDigest is the number of hexadecimal digits of a digest in names. Readers compare the whole digest.
const shortDigest = 16

// HashedName is the name of bytes below Immutable: a stem, their digest, an extension.
func HashedName(stem string, body []byte, extension string) string {
	return stem + "-" + release.HexSHA256(body)[:shortDigest] + extension
}

// maxTenths is the largest compressed file worth writing, in tenths of the part.
const maxTenths = 9

// Writer writes files into a directory that is published.
type Writer struct {
	dir         string
	write       func(name string, body []byte) error
	precompress bool
	written     map[string]bool // names below Immutable
	before      map[string]bool // the names in the pointer that is replaced
	beforeBuild string          // of that pointer
	locked      *os.File        // the directory of Immutable
}

// NewWriter returns a Writer for a directory, which replaces files by write. With precompress it writes .gz and .br
// files next to parts. Files that the pointer of the directory names stay, for pages that have that release open. A
// directory has only one Writer at a time, until Close.
func NewWriter(dir string, write func(name string, body []byte) error, precompress bool) (*Writer, error) {
	w := &Writer{dir: dir, write: write, precompress: precompress, written: map[string]bool{}, before: map[string]bool{}}
	if err := os.MkdirAll(w.path(""), 0o755); err != nil {
		return nil, err
	}
	var err error
	if w.locked, err = lock(w.path("")); err != nil {
		return nil, err
	}
	if err := w.readBefore(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// readBefore reads the names of the files of the pointer that is replaced.
func (w *Writer) readBefore() error {
	text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(PointerName)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var old Pointer
	if json.Unmarshal(text, &old) == nil { // a damaged pointer is replaced, and names no file to keep
		w.beforeBuild = old.Build
		for _, f := range old.Files {
			for _, p := range f.Parts {
				w.keep(w.before, p.File)
			}
		}
	}
	return nil
}

// keep adds the names of a part and of its compressed files to names.
func (w *Writer) keep(names map[string]bool, part string) {
	for _, extension := range []string{"", ".gz", ".br"} {
		names[part+extension] = true
	}
}

// Add writes a file in parts. stem begins their names.
func (w *Writer) Add(stem, extension string, body []byte) (File, error) {
	f := File{Bytes: int64(len(body))}
	for first := true; first || len(body) > 0; first = false {
		n := min(len(body), PartBytes)
		part, err := w.part(stem, extension, body[:n])
		if err != nil {
			return File{}, err
		}
		f.Parts = append(f.Parts, part)
		body = body[n:]
	}
	return f, nil
}

func (w *Writer) part(stem, extension string, body []byte) (p Part, err error) {
	p = Part{File: HashedName(stem, body, extension), Bytes: len(body), SHA256: release.HexSHA256(body)}
	if err = w.WriteImmutable(p.File, body); err != nil || !w.precompress {
		return p, err
	}
	if p.Gzip, err = w.compressed(p.File+".gz", contentcoding.Gzip, body); err != nil {
		return p, err
	}
	p.Brotli, err = w.compressed(p.File+".br", contentcoding.Brotli, body)
	return p, err
}

// compressed writes the compressed file of a part, unless that saves little, and returns its size. A file of that name
// from an earlier run is taken if it has the bytes of the part.
func (w *Writer) compressed(name string, coding contentcoding.Coding, body []byte) (int, error) {
	w.written[name] = true
	if old, err := os.ReadFile(w.path(name)); err == nil {
		if plain, err := compression.Decode(coding, old, len(body)); err == nil && bytes.Equal(plain, body) {
			return len(old), nil
		}
	}
	packed := compression.ForFiles.Encode(coding, nil, body)
	if len(packed)*10 > len(body)*maxTenths {
		return 0, removeFile(w.path(name))
	}
	return len(packed), w.write(w.path(name), packed)
}

// WriteImmutable writes a file whose name has its digest.
func (w *Writer) WriteImmutable(name string, body []byte) error {
	w.written[name] = true
	if old, err := os.ReadFile(w.path(name)); err == nil && bytes.Equal(old, body) {
		return nil
	}
	return w.write(w.path(name), body)
}

func (w *Writer) path(name string) string {
	return filepath.Join(w.dir, filepath.FromSlash(Immutable), name)
}

// Finish writes the pointer, which makes the release current, and removes the files that neither this release nor the
// previous one has. A release that is written again removes nothing: pages may have the previous one open.
func (w *Writer) Finish(p Pointer) error {
	p.Format = PointerFormat
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := w.write(filepath.Join(w.dir, filepath.FromSlash(PointerName)), append(text, '\n')); err != nil {
		return err
	}
	if p.Build == w.beforeBuild {
		return nil
	}
	entries, err := os.ReadDir(w.path(""))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && isOurs(name) && !w.written[name] && !w.before[name] {
			err = errors.Join(err, removeFile(w.path(name)))
		}
	}
	return err
}

// isOurs reports whether a file is one of our data files, compressed or not, by the form of HashedName. Programs stay:
// no pointer names them, and open pages may still load the programs of the previous release.
func isOurs(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".br")
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	i := strings.LastIndexByte(stem, '-')
	return extension != ".mjs" && extension != "" && i > 0 && len(stem)-i-1 == shortDigest && strings.Trim(stem[i+1:], "0123456789abcdef") == ""
}

func removeFile(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("an old file of the search stays: %w", err)
	}
	return nil
}
