package markdownsite

import "testing"

// TestTidy leaves out what only the generator reads, outside of code, and keeps the lines.
func TestTidy(t *testing.T) {
	for _, test := range []struct {
		name       string
		tidy       func([]byte) []byte
		text, want string
	}{
		{"an id of a heading", kramdown, "## A b \r\n{: #id .c}\r\nd\n", "## A b {#id .c}\n\nd\n"},
		{"a table of contents", kramdown, "* toc\n{:toc}\n\n1. x\n{: toc .c}\na", "\n\n\n\n\na"},
		{"attributes", kramdown, "a\n{: .lead}\n\n[b](c){:target=\"_blank\"} d\n", "a\n\n\n[b](c) d\n"},
		{"code", kramdown, "```\n* toc\n{:toc}\n```\n`[b](c){:d}`\n", "```\n* toc\n{:toc}\n```\n`[b](c){:d}`\n"},
		{"attributes of MkDocs", dropping(mkdocsMarks), "![a](b){ width=\"3\" } [c](d){ .e } [f](g) {h} [i](j){}\n", "![a](b) [c](d) [f](g) {h} [i](j){}\n"},
		{"lines of MkDocs", dropping(mkdocsMarks), "[TOC]\n*[HTML]: Hyper\n--8<-- \"x.md\"\na\n", "\n\n\na\n"},
		{"VitePress", dropping(vitepressMarks), "[[toc]]\n[[TOC]]\n<!--@include: ./a.md-->b\n`[[toc]]`\n", "\n\nb\n`[[toc]]`\n"},
		{"nothing", kramdown, "", ""},
	} {
		if got := string(test.tidy([]byte(test.text))); got != test.want {
			t.Errorf("%s: %q instead of %q", test.name, got, test.want)
		}
	}
}
