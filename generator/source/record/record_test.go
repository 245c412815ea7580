package record

import (
	"strings"
	"testing"
)

// TestRecord shows what a Builder writes, and where the record says that each part stands.
func TestRecord(t *testing.T) {
	var b Builder
	b.Object(Place{1, 1})
	b.Key("a", Place{1, 2})
	b.Array(Place{1, 5})
	b.Literal("1.0", Place{1, 6})
	b.String("é\"\n\x00\xff", Place{2, 1})
	b.Object(Place{2, 5})
	b.EndObject()
	b.EndArray()
	b.Key("b", Place{3, 1})
	b.Literal("null", Place{3, 4})
	b.EndObject()
	r, fault := b.Record()
	if fault != nil || string(r.JSON) != `{"a":[1.0,"é\"\n\u0000`+"\ufffd"+`",{}],"b":null}` {
		t.Fatal(string(r.JSON), fault)
	}
	for text, want := range map[string]Place{`{"a"`: {1, 1}, `"a"`: {1, 2}, `[1`: {1, 5}, `1.0`: {1, 6}, `"é`: {2, 1}, `\u0`: {2, 1}, `{}`: {2, 5}, `"b"`: {3, 1}, `null`: {3, 4}, `ll}`: {3, 4}} {
		if got := r.Place(strings.Index(string(r.JSON), text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if r.Start() != (Place{1, 1}) || b.Size() != 0 {
		t.Error(r.Start(), b.Size())
	}

	b.Object(Place{9, 9}) // another record takes a value of the first, with its places
	b.Key("c", Place{9, 10})
	start := strings.Index(string(r.JSON), "[")
	b.Value(&r, start, strings.Index(string(r.JSON), "]")+1)
	b.Key("d", Place{9, 20})
	b.Literal("true", Place{9, 22})
	b.EndObject()
	other, fault := b.Record()
	if fault != nil || string(other.JSON) != `{"c":[1.0,"é\"\n\u0000`+"\ufffd"+`",{}],"d":true}` {
		t.Fatal(string(other.JSON), fault)
	}
	for text, want := range map[string]Place{`"c"`: {9, 10}, `[1`: {1, 5}, `1.0`: {1, 6}, `"é`: {2, 1}, `{}`: {2, 5}, `"d"`: {9, 20}, `true`: {9, 22}} {
		if got := other.Place(strings.Index(string(other.JSON), text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestLimits: a record that is too large or too deep is a fault at its place, and the next is none.
func TestLimits(t *testing.T) {
	var b Builder
	b.Object(Place{1, 1})
	b.Key("a", Place{1, 2})
	for i := range MaxDepth {
		b.Array(Place{1, 3 + i})
	}
	if b.Fault() == nil || b.Fault().Place != (Place{1, 2 + MaxDepth}) {
		t.Error(b.Fault())
	}
	if _, fault := b.Record(); fault == nil {
		t.Error("no fault")
	}
	b.Object(Place{1, 1})
	b.Key("a", Place{1, 2})
	b.String(strings.Repeat("x", MaxSize-6), Place{1, 4})
	if b.Fault() == nil || b.Fault().Place != (Place{1, 4}) {
		t.Error(b.Fault())
	}
	b.Reset()
	b.Object(Place{1, 1})
	b.EndObject()
	if r, fault := b.Record(); fault != nil || string(r.JSON) != "{}" {
		t.Error(string(r.JSON), fault)
	}
}

// TestLines: places of a text that begins somewhere in its file.
func TestLines(t *testing.T) {
	l := NewLines([]byte("é1\r\n\n3"), Place{5, 3})
	for offset, want := range map[int]Place{0: {5, 3}, 2: {5, 4}, 5: {6, 1}, 6: {7, 1}, 7: {7, 2}, 99: {7, 2}} {
		if got := l.Place(offset); got != want {
			t.Errorf("%d: %v, want %v", offset, got, want)
		}
	}
	if f := CheckText([]byte("é\nab\xc3"), Place{2, 1}); f == nil || f.Place != (Place{3, 3}) {
		t.Error(f)
	}
	if f := CheckText([]byte("é\nab"), Place{2, 1}); f != nil {
		t.Error(f)
	}
	if f := CheckLineEnds([]byte("\r\né\ra"), Place{2, 1}); f == nil || f.Place != (Place{3, 2}) {
		t.Error(f)
	}
	if f := CheckLineEnds([]byte("\r\na\r\n\n"), Place{2, 1}); f != nil {
		t.Error(f)
	}
}
