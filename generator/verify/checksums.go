// This file verifies the list of checksums and every file in it, also precompressed ones.

package verify

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// chunk is how many files are checked before the list is read on.
const chunk = 4096

type listed struct {
	name string
	sum  checksums.Sum
	body checksums.Sum // of the file that a precompressed one holds
}

// checksums checks every file of the list. It returns false if the list itself is wrong.
func (v *verifier) checksums() bool {
	if !v.hasDigest(release.ChecksumsName, v.m.Checksums.Bytes, v.m.Checksums.SHA256) {
		return false
	}
	f, err := v.root.Open(release.ChecksumsName)
	if err != nil {
		v.problem(release.ChecksumsName, "%v", err)
		return false
	}
	defer f.Close()
	v.count(v.m.Checksums.Bytes)
	r := checksums.NewReader(f)
	for v.ctx.Err() == nil {
		lines := v.read(r)
		if len(lines) == 0 {
			break
		}
		v.parallel(len(lines), func(_ *buffers, i int) { v.line(lines[i]) })
	}
	if r.Err() != nil {
		v.problem(release.ChecksumsName, "%v", r.Err())
	}
	return r.Err() == nil
}

// read reads some lines and notes their names.
func (v *verifier) read(r *checksums.Reader) []listed {
	var lines []listed
	for len(lines) < chunk && r.Next() {
		l := listed{name: string(r.Name()), sum: r.Sum()}
		if _, c := contentcoding.OfFile(l.name); c == contentcoding.Identity {
			v.body = l.sum
		}
		l.body = v.body
		if !filepath.IsLocal(l.name) {
			v.problem(release.ChecksumsName, "%q is not a file of a release", l.name)
			continue
		}
		if v.trusts(l.name) {
			v.listed[v.hash(l.name)] = true
			continue
		}
		v.digestMedia(l)
		lines = append(lines, l)
		v.listed[v.hash(l.name)] = true
	}
	return lines
}

// hash is stored instead of a name, as lists are long.
func (v *verifier) hash(name string) uint64 { return maphash.String(v.seed, name) }

func (v *verifier) line(l listed) {
	size, sum, err := v.digest(l.name)
	switch {
	case v.reported(l.name): // when its content was compared
	case err != nil:
		v.problem(l.name, "%v", err)
	case sum != hex.EncodeToString(l.sum[:]):
		v.problem(l.name, "its SHA-256 is %s, %s says %x", sum, release.ChecksumsName, l.sum)
	case isMedia(l.name) && !address.MediaDigest(l.name, l.sum):
		v.problem(l.name, "its address has another digest than its bytes")
	default:
		v.noteMedia(l.name, size)
		v.count(size)
		v.checkPrecompressed(l.name)
		v.attributes(l)
	}
}

func isMedia(name string) bool { return strings.HasPrefix(name, release.MediaDir+"/") }

// noteMedia counts a media file for its environment.
func (v *verifier) noteMedia(name string, size int64) {
	if e := v.ofMedia(name); e != nil {
		e.mediaFiles.Add(1)
		e.mediaBytes.Add(size)
	}
}

// digestMedia adds the line of a media file to the digest of its environment.
func (v *verifier) digestMedia(l listed) {
	if e := v.ofMedia(l.name); e != nil {
		fmt.Fprintf(e.mediaLines, "%x  %s\n", l.sum, l.name) // a hash never fails
	}
}

// ofMedia returns the environment of a media file; nil of other files.
func (v *verifier) ofMedia(name string) *environment {
	if !isMedia(name) {
		return nil
	}
	if route, ok := address.ParsePath("/" + name); ok && route.Kind == address.Media {
		return v.envs[route.Env]
	}
	return nil
}

func (v *verifier) checkPrecompressed(name string) {
	base, c := contentcoding.OfFile(name)
	if c == contentcoding.Identity {
		return
	}
	compressed, err := v.root.ReadFile(name)
	if err != nil {
		v.problem(name, "%v", err)
		return
	}
	body, err := v.root.ReadFile(base)
	if err != nil {
		v.problem(name, "the file that it should hold: %v", err)
		return
	}
	got, err := compression.Decode(c, compressed, len(body))
	switch {
	case err != nil:
		v.problem(name, "it cannot be decoded: %v", err)
	case !bytes.Equal(got, body):
		v.problem(name, "it does not hold the file next to it: they differ at byte %d", difference(got, body))
	}
}

func (v *verifier) inManifest(c contentcoding.Coding) bool {
	return c == contentcoding.Identity || slices.ContainsFunc(v.m.Compression, func(m release.Compression) bool { return m.Coding == c.String() })
}

// unexpected walks the whole release and reports files that nothing accounts for.
func (v *verifier) unexpected() {
	own := map[string]bool{}
	for _, e := range v.m.Environments {
		own[e.Snapshot.File] = true
		if v.m.HasParts() {
			own[e.PartFile().Name] = true
		}
	}
	err := fs.WalkDir(v.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if v.trusts(name + "/") {
				return fs.SkipDir
			}
		case !d.Type().IsRegular():
			v.problem(name, "it is not a regular file")
		case name == release.ManifestName || name == release.ChecksumsName || release.IsLeft(name):
		case !own[name] && !v.expected(name):
			v.problem(name, "nothing in the manifest or the snapshots accounts for this file")
		case !v.listed[v.hash(name)]:
			v.problem(name, "%s does not list it", release.ChecksumsName)
		}
		return v.ctx.Err()
	})
	if err != nil {
		v.problem(".", "%v", err)
	}
}

// expected reports whether a file is an item, a page of the manifest, a media file, or a precompressed file of one.
func (v *verifier) expected(name string) bool {
	name, c := contentcoding.OfFile(name)
	if !v.inManifest(c) {
		return false
	}
	route, ok := address.ParsePath("/" + name)
	e := v.envs[route.Env]
	if !ok || e == nil || !e.resume() {
		return false
	}
	switch route.Kind {
	case address.Item:
		_, found := e.reader.Lookup(route.ID)
		return found && name == address.ItemFile(route.Env, route.ID)
	case address.UsedIn:
		doc, found := e.reader.Lookup(route.ID)
		return found && e.listsReferrers(e.reader.Fragment(doc))
	case address.SavedSearch:
		s := e.m.Search(route.ID)
		return s != nil && route.Page <= s.Files
	case address.Media:
		return c == contentcoding.Identity && e.m.Media.Files > 0
	case address.ListFile:
		page := route.List.Page
		route.List.Page = 0
		return page <= e.pages[route.List]
	}
	return false
}
