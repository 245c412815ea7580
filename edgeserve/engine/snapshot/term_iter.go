// This file walks the terms of a dictionary. It locates the postings of a term only when a caller calls
// Info, and it seeks ahead without building the terms between.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// sharesTooMuch is the fault of an entry that shares more bytes than its predecessor has.
const sharesTooMuch = "shares more than there is"

// usualTerm is the size in bytes of a buffer that is long enough for most terms.
const usualTerm = 32

// Lookup finds a term.
func (t *Terms) Lookup(term []byte) (TermInfo, bool) {
	var it TermIter
	if shared, suffix, ok := it.find(t, term); ok && it.shared == len(term) && shared+len(suffix) == len(term) {
		return it.Info(), true
	}
	return TermInfo{}, false
}

// Seek returns an iterator before the first term at or above term.
func (t *Terms) Seek(term []byte) *TermIter {
	it := &TermIter{term: make([]byte, 0, usualTerm)}
	it.pending = it.seek(t, term)
	return it
}

// iter returns an iterator before the first term.
func (t *Terms) iter() *TermIter {
	it := &TermIter{t: t}
	it.enter(0)
	return it
}

// TermIter walks terms in byte order.
type TermIter struct {
	t       *Terms
	next    int // index of the next entry that step reads
	d       decoder
	term    []byte
	shared  int
	info    TermInfo // of the current term, once read
	unread  bool     // d is before the info of the current term
	behind  int      // post and pos lack skipped infos of the block; the first lacking info is before this entry; 0 if no info is missing
	rest    []byte   // the block from that info on
	post    int
	pos     int
	pending bool // the current entry is the result of the next Next
	end     []byte
}

// Next moves to the next term.
func (it *TermIter) Next() bool {
	if it.pending {
		it.pending = false
		return true
	}
	return it.step()
}

// NextPast moves to the next term that does not begin with the first n bytes of the current one.
func (it *TermIter) NextPast(n int) bool {
	for it.next < it.t.n {
		first := it.next%blockLen == 0
		shared, suffix := it.entry()
		switch {
		case first && bytes.HasPrefix(suffix, it.term[:n]): // more blocks may
			if it.end = AppendAfter(it.end[:0], it.term[:n]); len(it.end) > 0 {
				return it.SeekGE(it.end)
			}
			it.next = it.t.n
			return false
		case !first && shared >= n:
			continue
		}
		it.shared = shared
		it.setTerm(shared, suffix)
		return true
	}
	return false
}

// SeekGE moves to the first term at or above term, forward or back. A short way ahead is fast.
func (it *TermIter) SeekGE(term []byte) bool {
	it.pending = false
	if it.next >= it.t.n || bytes.Compare(term, it.term) <= 0 {
		return it.seek(it.t, term)
	}
	x := &it.t.index
	same, match := commonPrefix(it.term, term), 0
	if it.next%blockLen != 0 {
		match = same
	}
	block := (it.next - 1) / blockLen
	if following := block + 1; following < x.n {
		if !bytes.HasPrefix(term, x.prefix) {
			return it.seek(it.t, term)
		}
		head := Head(term[len(x.prefix):])
		if x.at(following) < head {
			block, match = following+x.below(following, head), 0
			it.enter(block)
		}
		if following = block + 1; following < x.n && x.at(following) == head {
			return it.seek(it.t, term) // the rest of the first term decides
		}
	}
	shared, suffix, ok := it.scan(term, match)
	if ok {
		it.build(term, shared, suffix)
	}
	it.shared = min(it.shared, same)
	return ok
}

// Term returns the current term. It is valid until the iterator moves.
func (it *TermIter) Term() []byte { return it.term }

// Shared returns a number of leading bytes that the current term shares with the term before the last move.
func (it *TermIter) Shared() int { return it.shared }

// Info locates the postings of the current term.
func (it *TermIter) Info() TermInfo {
	if it.unread {
		if it.behind > 0 {
			it.findInfo()
		}
		it.readInfo()
	}
	return it.info
}

func (it *TermIter) seek(t *Terms, term []byte) bool {
	shared, suffix, ok := it.find(t, term)
	if ok {
		it.build(term, shared, suffix)
	}
	it.shared = 0 // the caller has not seen the previous term
	return ok
}

// find is seek, but does not build the term. It returns what scan does.
func (it *TermIter) find(t *Terms, term []byte) (shared int, suffix []byte, ok bool) {
	it.t = t
	block := t.index.find(term, func(b int) int {
		it.enter(b)
		shared, first := it.entry()
		if shared > 0 {
			it.d.fail(sharesTooMuch)
		}
		return bytes.Compare(term, first)
	})
	it.enter(max(block, 0))
	return it.scan(term, 0)
}

// build sets the term to what scan has found.
func (it *TermIter) build(term []byte, shared int, suffix []byte) {
	it.term = append(append(it.term[:0], term[:shared]...), suffix...)
}

// scan steps to the first term at or above term. It returns that term as the first shared bytes of term and a suffix.
// match is the number of bytes that the previous, smaller entry shares with term.
//
// scan builds no term. An entry that shares more bytes with its predecessor than the predecessor shares with term is
// smaller, too. The iterator's shared becomes the number of bytes that the found term shares with term.
func (it *TermIter) scan(term []byte, match int) (shared int, suffix []byte, ok bool) {
	for it.next < it.t.n {
		if it.next%blockLen == 0 {
			match = 0
		}
		shared, suffix = it.entry()
		if shared > match {
			continue
		}
		rest := term[shared:]
		if shared == match {
			n := commonPrefix(suffix, rest)
			if n < len(rest) && (n == len(suffix) || suffix[n] < rest[n]) {
				match = shared + n
				continue
			}
			it.shared = shared + n
		} else {
			it.shared = shared
		}
		return shared, suffix, true
	}
	return 0, nil, false
}

func (it *TermIter) enter(block int) {
	it.next, it.unread, it.behind = block*blockLen, false, 0
	it.d = decoder{it.t.block(block, "terms"), "terms"}
	if block < it.t.offs.n {
		it.post, it.pos = int(it.t.postBase.At(block)), int(it.t.posBase.At(block))
	}
}

func (it *TermIter) step() bool {
	if it.t == nil || it.next >= it.t.n {
		return false
	}
	if it.next%blockLen == 0 {
		it.term = it.term[:0]
	}
	shared, suffix := it.entry()
	if shared > len(it.term) {
		it.d.fail(sharesTooMuch)
	}
	it.shared = shared
	it.setTerm(shared, suffix)
	return true
}

// setTerm replaces the bytes of the term after the first shared bytes. Most suffixes fit into a copy of a fixed length,
// which needs no branches on the suffix's length.
func (it *TermIter) setTerm(shared int, suffix []byte) {
	const most = 16
	if t := it.term; len(suffix) <= most && most <= cap(suffix) && shared+most <= cap(t) {
		*(*[most]byte)(t[shared : shared+most]) = [most]byte(suffix[:most])
		it.term = t[:shared+len(suffix)]
		return
	}
	it.term = append(it.term[:shared], suffix...)
}

// entry moves to the next entry. It returns the number of bytes that the entry's term shares with the
// previous term, and the rest of the term.
func (it *TermIter) entry() (shared int, suffix []byte) {
	if it.unread {
		it.skipInfo()
	}
	if it.behind > 0 && it.next%blockLen == 0 {
		it.enter(it.next / blockLen)
	}
	it.unread = true
	it.next++
	if b := it.d.b; len(b) >= 2 && b[0]|b[1] < 0x80 {
		shared, end := int(b[0]), 2+int(b[1])
		it.d.b = b[end:]
		return shared, b[2:end]
	}
	shared = it.d.count(1 << 20)
	return shared, it.d.bytes(it.d.count(len(it.d.b)))
}

// skipInfo moves past an info, eight bytes at a time. It needs only the number of integers in the info:
// three, or two and as many as the second integer says.
func (it *TermIter) skipInfo() {
	it.unread = false
	b := it.d.b
	if it.behind == 0 {
		it.behind, it.rest = it.next, b
	}
	if len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		ends := ^x & 0x8080808080808080 // of integers
		more := int(x&1) * (int(x>>((bits.TrailingZeros64(ends)+1)&63)&0xff) - 1)
		ends &= ends - 1
		for ends &= ends - 1; more > 0; more-- {
			ends &= ends - 1
		}
		if ends != 0 {
			it.d.b = b[bits.TrailingZeros64(ends)>>3+1:]
			return
		}
	}
	post, pos := it.post, it.pos
	it.readInfo()
	it.post, it.pos = post, pos
}

// findInfo reads the skipped infos, up to the info of the current term.
func (it *TermIter) findInfo() {
	at := it.next
	it.next, it.d.b, it.behind = it.behind, it.rest, 0
	for it.next < at {
		it.readInfo()
		it.entry()
	}
}

func (it *TermIter) readInfo() {
	it.unread = false
	d := &it.d
	x := d.uvarint()
	if x&1 == 1 {
		it.info = TermInfo{DF: 1, single: true, doc: DocID(x >> 1), tf: d.count(maxInline)}
		b := d.b
		for range it.info.tf {
			d.uvarint()
		}
		it.info.deltas = b[:len(b)-len(d.b)]
		return
	}
	if x == 0 {
		d.fail("a term without documents")
	}
	it.info = TermInfo{DF: int(x >> 1), post: it.post, postLen: int(d.uvarint()), pos: it.pos, posLen: int(d.uvarint())}
	it.post += it.info.postLen
	it.pos += it.info.posLen
}
