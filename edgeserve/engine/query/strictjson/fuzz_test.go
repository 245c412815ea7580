// This file fuzzes the reader of JSON. Nothing may panic, errors stand in the text, and every value is found
// again by its path and by its JSON.

package strictjson

import (
	"testing"

	"contentedge/edgeserve/wire/envelope"
)

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{"a":[1,{"b":"\ud83d\ude00"}],"a.b":-0.1e+5}`, "\ufeff{ // x\n\"a\":/**/true}", `{"a":1,"a":2}`, `[[[[`, `"\u12"`, "\"\xff\"", `{"":{"":[[]]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var root Value
		if err := Read(src, &root); err != nil {
			if err.Position < 0 || err.Position > len(src) || err.Message == "" {
				t.Fatalf("%+v in %q", err, src)
			}
			return
		}
		checkValues(t, src, &root, &root)
		text := string(root.Append(nil, envelope.NumericEscapes))
		var again Value
		if err := Read(text, &again); err != nil {
			t.Fatalf("%q is written as %s: %v", src, text, err)
		}
		if twice := string(again.Append(nil, envelope.NumericEscapes)); twice != text {
			t.Fatalf("%q is written as %s, then as %s", src, text, twice)
		}
	})
}

// checkValues checks that each value stands behind its parent, and that its path leads to a place in the text.
func checkValues(t *testing.T, src string, root, v *Value) {
	for i := range v.Items {
		m := &v.Items[i]
		if m.Pos <= v.Pos || int(m.Pos) >= len(src) {
			t.Fatalf("%q: a value at %d in one at %d", src, m.Pos, v.Pos)
		}
		if at := Locate(src, root.Path(m), -1); at < -1 || at >= len(src) {
			t.Fatalf("%q: %q is at %d", src, root.Path(m), at)
		}
		checkValues(t, src, root, m)
	}
}
