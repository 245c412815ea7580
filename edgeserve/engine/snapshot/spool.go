// This file buffers sections. Callers encode fields in parallel, but the Writer writes them in order.
// The waiting bytes may be as large as the file, so large sections wait outside memory.

package snapshot

import "io"

// Spool stores bytes outside memory. WriteTo is called once, after the last Write.
type Spool interface {
	io.Writer
	io.WriterTo
}

// spoolSize is the number of bytes of a section that wait in memory.
const spoolSize = 32 << 10

// part is a section of a field, under construction or ready to be written.
type part struct {
	kind  kind
	head  []byte // the first bytes, known last; may be nil
	spool Spool  // the next bytes; may be nil
	b     []byte // the last bytes, or all
	n     uint64 // bytes in spool
}

// len returns the length of the section so far, without head.
func (p *part) len() uint64 { return p.n + uint64(len(p.b)) }

func (p *part) spillFull(create func() Spool) error {
	if create == nil || len(p.b) < spoolSize {
		return nil
	}
	if p.spool == nil {
		p.spool = create()
	}
	n, err := p.spool.Write(p.b)
	p.n += uint64(n)
	p.b = p.b[:0]
	return err
}

// writeTo writes the section and releases its memory.
func (p *part) writeTo(w io.Writer) error {
	if _, err := w.Write(p.head); err != nil {
		return err
	}
	if p.spool != nil {
		if _, err := p.spool.WriteTo(w); err != nil {
			return err
		}
	}
	_, err := w.Write(p.b)
	p.head, p.spool, p.b = nil, nil, nil
	return err
}
