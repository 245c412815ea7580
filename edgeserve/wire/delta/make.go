// This file makes a patch in two passes. The first finds equal runs of bytes, by a rolling hash over the blocks of the
// old file. The second looks at what is between them: whether it differs little from the old file at some bit.

package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

const (
	// maxTable bounds the table of blocks, in bits of an index: 16 MiB of memory. Larger files have larger blocks.
	maxTable = 22
	// minBlock finds equal runs from twice its length on, and some shorter ones, in bytes.
	minBlock = 32
	// prime is the factor of the rolling hash, as in FNV-1.
	prime = 1099511628211
	// golden spreads the bits of a hash: 2^64 divided by the golden ratio.
	golden = 0x9e3779b97f4a7c15
)

// run is a run of equal bytes.
type run struct{ new, old, n int }

// shift is where the run is in the old file, in bits from where it is in the new one.
func (r run) shift() int { return 8 * (r.old - r.new) }

// Make writes a patch from old to new, of at most limit bytes; ErrLarge if it would have more.
func Make(out io.Writer, old, new []byte, limit int64) error {
	if len(old) > maxSize || len(new) > maxSize {
		return fmt.Errorf("files have at most %d bytes", int64(maxSize))
	}
	w, err := newWriter(out, limit)
	if err != nil {
		return err
	}
	m := &maker{w: w, old: old, new: new}
	m.findRuns(m.run)
	m.between(len(new), m.shift)
	return w.end()
}

type maker struct {
	w        *writer
	old, new []byte
	at       int // what is before was written
	shift    int // of the copy before
}

// run writes a run, and what is between it and what was written before.
func (m *maker) run(r run) bool {
	m.between(r.new, r.shift())
	m.w.copy(m.new[r.new:r.new+r.n], 8*r.old, nil)
	m.at, m.shift = r.new+r.n, r.shift()
	return m.w.err == nil
}

// findRuns yields the runs in the order of the new file, until yield returns false.
func (m *maker) findRuns(yield func(run) bool) {
	block := minBlock
	for len(m.old)/block > 1<<maxTable {
		block *= 2
	}
	table := newBlocks(m.old, block)
	first := uint64(1) // the factor of the first byte of a block
	for range block {
		first *= prime
	}
	var h uint64
	hashed, done, shift := -1, 0, 0 // done: after the last run; shift: of the last run, in bytes
	for at := 0; at+block <= len(m.new); at++ {
		switch {
		case hashed < 0:
			h = hash(m.new[at : at+block])
		default:
			h = h*prime + uint64(m.new[at+block-1]) - first*uint64(m.new[at-1])
		}
		hashed = at
		from := at + shift // where the old file continues after the last run
		if !equalAt(m.old, from, m.new[at:at+block]) {
			from = table.find(h)
			if from < 0 || !equalAt(m.old, from, m.new[at:at+block]) {
				continue
			}
		}
		r := m.extend(run{at, from, block}, done)
		if !yield(r) {
			return
		}
		done, shift = r.new+r.n, r.old-r.new
		at, hashed = done-1, -1
	}
}

// extend makes a run as long as it is. It begins no earlier than at done.
func (m *maker) extend(r run, done int) run {
	for r.new+r.n < len(m.new) && r.old+r.n < len(m.old) && m.new[r.new+r.n] == m.old[r.old+r.n] {
		r.n++
	}
	for r.new > done && r.old > 0 && m.new[r.new-1] == m.old[r.old-1] {
		r.new, r.old, r.n = r.new-1, r.old-1, r.n+1
	}
	return r
}

func equalAt(old []byte, at int, b []byte) bool {
	return at >= 0 && at+len(b) <= len(old) && bytes.Equal(old[at:at+len(b)], b)
}

func hash(b []byte) (h uint64) {
	for _, c := range b {
		h = h*prime + uint64(c)
	}
	return h
}

// blocks finds the blocks of a file by their hash. Of several in one place it has the last.
type blocks struct {
	block int
	bits  int
	last  []uint32 // counted from 1
}

func newBlocks(b []byte, block int) *blocks {
	n := len(b) / block
	t := &blocks{block: block, bits: min(bits.Len(uint(n)), maxTable)}
	t.last = make([]uint32, 1<<t.bits)
	for i := range n {
		t.last[t.place(hash(b[i*block:(i+1)*block]))] = uint32(i + 1)
	}
	return t
}

func (t *blocks) place(hash uint64) uint64 { return hash * golden >> (64 - t.bits) }

// find returns where a block with this hash may be; -1: nowhere.
func (t *blocks) find(hash uint64) int {
	i := t.last[t.place(hash)]
	if i == 0 {
		return -1
	}
	return int(i-1) * t.block
}

const (
	// piece is what is compared with the old file at once, in bytes. A piece that differs costs as many bytes as
	// a literal one before zstd.
	piece = 256
	// near is how far away a piece is looked for, in bits, and far, in words of 64 bits: a section begins at one.
	near, far = 64, 64
	// maxSkip bounds how many pieces are not looked for after several that were not found.
	maxSkip = 16
)

// between writes the new file up to an offset, where a copy with a shift begins.
func (m *maker) between(end, next int) {
	skip, skipped := 0, 0
	shift := m.shift
	for m.at < end && m.w.err == nil {
		b := m.new[m.at:min(m.at+piece, end)]
		if len(b) < minCopy {
			m.literals(b)
			continue
		}
		most := 2 * distinct(b) / 3 // a difference has to be that much simpler
		found := m.variety(b, shift) <= most
		if !found && m.variety(b, next) <= most {
			shift, found = next, true
		}
		if !found && skipped >= skip {
			if shift, found = m.search(b, shift, most); found {
				skip = 0
			} else {
				skip = min(2*skip+1, maxSkip)
			}
			skipped = 0
		} else if !found {
			skipped++
		}
		if !found {
			m.literals(b)
			continue
		}
		m.w.copy(b, 8*m.at+shift, func(dst []byte, borrow uint64) ([]byte, uint64) { return m.differ(dst, b, 8*m.at+shift, borrow) })
		m.at += len(b)
	}
}

func (m *maker) literals(b []byte) {
	m.w.literals(b)
	m.at += len(b)
}

// search looks for the simplest difference around a shift.
func (m *maker) search(b []byte, around, most int) (shift int, found bool) {
	best := most + 1
	look := func(at int) {
		if v := m.variety(b, at); v < best {
			best, shift, found = v, at, true
		}
	}
	for i := 1; i <= near; i++ {
		look(around + i)
		look(around - i)
	}
	for i := 1; i <= far; i++ {
		look(around + 64*i)
		look(around - 64*i)
	}
	if !found {
		shift = around
	}
	return shift, found
}

// variety is how many different bytes the difference of the piece at m.at has.
func (m *maker) variety(b []byte, shift int) int {
	bit := 8*m.at + shift
	if bit < 0 || bit/8+len(b) > len(m.old) {
		return piece
	}
	var buf [piece]byte
	d, _ := m.differ(buf[:0], b, bit, 0)
	return distinct(d)
}

// distinct counts the different bytes.
func distinct(b []byte) (n int) {
	var set [4]uint64
	for _, c := range b {
		set[c>>6] |= 1 << (c & 63)
	}
	for _, s := range set {
		n += bits.OnesCount64(s)
	}
	return n
}

// differ appends what has to be added to the old file from a bit on, so that b results.
func (m *maker) differ(dst, b []byte, bit int, borrow uint64) ([]byte, uint64) {
	for ; len(b) >= 8; b = b[8:] {
		var d uint64
		d, borrow = bits.Sub64(binary.LittleEndian.Uint64(b), word(m.old, bit), borrow)
		dst = binary.LittleEndian.AppendUint64(dst, d)
		bit += 64
	}
	if len(b) > 0 {
		var last, d [8]byte
		copy(last[:], b)
		x, _ := bits.Sub64(binary.LittleEndian.Uint64(last[:]), word(m.old, bit), borrow)
		binary.LittleEndian.PutUint64(d[:], x)
		dst = append(dst, d[:len(b)]...)
	}
	return dst, borrow
}

// word returns 64 bits from a bit on. Zeros follow the file.
func word(b []byte, bit int) uint64 {
	from, shift := bit/8, uint(bit%8)
	if from+9 <= len(b) {
		return binary.LittleEndian.Uint64(b[from:])>>shift | uint64(b[from+8])<<(64-shift)
	}
	var last [9]byte
	if from < len(b) {
		copy(last[:], b[from:])
	}
	return binary.LittleEndian.Uint64(last[:])>>shift | uint64(last[8])<<(64-shift)
}
