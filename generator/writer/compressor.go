// This file decides which precompressed files a file of the release gets.

package writer

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// maxTenths is the largest precompressed file worth writing, in tenths of the body.
const maxTenths = 9

// Compressor makes precompressed files. The zero value makes none.
type Compressor struct {
	codings []contentcoding.Coding
	levels  compression.Levels
}

// NewCompressor reads "none" or a comma list of codings. best asks for the smallest files.
func NewCompressor(names string, best bool) (Compressor, error) {
	c := Compressor{levels: compression.ForFiles}
	if best {
		c.levels = compression.ForFilesSmallest
	}
	if names == "none" {
		return c, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(contentcoding.Codings[:], func(k contentcoding.Coding) bool { return k.String() == strings.TrimSpace(name) })
		if i < 0 {
			return c, fmt.Errorf("unknown coding %q", name)
		}
		if slices.Contains(c.codings, contentcoding.Codings[i]) {
			return c, fmt.Errorf("coding %q is named twice", name)
		}
		c.codings = append(c.codings, contentcoding.Codings[i])
	}
	slices.SortFunc(c.codings, func(a, b contentcoding.Coding) int { return strings.Compare(a.String(), b.String()) })
	return c, nil
}

// Codings returns how many precompressed files a file may get.
func (c *Compressor) Codings() int { return len(c.codings) }

func (c *Compressor) manifest() []release.Compression {
	out := []release.Compression{}
	for _, k := range c.codings {
		out = append(out, release.Compression{Coding: k.String(), Level: c.levels[k], Version: compression.Version})
	}
	return out
}

// compress appends the compressed body to dst, and reports whether it is worth a file.
func (c *Compressor) compress(k contentcoding.Coding, dst, body []byte) ([]byte, bool) {
	if len(body) < contentcoding.MinBody {
		return dst, false
	}
	dst = c.levels.Encode(k, dst, body)
	return dst, len(dst)*10 <= len(body)*maxTenths
}
