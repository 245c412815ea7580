// This file names requests, so that what a client saw can be found in the log.

package logs

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"sync/atomic"
)

// maxID is the longest id that is taken from a client: a UUID has 36 bytes.
const maxID = 64

// ValidID reports whether a client's id may be logged and sent back: 1 to 64 of
// A-Z a-z 0-9 . _ -
func ValidID(id []byte) bool {
	for _, c := range id {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return len(id) > 0 && len(id) <= maxID
}

// IDs makes ids that no other IDs makes: a random beginning and a count. Make it with
// NewIDs.
type IDs struct {
	prefix string
	last   atomic.Uint64
}

// NewIDs makes a maker of ids.
func NewIDs() *IDs {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	return &IDs{prefix: hex.EncodeToString(b[:]) + "-"}
}

// New is an id that was not there before. It is for telling requests apart, not for
// secrets: the next one can be guessed.
func (ids *IDs) New() string { return ids.prefix + strconv.FormatUint(ids.last.Add(1), 36) }
