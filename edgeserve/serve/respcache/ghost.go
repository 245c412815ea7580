// This file remembers keys that are not in the cache.

package respcache

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// ghostSet remembers keys for a while, by bits of their hashes. A new key takes a random place in a
// bucket: if it took the oldest, a loop slightly longer than the set would always miss.
type ghostSet []bucket

// bucket holds the bits of hashes that did not choose the bucket; zero if empty.
type bucket [4]uint32

const (
	bytesPerGhost    = 4 << 10 // about one per entry; more let rare requests evict others, fewer miss loops
	bytesPerSeenOnce = 1 << 10 // computed responses are many more
	minGhosts        = 1 << 10 // unless the cache may hold nothing
)

// newGhostSet makes a set with one place for each per bytes of a cache.
func newGhostSet(maxBytes, per int64) ghostSet {
	if maxBytes == 0 {
		return nil
	}
	keys := 1 << (bits.Len64(uint64(max(minGhosts, maxBytes/per))) - 1)
	return make(ghostSet, keys/len(bucket{}))
}

// of returns the bucket of a hash, and the bits to store in it.
func (p ghostSet) of(h uint64) (b *bucket, print uint32) {
	return &p[h%uint64(len(p))], uint32(h>>32) | 1
}

func (p ghostSet) add(h uint64) (seenBefore bool) {
	if len(p) == 0 {
		return false
	}
	b, print := p.of(h)
	if slices.Contains(b[:], print) {
		return true
	}
	at := slices.Index(b[:], 0)
	if at < 0 {
		at = rand.IntN(len(b))
	}
	b[at] = print
	return false
}

func (p ghostSet) has(h uint64) bool {
	if len(p) == 0 {
		return false
	}
	b, print := p.of(h)
	return slices.Contains(b[:], print)
}
