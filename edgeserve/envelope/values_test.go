package envelope_test

import (
	"slices"
	"testing"

	"contentedge/edgeserve/envelope"
)

func TestAppendValues(t *testing.T) {
	const item = `{"ContentID":"a","Data":{"title":"x\ny","n":1.50,"big":12345678901234567890,"e":1e10,"ok":true,"none":null,` +
		`"tags":["a",null,["b",{"t":"c"}],"d"],"list":[{"t":"1","u":{"v":"2"}},{"t":["3","4"]}],"a.b":"dot","c":{"d.e":{"f":"deep"}},"empty":"","-":-0}}`
	for _, c := range []struct {
		path string
		want []string
	}{
		{"ContentID", []string{"a"}},
		{"Data.title", []string{"x\ny"}},
		{"Data.title.keyword", []string{"x\ny"}},
		{"Data.n", []string{"1.5"}},
		{"Data.big", []string{"12345678901234567890"}},
		{"Data.e", []string{"1.0E10"}},
		{"Data.ok.keyword", []string{"true"}},
		{"Data.none", nil},
		{"Data.tags", []string{"a", "b", "d"}},
		{"Data.tags.t", []string{"a", "b", "c", "d"}},
		{"Data.list.t", []string{"1", "3", "4"}},
		{"Data.list.u.v", []string{"2"}},
		{"Data.list", nil},
		{"Data.a.b", []string{"dot"}},
		{"Data.c.d.e.f", []string{"deep"}},
		{"Data.empty", []string{""}},
		{"Data.-", []string{"0"}},
		{"Data", nil},
		{"Data.nope", nil},
	} {
		if got := envelope.AppendValues(nil, []byte(item), c.path); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}

func FuzzAppendValues(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"x",{"c":true}]}}`), "a.b.c")
	f.Fuzz(func(t *testing.T, fragment []byte, path string) {
		envelope.AppendValues(nil, fragment, path)
	})
}
