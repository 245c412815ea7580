// This file holds the block index of the term and value dictionaries. Both store sorted
// byte strings in blocks.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// blockLen is the number of entries that are front-coded together. A lookup decodes half a
// block on average. Larger blocks save less than a byte per entry.
const blockLen = 16

// blockIndex finds a block by its first entry. prefix is the common prefix of all entries.
// heads holds the next eight bytes of each first entry, so a search reads one small array
// and usually one block.
type blockIndex struct {
	prefix []byte
	heads  []byte // u64 per block
	n      int    // blocks
}

// headWriter collects the first entries of blocks. The common prefix is known only at the
// end, but never exceeds what an entry shares with the first one. Each entry is therefore
// cut eight bytes after its shared bytes.
type headWriter struct {
	first []byte // the whole first entry
	b     []byte // the cut entries, concatenated
	ends  []int
}

func (w *headWriter) add(entry []byte) {
	if len(w.ends) == 0 {
		w.first = bytes.Clone(entry)
	}
	w.b = append(w.b, entry[:min(len(entry), commonPrefix(w.first, entry)+8)]...)
	w.ends = append(w.ends, len(w.b))
}

// commonPrefix returns the common prefix of all entries, given the last one.
func (w *headWriter) commonPrefix(last []byte) []byte { return w.first[:commonPrefix(w.first, last)] }

// appendTo encodes the index of entries with this common prefix.
func (w *headWriter) appendTo(dst, prefix []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(prefix)))
	dst = append(dst, prefix...)
	start := 0
	for _, end := range w.ends {
		dst = binary.LittleEndian.AppendUint64(dst, Head(w.b[start+len(prefix):end]))
		start = end
	}
	return dst
}

func (d *decoder) blockIndex(entries int) blockIndex {
	x := blockIndex{n: (entries + blockLen - 1) / blockLen}
	x.prefix = d.bytes(d.count(1 << 30))
	x.heads = d.bytes(8 * x.n)
	return x
}

// Head packs the first eight bytes of s into an integer of the same order.
func Head(s []byte) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(s)
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// find returns the last block whose first entry is at most key, or -1. cmp compares key
// with a block's first entry.
func (x *blockIndex) find(key []byte, cmp func(block int) int) int {
	p := min(len(key), len(x.prefix))
	switch c := bytes.Compare(key[:p], x.prefix[:p]); {
	case c < 0 || c == 0 && len(key) < len(x.prefix):
		return -1
	case c > 0:
		return x.n - 1
	}
	h := Head(key[len(x.prefix):])
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

func (x *blockIndex) at(block int) uint64 { return binary.LittleEndian.Uint64(x.heads[8*block:]) }

// headMatches reports whether the head of a block matches its first entry.
func (x *blockIndex) headMatches(block int, first []byte) bool {
	return bytes.HasPrefix(first, x.prefix) && x.at(block) == Head(first[len(x.prefix):])
}

// commonPrefix returns the common prefix of sorted strings, given the first and the last.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
