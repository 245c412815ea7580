// Package encoding holds what both sides know of content codings: their names, the
// suffixes of files that hold a coded body, which one a client is to get, and how to
// make one. The generator writes coded files with it, the edge picks among them and
// codes what has no file.
package encoding

import (
	"strconv"
	"strings"
)

// Coding is a content coding; the zero value is no coding.
type Coding uint8

// The codings, in ascending order of preference among those that a client likes
// equally: Brotli makes the smallest files, and zstd costs less than gzip to undo.
const (
	Identity Coding = iota
	Gzip
	Zstd
	Brotli
	Count // how many there are
)

// Codings are all codings but Identity, the preferred one first.
var Codings = [...]Coding{Brotli, Zstd, Gzip}

var names = [Count]string{"identity", "gzip", "zstd", "br"}

var suffixes = [Count]string{"", ".gz", ".zst", ".br"}

// String is the coding's registered name, as Content-Encoding has it.
func (c Coding) String() string {
	if c >= Count {
		return "Coding(" + strconv.Itoa(int(c)) + ")"
	}
	return names[c]
}

// Suffix is what the name of a file ends in that holds a body in this coding, beside
// the file that holds the body itself; "" for Identity.
func (c Coding) Suffix() string { return suffixes[c] }

// OfFile tells which file a file holds in a coding; one that holds no other is itself,
// in Identity.
func OfFile(name string) (body string, c Coding) {
	for _, c := range Codings {
		if body, ok := strings.CutSuffix(name, c.Suffix()); ok {
			return body, c
		}
	}
	return name, Identity
}

// MinBody is the length in bytes from which a body is coded: a shorter one leaves in
// the packet that its head needs anyway.
const MinBody = 1 << 10

// Set is some of the codings. Identity is in every set.
type Set uint8

// With adds a coding.
func (s Set) With(c Coding) Set { return s | 1<<c }

// Without takes a coding out.
func (s Set) Without(c Coding) Set { return s &^ (1 << c) }

// Has reports whether a coding is in the set.
func (s Set) Has(c Coding) bool { return c == Identity || s&(1<<c) != 0 }
