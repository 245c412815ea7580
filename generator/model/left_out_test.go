// These tests say what becomes known of the fields of an environment that leaves paths out.

package model

import (
	"strings"
	"testing"

	"contentedge/edgeserve/leftout"
)

// leaving are options that leave paths out of the environment e, as if lines of a file named them.
func leaving(t *testing.T, exclude, include string) Options {
	t.Helper()
	rules, err := leftout.New(strings.Fields(exclude), strings.Fields(include), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := LeftOut{Rules: rules}
	for i, path := range strings.Fields(exclude) {
		out.Written = append(out.Written, WrittenPath{Path: path, File: "e/_environment.yaml", Line: i + 1, Col: 3})
	}
	return Options{LeftOut: map[string]LeftOut{"e": out}}
}

func TestLeftOut(t *testing.T) {
	files := map[string]string{
		"e/a.ndjson": data(id1, `{"title":"x","body":{"text":1,"nodes":[{"n":1e99},{"n":"y"}]},"tags":[]}`) + "\n" +
			strings.Replace(data(id2, `{"title":"y","body":{"text":"words"}}`), `"Data"`, `"Extra":{"a":1},"Data"`, 1),
		"f/a.json": data(id1, `{"body":{"text":"x"}}`),
	}
	for _, tt := range []struct{ name, exclude, include, fields, warnings string }{
		{"nothing", "", "", "body.nodes.n text\nbody.text text\ntitle text\n", "warning: Data.body.nodes.n: 1 string, 1 number\nwarning: Data.body.text: 1 string, 1 number"},
		{"no field, and no warning about mixed kinds", "Data.body", "", "title text\n", ""},
		{"an exception below", "Data.body", "Data.body.text", "body.text text\ntitle text\n", "warning: Data.body.text: 1 string, 1 number"},
		{"numbers out of range", "Data.body.nodes", "", "body.text text\ntitle text\n", "warning: Data.body.text: 1 string, 1 number"},
		{"all of Data, and members of one's own", "Data Extra", "", "", ""},
		{"a path that is misspelt", "Data.body Data.titel Data.tit", "", "title text\n",
			"e/_environment.yaml:2:3: warning: no item has a value at or below Data.titel, which searches leave out\n  hint: check the spelling of the path, or remove it\n" +
				"e/_environment.yaml:3:3: warning: no item has a value at or below Data.tit, which searches leave out\n  hint: check the spelling of the path, or remove it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site, diagnostics := load(t, files, leaving(t, tt.exclude, tt.include))
			if site == nil {
				t.Fatal(said(diagnostics))
			}
			if got := typesOf(&site.Envs[0]); got != tt.fields {
				t.Errorf("got\n%swant\n%s", got, tt.fields)
			}
			if got := typesOf(&site.Envs[1]); got != "body.text text\n" {
				t.Errorf("another environment: %s", got)
			}
			var got []string
			for _, d := range diagnostics {
				text := d.String()
				if d.Count > 0 {
					text, _, _ = strings.Cut(text, " (first")
				}
				got = append(got, text)
			}
			if strings.Join(got, "\n") != tt.warnings {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.warnings)
			}
			for _, f := range site.Envs[0].Fields {
				if f.Path == "Extra.a" && strings.Contains(tt.exclude, "Extra") {
					t.Error("Extra.a has a field")
				}
			}
		})
	}
}

// Lists in the order of a path that has no field could be computed by nobody.
func TestLeftOutOrder(t *testing.T) {
	files := map[string]string{"e/a.json": data(id1, `{"title":"x","body":{"rank":1}}`), "f/a.json": data(id2, `{"body":{"rank":1}}`)}
	opts := leaving(t, "Data.title Data.body", "")
	opts.OrderPath = "Data.body.rank"
	site, diagnostics := load(t, files, opts)
	const want = "e/_environment.yaml:2:3: lists are in the order of Data.body.rank, but e leaves Data.body out of its index\n  hint: name another default order, or include the path"
	if site != nil || said(diagnostics) != want {
		t.Errorf("got %s", said(diagnostics))
	}
	opts = leaving(t, "Data.body", "Data.body.rank")
	opts.OrderPath = "Data.body.rank"
	if site, diagnostics := load(t, files, opts); site == nil || len(diagnostics) > 0 {
		t.Error(said(diagnostics))
	}
}
