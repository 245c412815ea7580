// This file verifies an environment: its snapshot, then every file against it.

package verify

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"path/filepath"
	"sync/atomic"

	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// environment is one environment of the release with its open snapshot.
type environment struct {
	v      *verifier
	m      *release.Environment
	reader *snapshot.Reader

	pages map[address.List]int // number of pages by list, Page 0

	files, bytes atomic.Int64 // the expected files and bytes of items and pages

	mediaFiles, mediaBytes atomic.Int64 // in the list of checksums
	mediaLines             hash.Hash    // of their lines there
}

// open opens and verifies the snapshot of an environment. It returns nil if the snapshot is damaged.
func (v *verifier) open(m *release.Environment) *environment {
	s := m.Snapshot
	if !v.hasDigest(s.File, s.Bytes, s.SHA256) {
		return nil
	}
	r, err := snapshot.Open(filepath.Join(v.dir, filepath.FromSlash(s.File)))
	if err != nil {
		v.problem(s.File, "%v", err)
		return nil
	}
	e := &environment{v: v, m: m, reader: r, pages: map[address.List]int{}, mediaLines: sha256.New()}
	if !e.checkSnapshot() {
		_ = r.Close()
		return nil
	}
	v.opened = e
	return e
}

// suspend closes the snapshot, as thousands of environments would hold as many.
func (e *environment) suspend() {
	_ = e.reader.Close() // only read from
	e.reader, e.v.opened = nil, nil
}

// resume opens the snapshot again, which was verified, and reports whether it could.
func (e *environment) resume() bool {
	if e.v.opened == e {
		return true
	}
	if e.v.opened != nil {
		e.v.opened.suspend()
	}
	r, err := snapshot.Open(filepath.Join(e.v.dir, filepath.FromSlash(e.m.Snapshot.File)))
	if err != nil {
		e.v.problem(e.m.Snapshot.File, "%v", err)
		return false
	}
	e.reader, e.v.opened = r, e
	return true
}

func (v *verifier) digest(name string) (size int64, sum string, err error) {
	f, err := v.root.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	return checksums.Digest(f)
}

func (v *verifier) hasDigest(name string, bytes int64, sha256 string) bool {
	size, sum, err := v.digest(name)
	switch {
	case err != nil:
		v.problem(name, "%v", err)
	case size != bytes || sum != sha256:
		v.problem(name, "%d bytes of SHA-256 %s, the manifest says %d bytes of %s", size, sum, bytes, sha256)
	default:
		return true
	}
	return false
}

// checkSnapshot checks the snapshot's structure, and that it has the digest in the manifest.
func (e *environment) checkSnapshot() bool {
	name := e.m.Snapshot.File
	if err := cmp.Or(e.reader.Verify(nil), e.reader.Check()); err != nil {
		e.v.problem(name, "%v", err)
		return false
	}
	sort, asc := e.reader.Meta().Sort, e.reader.Meta().Asc
	d := e.v.m.Defaults
	switch {
	case e.reader.Env() != e.m.ID:
		e.v.problem(name, "it is of environment %q, the manifest says %q", e.reader.Env(), e.m.ID)
	case e.reader.Items() != e.m.Items:
		e.v.problem(name, "it holds %d items, the manifest says %d", e.reader.Items(), e.m.Items)
	case sort != d.Sort || asc != d.Asc:
		e.v.problem(name, "its order is by %s (ascending: %t), the manifest says %s (%t)", sort, asc, d.Sort, d.Asc)
	default:
		return true
	}
	return false
}

func (e *environment) items() {
	ids := e.ids()
	e.v.parallel(len(ids), func(b *buffers, doc int) {
		e.expect(address.ItemFile(e.m.ID, ids[doc]), e.item(b, ids[doc], e.reader.Fragment(snapshot.DocID(doc))), "the snapshot's item")
	})
	e.v.r.Items += len(ids)
	e.usedIn(ids)
}

func (e *environment) ids() []string {
	ids := make([]string, e.reader.Items())
	f := e.reader.Field(snapshot.IDField)
	if f == nil {
		return ids
	}
	values := f.Strings().Iter(0)
	for values.Next() {
		c := f.Column()
		ids[c.Doc(c.Start(values.Ord()))] = string(values.Value())
	}
	return ids
}

func (e *environment) expect(name string, want []byte, source string) {
	e.files.Add(1)
	e.bytes.Add(int64(len(want)))
	e.v.compare(name, want, source)
}

// lists checks every page of every list in the manifest.
func (e *environment) lists() {
	for i := range e.m.Lists {
		f := &e.m.Lists[i]
		for j := range f.Values {
			l := listOf(f, &f.Values[j])
			if _, ok := l.File(e.m.ID); !ok {
				e.v.problem(release.ManifestName, "environment %s: a list %s cannot have files", e.m.ID, l.Canonical())
				continue
			}
			e.v.r.Pages += e.note(l, f.Values[j].TotalItems)
		}
		e.v.parallel(len(f.Values), func(b *buffers, j int) { e.list(b, listOf(f, &f.Values[j]), f.Values[j].TotalItems) })
		e.v.r.Lists += len(f.Values)
	}
}

// note remembers how many pages a list has, so that unexpected finds further files.
func (e *environment) note(l address.List, total int) int {
	count := l.Pages(total)
	l.Page = 0
	e.pages[l] = count
	return count
}

func listOf(f *release.Family, v *release.FamilyValue) address.List {
	l := address.List{Sort: f.Sort, Asc: f.Asc, Page: 1, Size: f.PageSize}
	for name, value := range v.Filters {
		l.SetFilter(name, value)
	}
	return l
}

func (e *environment) list(b *buffers, l address.List, total int) {
	whole := l
	whole.Size = max(1, e.reader.Items())
	name, ok := l.File(e.m.ID)
	if !ok {
		return
	}
	found, err := search.Eval(e.v.ctx, e.reader, search.FromList(whole))
	switch {
	case err != nil:
		e.v.problem(name, "the snapshot cannot answer it: %v", err)
		return
	case found.Total != total:
		e.v.problem(name, "the manifest says %d items, the snapshot has %d", total, found.Total)
		return
	}
	for from := 0; from == 0 || from < len(found.Docs); from += l.Size {
		name, _ := l.File(e.m.ID)
		e.expect(name, e.page(b, found.Docs[from:min(from+l.Size, len(found.Docs))], total), "what the snapshot answers")
		l.Page++
	}
}

func (e *environment) page(b *buffers, docs []snapshot.DocID, total int) []byte {
	b.fragments = b.fragments[:0]
	for _, d := range docs {
		b.fragments = append(b.fragments, e.reader.Fragment(d))
	}
	b.body = envelope.AppendList(b.body[:0], b.fragments, total)
	return b.body
}

// countMedia compares the media in the list of checksums with the manifest.
func (e *environment) countMedia() {
	files, bytes := e.mediaFiles.Load(), e.mediaBytes.Load()
	if m := e.m.Media; int64(m.Files) != files || m.Bytes != bytes {
		e.v.problem(release.ManifestName, "environment %s: counts %d media files and %d bytes, there are %d and %d", e.m.ID, m.Files, m.Bytes, files, bytes)
	}
	if sum := hex.EncodeToString(e.mediaLines.Sum(nil)); e.m.Media.SHA256 != "" && sum != e.m.Media.SHA256 {
		e.v.problem(release.ManifestName, "environment %s: the SHA-256 of the lines of its media is %s, there it is %s", e.m.ID, sum, e.m.Media.SHA256)
	}
}

func (e *environment) count() {
	files, bytes := e.files.Load()+1+int64(e.m.Media.Files), e.bytes.Load()+e.reader.Size()+e.m.Media.Bytes
	if int64(e.m.Files) != files || e.m.Bytes != bytes {
		e.v.problem(release.ManifestName, "environment %s: counts %d files and %d bytes, there should be %d and %d", e.m.ID, e.m.Files, e.m.Bytes, files, bytes)
	}
}
