package verify

import (
	"slices"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/release"
)

// A manifest must say of fields and of paths left out what the snapshot says.
func TestFields(t *testing.T) {
	out := leftout.Rules{Exclude: []string{"Data.body"}}
	r := searchtest.Leaving(t, "demo", []string{`{"ContentID":"A","Data":{"body":{"x":1},"n":1}}`}, out)
	right := []release.Field{{Path: "ContentID", Type: "text"}, {Path: "Data.n", Type: "long"}}
	for name, c := range map[string]struct {
		out     leftout.Rules
		fields  []release.Field
		problem string
	}{
		"right":           {out, right, ""},
		"no rules":        {leftout.Rules{}, right, `x.snap: it leaves out "Data.body", the manifest says ""`},
		"other rules":     {leftout.Rules{Exclude: []string{"Data.body"}, Include: []string{"Data.body.y"}}, right, `x.snap: it leaves out "Data.body", the manifest says "Data.body; except Data.body.y"`},
		"one field less":  {out, right[:1], "x.snap: its fields have other paths or types than the manifest says"},
		"one of one type": {out, []release.Field{right[0], {Path: "Data.n", Type: "float"}}, "x.snap: its fields have other paths or types than the manifest says"},
	} {
		v := &verifier{m: &release.Manifest{}, r: &Report{}, faulty: map[string]bool{}}
		(&environment{v: v, m: &release.Environment{Snapshot: release.Snapshot{File: "x.snap"}, LeftOut: c.out, Fields: c.fields}, reader: r}).fields()
		var want []string
		if c.problem != "" {
			want = append(want, c.problem)
		}
		if !slices.Equal(v.r.Problems, want) {
			t.Errorf("%s: %q, want %q", name, v.r.Problems, want)
		}
	}
}
