// This file decides which files stand beside a file of the release with its bytes
// coded, and makes them.

package generator

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
)

// DefaultCompress is the codings of a build that is told nothing.
const DefaultCompress = "gzip,br"

// worthTenth is how many tenths of the body a coded file may have at most to be worth it.
const worthTenth = 9

// coder codes bodies.
type coder struct {
	codings []encoding.Coding
	levels  encoding.Levels
}

// newCoder reads the option that names codings, "none" or a comma list.
func newCoder(names string, best bool) (coder, error) {
	c := coder{levels: encoding.ForFiles}
	if best {
		c.levels = encoding.ForFilesSmallest
	}
	if names == "none" {
		return c, nil
	}
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(encoding.Codings[:], func(k encoding.Coding) bool { return k.String() == strings.TrimSpace(name) })
		if i < 0 {
			return c, fmt.Errorf("there is no coding %q", name)
		}
		if slices.Contains(c.codings, encoding.Codings[i]) {
			return c, fmt.Errorf("coding %q is named twice", name)
		}
		c.codings = append(c.codings, encoding.Codings[i])
	}
	slices.SortFunc(c.codings, func(a, b encoding.Coding) int { return strings.Compare(a.String(), b.String()) })
	return c, nil
}

// manifest is the manifest's account of it.
func (c *coder) manifest() []release.Compression {
	out := []release.Compression{}
	for _, k := range c.codings {
		out = append(out, release.Compression{Coding: k.String(), Level: c.levels[k]})
	}
	return out
}

// code codes a body; it reports false where that is not worth a file.
func (c *coder) code(k encoding.Coding, dst, body []byte) ([]byte, bool) {
	if len(body) < encoding.MinBody {
		return dst, false
	}
	dst = c.levels.Encode(k, dst, body)
	return dst, len(dst)*10 <= len(body)*worthTenth
}
