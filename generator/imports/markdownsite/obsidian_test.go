package markdownsite

import (
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// TestTemplatesOfNotes leaves the folders of templates out that the settings name, otherwise those with the usual name.
func TestTemplatesOfNotes(t *testing.T) {
	const own, templater = ".obsidian/templates.json", ".obsidian/plugins/templater-obsidian/data.json"
	for _, test := range []struct{ settings, text, files, items string }{
		{own, `{}`, "Templates/a.md template/a.md _templates/a.md 99 - TEMPLATES/x/a.md n/Templates/a.md b.md", "b.md"},
		{own, `{"folder":""}`, "Email templates/a.md Templatesque/a.md Templates.md templates b/a.md", "Email templates/a.md Templates.md Templatesque/a.md templates b/a.md"},
		{own, `{"folder":"Meta/T"}`, "Meta/T/a.md Meta/b.md Templates/c.md x/Meta/T/d.md", "Meta/b.md Templates/c.md x/Meta/T/d.md"},
		{own, `{"folder":"/T/"}`, "T/a.md T2/b.md", "T2/b.md"},
		{templater, `{"templates_folder":"Bases/T","command_timeout":5}`, "Bases/T/a.md Templates/b.md", "Templates/b.md"},
		{templater, `{"templates_folder":["T"]}`, "T/a.md Templates/b.md", "T/a.md"},
		{".obsidian/app.json", `{}`, "Templates/a.md b.md", "b.md"},
	} {
		tree := "-- " + test.settings + " --\n" + test.text + "\n"
		for _, name := range strings.SplitAfter(test.files, ".md ") {
			text := "# A\n"
			if !strings.Contains(" "+test.items+" ", strings.TrimSpace(name)) {
				text = "---\ndate: {{date}}\n---\n# {{title}}\n"
			}
			tree += "-- " + strings.TrimSpace(name) + " --\n" + text
		}
		r := importTree(t, "obsidian", tree, imports.Options{})
		if r.Err != nil {
			t.Errorf("%s %s: %v", test.settings, test.text, r.Err)
			continue
		}
		if got := strings.ReplaceAll(strings.Join(r.Names(), " "), "site/", ""); got != test.items {
			t.Errorf("%s %s: items %s, not %s", test.settings, test.text, got, test.items)
		}
	}
}
