package layout

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestLong: paths of long texts have a sub-field with the beginnings of the texts.
func TestLong(t *testing.T) {
	long := strings.Repeat("é", MaxStart)
	w := NewDocuments(fields, "Data.t", "Name")
	for item, want := range map[string]string{
		`{"Data":{"t":["a",5,"` + long + `x","` + long + `"]}}`: `"Data.t.start·":["a",5,"` + long + `","` + long + `"]}}`,
		`{"Data":{"t":"\"` + long + `"}}`:                       `"Data.t.start·":["\"` + long[2:] + `"]}}`,
		`{"Name":"` + long + `x"}`:                              `"Name.start·":["` + long + `"],"Name.order·":["3` + long + `"]}}`,
	} {
		got, err := w.Append(nil, []byte(item), 7)
		if err != nil || !strings.HasSuffix(string(got), want) {
			t.Errorf("%.100s: %.200s %v\nwant %.100s", item, got, err, want)
		}
		if back, _, err := Item(nil, got); err != nil || string(back) != item {
			t.Errorf("%.100s: %.200s %v", item, back, err)
		}
	}
	mapped := Definition(release.Environment{Fields: fields}, Meta{Long: []string{"Data.t"}}, 1)["mappings"].(object)["properties"].(object)
	if got := fmt.Sprint(mapped["_sub.Data.t.start·"]); got != "map[ignore_above:16381 index:false type:keyword]" || mapped["_sub.Name.start·"] != nil {
		t.Error(got, mapped["_sub.Name.start·"])
	}
	n := NewNames(fields, "Data.t")
	if name, ok := n.Sub("Data.t", Start); !ok || name != "_sub.Data.t.start·" || !n.Long("Data.t") || n.Long("Name") || !n.HasLong() || NewNames(fields).HasLong() {
		t.Error(name, ok)
	}
	if back, _ := n.ToRelease("_sub.Data.t.start·"); back != "Data.t" {
		t.Error(back)
	}
}

// Beginnings have equally many characters: a shorter one never comes before a longer one that is less. Each fits into
// a term with what Order adds.
func TestStart(t *testing.T) {
	for _, c := range []string{"a", "é", "€", "😀"} {
		all := strings.Repeat(c, MaxStart)
		for text, want := range map[string]bool{all: true, all + "b": true, all[len(c):]: false, all[len(c):] + "😀": true, all[len(c):] + "b": true} {
			start, cut := StartOf(text)
			if cut != want || !strings.HasPrefix(text, start) || len([]rune(start)) != min(len([]rune(text)), MaxStart) {
				t.Errorf("%d × %s: cut %t, %d characters", len([]rune(text)), c, cut, len([]rune(start)))
			}
			if order := appendOrder(nil, appendStart(nil, []byte(`"`+text+`"`))); len(order)-2 > maxTerm {
				t.Errorf("%d bytes", len(order))
			}
		}
	}
}

// Names of paths that are too long for the _meta of an index stand for all.
func TestLongPaths(t *testing.T) {
	if got := LongPaths([]string{"b", "a"}); !slices.Equal(got, []string{"a", "b"}) || LongPaths(nil) != nil {
		t.Error(got)
	}
	got := LongPaths([]string{strings.Repeat("a", MaxState/4)})
	if text, _ := json.Marshal(Meta{Long: got}); !strings.HasSuffix(string(text), `"long":["*"]}`) {
		t.Errorf("%.200s", text)
	}
	n := NewNames(fields, got...)
	if _, ok := n.Sub("Data.t", Start); !ok || !n.Long("Name") || n.Long("None") {
		t.Error("not all texts")
	}
	a, b := Meta{Long: got}, Meta{}
	if a.Equal(&b) || !a.Equal(&Meta{Long: []string{AnyPath}}) {
		t.Error("other paths")
	}
}
