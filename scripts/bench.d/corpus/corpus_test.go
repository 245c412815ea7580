// These tests check what the engines rely on: equal items in every run, and splitting
// and rewriting without other changes.

package corpus

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestLeaves(t *testing.T) {
	tests := []struct{ name, item, want string }{
		{"empty", `{}`, ``},
		{"scalars", `{"a":"x","b":-1.5e3,"c":true,"d":null}`, `a=x b=-1.5e3 c=true`},
		{"nested", `{"a":{"b":{"c":1}},"d":2}`, `a.b.c=1 d=2`},
		{"arrays", `{"a":[1,[2,{"b":3}],[]],"c":[{"d":"y"}]}`, `a=1 a=2 a.b=3 c.d=y`},
		{"escapes", `{"a":"q\"\\","b":"é\n"}`, "a=q\"\\ b=é\n"},
		{"brackets in text", `{"a":"}],","b":1}`, `a=}], b=1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			Leaves([]byte(tt.item), func(l Leaf) { got = append(got, l.Path+"="+l.Text()) })
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("leaves of %s are %q, not %q", tt.item, s, tt.want)
			}
		})
	}
}

func TestRewriteKeepsWhatIsNotChanged(t *testing.T) {
	item := []byte(`{"a":"x","b":[1,"y"],"c":{"d":"z\n"}}`)
	same := Rewrite(item, func(l Leaf) []byte { return l.Raw })
	if !bytes.Equal(same, item) {
		t.Errorf("a copy is %s", same)
	}
	changed := Rewrite(item, func(l Leaf) []byte {
		if l.Path == "b" && l.Kind == String {
			return []byte("longer")
		}
		return l.Raw
	})
	if want := `{"a":"x","b":[1,"longer"],"c":{"d":"z\n"}}`; string(changed) != want {
		t.Errorf("got %s, not %s", changed, want)
	}
}

func TestSortIsTheDefaultOrder(t *testing.T) {
	items := [][]byte{
		[]byte(`{"ContentID":"b","CreatedAt":"2024-01-01T00:00:00.000Z"}`),
		[]byte(`{"ContentID":"c","CreatedAt":"2025-01-01T00:00:00.000Z"}`),
		[]byte(`{"ContentID":"a","CreatedAt":"2024-01-01T00:00:00.000Z"}`),
	}
	Sort(items)
	var ids string
	for _, item := range items {
		ids += Member(item, "ContentID")
	}
	if ids != "cab" {
		t.Errorf("order is %s", ids)
	}
}

func TestCutTypesValues(t *testing.T) {
	items := [][]byte{
		[]byte(`{"at":"1970-01-01T00:00:01.000Z","n":1,"s":"x","b":true}`),
		[]byte(`{"at":"never","n":"many","s":2,"b":"maybe"}`),
	}
	fields := Detect(items)
	c := NewCutter(fields)
	var got []string
	for _, item := range items {
		c.Cut(item, func(field int, text string) { got = append(got, fields[field].Path+"="+text) })
	}
	if want := []string{"at=1000", "n=1", "s=x", "b=true", "s=2"}; !slices.Equal(got, want) {
		t.Errorf("values are %q, not %q", got, want)
	}
}

func TestMadeItems(t *testing.T) {
	few := Synthetic(50)
	for name, again := range map[string]func() [][]byte{
		"synthetic":  func() [][]byte { return Synthetic(120) },
		"multiplied": func() [][]byte { return Multiply(few, 175) },
	} {
		t.Run(name, func(t *testing.T) {
			items := again()
			if !slices.EqualFunc(items, again(), bytes.Equal) {
				t.Error("two runs differ")
			}
			ids, names := map[string]bool{}, map[string]bool{}
			for _, item := range items {
				if !json.Valid(item) {
					t.Fatalf("no JSON: %s", item)
				}
				ids[Member(item, "ContentID")], names[Member(item, "Name")] = true, true
			}
			if len(ids) != len(items) || len(names) < len(items)*9/10 {
				t.Errorf("%d items have %d ids and %d names", len(items), len(ids), len(names))
			}
		})
	}
}

func TestMultiplyKeepsChoicesAndMovesDates(t *testing.T) {
	few := Synthetic(50)
	many := Multiply(few, 100)
	for i, item := range few {
		twin := many[50+i]
		if a, b := Member(item, "TemplateName"), Member(twin, "TemplateName"); a != b {
			t.Errorf("template %q became %q", a, b)
		}
		if a, b := Member(item, "CreatedAt"), Member(twin, "CreatedAt"); b >= a {
			t.Errorf("date %s became %s", a, b)
		}
	}
}
