package types_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/mapping"
	"contentedge/generator/types"
)

// environment returns an environment with items of templates, each with the JSON of its Data.
func environment(t testing.TB, items map[string][]string) *types.Environment {
	t.Helper()
	s := mapping.NewSurvey()
	for template, list := range items {
		for _, data := range list {
			s.Begin(template)
			s.Member("Data", []byte(data), 0, mapping.Place{}, nil)
		}
	}
	list, leftOut := mapping.Templates([]*mapping.Survey{s}, nil, "Data", 1<<20)
	if leftOut {
		t.Fatal("too many templates")
	}
	m := &release.Manifest{Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: "site", Templates: list}}}
	e, err := types.Of(m, "")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func typescript(t testing.TB, e *types.Environment) string {
	t.Helper()
	var b bytes.Buffer
	if err := types.TypeScript(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golang(t testing.TB, e *types.Environment) string {
	t.Helper()
	var b bytes.Buffer
	if err := types.Go(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const reference = `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"]}`

// TestTypes shows the types of values, in TypeScript and in Go. Spaces of Go's text are one.
func TestTypes(t *testing.T) {
	for _, tt := range []struct{ name, items, ts, golang string }{
		{"a text", `{"a":"x"}`, "a: string;", "A string `json:\"a\"`"},
		{"a date", `{"a":"2024-01-01"}`, "a: DateString;", "A string `json:\"a\"`"},
		{"HTML", `{"a":"<p>x</p>"}`, "a: HTML;", "A string `json:\"a\"`"},
		{"integers and fractions", `{"a":1,"b":1.5}`, "a: number;\n  b: number;", "A int64 `json:\"a\"` B float64 `json:\"b\"`"},
		{"what some items lack", `{"a":1}|{}`, "a?: number;", "A *int64 `json:\"a\"`"},
		{"null", `{"a":null}|{"a":"x"}`, "a: string | null;", "A *string `json:\"a\"`"},
		{"only null", `{"a":null}`, "a: null;", "A any `json:\"a\"`"},
		{"mixed kinds", `{"a":1}|{"a":"x"}|{"a":[true]}`, "a: string | number | boolean[];", "A any `json:\"a\"`"},
		{"mixed elements", `{"a":[1,"x"]}`, "a: (string | number)[];", "A []any `json:\"a\"`"},
		{"arrays in arrays", `{"a":[[1.5]]}`, "a: number[][];", "A [][]float64 `json:\"a\"`"},
		{"an array that is always empty", `{"a":[]}`, "a: unknown[];", "A []any `json:\"a\"`"},
		{"an object that is always empty", `{"a":{}}`, "a: { [key: string]: unknown };", "A map[string]any `json:\"a\"`"},
		{"objects in arrays", `{"a":[{"b":1},{}]}`, "a: {\n    b?: number;\n  }[];", "A []PageA `json:\"a\"`"},
		{"a reference", `{"a":` + reference + `}`, "a: Reference;", "A Reference `json:\"a\"`"},
		{"references", `{"a":[` + reference + `]}`, "a: Reference[];", "A []Reference `json:\"a\"`"},
		{"a reference with more members", `{"a":{"Label":"x",` + reference[1:] + `}`, "a: Reference & {\n    Label: string;\n  };", "type PageA struct { Reference Label string `json:\"Label\"` }"},
		{"media", `{"a":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"/x"}}`, "a: MediaReference & {\n    MediaUrl: string;\n  };", "type PageA struct { MediaReference MediaUrl string `json:\"MediaUrl\"` }"},
		{"rich text", `{"a":{"nodeType":"document","content":[]}}`, "a: RichText;", "A RichText `json:\"a\"`"},
		{"blocks", `{"a":[{"_type":"block","children":[]},{"_type":"x"}]}`, "a: (RichTextBlock | { [key: string]: unknown })[];", "A []RichText `json:\"a\"`"},
		{"odd keys", `{"":1,"a b":2,"*/":3,"\u2028":4}`, "\"\": number;\n  \"*/\": number;\n  \"a b\": number;\n  \"\\u2028\": number;", "type PageData map[string]any"},
		{"keys of one identifier", `{"a":1,"A":2,"-":3}`, "\"-\": number;\n  A: number;\n  a: number;", "F int64 `json:\"-,\"` A int64 `json:\"A\"` A2 int64 `json:\"a\"`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := environment(t, map[string][]string{"Page": strings.Split(tt.items, "|")})
			if got := typescript(t, e); !strings.Contains(got, tt.ts) {
				t.Errorf("TypeScript lacks\n%s\n%.600s", tt.ts, got)
			}
			if got := strings.Join(strings.Fields(golang(t, e)), " "); !strings.Contains(got, tt.golang) {
				t.Errorf("Go lacks\n%s\n%s", tt.golang, got[strings.Index(got, "type Page struct"):])
			}
		})
	}
}

// Templates of any name have types of their own; texts cannot leave their literals and comments.
func TestNamesOfTemplates(t *testing.T) {
	items := map[string][]string{}
	for _, name := range []string{"Blog Post", "blog-post", "BlogPost2", "Promise", "Response", "Item", "Data", "2024", "記事", "été", "", "*/ evil", "`${x}`", "a\u2028b", "class", strings.Repeat("long ", 50), "__proto__", "constructor"} {
		items[name] = []string{`{"x":1}`}
	}
	ts := typescript(t, environment(t, items))
	for _, want := range []string{
		`interface BlogPost extends BaseItem<"Blog Post", BlogPostData>`, `interface BlogPost3 extends BaseItem<"blog-post", BlogPost3Data>`, `interface BlogPost2 extends BaseItem<"BlogPost2"`,
		`interface Promise2 extends BaseItem<"Promise"`, `interface Template2024 extends`, `interface Template記事 extends`, `interface Été extends`, `interface Class extends`,
		`/** An item of the template "*\/ evil". */`, `BaseItem<"a\u2028b"`, `["__proto__"]: []`, "BaseItem<\"`${x}`\"",
	} {
		if !strings.Contains(ts, want) {
			t.Errorf("TypeScript lacks %s", want)
		}
	}
	if strings.ContainsAny(ts, "\u2028\u2029\u202e") {
		t.Error("TypeScript has line ends that are hard to see")
	}
	if again := typescript(t, environment(t, items)); again != ts {
		t.Error("the same templates give another text")
	}
}

// An environment is named where there are several, and has to have templates.
func TestOf(t *testing.T) {
	templates := []release.Template{{Name: "Page", Items: 1}}
	m := &release.Manifest{Environments: []release.Environment{{ID: "a", Items: 1, Templates: templates}, {ID: "b"}, {ID: "c", Items: 3}, {ID: "d", Items: 3, TemplatesLeftOut: true}}}
	for id, want := range map[string]string{
		"": "the release has several environments: it has a, b, c, d; name one", "x": `the release has no environment "x": it has a, b, c, d`,
		"b": `the environment "b" has no items, so nothing is known of its templates`, "d": `the environment "d" has too many templates or paths to make types of`,
		"c": `the manifest does not say what the templates of "c" hold: build the release with this version of the generator`,
	} {
		if _, err := types.Of(m, id); err == nil || err.Error() != want {
			t.Errorf("%q: %v", id, err)
		}
	}
	if e, err := types.Of(m, "a"); err != nil || e.ID != "a" {
		t.Error(err)
	}
}

// odd returns random templates with odd names, keys and values.
func odd(rnd *rand.Rand) map[string][]string {
	items := map[string][]string{}
	for range 1 + rnd.IntN(12) {
		var list []string
		for range 1 + rnd.IntN(4) {
			list = append(list, oddObject(rnd, 4))
		}
		items[oddText(rnd)] = list
	}
	return items
}

var oddWords = []string{
	"title", "Title", "type", "func", "class", "default", "constructor", "__proto__", "toString", "Item", "Data", "Promise", "string", "int", "a.b", "", " ", "*/", "//", "`", "\"", "\\",
	"\u2028", "\u202e", "\x00", "\x7f", "${x}", "</script>", "-", ",", "日本", "été", "ß", "ǆ", "é", "1", "2nd", "𝒳", "😀", "Type", "ReferenceType", "ContentIDs", "json:\"x\"", "\n", "nil", "Reference", "Media",
}

func oddText(rnd *rand.Rand) string {
	var b strings.Builder
	for range 1 + rnd.IntN(3) {
		if rnd.IntN(4) == 0 {
			b.WriteRune([]rune{rune(rnd.IntN(0xD800)), rune(0xE000 + rnd.IntN(0x102000)), rune(rnd.IntN(128))}[rnd.IntN(3)])
			continue
		}
		b.WriteString(oddWords[rnd.IntN(len(oddWords))])
	}
	if rnd.IntN(20) == 0 {
		return strings.Repeat(b.String(), 40)
	}
	return b.String()
}

func oddObject(rnd *rand.Rand, depth int) string {
	seen := map[string]bool{}
	var members []string
	for range rnd.IntN(8) {
		key := oddText(rnd)
		if !seen[key] {
			seen[key] = true
			members = append(members, jsonText(key)+":"+oddValue(rnd, depth-1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func oddValue(rnd *rand.Rand, depth int) string {
	switch n := rnd.IntN(14); {
	case n < 3 && depth > 0:
		return oddObject(rnd, depth)
	case n < 5 && depth > 0:
		return "[" + oddValue(rnd, depth-1) + "," + oddValue(rnd, depth-1) + "]"
	case n == 5:
		return `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"],` + jsonText("x"+oddText(rnd)) + `:1}`
	case n == 6:
		return reference
	case n == 7:
		return `{"Type":"Reference","ReferenceType":"Media","MediaUrl":1}`
	case n == 8:
		return `[{"_type":"block","children":[]},{"x":1}]`
	}
	return []string{`"x"`, `"2024-01-01"`, `1`, `1.5`, `true`, `null`, `[]`, `{}`}[rnd.IntN(8)]
}

func jsonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// TestOddGoCompiles writes Go for random odd templates and vets it.
func TestOddGoCompiles(t *testing.T) {
	dir, rnd := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	write(t, filepath.Join(dir, "go.mod"), "module odd\n\ngo 1.26\n")
	for i := range 6 {
		write(t, filepath.Join(dir, fmt.Sprint("p", i), "content.go"), golang(t, environment(t, odd(rnd))))
	}
	if out, err := in(dir, "go", "vet", "./..."); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

// TestOddTypeScriptCompiles writes TypeScript for random odd templates, and compiles it with every check.
func TestOddTypeScriptCompiles(t *testing.T) {
	dir, rnd := t.TempDir(), rand.New(rand.NewPCG(3, 4))
	args := append(compiler(t), "--noEmit")
	write(t, filepath.Join(dir, "package.json"), `{"type":"module"}`)
	for i := range 30 {
		name := filepath.Join(dir, fmt.Sprint("odd", i, ".ts"))
		write(t, name, typescript(t, environment(t, odd(rnd))))
		args = append(args, name)
	}
	if out, err := in(dir, "node", args...); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
