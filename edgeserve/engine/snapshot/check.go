// This file verifies a snapshot: Verify compares checksums, Check proves consistent contents.

package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"contentedge/edgeserve/engine/parallel"
)

// Verify compares each section's checksum, of a large snapshot on all processors. It calls read, unless nil,
// with the length of each piece that it has read, maybe in several goroutines at once: a caller that opens
// many snapshots counts them together, and lets other work run now and then.
func (r *Reader) Verify(read func(bytes int)) (err error) {
	defer Recover(&err)
	if r.unmap != nil {
		defer adviseDontNeed(r.data) // a server needs few of the pages
	}
	if err := r.checkLayout(); err != nil {
		return err
	}
	return r.checkSums(read)
}

// padded returns the offset of the next section.
func (e *entry) padded() uint64 { return (e.off + e.n + align - 1) / align * align }

// checkLayout proves that sections are adjacent: each byte belongs to exactly one.
func (r *Reader) checkLayout() error {
	byOffset := slices.Clone(r.toc)
	slices.SortFunc(byOffset, func(a, b entry) int { return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.n, b.n)) })
	at := uint64(headerLen)
	for _, e := range byOffset {
		if e.off != at {
			return corrupt("table of contents", "%s section is not next to another", kindNames[e.kind])
		}
		at = e.padded()
	}
	if at+uint64(len(r.toc))*entryLen+footerLen != uint64(len(r.data)) {
		return corrupt("table of contents", "sections and table do not meet")
	}
	return nil
}

// verifyAlone is the size of a snapshot from which on several goroutines compare its sections. Below it, starting
// them costs more than they save.
const verifyAlone = 4 << 20

func (r *Reader) checkSums(read func(bytes int)) error {
	errs := make([]error, len(r.toc))
	if len(r.data) < verifyAlone {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for i := range errs {
			errs[i] = r.checkSum(i, read)
		}
		return cmp.Or(errs...)
	}
	order := make([]int, len(r.toc))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.toc[b].n, r.toc[a].n) })
	Parallel(len(order), func(task int) {
		i := order[task]
		errs[i] = r.checkSum(i, read)
	})
	return cmp.Or(errs...)
}

// Parallel runs n tasks on all processors. A memory fault of a truncated file panics in its task.
func Parallel(n int, do func(task int)) {
	_ = parallel.Each(context.Background(), runtime.GOMAXPROCS(0), n, func(_, task int) error { // no task fails
		debug.SetPanicOnFault(true)
		do(task)
		return nil
	})
}

// verifyPiece is how much of a section is read between two calls of Verify's read.
const verifyPiece = 1 << 20

func (r *Reader) checkSum(i int, read func(bytes int)) (err error) {
	defer Recover(&err)
	e := r.toc[i]
	sum := uint32(0)
	for part := range slices.Chunk(r.data[e.off:e.padded()], verifyPiece) {
		sum = crc32.Update(sum, crcTable, part)
		if read != nil {
			read(len(part))
		}
	}
	if sum != e.crc {
		return corrupt(kindNames[e.kind], "checksum of section %d is wrong", i)
	}
	return nil
}

// Check walks all contents without trusting a checksum. Every dictionary and list must
// ascend, every document exist, every value and fragment be where its entry says. Check
// cannot know whether impacts and grams fit the text.
func (r *Reader) Check() (err error) {
	defer Recover(&err)
	if err := r.checkFragments(); err != nil {
		return err
	}
	for i, f := range r.fields {
		if i > 0 && r.fields[i-1].Path >= f.Path {
			return corrupt("fields", "%q after %q", f.Path, r.fields[i-1].Path)
		}
		if err := r.checkField(f); err != nil {
			return fmt.Errorf("field %s: %w", f.Path, err)
		}
	}
	return nil
}

func (r *Reader) checkFragments() error {
	if r.cache != nil {
		return nil
	}
	for d := range DocID(r.meta.Items) {
		f := r.Fragment(d)
		if len(f) < 2 || f[0] != '{' || f[len(f)-1] != '}' {
			return corrupt("fragments", "document %d is not an object", d)
		}
		if end := r.starts.At(int(d) + 1); int(d)+1 < r.meta.Items && r.fragments[end-1] != ',' {
			return corrupt("fragments", "no comma after document %d", d)
		}
	}
	return nil
}

func (r *Reader) checkField(f *Field) (err error) {
	defer Recover(&err)
	if err := r.checkSets(f); err != nil || f.Type != Text {
		return err
	}
	if err := f.grams.check(f.strings.n); err != nil {
		return err
	}
	if err := r.checkNorms(f); err != nil {
		return err
	}
	return r.checkTerms(f)
}

// checkColumn proves that each document's least and greatest value have pairs, and that no value of the document is
// outside them.
func (r *Reader) checkColumn(c *Column) error {
	if c.Start(0) != 0 || c.Start(c.Distinct) != c.Pairs {
		return corrupt("column starts", "not all pairs belong to a value")
	}
	least, greatest := 0, 0
	for ord := range c.Distinct {
		from, to := c.Start(ord), c.Start(ord+1)
		if from >= to || to > c.Pairs {
			return corrupt("column starts", "value %d has no documents", ord)
		}
		for p := from; p < to; p++ {
			if err := r.checkPair(c, ord, p, p > from); err != nil {
				return err
			}
			if ord == c.Least(c.Doc(p)) {
				least++
			}
			if ord == c.Greatest(c.Doc(p)) {
				greatest++
			}
		}
	}
	bounds := []int{least, greatest, r.countDocs(&c.min)}
	if !c.Single {
		bounds = append(bounds, r.countDocs(&c.max))
	}
	for _, n := range bounds {
		if n != c.DocCount {
			return corrupt("column least", "%d documents with a value, expected %d", n, c.DocCount)
		}
	}
	return nil
}

func (r *Reader) checkPair(c *Column, ord, p int, later bool) error {
	d := c.Doc(p)
	switch {
	case int(d) >= r.meta.Items:
		return corrupt("column documents", "document %d of %d", d, r.meta.Items)
	case later && r.IDRank(c.Doc(p-1)) >= r.IDRank(d):
		return corrupt("column documents", "value %d is not in order", ord)
	case ord < c.Least(d) || ord > c.Greatest(d) || c.Single && ord != c.Least(d):
		return corrupt("column least", "document %d has value %d outside its bounds", d, ord)
	}
	return nil
}

// countDocs counts the documents of a map that At finds, or returns -1 if they are not in order.
func (r *Reader) countDocs(m *DocMap) int {
	n, last := 0, -1
	m.Docs(func(d DocID, v uint64) bool {
		if int(d) <= last || int(d) >= r.meta.Items || v == m.missing {
			n = -1
			return false
		}
		last = int(d)
		n++
		return true
	})
	return n
}

func (r *Reader) checkNorms(f *Field) error {
	if n := r.countDocs(&f.norms); n != f.Docs {
		return corrupt("norms", "%d documents with a token, expected %d", n, f.Docs)
	}
	var err error
	f.norms.Docs(func(d DocID, v uint64) bool {
		if v > math.MaxUint8 {
			err = corrupt("norms", "document %d has length %d", d, v)
		}
		return err == nil
	})
	return err
}

func (n *Numbers) check() error {
	for i := range n.Len() {
		if math.IsNaN(n.Float(i)) {
			return corrupt("numbers", "value %d is not a number", i)
		}
		if i > 0 && (n.float && n.Float(i-1) >= n.Float(i) || !n.float && n.Int(i-1) >= n.Int(i)) {
			return corrupt("numbers", "value %d is not in order", i)
		}
	}
	return nil
}

func (s *Strings) check() error {
	var prev []byte
	for n, it := 0, s.Iter(0); ; n++ {
		at := len(s.data) - len(it.d.b)
		if !it.Next() {
			return nil
		}
		v := it.known()
		if n > 0 && bytes.Compare(prev, v) >= 0 {
			return corrupt("values", "value %d is not in order", n)
		}
		if n%blockLen > 0 && it.shared != commonPrefix(prev, v) {
			return corrupt("values", "value %d shares other than %d bytes", n, it.shared)
		}
		prev = append(prev[:0], v...)
		if b := n / blockLen; n%blockLen == 0 && (it.shared > 0 || s.offs.At(b) != uint64(at) || !s.index.headMatches(b, v)) {
			return corrupt("value index", "value %d is not found", n)
		}
	}
}

func (g *Grams) check(values int) error {
	if g == nil {
		return nil
	}
	var buf []uint32
	at := uint64(0)
	for i := range g.keys.n {
		if i > 0 && g.keys.At(i-1) >= g.keys.At(i) || g.offs.At(i) != at {
			return corrupt("grams", "entry %d is not in order", i)
		}
		at = g.offs.At(i + 1)
		buf = g.Values([]uint64{g.keys.At(i)}, buf[:0])
		for j, v := range buf {
			if int(v) >= values || j > 0 && buf[j-1] >= v {
				return corrupt("grams", "entry %d: value %d of %d", i, v, values)
			}
		}
	}
	if g.offs.At(g.keys.n) != uint64(len(g.data)) {
		return corrupt("grams", "entries and data end apart")
	}
	return nil
}

func (r *Reader) checkTerms(f *Field) error {
	var prev []byte
	var p Postings
	var buf []uint32
	t := f.terms
	n, tokens := 0, 0
	for it := t.iter(); ; n++ {
		at, post, pos := len(t.data)-len(it.d.b), it.post, it.pos
		if !it.Next() {
			break
		}
		if n > 0 && bytes.Compare(prev, it.Term()) >= 0 {
			return corrupt("terms", "term %d is not in order", n)
		}
		prev = append(prev[:0], it.Term()...)
		if n%blockLen == 0 && !t.blockAt(n/blockLen, at, post, pos, prev) {
			return corrupt("term index", "term %d is not found", n)
		}
		p.Reset(t, it.Info())
		found, err := r.checkList(f, &p, &buf)
		if err != nil {
			return fmt.Errorf("term %q: %w", prev, err)
		}
		tokens += found
	}
	if n != t.n || tokens != f.Tokens {
		return corrupt("terms", "%d terms and %d tokens, expected %d and %d", n, tokens, t.n, f.Tokens)
	}
	return nil
}

// blockAt reports whether the index leads to a block with these offsets and this first term.
func (t *Terms) blockAt(block, at, post, pos int, first []byte) bool {
	return t.offs.At(block) == uint64(at) && t.postBase.At(block) == uint64(post) && t.posBase.At(block) == uint64(pos) &&
		t.index.headMatches(block, first)
}

func (r *Reader) checkList(f *Field, p *Postings, buf *[]uint32) (tokens int, err error) {
	count := 0
	for last, d := -1, p.Next(); d != NoMore; d = p.Next() {
		if int(d) <= last || int(d) >= r.meta.Items || f.norms.At(d) == 0 {
			return 0, corrupt("postings", "document %d after %d", d, last)
		}
		last = int(d)
		count++
		at := p.Positions((*buf)[:0])
		if len(at) != p.TF() || len(at) == 0 {
			return 0, corrupt("positions", "document %d: %d positions, expected %d", d, len(at), p.TF())
		}
		if !ascend(at) {
			return 0, corrupt("positions", "document %d: not in order", d)
		}
		tokens += len(at)
		*buf = at
	}
	if count != p.DF() {
		return 0, corrupt("postings", "%d documents, expected %d", count, p.DF())
	}
	return tokens, nil
}

func (r *Reader) checkSets(f *Field) error {
	c := setChecker{r: r, columns: map[*Column]bool{}, numbers: map[*Numbers]bool{nil: true}}
	if err := c.set(&f.Values); err != nil {
		return err
	}
	for sub, v := range f.subs {
		if v == nil {
			continue
		}
		err := c.set(v)
		if err == nil {
			err = v.checkSub(Sub(sub))
		}
		if err != nil {
			return fmt.Errorf("sub-field %s: %w", Sub(sub), err)
		}
	}
	if f.sort != nil {
		if err := c.set(&Values{column: f.sort}); err != nil {
			return fmt.Errorf("REST order: %w", err)
		}
	}
	return nil
}

// setChecker proves each column and each list of numbers once, although sets share them.
type setChecker struct {
	r       *Reader
	columns map[*Column]bool
	numbers map[*Numbers]bool
}

func (c *setChecker) set(v *Values) error {
	if !c.columns[v.column] {
		if err := c.r.checkColumn(v.column); err != nil {
			return err
		}
	}
	if !c.numbers[v.numbers] {
		if err := v.numbers.check(); err != nil {
			return err
		}
	}
	c.columns[v.column], c.numbers[v.numbers] = true, true
	return nil
}

// checkSub proves the strings of keyword, and that the integers of double are exact.
func (v *Values) checkSub(sub Sub) error {
	switch n := v.numbers; {
	case sub == SubKeyword:
		return v.strings.check()
	case sub == SubDouble && !n.float && n.Len() > 0 && !(exact(n.Int(0)) && exact(n.Int(n.Len()-1))):
		return corrupt("numbers", "integers above %d serve as doubles", maxExact)
	}
	return nil
}
