// These tests look for references that lead nowhere, word for word and beside a twin
// that reads with encoding/json.

package model

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

// refers writes a reference to ids, given as JSON.
func refers(ids string) string {
	return `{"Type":"Reference","ReferenceType":"Content","ContentIDs":[` + ids + `]}`
}

// data writes an item with an id and a Data.
func data(id, data string) string { return item(id, `,"Data":`+data) }

func TestBrokenReferences(t *testing.T) {
	draft := item(id2, `,"Status":"Draft"`)
	missing := func(path, id string) string {
		return path + ` refers to "` + id + "\", which is not an item of this environment\n  hint: add the item, or take its id out; ids are case-sensitive"
	}
	tests := []struct {
		name  string
		files map[string]string
		opts  Options
		want  string
	}{
		{"resolves", map[string]string{"e/x.json": "[" + data(id1, `{"a":`+refers(`"`+id2+`"`)+`}`) + "," + draft + "]"}, Options{Rules: visibility.Everything()}, ""},
		{"itself", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"`+id1+`"`)+`}`)}, Options{}, ""},
		{"in another file", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"`+id2+`"`)+`}`), "e/z.json": draft}, Options{Rules: visibility.Everything()}, ""},
		{"in another environment", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"`+id2+`"`)+`}`), "f/z.json": draft}, Options{}, "e/x.json:1:202: warning: " + missing("Data.a", id2)},
		{"missing", map[string]string{"e/x.json": "\ufeff" + data(id1, "{\"é\":[\n \"é\", {\"b\":[0,[],["+refers(`"`+id1+`", "x"`)+"]]}]}")}, Options{},
			"e/x.json:2:127: warning: " + missing("Data.é[1].b[2][0]", "x")},
		{"in another case", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"`+strings.ToLower(id1)+`"`)+`}`)}, Options{}, "e/x.json:1:202: warning: " + missing("Data.a", strings.ToLower(id1))},
		{"left out", map[string]string{"e/x.ndjson": draft + "\n" + data(id1, `{"a":`+refers(`"`+id2+`"`)+`}`)}, Options{Rules: visibility.Rules{Statuses: []string{"Published"}}},
			`e/x.ndjson:2:202: warning: Data.a refers to "` + id2 + "\", which is left out: its Status is \"Draft\"\n  hint: publish the item, take its id out, or deliver it with --status"},
		{"from what is left out", map[string]string{"e/x.ndjson": draft + "\n" + item(id1, `,"Status":"Old","Data":{"a":`+refers(`"x"`)+`}`)}, Options{Rules: visibility.Rules{Statuses: []string{"Draft"}}}, ""},
		{"error", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"x"`)+`}`)}, Options{Broken: BrokenFails}, "e/x.json:1:202: " + missing("Data.a", "x")},
		{"strict", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"x"`)+`}`)}, Options{Strict: true}, "e/x.json:1:202: " + missing("Data.a", "x")},
		{"ignore", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"x"`)+`}`)}, Options{Broken: BrokenPasses, Strict: true}, ""},
		{"saved response", map[string]string{"e/x.json": `{"status":200,"data":[` + data(id1, `{"Data":`+refers(`"x"`)+`}`) + "]}"}, Options{}, "e/x.json:1:227: warning: " + missing("Data.Data", "x")},
		{"escapes", map[string]string{"e/x.json": data(id1, `{"a b":{"T\u0079pe":"Re\u0066erence","ReferenceT\u0079pe":"\u0043ontent","Content\u0049Ds":["\u0078"]}}`)}, Options{}, "e/x.json:1:229: warning: " + missing(`Data["a b"]`, "x")},
		{"beside other fields", map[string]string{"e/x.json": data(id1, `{"a":{"ContentIDs":["x"],"n":{"m":1},"ReferenceType":"Content","Type":"Reference"}}`)}, Options{}, "e/x.json:1:157: warning: " + missing("Data.a", "x")},
		{"in a reference", map[string]string{"e/x.json": data(id1, `{"a":{"b":`+refers(`"x"`)+`,"Type":"Reference"}}`)}, Options{}, "e/x.json:1:207: warning: " + missing("Data.a.b", "x")},
		{"twice", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"x","x"`)+`}`)}, Options{}, "e/x.json:1:202: warning: " + missing("Data.a", "x") + "\ne/x.json:1:206: warning: " + missing("Data.a", "x")},
		{"Data itself", map[string]string{"e/x.json": data(id1, refers(`""`))}, Options{}, "e/x.json:1:197: warning: " + missing("Data", "")},
		{"no references", map[string]string{"e/x.json": data(id1, `{"a":[`+strings.Join([]string{
			`{"Type":"Reference","ReferenceType":"Media","ContentIDs":["x"]}`, `{"Type":"Link","ReferenceType":"Content","ContentIDs":["x"]}`,
			`{"ReferenceType":"Content","ContentIDs":["x"]}`, `{"Type":["Reference"],"ReferenceType":"Content","ContentIDs":["x"]}`, `{"Type":"Reference","ReferenceType":"Content"}`,
			`{"Type":"Reference","ReferenceType":"Content","ContentIDs":"x"}`, `{"Type":"Reference","ReferenceType":"Content","ContentIDs":{"x":"x"}}`,
			`{"type":"Reference","referenceType":"Content","contentIds":["x"]}`, refers(`7,null,["x"],{"x":"x"},true`), refers(``), `"Reference"`}, ",")+`]}`)}, Options{},
			"warning: Data.a.ContentIDs: 6 strings, 1 number (first: e/x.json:1:690), 1 boolean (first: e/x.json:1:713)\n  hint: all values are searched as text; write them alike, for example as strings, like the first string at e/x.json:1:201"},
		{"beside Data", map[string]string{"e/x.json": item(id1, `,"x":`+refers(`"x"`))}, Options{}, ""},
		{"text that is lost", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"x"`)+`}`), "e/z.ndjson": "7"}, Options{}, "e/z.ndjson:1:1: an item must be an object, not a number"},
		{"an item that is wrong", map[string]string{"e/x.json": data(id1, `{"a":`+refers(`"`+id2+`","x"`)+`}`), "e/z.json": item(id2, `,"Status":7`)}, Options{},
			"e/x.json:1:249: warning: " + missing("Data.a", "x") + "\ne/z.json:1:139: Status must be a string, not a number"},
		{"long path", map[string]string{"e/x.json": data(id1, `{"`+strings.Repeat("ab", 100)+`":`+refers(`"x"`)+`}`)}, Options{},
			"e/x.json:1:401: warning: " + missing("Data."+strings.Repeat("ab", 36)+"a…"+strings.Repeat("ab", 39), "x")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, diagnostics := load(t, tt.files, tt.opts)
			if got := said(diagnostics); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if (site == nil) != failed(diagnostics) {
				t.Errorf("site %v", site)
			}
		})
	}
}

// TestManyBrokenReferences: one missing item breaks a site that has a file for each
// item, and a file of many items.
func TestManyBrokenReferences(t *testing.T) {
	files := map[string]string{}
	var lines strings.Builder
	for i := range 1000 {
		broken := data(fmt.Sprintf("Content_00000000-0000-4000-8000-%012d", i), `{"a":`+refers(`"x"`)+`}`)
		if i < 300 {
			files[fmt.Sprintf("e/m/%03d.json", i)] = broken
		} else {
			lines.WriteString(broken + "\n")
		}
	}
	files["e/a.ndjson"] = lines.String()
	_, diagnostics := load(t, files, Options{})
	if len(diagnostics) != maxBroken+2 {
		t.Fatalf("%d diagnostics", len(diagnostics))
	}
	for i, want := range map[int]string{
		9: "e/a.ndjson:10:202: ", 10: "e/a.ndjson: warning: and 690 more broken references in this file",
		11: "e/m/000.json:1:202: ", 100: "e/m/089.json:1:202: ", 101: "warning: and 210 more broken references in 210 more files",
	} {
		if got := diagnostics[i].String(); !strings.HasPrefix(got, want) {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
}

// TestIDKeys: ids that differ have keys that differ.
func TestIDKeys(t *testing.T) {
	const id = "Content_0123abcd-0000-4000-8000-00000000ef01"
	keys := map[idKey]string{}
	for i := range len(id) {
		for _, c := range "0aAfFgG-_C" {
			other := id[:i] + string(c) + id[i+1:]
			key := keyOf([]byte(other))
			if known, ok := keys[key]; ok && known != other {
				t.Errorf("%s and %s have one key", known, other)
			}
			keys[key] = other
		}
	}
	if _, ok := uuidKey([]byte(id)); !ok || len(keys) < 300 {
		t.Errorf("%d keys", len(keys))
	}
}

// TestFirstBrokenReferences: those that are shown come first in the file, even if others
// lie within.
func TestFirstBrokenReferences(t *testing.T) {
	ids := strings.Repeat(`"x",`, maxBrokenFile-1) + `"x"`
	nested := strings.TrimSuffix(refers(ids), "}") + `,"n":[` + refers(`"y"`) + `]}`
	_, diagnostics := load(t, map[string]string{"e/x.json": data(id1, nested)}, Options{})
	if got := said(diagnostics); strings.Contains(got, `"y"`) || !strings.HasSuffix(got, "e/x.json: warning: and 1 more broken reference in this file") {
		t.Error(got)
	}
}

// TestLargeFileReferences: a reference in a late part is found where it stands, and the
// result does not depend on who reads which part.
func TestLargeFileReferences(t *testing.T) {
	blanks := strings.Repeat(" \n", documents.PartSize)
	content := "\ufeff" + data(id1, `{"a":`+refers(`"x","`+id2+`"`)+`}`) + "\n" + blanks + " " + data(id2, `{"a":[`+refers(`"y","`+id1+`"`)+`]}`) + "\n" + blanks
	want := []string{":1:202: warning: Data.a refers to \"x\"", ":1048578:204: warning: Data.a[0] refers to \"y\""}
	for _, procs := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		tree, path := onDisk(t, content)
		_, diagnostics, err := Load(context.Background(), tree, Options{})
		if err != nil || len(diagnostics) != len(want) {
			t.Fatal(err, said(diagnostics))
		}
		for i, d := range diagnostics {
			if !strings.HasPrefix(d.String(), path+want[i]) {
				t.Errorf("got %s\nwant %s", d, want[i])
			}
		}
	}
}

// TestReferencesOfChangedFile: what cannot be read again is not reported as it was.
func TestReferencesOfChangedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "e", "x.json")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data(id1, `{"a":`+refers(`"x"`)+`}`)), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := source.List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	site, diagnostics, err := Load(context.Background(), tree, Options{Sink: func() TextSink { return &remover{path: path} }})
	if want := path + ": this file cannot be read: "; site != nil || err != nil || !strings.HasPrefix(said(diagnostics), want) {
		t.Errorf("%v, %v\n got %s\nwant %s", site, err, said(diagnostics), want)
	}
}

// remover removes a file when everything is kept.
type remover struct{ path string }

func (r *remover) Put(*Text) (Span, error) { return Span{}, nil }

func (r *remover) Flush() error {
	if err := os.Remove(r.path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// found is what a Data refers to, as path and id, in the order of bytes.
func found(text string) []string {
	g := gatherer{text: []byte(text)}
	g.value(0)
	var all []string
	for _, r := range g.found {
		from, id := view{text: []byte(`{"Data":` + text), offset: int(r.at) + len(`{"Data":`)}.reference()
		if keyOf([]byte(id)) != r.id {
			all = append(all, "another id")
		}
		all = append(all, from+" "+id)
	}
	slices.Sort(all)
	return all
}

// twin is found by encoding/json.
func twin(path string, value any) []string {
	var all []string
	switch v := value.(type) {
	case []any:
		for i, e := range v {
			all = append(all, twin(fmt.Sprintf("%s[%d]", path, i), e)...)
		}
	case map[string]any:
		for name, e := range v {
			step := "." + name
			if !plain(name) {
				step = "[" + documents.Quoted(name) + "]"
			}
			all = append(all, twin(path+step, e)...)
		}
		if ids, ok := v["ContentIDs"].([]any); ok && v["Type"] == "Reference" && v["ReferenceType"] == "Content" {
			for _, id := range ids {
				if id, ok := id.(string); ok {
					all = append(all, shortened(path)+" "+id)
				}
			}
		}
	}
	return all
}

// randomValue writes a value that is often a reference, spaced and escaped at random.
func randomValue(r *rand.Rand, depth int) string {
	space := func() string { return strings.Repeat(" \n\t"[r.IntN(3):][:1], r.IntN(3)/2) }
	word := func(words ...string) string {
		w := words[r.IntN(len(words))]
		if i := r.IntN(len(w) + 1); i < len(w) && !strings.ContainsAny(w, `\é`) && r.IntN(4) == 0 {
			return fmt.Sprintf(`"%s\u%04x%s"`, w[:i], w[i], w[i+1:])
		}
		return `"` + w + `"`
	}
	list := func(open, shut string, one func(i int) string) string {
		var parts []string
		for i := range r.IntN(4) {
			parts = append(parts, space()+one(i)+space())
		}
		return open + strings.Join(parts, ",") + shut
	}
	switch n := r.IntN(8); {
	case depth == 0 || n == 0:
		return word("Reference", "Content", "x", "\\\\", "\\\"{[", "é")
	case n == 1:
		return []string{"null", "-1.5e+3", "true", "0"}[r.IntN(4)]
	case n == 2:
		return list("[", "]", func(int) string { return randomValue(r, depth-1) })
	case n < 5:
		names := []string{"a", "b c", "é", "Data"}
		return list("{", "}", func(i int) string { return word(names[i]) + space() + ":" + space() + randomValue(r, depth-1) })
	}
	members := []string{
		word("Type", "Type", "Type", "type") + ":" + space() + word("Reference", "Reference", "Reference", "Link"),
		word("ReferenceType") + space() + ":" + word("Content", "Content", "Content", "Media"),
		word("ContentIDs") + ":" + list("[", "]", func(int) string { return randomValue(r, r.IntN(depth)) }),
		word("more") + ":" + randomValue(r, depth-1),
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ","+space()) + "}"
}

func TestReferencesTwin(t *testing.T) {
	seed := rand.Uint64()
	r, n := rand.New(rand.NewPCG(seed, 1)), 0
	for range 5000 {
		text := randomValue(r, 6)
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, text)
		}
		got, want := found(text), twin("Data", value)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s\n got %q\nwant %q", seed, text, got, want)
		}
		if n += len(got); len(got) > 0 && !mayRefer([]byte(text)) {
			t.Fatalf("seed %d: %s is not looked at", seed, text)
		}
	}
	if n < 1000 {
		t.Errorf("seed %d: only %d references", seed, n)
	}
}

// FuzzReferences walks through anything, and agrees with the twin about JSON that the
// loader takes.
func FuzzReferences(f *testing.F) {
	for _, seed := range []string{refers(`"x","x",7`), `[[` + refers(`"x"`) + `]]`, `{"a`, `{"Type`, `{"`, `{"\`, `[}`, `{"a":`, `{:,,]`, `["\`, `"`, `{"Data":{"Data":` + refers(`"x"`) + `}}`,
		`{"T\u0079pe":"Reference","ReferenceType":"Content","ContentIDs":["\ud83d\ude00"]}`, refers(`"`), refers(`"\`), `{"a b":` + refers(``) + `,"ContentIDs":[{}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" {
			return
		}
		got := found(text)
		var value any
		if site, _ := load(t, map[string]string{"e/x.json": data(id1, `{"a":`+text+`}`)}, Options{}); site == nil || json.Unmarshal([]byte(text), &value) != nil || text != strings.TrimSpace(text) {
			return
		}
		want := twin("Data", value)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	})
}
