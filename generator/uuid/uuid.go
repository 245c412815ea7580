// Package uuid derives ids from names: the same name gives the same id in every build and on every
// machine (UUID version 5, RFC 9562).
package uuid

import (
	"crypto/sha1" // version 5 needs it; nothing here is secret
	"fmt"
	"strings"
)

// Space is a name space: ids of one name in two spaces differ.
type Space [16]byte

// contentSpace is the space of items whose source has no UUID. Changing the space changes their ids.
var contentSpace = Space{0x9c, 0x0d, 0x6e, 0x1b, 0x41, 0x7a, 0x4c, 0x52, 0x8f, 0x33, 0x2a, 0x96, 0xd5, 0x08, 0x7c, 0xe4}

// V5 returns the UUID of a name in a space, as text.
func V5(space Space, name string) string {
	sum := sha1.Sum(append(space[:], name...))
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// Content derives the ContentID of an item from a name that its source gives it for ever.
func Content(name string) string { return "Content_" + V5(contentSpace, name) }

// Media derives the id of a media file from such a name.
func Media(name string) string { return "Media_" + V5(contentSpace, name) }

// Valid reports whether a text is a UUID of any version, in lower or upper case.
func Valid(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, c := range strings.ToLower(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdef", c) {
			return false
		}
	}
	return true
}
