// This file creates request IDs, which connect a response with its log lines.

package logs

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"sync/atomic"
)

const maxID = 64 // longest accepted from a client; a UUID has 36 bytes

// ValidID reports whether a client's ID is safe to log and return: 1 to 64 of A-Z a-z 0-9 . _ -
func ValidID(id []byte) bool {
	for _, c := range id {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return len(id) > 0 && len(id) <= maxID
}

// IDs generates unique IDs: a random prefix and a counter. Make it with NewIDs.
type IDs struct {
	prefix string
	last   atomic.Uint64
}

// NewIDs returns a generator with a new prefix.
func NewIDs() *IDs {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return &IDs{prefix: hex.EncodeToString(b[:]) + "-"}
}

// New returns an unused ID. IDs are predictable, so they must not serve as secrets.
func (ids *IDs) New() string { return ids.prefix + strconv.FormatUint(ids.last.Add(1), 36) }
