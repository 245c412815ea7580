// This file proves the list of sums, and with it every byte of the release, those of
// coded files among them.

package verify

import (
	"bytes"
	"encoding/hex"
	"hash/maphash"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
	"contentedge/generator/sums"
)

// chunk is how many files are looked at between two readings of the list.
const chunk = 4096

// listed is a line of the list.
type listed struct {
	name string
	sum  sums.Sum
}

// sums checks every file of the list. It gives false where the list itself is wrong:
// then it proves nothing of the files.
func (v *verifier) sums() bool {
	size, sum, err := v.digest(release.SumsName)
	switch {
	case err != nil:
		v.problem(release.SumsName, "%v", err)
		return false
	case size != v.m.Sums.Bytes || sum != v.m.Sums.SHA256:
		v.problem(release.SumsName, "%d bytes of SHA-256 %s, the manifest says %d bytes of %s", size, sum, v.m.Sums.Bytes, v.m.Sums.SHA256)
		return false
	}
	f, err := v.root.Open(release.SumsName)
	if err != nil {
		v.problem(release.SumsName, "%v", err)
		return false
	}
	defer f.Close()
	r := sums.NewReader(f)
	for v.ctx.Err() == nil {
		lines := v.read(r)
		if len(lines) == 0 {
			break
		}
		v.parallel(len(lines), func(_ *worker, i int) { v.line(lines[i]) })
	}
	if r.Err() != nil {
		v.problem(release.SumsName, "%v", r.Err())
	}
	return r.Err() == nil
}

// read reads some lines and notes their names.
func (v *verifier) read(r *sums.Reader) []listed {
	var lines []listed
	for len(lines) < chunk && r.Next() {
		l := listed{string(r.Name()), r.Sum()}
		if !filepath.IsLocal(l.name) {
			v.problem(release.SumsName, "%q is no file of a release", l.name)
			continue
		}
		lines = append(lines, l)
		v.listed[v.hash(l.name)] = true
	}
	return lines
}

// hash stands for a name: lists are long.
func (v *verifier) hash(name string) uint64 { return maphash.String(v.seed, name) }

// line checks one file of the list.
func (v *verifier) line(l listed) {
	_, sum, err := v.digest(l.name)
	switch {
	case v.reported(l.name): // by what it should hold
	case err != nil:
		v.problem(l.name, "%v", err)
	case sum != hex.EncodeToString(l.sum[:]):
		v.problem(l.name, "its SHA-256 is %s, %s says %x", sum, release.SumsName, l.sum)
	default:
		v.decodes(l.name)
	}
}

// decodes checks that a coded file holds the file beside it.
func (v *verifier) decodes(name string) {
	base, c := encoding.OfFile(name)
	if c == encoding.Identity {
		return
	}
	coded, err := v.root.ReadFile(name)
	if err != nil {
		v.problem(name, "%v", err)
		return
	}
	body, err := v.root.ReadFile(base)
	if err != nil {
		v.problem(name, "the file that it should hold: %v", err)
		return
	}
	got, err := encoding.Decode(c, coded, len(body))
	switch {
	case err != nil:
		v.problem(name, "it cannot be decoded: %v", err)
	case !bytes.Equal(got, body):
		v.problem(name, "it does not hold the file beside it: they differ at byte %d", difference(got, body))
	}
}

// promised tells whether the manifest speaks of a coding.
func (v *verifier) promised(c encoding.Coding) bool {
	return c == encoding.Identity || slices.ContainsFunc(v.m.Compression, func(m release.Compression) bool { return m.Coding == c.String() })
}
