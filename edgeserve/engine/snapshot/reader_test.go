// These tests cover the rest of the Reader: panics that become errors, derived values,
// fields by prefix.

package snapshot

import (
	"errors"
	"slices"
	"testing"
)

func TestRecover(t *testing.T) {
	var corrupt *CorruptError
	var none []int
	tests := []struct {
		name string
		f    func()
		want string
	}{
		{"nothing", func() {}, ""},
		{"damage", func() { panic(&CorruptError{"terms", "odd"}) }, "snapshot is damaged: terms: odd"},
		{"index", func() { none[0] = 1 }, "snapshot is damaged: walk: runtime error: index out of range [0] with length 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := recovered(tt.f)
			if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &corrupt) || err.Error() != tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestRecoverLeavesOtherPanics(t *testing.T) {
	defer func() {
		if p := recover(); p != "bug" {
			t.Errorf("panic %v, want bug", p)
		}
	}()
	recovered(func() { panic("bug") })
}

func TestDerived(t *testing.T) {
	f := pocket().open(t).Field("n")
	for range 2 {
		n := 0
		got := f.Derived(func() any { n++; return 42 })
		again := f.Derived(func() any { n++; return 43 })
		if got != 42 || again != 42 || n > 1 {
			t.Errorf("computed %d times: %v, %v", n, got, again)
		}
	}
}

func TestFieldsBelow(t *testing.T) {
	r := newTwin(3, 50).open(t)
	tests := []struct {
		prefix string
		want   []string
	}{
		{"n.", []string{"n.bool", "n.date", "n.float", "n.long", "n.rare"}},
		{"n.long", []string{"n.long"}},
		{"n.longer", nil},
		{"s", []string{"s.dense", "s.sparse"}},
		{"zz", nil},
		{"A", nil},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range r.FieldsBelow(tt.prefix) {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("fields below %q: %q, want %q", tt.prefix, got, tt.want)
		}
	}
	if n := len(r.FieldsBelow("")); n != len(r.Fields()) {
		t.Errorf("%d fields below nothing, want all %d", n, len(r.Fields()))
	}
}

func TestTypeNames(t *testing.T) {
	for typ, want := range map[Type]string{Text: "text", Date: "date", Long: "long", Float: "float", Boolean: "boolean", Boolean + 1: "unknown"} {
		if got := typ.String(); got != want {
			t.Errorf("type %d is %s, want %s", typ, got, want)
		}
	}
}

// TestLookupReadsNoItem checks that a lookup by id never reads an item, however long the id
// is.
func TestLookupReadsNoItem(t *testing.T) {
	tw := newTwin(3, 500)
	r := tw.open(t)
	r.fragments = make([]byte, len(r.fragments))
	for d, id := range tw.ids {
		if got, ok := r.Lookup(id); !ok || got != DocID(d) {
			t.Fatalf("%s is found: %t, at %d, not at %d", id, ok, got, d)
		}
	}
}

// TestNoIDs checks that ContentID is optional: documents then have only numbers.
func TestNoIDs(t *testing.T) {
	tw := small()
	tw.fields, tw.rank = tw.fields[1:], []int{0, 1}
	r := tw.open(t)
	if _, ok := r.Lookup("a"); ok || r.IDRank(1) != 1 {
		t.Errorf("Lookup finds %t, rank of 1 is %d", ok, r.IDRank(1))
	}
}
