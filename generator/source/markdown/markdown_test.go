package markdown

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"contentedge/generator/safehtml"
	"contentedge/generator/source/record"
	"contentedge/generator/source/record/recordtest"
)

// TestMarkdown shows how files are taken apart: front matter, where the body begins, faults.
func TestMarkdown(t *testing.T) {
	tests := []struct{ name, text, front, body, faults string }{
		{"YAML", "---\ntitle: One\n---\nText\n", `{"title":"One"}`, "4:1 Text\n", ""},
		{"TOML", "+++\ntitle = 'One'\n+++\n\nText\n", `{"title":"One"}`, "4:1 \nText\n", ""},
		{"JSON", "{\n \"title\": \"One\", \"n\": 1.0,\n \"a\": [{}]\n}\nText\n", `{"title":"One","n":1.0,"a":[{}]}`, "5:1 Text\n", ""},
		{"JSON without a body", `{"a": "\u00e9"}`, `{"a":"\u00e9"}`, "1:16 ", ""},
		{"no front matter", "# One\n\nText\n", "{}", "1:1 # One\n\nText\n", ""},
		{"nothing", "", "{}", "1:1 ", ""},
		{"CR LF", "---\r\ntitle: One\r\n---\r\nText\r\n", `{"title":"One"}`, "4:1 Text\r\n", ""},
		{"empty front matter", "---\n---\nText\n", "{}", "3:1 Text\n", ""},
		{"blank front matter", "---\n\n# only this\n---\nText\n", "{}", "1:1 ---\n\n# only this\n---\nText\n", ""},
		{"spaces behind the marks", "---  \na: 1\n--- \nText\n", `{"a":1}`, "4:1 Text\n", ""},
		{"an end without a line end", "---\na: 1\n---", `{"a":1}`, "3:4 ", ""},
		{"a blank line before the first key", "---\n\na: 1\n---\nText\n", `{"a":1}`, "5:1 Text\n", ""},
		{"a horizontal rule", "---\n\nText: one\n", "{}", "1:1 ---\n\nText: one\n", ""},
		{"two horizontal rules", "---\n\nText one\n\n---\n\nmore\n", "{}", "1:1 ---\n\nText one\n\n---\n\nmore\n", ""},
		{"a rule alone", "---", "{}", "1:1 ---", ""},
		{"more dashes", "----\nText\n----\n", "{}", "1:1 ----\nText\n----\n", ""},
		{"a rule behind a blank line", "\n---\nText\n", "{}", "1:1 \n---\nText\n", ""},
		{"blank lines alone", "\n\n \n", "{}", "1:1 \n\n \n", ""},
		{"a shortcode", "{{< figure >}}\n", "{}", "1:1 {{< figure >}}\n", ""},
		{"an attribute", "{.note}\n# One\n", "{}", "1:1 {.note}\n# One\n", ""},
		{"dashes in a value", "---\na: |\n  ---\n  b\n---\nText\n", `{"a":"---\nb\n"}`, "6:1 Text\n", ""},
		{"rules in the body", "---\na: 1\n---\nText\n\n---\n", `{"a":1}`, "4:1 Text\n\n---\n", ""},

		{"no end", "---\ntitle: One\n\nText\n", "", "", "1:1: the front matter in YAML has no end: a line of --- is missing after it"},
		{"no end of TOML", "+++\ntitle = 1\n", "", "", "1:1: the front matter in TOML has no end: a line of +++ is missing after it"},
		{"an indented end", "---\na: 1\n ---\n", "", "", "1:1: the front matter in YAML has no end: a line of --- is missing after it"},
		{"endless", "---\n" + strings.Repeat("a: 1\n", 300_000), "", "", "1:1: the front matter has no end: no line of --- within 1048576 bytes"},
		{"a fault in YAML", "---\na: 1\nb: [\n---\nText\n", "", "4:1 Text\n", "3:4: this is not YAML: sequence end token ']' not found"},
		{"a fault in TOML", "+++\na = 1\nb = x\n+++\nText\n", "", "", "3:5: this is not TOML: unexpected character U+0078 'x' at start of value"},
		{"a fault in JSON", "{\n\"a\": 1,\n}\nText\n", "", "", "3:1: the front matter is no JSON: expected a name in double quotes, found '}'"},
		{"JSON without an end", "{\"a\": 1\n", "", "", "2:1: the front matter is no JSON: the text ends in the middle of a value"},
		{"a key twice in JSON", "{\"a\": 1,\n \"\\u0061\": 2}\n", "", "", "2:2: the front matter is no JSON: the key \"a\" is given twice in this object"},
		{"text behind JSON", "{\"a\": 1} Text\n", "", "", "1:9: there is more on the line of the end of the front matter"},
		{"no mapping", "---\n- a\n---\n", "", "", "2:1: this text must be a mapping of keys and values, not a sequence"},
		{"a warning", "---\nzip: 01234\n---\n", `{"zip":"01234"}`, "4:1 ", "2:6: \"01234\" stays a text here, as JSON has no such number"},
		{"no UTF-8", "---\na: 1\n---\nT\xe4xt\n", "", "", "4:2: the byte 0xe4 is not UTF-8 here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, faults := Split([]byte(tt.text))
			refused := false
			for _, f := range faults {
				refused = refused || !f.Warning
			}
			if got := show(faults); got != tt.faults {
				t.Errorf("faults\n got %s\nwant %s", got, tt.faults)
			}
			if refused {
				return
			}
			if got := string(text.FrontMatter.JSON); got != tt.front {
				t.Errorf("front matter\n got %s\nwant %s", got, tt.front)
			}
			if got := fmt.Sprintf("%d:%d %s", text.BodyAt.Line, text.BodyAt.Col, text.Body); got != tt.body {
				t.Errorf("body\n got %q\nwant %q", got, tt.body)
			}
		})
	}
}

func show(faults []record.Fault) string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, fmt.Sprintf("%d:%d: %s", f.Line, f.Col, f.Message))
	}
	return strings.Join(lines, "\n")
}

// TestRender: HTML as GitHub's.
func TestRender(t *testing.T) {
	tests := []struct{ name, text, html, heading string }{
		{"a paragraph", "One *two* **three** `four`\n", "<p>One <em>two</em> <strong>three</strong> <code>four</code></p>\n", ""},
		{"headings", "Text\n\nOne & *two* `three` [four](x)\n===\n\n## One\n\n## One\n", "<p>Text</p>\n<h1 id=\"one--two-three-four\">One &amp; <em>two</em> <code>three</code> <a href=\"x\">four</a></h1>\n<h2 id=\"one\">One</h2>\n<h2 id=\"one-1\">One</h2>\n", "One & two three four"},
		{"a table", "|a|b|\n|-|:-:|\n|1|2|\n", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th style=\"text-align:center\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td style=\"text-align:center\">2</td>\n</tr>\n</tbody>\n</table>\n", ""},
		{"lists of tasks", "- [x] a\n- [ ] b\n", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> a</li>\n<li><input disabled=\"\" type=\"checkbox\"> b</li>\n</ul>\n", ""},
		{"addresses and strikethrough", "~~a~~ https://example.com\n", "<p><del>a</del> <a href=\"https://example.com\">https://example.com</a></p>\n", ""},
		{"footnotes", "a[^1]\n\n[^1]: b\n", "<p>a<sup id=\"fnref:1\"><a href=\"#fn:1\" class=\"footnote-ref\" role=\"doc-noteref\">1</a></sup></p>\n<div class=\"footnotes\" role=\"doc-endnotes\">\n<hr>\n<ol>\n<li id=\"fn:1\">\n<p>b&#160;<a href=\"#fnref:1\" class=\"footnote-backref\" role=\"doc-backlink\">&#x21a9;&#xfe0e;</a></p>\n</li>\n</ol>\n</div>\n", ""},
		{"a list of tasks with text", "1. [X] a\n   - [ ] b\n2. [y] c\n", "<ol>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> a\n<ul>\n<li><input disabled=\"\" type=\"checkbox\"> b</li>\n</ul>\n</li>\n<li>[y] c</li>\n</ol>\n", ""},
		{"dangerous addresses are left out", "[a](javascript:x) ![b](data:text/html,c)\n", "<p><a href=\"\">a</a> <img src=\"\" alt=\"b\"></p>\n", ""},
		{"characters of HTML are escaped", "a < b & \"c\"\n", "<p>a &lt; b &amp; &quot;c&quot;</p>\n", ""},
		{"code", "```go\na < b\n```\n", "<pre><code class=\"language-go\">a &lt; b\n</code></pre>\n", ""},
		{"CR LF", "a\r\nb\r\n\r\nc\r\n", "<p>a\nb</p>\n<p>c</p>\n", ""},
		{"nothing", "\n", "", ""},
		{"an id for a heading without letters", "# !\n\n# 日本 Ä\n", "<h1 id=\"heading\">!</h1>\n<h1 id=\"日本-ä\">日本 Ä</h1>\n", "!"},
	}
	r := NewRenderer(Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, faults := r.Render([]byte(tt.text), record.Place{Line: 1, Col: 1}, nil)
			if string(out.Text) != tt.html || out.Heading != tt.heading || faults != nil {
				t.Errorf("\n got %q %q %v\nwant %q %q", out.Text, out.Heading, faults, tt.html, tt.heading)
			}
			if got := r.Heading([]byte(tt.text)); got != tt.heading {
				t.Errorf("heading %q", got)
			}
		})
	}
}

// TestRewrite: destinations are rewritten only in HTML, and their faults have places.
func TestRewrite(t *testing.T) {
	body := "![a](./a%20b.png) [c](<d e.md>)\n\n[f][g] ![h\\*][i] https://x.org <mail@x.org>\n\n[g]: ../g&amp;.md\n[i]: gone.png\n"
	var seen []string
	out, faults := NewRenderer(Options{}).Render([]byte(body), record.Place{Line: 5, Col: 1}, func(d string, image bool, _ func() record.Place) (Destination, error) {
		seen = append(seen, fmt.Sprint(d, image))
		switch d {
		case "gone.png":
			return Destination{}, &Refusal{"there is no file gone.png", "add it"}
		case "d e.md":
			return Destination{}, &Warning{"a warning", ""}
		case "../g&.md":
			return Destination{URL: d}, nil
		}
		return Destination{URL: "/media/x<y.png"}, nil
	})
	if got := strings.Join(seen, " "); got != "./a%20b.pngtrue d e.mdfalse ../g&.mdfalse gone.pngtrue" {
		t.Error(got)
	}
	want := "<p><img src=\"/media/x%3Cy.png\" alt=\"a\"> <a href=\"d%20e.md\">c</a></p>\n<p><a href=\"../g&amp;.md\">f</a> <img src=\"gone.png\" alt=\"h*\"> <a href=\"https://x.org\">https://x.org</a> <a href=\"mailto:mail@x.org\">mail@x.org</a></p>\n"
	if string(out.Text) != want {
		t.Errorf("\n got %s\nwant %s", out.Text, want)
	}
	if got := show(faults); got != "5:19: a warning\n7:8: there is no file gone.png" || !faults[0].Warning || faults[1].Hint != "add it" {
		t.Error(got)
	}
	if _, faults := NewRenderer(Options{}).Render([]byte(body), record.Place{Line: 5, Col: 1}, func(string, bool, func() record.Place) (Destination, error) { return Destination{}, errors.New("no") }); len(faults) != 4 || faults[0].Place != (record.Place{Line: 5, Col: 6}) {
		t.Error(faults)
	}
}

// TestLinksToItems: a link gets the id of its item, or goes and leaves its text with all marks.
func TestLinksToItems(t *testing.T) {
	for text, want := range map[string]string{
		"[a](item)":                                 `<p><a href="/x" data-content-id="Content_&quot;1&lt;">a</a></p>`,
		"[a](item \"t\")":                           `<p><a href="/x" title="t" data-content-id="Content_&quot;1&lt;">a</a></p>`,
		"[a][r]\n\n[r]: item":                       `<p><a href="/x" data-content-id="Content_&quot;1&lt;">a</a></p>`,
		"x [**a** `b` ![c](d.png)](drop) y":         `<p>x <strong>a</strong> <code>b</code> <img src="d.png" alt="c"> y</p>`,
		"[](drop)":                                  `<p></p>`,
		"[a](drop)[b](drop)[c](item)":               `<p>ab<a href="/x" data-content-id="Content_&quot;1&lt;">c</a></p>`,
		"| [a](drop) |\n|-|\n| *[b](drop)* |":       "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>b</em></td>\n</tr>\n</tbody>\n</table>",
		"# [a](drop) b":                             `<h1 id="a-b">a b</h1>`,
		"[![a](drop)](drop)":                        `<p><img src="" alt="a"></p>`,
		"x[^1]\n\n[^1]: [a](drop)\n":                `<p>x<sup id="fnref:1"><a href="#fn:1" class="footnote-ref" role="doc-noteref">1</a></sup></p>` + "\n" + `<div class="footnotes" role="doc-endnotes">` + "\n<hr>\n<ol>\n" + `<li id="fn:1">` + "\n" + `<p>a&#160;<a href="#fnref:1" class="footnote-backref" role="doc-backlink">&#x21a9;&#xfe0e;</a></p>` + "\n</li>\n</ol>\n</div>",
		strings.Repeat("[a](drop)", 500) + "[b](c)": "<p>" + strings.Repeat("a", 500) + `<a href="c">b</a></p>`,
	} {
		out, faults := NewRenderer(Options{}).Render([]byte(text), start, func(d string, _ bool, _ func() record.Place) (Destination, error) {
			switch d {
			case "item":
				return Destination{URL: "/x", Item: `Content_"1<`}, nil
			case "drop":
				return Destination{Drop: true}, nil
			}
			return Destination{URL: d}, nil
		})
		if got := strings.TrimSpace(string(out.Text)); got != want || len(faults) > 0 {
			t.Errorf("%s\n got %s %v\nwant %s", text, got, faults, want)
		}
	}
}

// FuzzMarkdown: a file is taken apart without loss, with places within it, and its HTML closes what it opens.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"---\na: 1\n---\n# T\n\n[a](b.md) ![c](d.png \"e\")\n", "+++\na = 1\n+++\n|a|\n|-|\n|`\\|`|\n", "{\"a\": [1]}\n- [ ] x\n  1. y\n\n[^1] [z]\n\n[^1]: n\n[z]: <u v>\n", "---\n\n---\n", "---\r\n---\r\n", "---\na\n", "> - # a\n<b>\n\n<!-- c -->\n", "{\"a\":1", "<details>\n<summary>a</summary>\n\n> [!NOTE]\n> <b onclick=c>d\n\n</ul>\n", "a <script>$b_c$</script>\n\n<svg><style><img src=x onerror=y>\n\n$$\n<i>\n$$\n", "## A {#b .c onclick=\"d\"}\n<A b={c}>\n  d <li>{e}\n</A>\n", "<div title=\"\n\n\"><img src=javascript:x>\n", "***a** b*\n===\n`c`` ~~d~~ https://e.f www.g.h i@j.k\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		within := func(p record.Place) {
			t.Helper()
			if p.Line < 1 || p.Line > lines || p.Col < 1 {
				t.Errorf("%+v: the text has %d lines", p, lines)
			}
		}
		found, faults := Split([]byte(text))
		refused := false
		for _, f := range faults {
			within(f.Place)
			refused = refused || !f.Warning
		}
		if refused {
			return
		}
		recordtest.Check(t, &found.FrontMatter, lines)
		if !strings.HasSuffix(text, string(found.Body)) {
			t.Errorf("%q is not the end of the text", found.Body)
		}
		head := text[:len(text)-len(found.Body)]
		if want := record.NewLines([]byte(text), start).Place(len(head)); want != found.BodyAt {
			t.Errorf("the body is at %v, not %v", want, found.BodyAt)
		}
		r := NewRenderer(Options{})
		out, faults := r.Render(found.Body, found.BodyAt, func(d string, _ bool, at func() record.Place) (Destination, error) {
			within(at())
			if strings.Contains(d, "x") {
				return Destination{}, &Refusal{"no", ""}
			}
			return Destination{URL: d, Item: "i", Drop: strings.Contains(d, "y")}, nil
		})
		for _, f := range faults {
			within(f.Place)
		}
		if again, _ := r.Render(found.Body, found.BodyAt, nil); len(faults) == 0 && again.Heading != out.Heading {
			t.Errorf("%q is rendered in another way the second time", found.Body)
		}
		checkSafe(t, string(out.Text))
		mdx, faults := NewRenderer(Options{MDX: true}).Render(found.Body, found.BodyAt, nil)
		for _, f := range faults {
			within(f.Place)
		}
		checkSafe(t, string(mdx.Text))
	})
}

// own are the attributes that HTML of Markdown has besides those that authors may write.
var own = map[string]string{"style": "text-align:", "role": "doc-", "type": "checkbox", "checked": "", "disabled": ""}

// checkSafe parses HTML in a page as a browser does. It has only what is allowed, and the page keeps its structure.
func checkSafe(t *testing.T, text string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader("<!doctype html><body><ul><li><div>" + text + "</div><nav></nav></li></ul>"))
	if err != nil {
		return // deeper than the parser goes
	}
	for node := range doc.Descendants() {
		switch {
		case node.Type == html.CommentNode:
			t.Errorf("a comment in %q", text)
		case node.Type != html.ElementNode || slices.Contains([]string{"html", "head", "body"}, node.Data):
		case node.Data == "nav":
			if node.Parent.Data != "li" || node.Parent.Parent.Parent.Data != "body" {
				t.Errorf("%q leaves its page", text)
			}
		case node.Namespace != "" || !safehtml.Allows(node.DataAtom) && node.Data != "input":
			t.Errorf("<%s> in %q", node.Data, text)
		}
		for _, a := range node.Attr {
			start, isOwn := own[a.Key]
			if !safehtml.AllowsAttribute(node.DataAtom, a.Key) && !(isOwn && strings.HasPrefix(a.Val, start)) {
				t.Errorf("%s in %q", a.Key, text)
			}
			if low := strings.ToLower(strings.TrimSpace(a.Val)); (a.Key == "href" || a.Key == "src") && (strings.HasPrefix(low, "javascript:") || strings.HasPrefix(low, "vbscript:") || strings.HasPrefix(low, "data:text")) {
				t.Errorf("%s in %q", a.Val, text)
			}
		}
	}
}
