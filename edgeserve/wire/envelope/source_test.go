// This file tests the source filter with a table, with an independent filter on random
// items, and with invalid JSON.

package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

const sourceItem = `{"Name":"n","Data":{"title":"t","tags":["x","y"],"body":{"text":"long","size":1.0,"id":12345678901234567890},` +
	`"list":[{"a":1,"b":2},{"b":3},5,[{"a":4}]],"empty":{},"none":[]},"Extra":null}`

func TestSourceFilter(t *testing.T) {
	in := func(patterns ...string) *SourceFilter { return NewSourceFilter(patterns, nil) }
	out := func(patterns ...string) *SourceFilter { return NewSourceFilter(nil, patterns) }
	tests := []struct {
		name   string
		filter *SourceFilter
		want   string
	}{
		{"nil", nil, sourceItem},
		{"no patterns", NewSourceFilter(nil, nil), sourceItem},
		{"empty lists", NewSourceFilter([]string{}, []string{}), sourceItem},
		{"none", NoSource(), `{}`},
		{"everything", in("*"), sourceItem},
		{"one field", in("Name"), `{"Name":"n"}`},
		{"null field", in("Extra"), `{"Extra":null}`},
		{"unknown field", in("name"), `{}`},
		{"text order, not pattern order", in("Extra", "Name"), `{"Name":"n","Extra":null}`},
		{"path", in("Data.title"), `{"Data":{"title":"t"}}`},
		{"array of scalars", in("Data.tags"), `{"Data":{"tags":["x","y"]}}`},
		{"object whole, numbers as written", in("Data.body"), `{"Data":{"body":{"text":"long","size":1.0,"id":12345678901234567890}}}`},
		{"prefix of a name is no match", in("Dat", "Data.bod", "Data.titles", "Data.title.x"), `{}`},
		{"star within a name", in("Data.t*"), `{"Data":{"title":"t","tags":["x","y"]}}`},
		{"star across dots", in("*size"), `{"Data":{"body":{"size":1.0}}}`},
		{"stars around", in("*od*.i*"), `{"Data":{"body":{"id":12345678901234567890}}}`},
		{"star for the rest", in("Data.body.*"), `{"Data":{"body":{"text":"long","size":1.0,"id":12345678901234567890}}}`},
		{"object that is empty, by its path", in("Data.empty", "Data.none"), `{"Data":{"empty":{},"none":[]}}`},
		{"object that is empty, by a path below", in("Data.empty.x", "Data.none.x"), `{}`},
		{"members of objects in arrays", in("Data.list.a"), `{"Data":{"list":[{"a":1},[{"a":4}]]}}`},
		{"array whole", in("Data.list"), `{"Data":{"list":[{"a":1,"b":2},{"b":3},5,[{"a":4}]]}}`},
		{"excluded field", out("Data"), `{"Name":"n","Extra":null}`},
		{"excluded path", out("Data.list", "Data.body", "Data.*e*", "Data.t*"), `{"Name":"n","Data":{},"Extra":null}`},
		{"excluded in arrays", out("*.b", "Data.body", "Data.t*", "Name", "Extra"), `{"Data":{"list":[{"a":1},5,[{"a":4}]],"empty":{},"none":[]}}`},
		{"excluded everything", out("*"), `{}`},
		{"excluded path that is not there", out("Data.x", "nothing"), sourceItem},
		{"both", NewSourceFilter([]string{"Data.body"}, []string{"*.text"}), `{"Data":{"body":{"size":1.0,"id":12345678901234567890}}}`},
		{"exclude wins", NewSourceFilter([]string{"Name", "Data.title"}, []string{"Name"}), `{"Data":{"title":"t"}}`},
		{"emptied, but included by its path", NewSourceFilter([]string{"Data.body"}, []string{"Data.body.*"}), `{"Data":{"body":{}}}`},
		{"emptied, and included by a path below", NewSourceFilter([]string{"Data.body.text"}, []string{"Data.body.*"}), `{}`},
		{"repeated patterns", in("Name", "Name", "Name"), `{"Name":"n"}`},
		{"emptied in an array", out("Data.list.*", "Data.body", "Data.t*", "Name", "Extra"), `{"Data":{"list":[5],"empty":{},"none":[]}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(test.filter.Append([]byte("x"), []byte(sourceItem))); got != "x"+test.want {
				t.Errorf("got  %s\nwant x%s", got, test.want)
			}
		})
	}
}

func TestSourceFilterNames(t *testing.T) {
	tests := []struct{ name, item, pattern, want string }{
		{"escaped name", `{"\u0041b":1,"c":2}`, "Ab", `{"\u0041b":1}`},
		{"quote in a name", `{"a\"b":1,"a":2}`, `a"b`, `{"a\"b":1}`},
		{"dot in a name", `{"Data":{"a.b":1,"a.c":{"d":2}}}`, "Data.a.c.d", `{"Data":{"a.c":{"d":2}}}`},
		{"beginning of a name with a dot", `{"Data":{"a.b":1,"ab":2}}`, "Data.a", `{"Data":{"a.b":1}}`},
		{"empty name", `{"":1,"a":{"":2,"b":3}}`, "a.", `{"a":{"":2}}`},
		{"empty name under a star", `{"":1,"a":2}`, "*", `{"":1,"a":2}`},
		{"brackets in strings", `{"a":"}],{","b":["]"],"c":3}`, "c", `{"c":3}`},
		{"bad escape in a name", `{"\ud8":1,"a":2}`, "a", `{"a":2}`},
		{"not ASCII", `{"é":1,"e":2}`, "é", `{"é":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(NewSourceFilter([]string{test.pattern}, nil).Append(nil, []byte(test.item))); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestSourceFilterDepth(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000)
	if got := NewSourceFilter(nil, []string{"*b"}).Append(nil, []byte(deep)); string(got) != deep {
		t.Error("a deep item lost something")
	}
	if got := NewSourceFilter([]string{"*b"}, nil).Append(nil, []byte(deep)); string(got) != "{}" {
		t.Errorf("got %.80s", got)
	}
}

func TestSourceFilterAllocatesOnce(t *testing.T) {
	dst, item := make([]byte, 0, 4096), []byte(sourceItem)
	f := NewSourceFilter([]string{"Data.*"}, []string{"*.b"})
	if n := testing.AllocsPerRun(100, func() { f.Append(dst, item) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestSourceFilterOnOtherText(t *testing.T) {
	f := NewSourceFilter([]string{"a.b", "c"}, []string{"*.d"})
	for _, text := range []string{"", "1", "[]", `"a"`, "{", `{"`, `{"a"`, `{"a":`, `{"a":{`, `{"a":[`, `{"a":[1`, `{"a":[1}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{"c":}`,
		`{"c":"x}`, `{"a":1}}`, `{"c":1} `, `{c:1}`, `{"a":{"b":`, `{"c":[1,2}`, `{"x":[{]`, `{"a":"\`} {
		if got := string(f.Append([]byte("x"), []byte(text))); got != "x{}" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// oracle filters decoded values by the definition, one byte of the path at a time.
type oracle struct{ includes, excludes []string }

// matches reports whether a pattern matches the path or a part of it that ends before a
// dot.
func matches(patterns []string, path string) (accepted bool) {
	for _, p := range patterns {
		now := map[int]bool{0: true} // positions in the pattern
		for i := 0; i <= len(path); i++ {
			now = starts(p, now)
			if i == len(path) || path[i] == '.' {
				accepted = accepted || now[len(p)]
			}
			if i < len(path) {
				now = step(p, now, path[i])
			}
		}
	}
	return accepted
}

// step returns the positions after one more byte.
func step(p string, now map[int]bool, c byte) map[int]bool {
	next := map[int]bool{}
	for j := range now {
		if j < len(p) && p[j] == '*' {
			next[j] = true
		} else if j < len(p) && p[j] == c {
			next[j+1] = true
		}
	}
	return next
}

// keep returns the rest of a value and reports whether the value stays. in reports whether an
// include matched an enclosing value.
func (o oracle) keep(path string, v any, in bool) (any, bool) {
	if matches(o.excludes, path) {
		return nil, false
	}
	in = in || matches(o.includes, path)
	if in && !mayMatch(o.excludes, path+".") {
		return v, true
	}
	return o.inside(path, v, in)
}

// mayMatch reports whether a pattern matches a text that begins with the prefix.
func mayMatch(patterns []string, prefix string) bool {
	for _, p := range patterns {
		now := starts(p, map[int]bool{0: true})
		for i := range len(prefix) {
			now = starts(p, step(p, now, prefix[i]))
		}
		if len(now) > 0 {
			return true
		}
	}
	return false
}

// starts adds the positions behind stars, which may match nothing.
func starts(p string, now map[int]bool) map[int]bool {
	for j := range len(p) {
		if now[j] && p[j] == '*' {
			now[j+1] = true
		}
	}
	return now
}

// inside is keep for a value whose path has been tested.
func (o oracle) inside(path string, v any, in bool) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		left := o.object(path+".", v, in)
		return left, in || len(left) > 0
	case []any:
		return o.array(path, v, in)
	}
	return v, in
}

func (o oracle) object(prefix string, v map[string]any, in bool) map[string]any {
	left := map[string]any{}
	for name, member := range v {
		if m, ok := o.keep(prefix+name, member, in); ok {
			left[name] = m
		}
	}
	return left
}

func (o oracle) array(path string, v []any, in bool) (any, bool) {
	left := []any{}
	for _, e := range v {
		l, ok := o.inside(path, e, in)
		switch l := l.(type) {
		case map[string]any:
			ok = len(l) > 0
		case []any:
			ok = len(l) > 0
		}
		if ok {
			left = append(left, l)
		}
	}
	return left, in || len(left) > 0
}

// randomValue nests objects and arrays with few, short names.
func randomValue(rng *rand.Rand, depth int) any {
	switch k := rng.IntN(6); {
	case depth > 0 && k < 3:
		v := map[string]any{}
		for range rng.IntN(4) {
			v[[]string{"a", "b", "ab", "a.b", "c"}[rng.IntN(5)]] = randomValue(rng, depth-1)
		}
		return v
	case depth > 0 && k == 3:
		v := []any{}
		for range rng.IntN(3) {
			v = append(v, randomValue(rng, depth-1))
		}
		return v
	}
	return []any{json.Number("1"), "x", true, nil}[rng.IntN(4)]
}

func randomPatterns(rng *rand.Rand) []string {
	patterns := make([]string, rng.IntN(3))
	for i := range patterns {
		b := make([]byte, 1+rng.IntN(5))
		for j := range b {
			b[j] = "aabbc.."[rng.IntN(7)]
			if rng.IntN(5) == 0 {
				b[j] = '*'
			}
		}
		patterns[i] = string(b)
	}
	return patterns
}

func decode(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		t.Fatalf("%q: %v", b, err)
	}
	return v
}

func TestSourceFilterAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for range 30000 {
		item := map[string]any{"a": randomValue(rng, 4), "b": randomValue(rng, 2), "ab": randomValue(rng, 1)}
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		o := oracle{randomPatterns(rng), randomPatterns(rng)}
		got := NewSourceFilter(o.includes, o.excludes).Append(nil, text)
		want := o.object("", item, len(o.includes) == 0)
		if !reflect.DeepEqual(decode(t, got), want) {
			w, _ := json.Marshal(want)
			t.Fatalf("item %s\nincludes %q excludes %q\n got %s\nwant %s", text, o.includes, o.excludes, got, w)
		}
		if len(got) != len(text) && len(got) > 2 {
			changed++
		}
	}
	if changed < 5000 {
		t.Errorf("only %d items were filtered in part", changed)
	}
}

func FuzzSourceFilter(f *testing.F) {
	f.Add(sourceItem, "Data.*t", "*.a")
	f.Add(`{"a":[{"b":1},[[]],{}]}`, "a.b", "")
	f.Add(`{"\u0061":{"":1}}`, "a.", "*")
	f.Add(`{"a":{"b":`, "a.b.c", "x*y*z")
	f.Fuzz(func(t *testing.T, text, include, exclude string) {
		var compact bytes.Buffer
		valid := json.Valid([]byte(text))
		if valid {
			if err := json.Compact(&compact, []byte(text)); err != nil {
				t.Fatal(err)
			}
			text = compact.String()
		}
		for _, filter := range []*SourceFilter{
			NewSourceFilter([]string{include}, nil), NewSourceFilter(nil, []string{exclude}), NewSourceFilter([]string{include}, []string{exclude}),
			NewPathFilter([]string{include}, []string{exclude}),
		} {
			if got := filter.Append(nil, []byte(text)); valid && (!json.Valid(got) || len(got) > len(text) && len(got) > len("{}")) {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

func BenchmarkSourceFilter(b *testing.B) {
	body := strings.Repeat("a word ", 200)
	item := []byte(fmt.Sprintf(`{"Name":"n","Data":{"title":"t","body":%q,"list":[{"a":1},{"a":2}],"file":{"Size":1}},"ContentID":"c"}`, body))
	for name, f := range map[string]*SourceFilter{
		"two-fields": NewSourceFilter([]string{"Name", "Data.title"}, nil),
		"patterns":   NewSourceFilter([]string{"*title", "Data.*.a"}, []string{"*.x"}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(item)))
			var dst []byte
			for b.Loop() {
				dst = f.Append(dst[:0], item)
			}
		})
	}
}

func BenchmarkAppendList(b *testing.B) {
	fragment := bytes.Repeat([]byte("x"), 1200)
	fragments := [][]byte{fragment, fragment, fragment, fragment, fragment, fragment, fragment, fragment, fragment, fragment}
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = AppendList(dst[:0], fragments, 1000)
	}
}
