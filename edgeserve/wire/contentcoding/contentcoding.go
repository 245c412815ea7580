// Package contentcoding implements content codings: names, suffixes, negotiation, and the gzip of requests. Package
// compression compresses and decompresses.
package contentcoding

import (
	"strconv"
	"strings"
)

// Coding is a content coding; the zero value is Identity.
type Coding uint8

// The codings in ascending preference. Brotli is smallest; zstd decompresses cheaper than gzip.
const (
	Identity Coding = iota
	Gzip
	Zstd
	Brotli
	Count // number of codings
)

// Codings are all codings except Identity, in descending order of preference.
var Codings = [...]Coding{Brotli, Zstd, Gzip}

var names = [Count]string{"identity", "gzip", "zstd", "br"}

var suffixes = [Count]string{"", ".gz", ".zst", ".br"}

// String is the coding's name in Content-Encoding.
func (c Coding) String() string {
	if c >= Count {
		return "Coding(" + strconv.Itoa(int(c)) + ")"
	}
	return names[c]
}

// Suffix is the suffix of precompressed files; "" for Identity.
func (c Coding) Suffix() string { return suffixes[c] }

// OfFile splits the name of a precompressed file into the name of its body and the coding. Other
// files have Identity.
func OfFile(name string) (body string, c Coding) {
	for _, c := range Codings {
		if body, ok := strings.CutSuffix(name, c.Suffix()); ok {
			return body, c
		}
	}
	return name, Identity
}

// MinBody is the smallest body to compress, in bytes. A smaller body fits into the packet with its
// header section.
const MinBody = 1 << 10

// Set is a set of codings. Every set contains Identity.
type Set uint8

// With returns the set with a coding added.
func (s Set) With(c Coding) Set { return s | 1<<c }

// Without returns the set with a coding removed.
func (s Set) Without(c Coding) Set { return s &^ (1 << c) }

// Has reports whether a coding is in the set.
func (s Set) Has(c Coding) bool { return c == Identity || s&(1<<c) != 0 }
