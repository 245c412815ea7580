// These tests check which emptied objects and arrays filters remove, and patterns that match level
// by level.

package envelope

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// A filter removes emptied objects from their arrays. The expectations are from Elasticsearch 7.10.2.
func TestFiltersDropEmptiedObjects(t *testing.T) {
	const item = `{"Data":{"items":[{"sku":"a","price":1},{"sku":"b"}],"deep":[[[{"k":{"v":1},"w":2}],[]],{"x":[{}]}],"e":{},"n":[]}}`
	split := func(s string) []string { return strings.FieldsFunc(s, func(c rune) bool { return c == ',' }) }
	for _, c := range []struct{ includes, excludes, want string }{
		{"Data.items.price", "", `{"Data":{"items":[{"price":1}]}}`},
		{"", "Data.items.*,Data.deep", `{"Data":{"items":[],"e":{},"n":[]}}`},
		{"Data.items", "Data.items.*", `{"Data":{"items":[]}}`},
		{"Data.items.sku", "Data.items.*", `{}`},
		{"Data.deep", "*.v", `{"Data":{"deep":[[[{"k":{},"w":2}]],{"x":[]}]}}`},
		{"Data.deep.k", "", `{"Data":{"deep":[[[{"k":{"v":1}}]]]}}`},
		{"Data.deep.x", "", `{"Data":{"deep":[{"x":[{}]}]}}`},
	} {
		if got := string(NewSourceFilter(split(c.includes), split(c.excludes)).Append(nil, []byte(item))); got != c.want {
			t.Errorf("%q without %q: %s, want %s", c.includes, c.excludes, got, c.want)
		}
	}
	for paths, want := range map[string]string{
		"Data.items.price":     `{"Data":{"items":[{"price":1}]}}`,
		"Data.*.price":         `{"Data":{"items":[{"price":1}]}}`,
		"*.price":              `{}`,
		"**.price":             `{"Data":{"items":[{"price":1}]}}`,
		"**.**.price":          `{"Data":{"items":[{"price":1}]}}`,
		"**":                   item,
		"Data.e":               `{"Data":{"e":{}}}`,
		"Data.e.x,Data.n.x":    `{}`,
		"Data.deep.**.v":       `{"Data":{"deep":[[[{"k":{"v":1}}]]]}}`,
		"Data.it*s.s?u":        `{}`,
		"-Data.items.*":        `{"Data":{"deep":[[[{"k":{"v":1},"w":2}],[]],{"x":[{}]}],"e":{},"n":[]}}`,
		"-Data.d*,-Data.*.sku": `{"Data":{"items":[{"price":1}]}}`,
		"Data,-**.sku,-**.v":   `{"Data":{"items":[{"price":1}],"deep":[[[{"w":2}]]]}}`,
		"-**":                  `{}`,
		"Data\\.items":         `{}`,
	} {
		var includes, excludes []string
		for _, p := range split(paths) {
			if rest, ok := strings.CutPrefix(p, "-"); ok {
				excludes = append(excludes, rest)
			} else {
				includes = append(includes, p)
			}
		}
		if got := string(NewPathFilter(includes, excludes).Append(nil, []byte(item))); got != want {
			t.Errorf("filter_path=%s: %s, want %s", paths, got, want)
		}
	}
	if got := string(NewPathFilter([]string{`a\.b.c`}, nil).Append(nil, []byte(`{"a.b":{"c":1},"a":{"b":{"c":2}}}`))); got != `{"a.b":{"c":1}}` {
		t.Error(got)
	}
}

// naivePath is a naive filter_path: it filters decoded values and tries each pattern on each path.
type naivePath struct{ includes, excludes []string }

// matchPath reports whether a pattern matches the path or a path above it, and whether a pattern may
// match below the path.
func matchPath(patterns []string, path []string) (matched, below bool) {
	var try func(p, path []string)
	try = func(p, path []string) {
		switch {
		case len(p) == 0:
			matched = true
		case len(path) == 0:
			below = true
		default:
			if p[0] == "**" {
				try(p, path[1:])
			}
			if g := compileGlob(p[0]); g.match([]byte(path[0])) {
				try(p[1:], path[1:])
			}
		}
	}
	for _, p := range patterns {
		try(strings.Split(p, "."), path)
	}
	return matched, below
}

func (o naivePath) keep(path []string, v any) (any, bool) {
	in, inBelow := matchPath(o.includes, path)
	out, outBelow := matchPath(o.excludes, path)
	in = in || len(o.includes) == 0
	switch {
	case out || !in && !inBelow:
		return nil, false
	case in && !outBelow:
		return v, true
	}
	switch v := v.(type) {
	case map[string]any:
		left := map[string]any{}
		for name, member := range v {
			if m, ok := o.keep(append(path[:len(path):len(path)], name), member); ok {
				left[name] = m
			}
		}
		return left, len(left) > 0
	case []any:
		left := []any{}
		for _, e := range v {
			if e, ok := o.keep(path, e); ok {
				left = append(left, e)
			}
		}
		return left, len(left) > 0
	}
	return v, in
}

func TestPathFilterAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	patterns := func() (list []string) {
		for range rng.IntN(3) {
			parts := make([]string, 1+rng.IntN(4))
			for i := range parts {
				parts[i] = []string{"a", "b", "ab", "c", "*", "**", "a*", "*b"}[rng.IntN(8)]
			}
			list = append(list, strings.Join(parts, "."))
		}
		return list
	}
	partly := 0
	for range 30000 {
		item := map[string]any{"a": randomValue(rng, 4), "b": randomValue(rng, 3), "ab": randomValue(rng, 1)}
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		o := naivePath{patterns(), patterns()}
		want := map[string]any{}
		for name, v := range item {
			if v, ok := o.keep([]string{name}, v); ok {
				want[name] = v
			}
		}
		got := NewPathFilter(o.includes, o.excludes).Append(nil, text)
		if !reflect.DeepEqual(decode(t, got), any(want)) {
			w, _ := json.Marshal(want)
			t.Fatalf("%s\nincludes %q excludes %q\n got %s\nwant %s", text, o.includes, o.excludes, got, w)
		}
		if len(got) != len(text) && len(got) > 2 {
			partly++
		}
	}
	if partly < 3000 {
		t.Errorf("only %d items were filtered in part", partly)
	}
}
