// This file reads postings lists: the documents of a term, its frequency and positions in
// each. Blocks of postBlock documents let a search skip, by document or by greatest score.

package snapshot

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// postBlock is the number of documents in a packed block.
const postBlock = 128

// skipLen is the length of a skip entry: last document, offset of the data, offset of the
// positions, greatest impact, widths of deltas and frequencies, one zero byte.
const skipLen = 16

// NoMore is the current document of an exhausted list.
const NoMore DocID = math.MaxUint32

// Posting is the input of one document of a list.
type Posting struct {
	Doc       DocID
	Positions []uint32 // ascending; their number is the frequency
}

// Postings is a cursor over a list. Reset reuses it. Walking does not allocate.
type Postings struct {
	df       int
	full     int    // number of packed blocks
	skips    []byte // skip entries, skipLen bytes each
	data     []byte
	tail     []byte
	pos      []byte
	posBase  int // offset of the group with the current document's first position
	tailPos  int
	tailMax  byte
	singleTF uint32 // frequency in the only document of a term without postings

	block       int // loaded block; full means the tail; -1 none
	n           int // documents in the block
	i           int // index of the current document
	doc         DocID
	cum         int // occurrences in the group before entry cumAt of the block
	cumAt       int
	docs        [postBlock]DocID
	tfs         [postBlock]uint32
	packedFreqs []byte // the block's frequencies while they are packed
	freqWidth   uint   // width of late
}

// Reset moves the cursor before the first document of a term.
func (p *Postings) Reset(t *Terms, info TermInfo) {
	p.df, p.block, p.n, p.i, p.doc, p.full = info.DF, -1, 0, 0, 0, 0
	p.skips, p.data, p.tail, p.pos = nil, nil, nil, nil
	p.posBase, p.tailPos, p.cum, p.cumAt, p.packedFreqs = 0, 0, 0, 0, nil
	if info.single {
		p.setSingle(info)
		return
	}
	d := decoder{b: section("postings", t.postings, info.post, info.postLen), what: "postings"}
	p.pos = section("positions", t.positions, info.pos, info.posLen)
	p.full = info.DF / postBlock
	p.tailMax = d.byte()
	if p.full > 0 {
		p.tailPos = d.count(len(p.pos))
		p.skips = d.bytes(p.full * skipLen)
	}
	p.data, p.tail = d.b, d.b
	if p.full > 0 {
		p.tail = p.blockEnd(p.full - 1)
	}
}

// Restart moves the cursor back before the first document.
func (p *Postings) Restart() {
	p.block, p.n, p.i, p.doc = -1, 0, 0, 0
	if p.df == 1 && p.tail == nil {
		p.block, p.n, p.i, p.tfs[0] = 0, 1, -1, p.singleTF
	}
}

func (p *Postings) setSingle(info TermInfo) {
	p.docs[0], p.singleTF, p.pos, p.tailMax = info.doc, uint32(info.tf), info.deltas, 255
	p.Restart()
}

// section returns b[off:off+n]. It panics if the range is out of bounds.
func section(what string, b []byte, off, n int) []byte {
	if off < 0 || n < 0 || off > len(b) || n > len(b)-off {
		panic(&CorruptError{what, "outside the section"})
	}
	return b[off : off+n : off+n]
}

// DF returns the number of documents in the list.
func (p *Postings) DF() int { return p.df }

// Doc returns the current document: 0 before the first Next or Seek, NoMore at the end.
func (p *Postings) Doc() DocID { return p.doc }

// TF returns the term's frequency in the current document.
func (p *Postings) TF() int {
	if p.packedFreqs != nil {
		p.frequencies()
	}
	return int(p.tfs[p.i])
}

// frequencies unpacks the block's frequencies. Only scoring searches need them.
func (p *Postings) frequencies() {
	unpack(&p.tfs, p.packedFreqs, p.freqWidth)
	for i := range p.tfs {
		p.tfs[i]++
	}
	p.packedFreqs = nil
}

// Next moves to the next document.
func (p *Postings) Next() DocID {
	p.i++
	if p.i >= p.n && !p.load(p.block+1) {
		return p.end()
	}
	p.doc = p.docs[p.i]
	return p.doc
}

// Chunk returns the documents from the current one up to end, within the current block.
// They are valid until the cursor moves.
func (p *Postings) Chunk(end DocID) []DocID {
	if p.doc >= end || p.i < 0 || p.i >= p.n {
		return nil
	}
	j := p.n
	if p.docs[p.n-1] >= end {
		j = p.i + sort.Search(p.n-p.i, func(k int) bool { return p.docs[p.i+k] >= end })
	}
	return p.docs[p.i:j]
}

// Frequencies returns the frequencies from the current document to the end of its block.
func (p *Postings) Frequencies() []uint32 {
	if p.packedFreqs != nil {
		p.frequencies()
	}
	return p.tfs[p.i:p.n]
}

// Skip moves past the first n documents of a Chunk.
func (p *Postings) Skip(n int) DocID {
	p.i += n - 1
	return p.Next()
}

// Seek moves to the first document at or above target. It never moves back.
func (p *Postings) Seek(target DocID) DocID {
	if p.doc >= target && (p.n > 0 && p.i >= 0 || p.doc == NoMore) {
		return p.doc
	}
	if p.n == 0 || p.docs[p.n-1] < target {
		if !p.load(p.blockOf(target)) {
			return p.end()
		}
	} else if p.i < 0 {
		p.i = 0
	}
	return p.forward(target)
}

// stride is the number of documents that forward skips at a time.
const stride = 8

func (p *Postings) forward(target DocID) DocID {
	docs, i := p.docs[:p.n], p.i
	for i+stride < len(docs) && docs[i+stride] < target {
		i += stride
	}
	for i < len(docs) && docs[i] < target {
		i++
	}
	if i >= len(docs) {
		return p.end()
	}
	p.i, p.doc = i, docs[i]
	return p.doc
}

func (p *Postings) end() DocID {
	p.i, p.n, p.block, p.doc, p.packedFreqs = 0, 0, p.full+1, NoMore, nil
	p.tfs[0] = 0
	return NoMore
}

// blockOf returns the block of the first document from target on. It gallops from the loaded block.
func (p *Postings) blockOf(target DocID) int {
	lo, step := p.block+1, 1
	for lo+step <= p.full && p.lastDoc(lo+step-1) < target {
		lo += step
		step *= 2
	}
	hi := min(lo+step, p.full)
	for lo < hi {
		m := (lo + hi) / 2
		if p.lastDoc(m) < target {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

func (p *Postings) lastDoc(block int) DocID {
	return binary.LittleEndian.Uint32(p.skips[block*skipLen:])
}

// BlockMax finds the block of the first document at or above target. It returns the block's
// last document and greatest impact without decoding it.
func (p *Postings) BlockMax(target DocID) (last DocID, impact byte) {
	b := p.block
	if p.n == 0 || b < 0 || b > p.full || p.docs[p.n-1] < target {
		b = p.blockOf(target)
	}
	if b >= p.full {
		return NoMore, p.tailMax
	}
	return p.lastDoc(b), p.skips[b*skipLen+12]
}

// blockEnd returns the bytes after the data of a block.
func (p *Postings) blockEnd(block int) []byte {
	off, wd, wf := p.entry(block)
	end := off + bitBytes(postBlock, wd) + bitBytes(postBlock, wf)
	return section("postings", p.data, end, len(p.data)-end)
}

func (p *Postings) entry(block int) (off int, wd, wf uint) {
	e := p.skips[block*skipLen:]
	return int(binary.LittleEndian.Uint32(e[4:])), uint(e[13]), uint(e[14])
}

// load decodes a block and moves to its first document.
func (p *Postings) load(block int) bool {
	p.i, p.cum, p.cumAt, p.packedFreqs = 0, 0, 0, nil
	if block >= p.full {
		return block == p.full && p.loadTail()
	}
	prev := DocID(0)
	if block > 0 {
		prev = p.lastDoc(block - 1)
	}
	off, wd, wf := p.entry(block)
	p.block, p.n = block, postBlock
	p.posBase = int(binary.LittleEndian.Uint32(p.skips[block*skipLen+8:]))
	nd := bitBytes(postBlock, wd)
	unpack(&p.docs, section("postings", p.data, off, len(p.data)-off), wd)
	for i := range p.docs {
		prev += p.docs[i]
		p.docs[i] = prev
	}
	if prev != p.lastDoc(block) {
		panic(&CorruptError{"postings", "block ends at another document"})
	}
	p.packedFreqs, p.freqWidth = section("postings", p.data, off+nd, len(p.data)-off-nd), wf
	return true
}

func (p *Postings) loadTail() bool {
	n := p.df - p.full*postBlock
	if n <= 0 || n > postBlock {
		return false
	}
	prev := DocID(0)
	if p.full > 0 {
		prev = p.lastDoc(p.full - 1)
	}
	d := decoder{b: p.tail, what: "postings"}
	for i := range n {
		x := d.uvarint()
		prev += DocID(x >> 1)
		p.docs[i], p.tfs[i] = prev, 1
		if x&1 == 0 {
			p.tfs[i] = uint32(d.uvarint())
		}
	}
	p.block, p.n, p.posBase = p.full, n, p.tailPos
	return true
}

// Positions appends the term's positions in the current document to buf.
func (p *Postings) Positions(buf []uint32) []uint32 {
	if p.tail == nil && p.df == 1 {
		d := decoder{b: p.pos, what: "positions"}
		last := uint32(0)
		for range p.tfs[0] {
			last += uint32(d.uvarint())
			buf = append(buf, last)
		}
		return buf
	}
	if p.packedFreqs != nil {
		p.frequencies()
	}
	p.cum += sum(p.tfs[p.cumAt:p.i])
	p.cumAt = p.i
	for ; p.cum >= postBlock; p.cum -= postBlock {
		p.posBase += 1 + bitBytes(postBlock, uint(p.pos[p.posBase]))
	}
	if n := int(p.tfs[p.i]); n != 1 {
		return p.gapsAt(buf, p.cum, n)
	}
	group := section("positions", p.pos, p.posBase, len(p.pos)-p.posBase)
	width := uint(group[0])
	return append(buf, uint32(loadAt(group[1:], uint(p.cum)*width)&(1<<width-1)))
}

// gapsAt decodes n gaps of the current group, beginning with gap from.
func (p *Postings) gapsAt(buf []uint32, from, n int) []uint32 {
	b := section("positions", p.pos, p.posBase, len(p.pos)-p.posBase)
	last := uint32(0)
	for {
		width, some := uint(b[0]), min(n, postBlock-from)
		if width == 0 && n > 1 && from+1 < postBlock {
			panic(&CorruptError{"positions", "two at one place"})
		}
		mask, bit, bits := uint64(1)<<width-1, uint(from)*width, b[1:]
		buf = slices.Grow(buf, some)
		gaps := buf[len(buf) : len(buf)+some]
		for i := range gaps {
			last += uint32(loadAt(bits, bit) & mask)
			gaps[i] = last
			bit += width
		}
		buf = buf[:len(buf)+some]
		if n -= some; n == 0 {
			return buf
		}
		size := 1 + bitBytes(postBlock, width)
		b, from = section("positions", b, size, len(b)-size), 0
	}
}
