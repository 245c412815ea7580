package mapping_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/mapping"
)

const roomy = 1 << 20 // bytes for templates

// listed returns the templates of items of one template, a line for each path.
func listed(t *testing.T, limit int, items ...string) string {
	t.Helper()
	s := mapping.NewSurvey()
	for _, item := range items {
		s.Begin("Page")
		s.Member("Data", []byte(item), 0, mapping.Place{}, nil)
	}
	list, leftOut := mapping.Templates([]*mapping.Survey{s}, nil, "Data", limit)
	if leftOut {
		return "left out"
	}
	return lines(list[0].Paths[1:])
}

func lines(paths []release.Path) string {
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, "%s", strings.Join(p.Keys[1:], "/"))
		for i, kinds := range append([]release.Kinds{p.Kinds}, p.Elements...) {
			text, _ := json.Marshal(kinds)
			fmt.Fprintf(&b, "%s%s", strings.Repeat("[", i)+" ", strings.Trim(string(text), "{}"))
		}
		for i, is := range []bool{p.Always, p.Any, p.Cut} {
			if is {
				b.WriteString([]string{" always", " any", " cut"}[i])
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestTemplates shows what is listed of the values of a template's items.
func TestTemplates(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items []string
		want  string
	}{
		{"scalars", []string{`{"s":"a","d":"2024-01-01","i":1,"f":1.5,"b":true,"n":null,"h":"<p>x</p>"}`}, `
b "boolean":1 always
d "date":1 always
f "float":1 always
h "html":1 always
i "integer":1 always
n "null":1 always
s "string":1 always
`},
		{"what some items lack is not always there", []string{`{"a":1}`, `{"a":2,"b":1}`}, `
a "integer":2 always
b "integer":1
`},
		{"one word makes dates strings, one fraction integers floats, one text HTML strings", []string{`{"d":"2024-01-01","i":1,"h":"<p>x</p>"}`, `{"d":"soon","i":1.5,"h":"x"}`}, `
d "string":2 always
h "string":2 always
i "float":2 always
`},
		{"an integer of more than 64 bits is a float", []string{`{"i":99999999999999999999}`}, `
i "float":1 always
`},
		{"kinds may be mixed", []string{`{"a":1}`, `{"a":"x"}`, `{"a":null}`, `{"a":[true]}`}, `
a "array":1,"integer":1,"null":1,"string":1[ "boolean":1 always
`},
		{"objects in arrays have the array's path; a member is always there if each object has it", []string{`{"a":[{"x":1,"y":1},{"x":2}]}`, `{"a":[]}`}, `
a "array":2[ "object":2 always
a/x "integer":2 always
a/y "integer":1
`},
		{"arrays in arrays", []string{`{"a":[[1,2],[3]]}`}, `
a "array":1[ "array":2[[ "integer":3 always
`},
		{"the last level of arrays has all deeper ones", []string{`{"a":[[[[[[1]]]]]]}`}, `
a "array":1[ "array":1[[ "array":1[[[ "array":1[[[[ "array":2,"integer":1 always
`},
		{"references, media and rich text", []string{`{"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"]},"m":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"/x"},
			"c":{"nodeType":"document","content":[{"nodeType":"text"}]},"l":{"root":{"type":"root","children":[]}},"p":[{"_type":"block","children":[{"text":"x"}]},{"_type":"image"}],
			"s":[{"type":"paragraph","children":[]}],"o":{"Type":"Reference","ReferenceType":"Content"}}`}, `
c "richText":1 always
l "richText":1 always
m "media":1 always
m/MediaUrl "string":1 always
m/ReferenceType "string":1 always
m/Type "string":1 always
o "object":1 always
o/ReferenceType "string":1 always
o/Type "string":1 always
p "array":1[ "block":1,"object":1 always
r "reference":1 always
r/ContentIDs "array":1[ "string":1 always
r/ReferenceType "string":1 always
r/Type "string":1 always
s "array":1[ "block":1 always
`},
		{"keys of any text are apart, with dots too", []string{`{"a.b":1,"a":{"b":"x"},"":{"":true},"\u00e9\"*/":1}`}, `
 "object":1 always
/ "boolean":1 always
a "object":1 always
a/b "string":1 always
a.b "integer":1 always
é"*/ "integer":1 always
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := listed(t, roomy, tt.items...); "\n"+got != tt.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// table is an object with n members from a first one on.
func table(from, n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%04d":%s`, from+i, value)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// An object with many keys, few of them in each object, is a table; one with too many always is.
func TestTables(t *testing.T) {
	var sparse []string
	for i := range 100 {
		sparse = append(sparse, fmt.Sprintf(`{"by":%s}`, table(3*i, 3, `{"p":1}`)))
	}
	want := "by \"object\":100 always\nby/* \"object\":300 any\nby/*/p \"integer\":300 always\n"
	if got := listed(t, roomy, sparse...); got != want {
		t.Errorf("a table: %s", got)
	}
	if got := listed(t, roomy, `{"by":`+table(0, 5000, `1`)+`}`); got != "by \"object\":1 always\nby/* \"integer\":5000 any\n" {
		t.Errorf("a large table: %s", got)
	}
	if got := listed(t, roomy, `{"by":`+table(0, 3000, `1`)+`}`); strings.Count(got, "\n") != 3001 {
		t.Errorf("a wide object: %d paths", strings.Count(got, "\n"))
	}
}

// The list has a limit: the deepest paths go first, then all templates.
func TestTemplatesAreBounded(t *testing.T) {
	item := `{"a":{"b":{"c":{"d":1}}},"z":1}`
	for limit, want := range map[int]string{
		roomy: "a \"object\":1 always\na/b \"object\":1 always\na/b/c \"object\":1 always\na/b/c/d \"integer\":1 always\nz \"integer\":1 always\n",
		300:   "a \"object\":1 always cut\nz \"integer\":1 always\n",
		10:    "left out",
	} {
		if got := listed(t, limit, item); got != want {
			t.Errorf("%d bytes: %s", limit, got)
		}
	}
	if got := listed(t, roomy, `{"k":`+strings.Repeat(`{"k":`, 400)+`1`+strings.Repeat(`}`, 401)); strings.Count(got, "\n") != 31 || !strings.HasSuffix(got, " cut\n") {
		t.Errorf("400 levels: %s", got)
	}
	one, two := mapping.NewSurvey(), []*mapping.Survey{mapping.NewSurvey(), mapping.NewSurvey()}
	for i := range mapping.MaxNodes/2 + 1 {
		for _, s := range []*mapping.Survey{one, two[i%2]} {
			s.Begin(fmt.Sprint("template ", i))
			s.Member("Data", []byte(`{}`), 0, mapping.Place{}, nil)
		}
	}
	for _, surveys := range [][]*mapping.Survey{{one}, two} {
		if list, leftOut := mapping.Templates(surveys, nil, "Data", 1<<30); !leftOut || list != nil {
			t.Errorf("%d surveys: %d templates are listed", len(surveys), len(list))
		}
	}
}

// Surveys of parts, and of records of parts, are those of all items, in whatever order.
func TestTemplatesOfParts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		items := make([]string, 1+rnd.IntN(8))
		for i := range items {
			items[i] = randomObject(rnd, 3)
		}
		template := func(i int) string { return string(rune('A' + i%3)) }
		whole, parts := mapping.NewSurvey(), []*mapping.Survey{mapping.NewSurvey(), mapping.NewSurvey()}
		r, recorded := mapping.NewRecorder(), mapping.NewSurvey()
		for i, item := range items {
			whole.Begin(template(i))
			whole.Member("Data", []byte(item), 0, mapping.Place{}, nil)
		}
		for _, i := range rnd.Perm(len(items)) {
			s := parts[rnd.IntN(2)]
			s.Begin(template(i))
			s.Member("Data", []byte(items[i]), 0, mapping.Place{}, nil)
			r.Begin(template(i))
			r.Member("Data", []byte(items[i]), 0, mapping.Place{}, nil)
			recorded.Add(r, r.Append(nil), mapping.Place{})
			// Records of items that are not selected change nothing.
			r.Begin(template(i))
			r.Member("Data", []byte(randomObject(rnd, 3)), 0, mapping.Place{}, nil)
			_ = r.Append(nil)
		}
		want := encoded(t, whole)
		if got := encoded(t, parts...); got != want {
			t.Fatalf("parts of %s:\n%s\n%s", items, got, want)
		}
		if got := encoded(t, recorded); got != want {
			t.Fatalf("records of %s:\n%s\n%s", items, got, want)
		}
	}
}

func encoded(t *testing.T, surveys ...*mapping.Survey) string {
	t.Helper()
	list, leftOut := mapping.Templates(surveys, nil, "Data", roomy)
	text, err := json.Marshal(list)
	if err != nil || leftOut {
		t.Fatal(err, leftOut)
	}
	return string(text)
}

func randomObject(rnd *rand.Rand, depth int) string {
	var b bytes.Buffer
	for _, key := range rnd.Perm(12)[:rnd.IntN(12)] {
		fmt.Fprintf(&b, `,"k%d":%s`, key, randomValue(rnd, depth))
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

func randomValue(rnd *rand.Rand, depth int) string {
	n := rnd.IntN(10)
	switch {
	case n == 0 && depth > 0:
		return randomObject(rnd, depth-1)
	case n == 1 && depth > 0:
		return "[" + randomValue(rnd, depth-1) + "," + randomValue(rnd, depth-1) + "]"
	}
	return []string{`"x"`, `"2024-01-01"`, `"<p>x</p>"`, `1`, `1.5`, `true`, `null`, `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a","b"]}`}[rnd.IntN(8)]
}
