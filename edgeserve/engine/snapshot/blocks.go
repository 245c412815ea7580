// This file holds the sorted byte strings in blocks that dictionaries of terms and of values share.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// blockLen entries are front-coded together. Larger blocks save under a byte per entry.
const blockLen = 16

// dictionary holds entries in blocks, read in place.
type dictionary struct {
	n     int // entries
	index blockIndex
	data  []byte
	offs  Packed // block -> offset in data
}

func (d *decoder) dictionary(data []byte) dictionary {
	n := d.count(1 << 40)
	return dictionary{n: n, index: d.blockIndex(n), data: data, offs: d.packed()}
}

// Len returns the number of entries.
func (t *dictionary) Len() int { return t.n }

// block returns the entries from the beginning of a block on.
func (t *dictionary) block(block int, what string) []byte {
	if block >= t.offs.n {
		return nil
	}
	off := t.offs.At(block)
	if off > uint64(len(t.data)) {
		panic(&CorruptError{what, "block offset"})
	}
	return t.data[off:]
}

type dictionaryWriter struct {
	data  part
	offs  []uint64 // a number per block
	heads headWriter
	prev  []byte
	n     int
	spool func() Spool
	err   error
}

func (w *dictionaryWriter) ascends(entry []byte) bool {
	return w.n == 0 || bytes.Compare(w.prev, entry) < 0
}

// next begins an entry and returns how many bytes it shares with the previous one of its block.
func (w *dictionaryWriter) next(entry []byte) (shared int) {
	if w.n%blockLen == 0 {
		w.offs = append(w.offs, w.data.len())
		w.heads.add(entry)
	} else {
		shared = commonPrefix(w.prev, entry)
	}
	w.n++
	w.prev = append(w.prev[:0], entry...)
	return shared
}

func (w *dictionaryWriter) spill(parts ...*part) {
	for _, p := range parts {
		if err := p.spillFull(w.spool); w.err == nil {
			w.err = err
		}
	}
}

// indexBytes encodes the index, with at most maxPrefix bytes of the common prefix.
func (w *dictionaryWriter) indexBytes(maxPrefix int) []byte {
	prefix := w.heads.commonPrefix(w.prev)
	b := binary.AppendUvarint(nil, uint64(w.n))
	return appendPacked(w.heads.appendTo(b, prefix[:min(len(prefix), maxPrefix)]), w.offs)
}

// blockIndex finds a block by its first entry. prefix is common to all entries. heads holds the
// next eight bytes of each first entry, so a search reads one small array and usually one block.
type blockIndex struct {
	prefix []byte
	heads  []byte // u64 per block
	n      int    // blocks
}

// headWriter collects the first entries of blocks. It cuts each entry eight bytes after the bytes that the entry shares
// with the first one. The common prefix, known only at the end, is never longer than these shared bytes.
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

func (w *headWriter) commonPrefix(last []byte) []byte { return w.first[:commonPrefix(w.first, last)] }

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
	n := (entries + blockLen - 1) / blockLen
	return blockIndex{n: n, prefix: d.bytes(d.count(1 << 30)), heads: d.bytes(8 * n)}
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

// find returns the last block whose first entry is at most key, or -1. cmp compares key with it.
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

// below returns how many blocks after the block from have heads below head. The head of from is below head. Few steps
// suffice if the blocks are few.
func (x *blockIndex) below(from int, head uint64) int {
	n, stride := 0, 1
	for from+n+stride < x.n && x.at(from+n+stride) < head {
		n += stride
		stride *= 2
	}
	for ; stride > 0; stride /= 2 {
		if from+n+stride < x.n && x.at(from+n+stride) < head {
			n += stride
		}
	}
	return n
}

func (x *blockIndex) headMatches(block int, first []byte) bool {
	return bytes.HasPrefix(first, x.prefix) && x.at(block) == Head(first[len(x.prefix):])
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// AppendAfter appends the least text above all texts that begin with prefix. Otherwise it appends nothing.
func AppendAfter(dst, prefix []byte) []byte {
	n := len(prefix)
	for n > 0 && prefix[n-1] == 0xff {
		n--
	}
	if n == 0 {
		return dst
	}
	return append(append(dst, prefix[:n-1]...), prefix[n-1]+1)
}
