// This file holds what the two dictionaries share: sorted byte strings in blocks of
// blockLen, and the search for the block a key belongs to.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// blockLen is the number of entries front-coded together: a lookup decodes half a
// block on average, and larger blocks save less than a byte an entry.
const blockLen = 16

// blockIndex finds blocks by the first entry of each. All entries of a dictionary
// share prefix; heads holds the eight bytes that follow it in each block's first
// entry, so that a search touches one small array and, as a rule, one block.
type blockIndex struct {
	prefix []byte
	heads  []byte // u64 a block
	n      int    // blocks
}

// headWriter collects the first entries of blocks. What all entries share is known only
// with the last one, but it is never more than the first shares with any other: so
// eight bytes behind that are enough of each.
type headWriter struct {
	first []byte // the whole first entry
	b     []byte // what is kept of all, one after the other
	ends  []int
}

func (w *headWriter) add(entry []byte) {
	if len(w.ends) == 0 {
		w.first = bytes.Clone(entry)
	}
	w.b = append(w.b, entry[:min(len(entry), commonPrefix(w.first, entry)+8)]...)
	w.ends = append(w.ends, len(w.b))
}

// shared is what all entries share, given the last one.
func (w *headWriter) shared(last []byte) []byte { return w.first[:commonPrefix(w.first, last)] }

// appendTo encodes the index of the blocks whose entries share prefix.
func (w *headWriter) appendTo(dst, prefix []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(prefix)))
	dst = append(dst, prefix...)
	start := 0
	for _, end := range w.ends {
		dst = binary.LittleEndian.AppendUint64(dst, head(w.b[start+len(prefix):end]))
		start = end
	}
	return dst
}

func (d *dec) blockIndex(entries int) blockIndex {
	x := blockIndex{n: (entries + blockLen - 1) / blockLen}
	x.prefix = d.bytes(d.count(1 << 30))
	x.heads = d.bytes(8 * x.n)
	return x
}

// head packs the first eight bytes of s so that integers compare as the bytes do.
func head(s []byte) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(s)
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// find returns the last block whose first entry is at most key, or -1. cmp compares
// key with the first entry of a block.
func (x *blockIndex) find(key []byte, cmp func(block int) int) int {
	p := min(len(key), len(x.prefix))
	switch c := bytes.Compare(key[:p], x.prefix[:p]); {
	case c < 0 || c == 0 && len(key) < len(x.prefix):
		return -1
	case c > 0:
		return x.n - 1
	}
	h := head(key[len(x.prefix):])
	lo := sort.Search(x.n, func(i int) bool { return x.at(i) >= h })
	hi := lo
	for hi < x.n && x.at(hi) == h {
		if hi-lo > 8 {
			hi = lo + sort.Search(x.n-lo, func(i int) bool { return x.at(lo+i) > h })
			break
		}
		hi++
	}
	return lo + sort.Search(hi-lo, func(i int) bool { return cmp(lo+i) < 0 }) - 1
}

// at is the head of a block.
func (x *blockIndex) at(block int) uint64 { return binary.LittleEndian.Uint64(x.heads[8*block:]) }

// leadsTo tells whether a block's head is that of its first entry.
func (x *blockIndex) leadsTo(block int, first []byte) bool {
	return bytes.HasPrefix(first, x.prefix) && x.at(block) == head(first[len(x.prefix):])
}

// commonPrefix returns what the first and last of sorted strings share.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
