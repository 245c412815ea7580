package markdownsite

import (
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// TestVariables shows the values that texts get, by system. What a system does not know is left out and counted.
func TestVariables(t *testing.T) {
	front := "---\ntitle: The *end*\nempty:\nnested: {a: {b: 7}}\nlist: [1]\nlong: " + strings.Repeat("x", maxVariable+1) + "\nlines: |\n  one\n  two\n---\n"
	for _, test := range []struct{ system, settings, text, body, left string }{
		{"jekyll", "_config.yml", "{{ page.title }}, {{ page.nested.a.b }}{{ page.empty }}, {{ site.name }}, {{ page.color }}, {{ page.lines }}.", "The *end*, 7, Site, red, one two.", ""},
		{"jekyll", "_config.yml", "{{ page.list }}{{ page.long }}{{ page.nested }}{{ site }}{{ page }}{{ title }}{{ page.title.x }}{{ page. }}.", ".", "{{ }}: 1"},
		{"hugo", "hugo.yaml", "{{< param title >}}, {{< param nested.a.b >}}, {{< param \"author\" >}}, {{% param deep.x %}}.", "The *end*, 7, Ann, y.", ""},
		{"hugo", "hugo.yaml", "{{< param name >}}{{< param list >}}.", ".", "param: 1"},
		{"eleventy", "eleventy.config.js", "{{ title }}, {{ nested.a.b }}, {{ title | safe }}.", "The *end*, 7, The *end*.", ""},
		{"eleventy", "eleventy.config.js", "{{ page.title }}{{ title | upper }}{{ list }}.", ".", "{{ }}: 1"},
		{"vitepress", ".vitepress/config.json", "{{ $frontmatter.title }}, {{ frontmatter.nested.a.b }}.", "The *end*, 7.", ""},
		{"vitepress", ".vitepress/config.json", "{{ title }}{{ $frontmatter }}.", ".", "{{ }}: 1"},
		{"hexo", "_config.yml", "{{ page.title }}.", "{{ page.title }}.", ""},
	} {
		dir := map[string]string{"hugo": "content/", "hexo": "source/"}[test.system]
		settings := "{}"
		if strings.Contains(test.settings, ".y") {
			settings = "name: Site\nparams: {author: Ann, deep: {x: y}}\ndefaults: [{scope: {path: \"\"}, values: {color: red}}]"
		}
		r := importTree(t, test.system, "-- "+test.settings+" --\n"+settings+"\n-- "+dir+"a.md --\n"+front+test.text+"\n", imports.Options{})
		if r.Err != nil {
			t.Errorf("%s: %v", test.system, r.Err)
			continue
		}
		if got := strings.TrimSuffix(strings.Trim(r.Item(t, "site/"+dir+"a.md", "Data", "body"), `"`), `\n`); got != test.body {
			t.Errorf("%s: %s becomes %q, not %q", test.system, test.text, got, test.body)
		}
		if warned := r.Warned(); !strings.Contains(warned, test.left) || test.left == "" && strings.Contains(warned, "tags are left out") {
			t.Errorf("%s: %s: warned %s, not %q", test.system, test.text, warned, test.left)
		}
	}
}
