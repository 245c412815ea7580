// This file writes the table of contents. Content may have hundreds of thousands of paths, each with a dozen
// sections, so the rows wait where encoded sections do.

package snapshot

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

// tableWriter collects the rows of the sections, which come field by field.
type tableWriter struct {
	rows  part    // of complete fields
	field []entry // of the current field
	whole []entry // of the whole file
	n     int
	crc   uint32 // of rows
	spool func() Spool
	err   error
}

func (t *tableWriter) add(e entry) {
	if t.n++; e.field == NoField {
		t.whole = append(t.whole, e)
		return
	}
	if len(t.field) > 0 && t.field[0].field != e.field {
		t.endField()
	}
	t.field = append(t.field, e)
}

// endField appends the rows of the current field, ordered by their kinds.
func (t *tableWriter) endField() { t.put(t.field); t.field = t.field[:0] }

func (t *tableWriter) put(list []entry) {
	slices.SortFunc(list, compareEntries)
	from := len(t.rows.b)
	for _, e := range list {
		t.rows.b = binary.LittleEndian.AppendUint32(t.rows.b, uint32(e.kind))
		t.rows.b = binary.LittleEndian.AppendUint32(t.rows.b, e.field)
		t.rows.b = binary.LittleEndian.AppendUint64(t.rows.b, e.off)
		t.rows.b = binary.LittleEndian.AppendUint64(t.rows.b, e.n)
		t.rows.b = binary.LittleEndian.AppendUint32(t.rows.b, e.crc)
		t.rows.b = binary.LittleEndian.AppendUint32(t.rows.b, 0)
	}
	t.crc = crc32.Update(t.crc, crcTable, t.rows.b[from:])
	if err := t.rows.spillFull(t.spool); t.err == nil {
		t.err = err
	}
}

// writeTo writes all rows. The rows of the whole file are last.
func (t *tableWriter) writeTo(w io.Writer) error {
	t.endField()
	t.put(t.whole)
	if t.err != nil {
		return t.err
	}
	return t.rows.writeTo(w)
}
