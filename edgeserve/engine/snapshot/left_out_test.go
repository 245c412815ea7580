// These tests check the section of the paths that have no field.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/leftout"
)

var someRules = leftout.Rules{Exclude: []string{"Data.body", "Source"}, Include: []string{"Data.body.title"}}

func leaving(r leftout.Rules) *twin {
	tw := small()
	tw.out = r
	return tw
}

func TestLeftOut(t *testing.T) {
	r := leaving(someRules).open(t)
	if got := r.LeftOut(); !got.Equal(someRules) || !got.Covers("Data.body.x") || got.Covers("Data.body.title") {
		t.Errorf("read back: %s", got)
	}
	var dump bytes.Buffer
	if err := r.Dump(&dump); err != nil || !strings.Contains(dump.String(), "\nleft out of searches: Data.body, Source; except Data.body.title\n") {
		t.Errorf("%v: %s", err, dump.String())
	}
	if !bytes.Equal(leaving(leftout.Rules{}).write(t), small().write(t)) {
		t.Error("without rules the file differs from one that an older program reads")
	}
}

// A reader that does not know the section skips it.
func TestLeftOutIsSkipped(t *testing.T) {
	b := changedRules(t, func(row, _ []byte) { binary.LittleEndian.PutUint32(row, uint32(kindLeftOut)+1) })
	r, err := OpenBytes(b)
	if err != nil || !r.LeftOut().Empty() || r.Verify(nil) != nil || r.Check() != nil {
		t.Errorf("%v, %s", err, r.LeftOut())
	}
}

// changedRules changes the entry and the section of rules, and repairs the checksums.
func changedRules(t *testing.T, change func(row, section []byte)) []byte {
	b := leaving(someRules).write(t)
	r, err := OpenBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.toc, func(e entry) bool { return e.kind == kindLeftOut })
	table := len(b) - footerLen - len(r.toc)*entryLen
	e := r.toc[i]
	change(b[table+i*entryLen:][:entryLen], b[e.off:e.off+e.n])
	return repair(b)
}

func TestLeftOutRefuses(t *testing.T) {
	section := func(change func(s []byte)) func(row, s []byte) { return func(_, s []byte) { change(s) } }
	for _, tt := range []struct {
		name   string
		change func(row, s []byte)
		want   string
	}{
		{"cut", func(row, s []byte) { row[16] -= 8 }, "left out: cut short"},
		{"many", section(func(s []byte) { s[0] = 0xff; s[1] = 0x7f }), "left out: count 16383 above 1000"},
		{"one less", section(func(s []byte) { s[0] = 1 }), "left out: "},
		{"no includes", section(func(s []byte) { s[len(s)-17] = 0 }), "left out: bytes after the last path"},
		{"order", section(func(s []byte) { copy(s[2:], "Zata") }), "left out: the paths"},
		{"no path", section(func(s []byte) { copy(s[2:], "Data..") }), "left out: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := OpenBytes(changedRules(t, tt.change))
			if _, ok := errors.AsType[*CorruptError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	b := leaving(leftout.Rules{Exclude: []string{"u"}}).write(t)
	if _, err := OpenBytes(repair(bytes.Replace(b, []byte{1, 1, 'u', 0}, []byte{1, 1, 't', 0}, 1))); err == nil || !strings.Contains(err.Error(), "a field whose path is left out") {
		t.Errorf("a field that is left out: %v", err)
	}
}

// No damage of the section makes Open panic.
func TestLeftOutDamage(t *testing.T) {
	n := 0
	changedRules(t, func(_, s []byte) { n = len(s) })
	for i := range n {
		for bit := range 8 {
			b := changedRules(t, func(_, s []byte) { s[i] ^= 1 << bit })
			if r, err := OpenBytes(b); err == nil && r.LeftOut().Equal(someRules) {
				t.Errorf("bit %d of byte %d can flip unseen", bit, i)
			}
		}
	}
}

func TestWriterRefusesFieldsLeftOut(t *testing.T) {
	w := NewWriter(&bytes.Buffer{}, Meta{})
	w.LeaveOut(leftout.Rules{Exclude: []string{"Data"}})
	w.Field(EncodeField(&FieldData{Path: "Data.x", Type: Long}, 0))
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), `field "Data.x" is left out`) {
		t.Errorf("got %v", err)
	}
}
