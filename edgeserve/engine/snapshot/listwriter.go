// This file writes postings lists. Lists arrive in pieces; full blocks are packed at once.

package snapshot

import (
	"encoding/binary"
	"slices"
)

// impact returns the fraction of a term's weight that a posting scores, rounded up to a byte.
func impact(tf int, factor float32) byte {
	f := float32(tf) / (float32(tf) + factor)
	return byte(min(255, int(f*255)+1))
}

type listWriter struct {
	df   int
	last DocID // last document of the list
	prev DocID // last document of the full blocks

	tail []Posting // documents after the full blocks; slab holds their positions
	slab []uint32

	post, pos []byte
	skips     []byte
	blocks    []byte
	deltas    [postBlock]uint64
	freqs     [postBlock]uint64
	gaps      []uint64
}

func (w *listWriter) reset() {
	w.df, w.last, w.prev = 0, 0, 0
	w.tail, w.slab = w.tail[:0], w.slab[:0]
	w.post, w.pos, w.skips, w.blocks = w.post[:0], w.pos[:0], w.skips[:0], w.blocks[:0]
}

func (w *listWriter) add(list []Posting, factor func(DocID) float32) {
	w.df += len(list)
	w.last = list[len(list)-1].Doc
	for len(list) > 0 {
		if len(w.tail) == 0 && len(list) >= postBlock {
			w.block(list[:postBlock], factor)
			list = list[postBlock:]
			continue
		}
		n := min(len(list), postBlock-len(w.tail))
		w.buffer(list[:n])
		list = list[n:]
		if len(w.tail) == postBlock {
			w.block(w.tail, factor)
			w.tail, w.slab = w.tail[:0], w.slab[:0]
		}
	}
}

func (w *listWriter) buffer(list []Posting) {
	for _, p := range list {
		start := len(w.slab)
		w.slab = append(w.slab, p.Positions...)
		w.tail = append(w.tail, Posting{p.Doc, w.slab[start:len(w.slab):len(w.slab)]})
	}
}

func (w *listWriter) single() (Posting, bool) {
	if w.df != 1 {
		return Posting{}, false
	}
	return w.tail[0], true
}

// finish returns the encoded list and its positions. Both are valid until the next reset.
func (w *listWriter) finish(factor func(DocID) float32) (post, pos []byte) {
	tailPos := len(w.pos)
	tailMax := byte(0)
	for _, p := range w.tail {
		tailMax = max(tailMax, impact(len(p.Positions), factor(p.Doc)))
	}
	w.post = append(w.post, tailMax)
	if w.df >= postBlock {
		w.post = binary.AppendUvarint(w.post, uint64(tailPos))
	}
	w.post = append(append(w.post, w.skips...), w.blocks...)
	for _, p := range w.tail {
		w.post = appendTailPosting(w.post, p, w.prev)
		w.prev = p.Doc
	}
	w.positionsOf(w.tail)
	return w.post, w.pos
}

func appendTailPosting(dst []byte, p Posting, prev DocID) []byte {
	d := uint64(p.Doc-prev) << 1
	if len(p.Positions) == 1 {
		return binary.AppendUvarint(dst, d|1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, d), uint64(len(p.Positions)))
}

func (w *listWriter) block(list []Posting, factor func(DocID) float32) {
	greatest := byte(0)
	for i, p := range list {
		w.deltas[i], w.freqs[i] = uint64(p.Doc-w.prev), uint64(len(p.Positions)-1)
		greatest = max(greatest, impact(len(p.Positions), factor(p.Doc)))
		w.prev = p.Doc
	}
	wd, wf := widthOf(w.deltas[:]), widthOf(w.freqs[:])
	w.skips = binary.LittleEndian.AppendUint32(w.skips, uint32(w.prev))
	w.skips = binary.LittleEndian.AppendUint32(w.skips, uint32(len(w.blocks)))
	w.skips = binary.LittleEndian.AppendUint32(w.skips, uint32(len(w.pos)))
	w.skips = append(w.skips, greatest, byte(wd), byte(wf), 0)
	w.blocks = appendBits(w.blocks, w.deltas[:], wd)
	w.blocks = appendBits(w.blocks, w.freqs[:], wf)
	w.positionsOf(list)
}

// positionsOf appends a block's positions: gaps in each document, postBlock per group of one width.
func (w *listWriter) positionsOf(list []Posting) {
	w.gaps = w.gaps[:0]
	for _, p := range list {
		last := uint32(0)
		for _, at := range p.Positions {
			w.gaps = append(w.gaps, uint64(at-last))
			last = at
		}
	}
	for group := range slices.Chunk(w.gaps, postBlock) {
		width := widthOf(group)
		w.pos = append(w.pos, byte(width))
		w.pos = appendBits(w.pos, group, width)
	}
}
