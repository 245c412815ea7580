// These tests compare the decoding of JSON strings with the standard library's, and
// the order of encoded numbers with that of the numbers.

package snapshot

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestAppendUnquoted(t *testing.T) {
	tests := []struct{ name, json string }{
		{"empty", `""`},
		{"plain", `"plain"`},
		{"beyond ASCII", `"å€😀"`},
		{"every short escape", `"\"\\\/\b\f\n\r\t"`},
		{"code point", `"\u0041\u00e5\u20AC\uFfFf"`},
		{"zero", `"a\u0000b"`},
		{"pair", `"\ud83d\ude00x\uD83D\uDE00"`},
		{"high half alone", `"\ud83d"`},
		{"high half before text", `"\ud83dx"`},
		{"high half before an escape", `"\ud83d\n"`},
		{"high half before a letter", `"\ud83d\u0041"`},
		{"high half twice", `"\ud83d\ud83d\ude00"`},
		{"low half alone", `"\ude00\u0041"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want string
			if err := json.Unmarshal([]byte(tt.json), &want); err != nil {
				t.Fatal(err)
			}
			got := AppendUnquoted([]byte("kept "), append([]byte(tt.json[1:]), `,"more"`...))
			if string(got) != "kept "+want {
				t.Errorf("got %q, want %q", got, "kept "+want)
			}
		})
	}
}

func TestAppendUnquotedCutShort(t *testing.T) {
	text := `ab\n\u20ac\ud83d\ude00`
	for n := range text {
		AppendUnquoted(nil, []byte(text[:n])) // must return, whatever it says
	}
}

func TestFloatBits(t *testing.T) {
	ascending := []float64{math.Inf(-1), -math.MaxFloat64, -2, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1),
		0, math.SmallestNonzeroFloat64, 0.5, 1, math.MaxFloat64, math.Inf(1)}
	var bits []uint64
	for _, f := range ascending {
		bits = append(bits, floatBits(f))
	}
	if !slices.IsSorted(bits) {
		t.Errorf("not in order: %x", bits)
	}
}

func TestIntersect(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want []uint32
	}{
		{"both", []uint32{1, 3, 5, 9}, []uint32{0, 3, 4, 5, 10}, []uint32{3, 5}},
		{"apart", []uint32{1, 2}, []uint32{3}, nil},
		{"same", []uint32{1, 2}, []uint32{1, 2}, []uint32{1, 2}},
		{"one empty", nil, []uint32{1}, nil},
		{"other empty", []uint32{1}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Intersect(slices.Clone(tt.a), tt.b); !slices.Equal(got, tt.want) {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func FuzzAppendUnquoted(f *testing.F) {
	f.Add(`plain`)
	f.Add(`\ud83d\ude00\n\u00E5`)
	f.Add(`\ud83d\ud83d\ude00\"`)
	f.Fuzz(func(t *testing.T, text string) {
		var want string
		quoted := `"` + text + `"`
		got := AppendUnquoted(nil, []byte(quoted[1:]))
		if utf8.ValidString(text) && json.Unmarshal([]byte(quoted), &want) == nil && string(got) != want {
			t.Errorf("%s is %q, want %q", quoted, got, want)
		}
	})
}
