// This file reads a release on disk: its manifest, and the list of its files.

package ship

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

type file struct {
	name  string
	bytes int64
	sum   checksums.Sum
}

type local struct {
	*checksums.List
	root  *os.Root
	files []file // by name, without the manifest; the list of checksums is last
}

// openLocal opens a release directory. Sending verifies the digests of the list.
func openLocal(public string) (*local, error) {
	l := new(local)
	var err error
	if l.List, err = checksums.Open(public); err != nil {
		return nil, err
	}
	if err = l.Manifest.CheckWhole(); err != nil {
		err = fmt.Errorf("%s: %w", l.Dir, err)
	} else {
		l.root, err = os.OpenRoot(l.Dir)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *local) close() {
	l.List.Close()
	if l.root != nil {
		_ = l.root.Close() // only read from
	}
}

func readFiles(list *checksums.Reader) (files []file, err error) {
	for list.Next() {
		files = append(files, file{name: string(list.Name()), sum: list.Sum()})
	}
	return files, list.Err()
}

// read reads the names and sizes of all files.
func (l *local) read(ctx context.Context, jobs int) error {
	var err error
	if l.files, err = readFiles(l.Lines()); err != nil {
		return fmt.Errorf("%s: %w", release.ChecksumsName, err)
	}
	sum, err := hex.DecodeString(l.Manifest.Checksums.SHA256)
	if err != nil {
		return err
	}
	l.files = append(l.files, file{name: release.ChecksumsName, sum: checksums.Sum(sum)})
	return each(ctx, jobs, len(l.files), func(i int) error {
		info, err := l.root.Lstat(l.files[i].name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file: build the release again", filepath.Join(l.Dir, l.files[i].name))
		}
		l.files[i].bytes = info.Size()
		return nil
	})
}

func (l *local) listed() []file { return l.files[:len(l.files)-1] }

// md5 returns the MD5 of a file, which a store has as the ETag of an object.
func (l *local) md5(f *file) (string, error) {
	in, err := l.root.Open(f.name)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	h := md5.New()
	_, err = io.Copy(h, in)
	return hex.EncodeToString(h.Sum(nil)), err
}

func classOf(name string) release.Class {
	if release.EnvironmentOf(name) != "" {
		return release.ClassSnapshot
	}
	body, _ := contentcoding.OfFile(name)
	route, ok := address.ParsePath("/" + body)
	if !ok {
		return release.ClassManifest
	}
	return release.ClassOf(route.Kind)
}

func headers(name string) store.PutOptions {
	class := classOf(name)
	o := store.PutOptions{ContentType: release.ContentType, CacheControl: release.CacheControl(class)}
	if _, coding := contentcoding.OfFile(name); coding != contentcoding.Identity {
		o.ContentEncoding = coding.String()
	}
	switch {
	case name == release.ChecksumsName:
		o.ContentType = "text/plain; charset=utf-8"
	case strings.HasPrefix(name, release.SnapshotDir+"/"):
		o.ContentType = "application/octet-stream"
	case class == release.ClassMedia:
		o.ContentType = address.MediaType(name)
	}
	return o
}

// stages are the classes of files in the order in which they are sent: media before the items that name
// them, items before the lists that name them. The list of checksums belongs to the last class.
var stages = []release.Class{release.ClassMedia, release.ClassItem, release.ClassList, release.ClassSnapshot, release.ClassManifest}
