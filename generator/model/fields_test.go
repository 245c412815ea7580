// These tests say what becomes known of the fields of an environment.

package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/generator/visibility"
)

// typesOf writes the fields below Data as "path type", by path.
func typesOf(env *Env) string {
	var b strings.Builder
	for _, f := range env.Fields {
		if strings.HasPrefix(f.Path, "Data.") {
			fmt.Fprintf(&b, "%s %s\n", strings.TrimPrefix(f.Path, "Data."), f.Type)
		}
	}
	return b.String()
}

func TestFields(t *testing.T) {
	lines := strings.Join([]string{
		data(id1, `{"day":"2021-04-23","size":"204800","rank":1,"price":1,"live":true,"odd":"2021-01-01"}`),
		data(id2, `{ "day" : "2021", "size" : "1.5", "rank" : -2, "price" : 1.5, "live" : false, "odd" : [ ] }`),
	}, "\n")
	files := map[string]string{"e/a.ndjson": lines, "e/z.json": strings.Replace(data(id1, `{"day":"2021-05","odd":"x"}`), id1, "Content_3", 1)}
	for _, tt := range []struct {
		name string
		opts Options
		file string // e/z.json
		want string
	}{
		{"one word among dates", Options{}, data("Content_3", `{"day":"2021-05","odd":"x"}`), "day text\nlive boolean\nodd text\nprice float\nrank long\nsize text\n"},
		{"dates alone", Options{}, data("Content_3", `{"day":"2021-05-01","odd":"2022-02-02"}`), "day text\nlive boolean\nodd date\nprice float\nrank long\nsize text\n"},
		{"left out", Options{Rules: visibility.Rules{Statuses: []string{"Published"}}}, item("Content_3", `,"Status":"Draft","Data":{"odd":"x","rank":1.5,"live":1}`), "day text\nlive boolean\nodd date\nprice float\nrank long\nsize text\n"},
		{"a fraction", Options{}, data("Content_3", `{"rank":1e2}`), "day text\nlive boolean\nodd date\nprice float\nrank float\nsize text\n"},
		{"a member of objects in an array", Options{}, data("Content_3", `{"a":[{"b":1},{"b":2}],"a.b":[[3]]}`), "a.b long\nday text\nlive boolean\nodd date\nprice float\nrank long\nsize text\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files["e/z.json"] = tt.file
			site, diagnostics := load(t, files, tt.opts)
			if site == nil {
				t.Fatal(said(diagnostics))
			}
			if got := typesOf(&site.Envs[0]); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestMixedKinds(t *testing.T) {
	with := func(id, value string) string { return data("Content_"+id, `{"sku": `+value+`}`) }
	var many []string
	for i := range maxPaths + 2 {
		many = append(many, fmt.Sprintf(`"k%03d":[1,"x"]`, i))
	}
	const hint = "\n  hint: all values are searched as text; write them alike, for example as "
	for _, tt := range []struct {
		name  string
		files map[string]string
		opts  Options
		want  string // without ids of another form
	}{
		{"strings and a number", map[string]string{"e/a.json": with("1", `"a"`), "e/b.ndjson": with("2", `"b"`) + "\n\n" + with("3", `7`)}, Options{},
			"warning: Data.sku: 2 strings, 1 number (first: e/b.ndjson:3:110)" + hint + "strings, like the first string at e/a.json:1:110"},
		{"the first by source order", map[string]string{"e/b.ndjson": with("1", `1`) + "\n" + with("2", `2`), "e/a.json": "[" + with("3", `3`) + ",\n" + with("4", `["x",true]`) + "]"}, Options{},
			"warning: Data.sku: 3 numbers, 1 string (first: e/a.json:2:111), 1 boolean (first: e/a.json:2:115)" + hint + "numbers, like the first number at e/a.json:1:111"},
		{"an error", map[string]string{"e/a.json": "[" + with("1", `"a"`) + "," + with("2", `1`) + "]"}, Options{Strict: true},
			"Data.sku: 1 string, 1 number (first: e/a.json:1:226)" + hint + "strings, like the first string at e/a.json:1:111"},
		{"no kinds but dates and words", map[string]string{"e/a.json": with("1", `["a","2021-01-01",""]`)}, Options{}, ""},
		{"not delivered", map[string]string{"e/a.json": with("1", `"a"`), "e/b.json": item("Content_2", `,"Status":"Draft","Data":{"sku":1}`)}, Options{Rules: visibility.Rules{Statuses: []string{"Published"}}}, ""},
		{"another environment", map[string]string{"e/a.json": with("1", `"a"`), "f/a.json": with("1", `1`)}, Options{}, ""},
		{"beside Data", map[string]string{"e/a.json": item("Content_1", `,"Extra":[1,"1"]`)}, Options{},
			"warning: Extra: 1 string, 1 number (first: e/a.json:1:104)" + hint + "strings, like the first string at e/a.json:1:106"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, diagnostics := load(t, tt.files, tt.opts)
			if got := said(withoutIDs(diagnostics)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
	t.Run("more than are shown", func(t *testing.T) {
		_, diagnostics := load(t, map[string]string{"e/a.json": data(id1, "{"+strings.Join(many, ",")+"}")}, Options{})
		if got := diagnostics[len(diagnostics)-1].String(); len(diagnostics) != maxPaths+1 || got != "warning: and 2 more paths of mixed kinds in e" {
			t.Errorf("%d, the last: %s", len(diagnostics), got)
		}
	})
}

// Numbers that the type of their path cannot hold are named.
func TestNumbersOutOfRange(t *testing.T) {
	zeros := strings.Repeat("0", 39)
	for _, c := range []struct{ data, longs, floats, first, firstFloat string }{
		{`{"n":[9223372036854775807,-9223372036854775808]}`, "", "", "", ""},
		{`{"n":9223372036854775808}`, "1 number", "", "9223372036854775808", ""},
		{`{"n":[1,-9223372036854775809,99999999999999999999]}`, "2 numbers", "", "-9223372036854775809", ""},
		{`{"n":[1.5,99999999999999999999]}`, "", "", "", ""}, // a fraction holds it, about
		{`{"f":[3.4028235e38,-3.4028235E+38,1e-400]}`, "", "", "", ""},
		{`{"f":[0.5,3.5e38,-1e400]}`, "", "2 numbers", "", "3.5e38"},
		{`{"f":[0.5,1` + zeros + `]}`, "", "1 number", "", "1" + zeros},
		{`{"n":1` + zeros + `,"f":1e39}`, "1 number", "1 number", "1" + zeros, "1e39"},
	} {
		file := `{"Data":` + c.data + `,` + strings.TrimPrefix(item(id1, ""), "{")
		var want []string
		add := func(path, numbers, what, first string) {
			if numbers != "" {
				want = append(want, fmt.Sprintf("warning: Data.%s: %s out of range: %s (first: e/a.json:1:%d)", path, numbers, what, strings.Index(file, first)+1))
			}
		}
		add("f", c.floats, "numbers with fractions have 32 bits, up to 3.4e38", c.firstFloat)
		add("n", c.longs, "integers have 64 bits", c.first)
		_, diagnostics := load(t, map[string]string{"e/a.json": file}, Options{})
		var got []string
		for _, d := range diagnostics {
			text, _, _ := strings.Cut(d.String(), "\n")
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", c.data, got, want)
		}
	}
}

// withoutIDs leaves out what is said about the form of ids.
func withoutIDs(all []Diagnostic) (rest []Diagnostic) {
	for _, d := range all {
		if !strings.Contains(d.Message, "not of the form Content_<uuid>") {
			rest = append(rest, d)
		}
	}
	return rest
}
