package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"contentedge/edgeserve/wire/envelope"
)

// valuesOf returns the values of a path of a fragment.
func valuesOf(fragment []byte, path string) []string {
	v := envelope.NewValueReader([]string{path}, nil)
	_ = v.Read(fragment) // only charge fails
	return v.Append(nil, 0)
}

func TestValuesOfPaths(t *testing.T) {
	const item = `{"ContentID":"a","Data":{"title":"x\ny","n":1.50,"big":12345678901234567890,"e":1e10,"ok":true,"none":null,` +
		`"tags":["a",null,["b",{"t":"c"}],"d"],"list":[{"t":"1","u":{"v":"2"}},{"t":["3","4"]}],"a.b":"dot","c":{"d.e":{"f":"deep"}},"empty":"","-":-0}}`
	for _, c := range []struct {
		path string
		want []string
	}{
		{"ContentID", []string{"a"}},
		{"Data.title", []string{"x\ny"}},
		{"Data.title.keyword", nil},
		{"Data.n", []string{"1.5"}},
		{"Data.big", []string{"12345678901234567890"}},
		{"Data.e", []string{"1.0E10"}},
		{"Data.ok", []string{"true"}},
		{"Data.none", nil},
		{"Data.tags", []string{"a", "b", "d"}},
		{"Data.tags.t", []string{"c"}},
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
		if got := valuesOf([]byte(item), c.path); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}

// TestValuesOfDamaged finds only the complete values of fragments that are cut off.
func TestValuesOfDamaged(t *testing.T) {
	for text, want := range map[string][]string{
		`{"a":"x`: nil, `{"a":12`: nil, `{"a":"\`: nil, `{"a":["x","y`: {"x"}, `{"a":["x",{"b":1],"z"`: {"x"}, `{"b":{"c":"d,"a":"x"`: nil, `{"a" "x"}`: nil, `{"b":1 ,"a":2}`: nil,
	} {
		if got := valuesOf([]byte(text), "a"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A reader of many paths finds the same values in one pass as a walk along each single path.
func TestValueReader(t *testing.T) {
	items := []string{
		`{"a":1}`, `{"a":{"b":1,"c":{"d":[2,{"e":3}]}},"x":"y"}`, `{"a.b":1,"a":{"b":2}}`, `{"a":null,"a.b":{"c.d":4},"a.b.c":5}`,
		`{"a":[{"b":1,"c":{"d":2}},{"a.b":3,"b":4}],"b":[[1,[2]],{"a":3}],"a.c.d":5}`, `{"a-b":1,"a":{"-":2,"b":[true,null,"x\\u0041"]},"a b":3}`,
		`{"a.b.c":1,"a.b":{"c":2,"d":3},"c":{"d":4}}`, `{"\\u0061":{"b":1},"c":2}`, `{}`, `{"a":[]}`, `[{"a":1},{"a":{"b":2}}]`, `{"a":{"b":`, `{"a.b":1,"c`, `{"a" 1}`,
	}
	paths := []string{"a", "a.b", "a.b.c", "a.c.d", "a.c.d.e", "b", "b.a", "c", "c.d", "a-b", "a.-", "a b", "x", "a.b.d", "none", "a.b"}
	v := envelope.NewValueReader(paths, nil)
	for _, item := range items {
		if err := v.Read([]byte(item)); err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			want := walkedValues([]byte(item), path)
			if got := v.Append(nil, i); !slices.Equal(got, want) {
				t.Errorf("%s of %s: %q, want %q", path, item, got, want)
			}
		}
	}
}

// The cost of a pass does not depend on the number of paths. An error of charge ends the pass.
func TestValueReaderCharges(t *testing.T) {
	var b strings.Builder
	var paths []string
	for i := range 5000 {
		fmt.Fprintf(&b, `,"p%04d":{"x":[1,"%s"]}`, i, strings.Repeat("y", 40))
		paths = append(paths, fmt.Sprintf("Data.p%04d.x.keyword", i), fmt.Sprintf("Data.p%04d.x", i))
	}
	item := []byte(`{"Data":{` + b.String()[1:] + `},"Name":"n"}`)
	for _, list := range [][]string{paths, {"Name"}, {"Data.p4999.x"}} {
		looked, calls := 0, 0
		v := envelope.NewValueReader(list, func(n int) error {
			looked += n
			calls++
			return nil
		})
		if _ = v.Read(item); looked > len(item)*11/10 || len(list) == len(paths) && calls < looked>>16 {
			t.Errorf("%d paths: looked at %d bytes of %d in %d calls", len(list), looked, len(item), calls)
		}
		if got := v.Append(nil, len(list)-1); len(got) == 0 {
			t.Errorf("%d paths: nothing for the last one", len(list))
		}
	}
	stop := errors.New("enough")
	calls := 0
	v := envelope.NewValueReader(paths, func(int) error {
		calls++
		return stop
	})
	if err := v.Read(item); err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func FuzzValueReader(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"x",{"c":true}]},"a.b":2}`), "a.b.c")
	f.Fuzz(func(t *testing.T, fragment []byte, path string) {
		got := valuesOf(fragment, path)
		if !json.Valid(fragment) || !utf8.Valid(fragment) || bytes.ContainsAny(fragment, " \t\r\n\\") || slices.Contains(strings.Split(path, "."), "") || repeats(fragment) {
			return
		}
		if want := walkedValues(fragment, path); !slices.Equal(got, want) {
			t.Errorf("%s of %s: %q, want %q", path, fragment, got, want)
		}
	})
}

// repeats reports whether a member name occurs twice in JSON, perhaps in one object.
func repeats(fragment []byte) bool {
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`"([^"]*)":`).FindAllSubmatch(fragment, -1) {
		if seen[string(m[1])] {
			return true
		}
		seen[string(m[1])] = true
	}
	return false
}

// walkedValues are the values of a path. It finds them naively, one name after the other.
func walkedValues(fragment []byte, path string) (list []string) {
	dec := json.NewDecoder(bytes.NewReader(fragment))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	walk(v, path, &list)
	return list
}

func walk(v any, path string, list *[]string) {
	switch v := v.(type) {
	case nil:
	case []any:
		for _, e := range v {
			walk(e, path, list)
		}
	case map[string]any:
		best := ""
		for name, value := range v {
			if value != nil && (path == name || strings.HasPrefix(path, name+".")) && (best == "" || len(name) < len(best)) {
				best = name
			}
		}
		if best != "" {
			walk(v[best], strings.TrimPrefix(path[len(best):], "."), list)
		}
	case string:
		if path == "" {
			*list = append(*list, v)
		}
	default:
		if path == "" {
			*list = append(*list, valuesOf([]byte(fmt.Sprintf(`{"v":%v}`, v)), "v")...)
		}
	}
}
