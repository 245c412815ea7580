package markdown

import (
	"strings"
	"testing"

	"contentedge/generator/source/record"
)

// renderCase is a text with its HTML.
type renderCase struct{ name, text, html string }

func checkRender(t *testing.T, o Options, tests []renderCase) {
	t.Helper()
	r := NewRenderer(o)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, faults := r.Render([]byte(tt.text), start, nil)
			if string(out.Text) != tt.html || faults != nil {
				t.Errorf("%v\n got %s\nwant %s", faults, out.Text, tt.html)
			}
		})
	}
}

// TestHeadings: attributes of headings are no text, and ids stay unique.
func TestHeadings(t *testing.T) {
	checkRender(t, Options{}, []renderCase{
		{"an id", "## H {#cid}\n", "<h2 id=\"cid\">H</h2>\n"},
		{"an id without a space", "## H{#cid}\n", "<h2 id=\"cid\">H</h2>\n"},
		{"an id and classes", "## H {#cid .a .b-c}\n", "<h2 id=\"cid\" class=\"a b-c\">H</h2>\n"},
		{"a class", "## H {.a}\n", "<h2 class=\"a\" id=\"h\">H</h2>\n"},
		{"kramdown", "## H {: #cid .a}\n\n## I {:#i}\n", "<h2 id=\"cid\" class=\"a\">H</h2>\n<h2 id=\"i\">I</h2>\n"},
		{"underlined", "H {#cid}\n===\n\nI\nJ {#j}\n---\n", "<h1 id=\"cid\">H</h1>\n<h2 id=\"j\">I\nJ</h2>\n"},
		{"closing marks", "## H ## {#cid}\n\n## I {#i} ##\n", "<h2 id=\"cid\">H</h2>\n<h2 id=\"i\">I</h2>\n"},
		{"emphasis", "## *H* `{#x}` {#_a_b_}\n", "<h2 id=\"_a_b_\"><em>H</em> <code>{#x}</code></h2>\n"},
		{"safe names", "## H {#x title=\"t\" lang=\"de\" onclick=\"a()\" style=\"color:red\" href=\"x\"}\n", "<h2 id=\"x\" title=\"t\" lang=\"de\">H</h2>\n"},
		{"a value with marks", "## H {title=\"<b>\"}\n", "<h2 title=\"&lt;b&gt;\" id=\"h\">H</h2>\n"},
		{"an id twice", "## A {#x}\n\n## B {#x}\n\n## X\n", "<h2 id=\"x\">A</h2>\n<h2 id=\"x-1\">B</h2>\n<h2 id=\"x-2\">X</h2>\n"},
		{"an id of a heading before", "## X\n\n## B {#x}\n", "<h2 id=\"x-1\">X</h2>\n<h2 id=\"x\">B</h2>\n"},
		{"headings of one text", "# A\n# A\n# A-1\n# A\n", "<h1 id=\"a\">A</h1>\n<h1 id=\"a-1\">A</h1>\n<h1 id=\"a-1-1\">A-1</h1>\n<h1 id=\"a-2\">A</h1>\n"},
		{"text in braces", "## H {a} {#} {#x y} {x=1}\n", "<h2 id=\"h-a--x-y-x1\">H {a} {#} {#x y} {x=1}</h2>\n"},
		{"escaped", "## H \\{#x}\n", "<h2 id=\"h-x\">H {#x}</h2>\n"},
		{"nothing else", "## {#x}\n", "<h2 id=\"x\">{#x}</h2>\n"},
		{"not at the end", "## {#x} H\n", "<h2 id=\"x-h\">{#x} H</h2>\n"},
		{"a paragraph", "H {#x}\n", "<p>H {#x}</p>\n"},
		{"letters", "## Über {#über}\n", "<h2 id=\"über\">Über</h2>\n"},
		{"in a quote and in a list", "> # A {#a}\n\n- # B {#b}\n", "<blockquote>\n<h1 id=\"a\">A</h1>\n</blockquote>\n<ul>\n<li>\n<h1 id=\"b\">B</h1>\n</li>\n</ul>\n"},
	})
	if got := NewRenderer(Options{}).Heading([]byte("## H *i* {#cid}\n")); got != "H i" {
		t.Errorf("the first heading is %q", got)
	}
}

// TestAlerts: alerts have the shape of GitHub's, and callouts of Obsidian have it too.
func TestAlerts(t *testing.T) {
	alert := func(kind, title, inside string) string {
		return `<div class="markdown-alert markdown-alert-` + kind + "\">\n<p class=\"markdown-alert-title\">" + title + "</p>\n" + inside + "</div>\n"
	}
	checkRender(t, Options{}, []renderCase{
		{"note", "> [!NOTE]\n> a *b*\n", alert("note", "Note", "<p>a <em>b</em></p>\n")},
		{"all kinds, in any case", "> [!tip]\n> a\n\n> [!Important]\n> a\n\n> [!WARNING]\n> a\n\n>[!caution]\n>a\n", alert("tip", "Tip", "<p>a</p>\n") + alert("important", "Important", "<p>a</p>\n") + alert("warning", "Warning", "<p>a</p>\n") + alert("caution", "Caution", "<p>a</p>\n")},
		{"blocks", "> [!NOTE]  \n>\n> - a\n>\n> ```\n> b\n> ```\n>\n> > c\n", alert("note", "Note", "<ul>\n<li>a</li>\n</ul>\n<pre><code>b\n</code></pre>\n<blockquote>\n<p>c</p>\n</blockquote>\n")},
		{"lazy lines and CR LF", "> [!NOTE]\r\n> a\r\nb\r\n", alert("note", "Note", "<p>a\nb</p>\n")},
		{"in an alert", "> [!NOTE]\n> > [!TIP]\n> > a\n", alert("note", "Note", alert("tip", "Tip", "<p>a</p>\n"))},
		{"in a list", "- > [!NOTE]\n  > a\n", "<ul>\n<li>\n" + alert("note", "Note", "<p>a</p>\n") + "</li>\n</ul>\n"},
		{"a title", "> [!info] *My* <title>\n> a\n", alert("info", "<em>My</em> ", "<p>a</p>\n")},
		{"one that can be folded", "> [!faq]- Why?\n> a\n", alert("faq", "Why?", "<p>a</p>\n")},
		{"nothing but the mark", "> [!NOTE]\n", alert("note", "Note", "")},
		{"a heading follows", "> [!NOTE]\n> H\n> ---\n", alert("note", "Note", "<h2 id=\"h\">H</h2>\n")},
		{"text behind the mark", "> [!NOTE](x)\n> a\n", "<blockquote>\n<p><a href=\"x\">!NOTE</a>\na</p>\n</blockquote>\n"},
		{"a later line", "> a\n> [!NOTE]\n", "<blockquote>\n<p>a\n[!NOTE]</p>\n</blockquote>\n"},
		{"a later paragraph", "> a\n>\n> [!NOTE]\n> b\n", "<blockquote>\n<p>a</p>\n<p>[!NOTE]\nb</p>\n</blockquote>\n"},
		{"no quote", "[!NOTE]\na\n", "<p>[!NOTE]\na</p>\n"},
		{"escaped", "> \\[!NOTE]\n> a\n", "<blockquote>\n<p>[!NOTE]\na</p>\n</blockquote>\n"},
		{"no name", "> [!]\n> [!1]\n", "<blockquote>\n<p>[!]\n[!1]</p>\n</blockquote>\n"},
	})
}

// TestMath: mathematics stays as it is written, and prices stay text.
func TestMath(t *testing.T) {
	inline := func(text string) string { return `<span class="math-inline">` + text + "</span>" }
	display := func(text string) string { return `<div class="math-display">` + text + "</div>\n" }
	checkRender(t, Options{}, []renderCase{
		{"in a line", "a $b_c*d*e_f$ g\n", "<p>a " + inline("$b_c*d*e_f$") + " g</p>\n"},
		{"in brackets and at the end", "($a<b$), $c$. $d$\n", "<p>(" + inline("$a&lt;b$") + "), " + inline("$c$") + ". " + inline("$d$") + "</p>\n"},
		{"over two lines", "a $b +\nc$ d\n", "<p>a " + inline("$b +\nc$") + " d</p>\n"},
		{"GitHub's backticks", "a $`b_c`$ d $`$ e\n", "<p>a " + inline("$b_c$") + " d " + inline("$`$") + " e</p>\n"},
		{"backslashes", "$\\$a\\_b\\\\$ c\n", "<p>" + inline(`$\$a\_b\\$`) + " c</p>\n"},
		{"two dollars in a line", "a $$b_c*d*e$$ f\n", "<p>a <span class=\"math-display\">$$b_c*d*e$$</span> f</p>\n"},
		{"prices", "$5 and $6, US$7, $8-$9 and 10\n", "<p>$5 and $6, US$7, $8-$9 and 10</p>\n"},
		{"variables of a shell", "$HOME/bin:$PATH and $x\n", "<p>$HOME/bin:$PATH and $x</p>\n"},
		{"escaped dollars", "\\$a*b*c\\$ $ d $\n", "<p>$a<em>b</em>c$ $ d $</p>\n"},
		{"more dollars", "$$$ a $$$$ b\n", "<p>$$$ a $$$$ b</p>\n"},
		{"code", "`$a$` $`b` c\n", "<p><code>$a$</code> $<code>b</code> c</p>\n"},
		{"in emphasis and in a link", "*$a*b$* [$c]d$](e)\n", "<p><em>" + inline("$a*b$") + "</em> <a href=\"e\">" + inline("$c]d$") + "</a></p>\n"},
		{"in a heading", "# The $x_1*a*$ case\n", "<h1 id=\"the-x_1a-case\">The " + inline("$x_1*a*$") + " case</h1>\n"},
		{"in a table", "|a|\n|-|\n|$b_c_d$|\n", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>" + inline("$b_c_d$") + "</td>\n</tr>\n</tbody>\n</table>\n"},
		{"a block", "$$\na_b*c*d_e\n- f < g\n+ h\n= i\n$$\n", display("$$\na_b*c*d_e\n- f &lt; g\n+ h\n= i\n$$")},
		{"a block of one line", "$$a_b*c*d$$\ne\n", display("$$a_b*c*d$$") + "<p>e</p>\n"},
		{"a block in a paragraph", "a\n$$\nb\n$$\nc\n", "<p>a</p>\n" + display("$$\nb\n$$") + "<p>c</p>\n"},
		{"marks at the ends of lines", "$$ a\nb $$\n", display("$$ a\nb $$")},
		{"a block in a quote and in a list", "> $$\n> a\n> $$\n\n- $$\n  b\n  $$\n", "<blockquote>\n" + display("$$\na\n$$") + "</blockquote>\n<ul>\n<li>\n" + display("$$\nb\n$$") + "</li>\n</ul>\n"},
		{"text behind a block", "$$a$$ b\n", "<p><span class=\"math-display\">$$a$$</span> b</p>\n"},
		{"no end before a blank line", "$$\na\n\nb\n$$\n", "<p>$$\na</p>\n<p>b\n$$</p>\n"},
		{"no end", "$$\n*a*\n", "<p>$$\n<em>a</em></p>\n"},
		{"fenced", "```math\na_b<c\n```\n", display("$$\na_b&lt;c\n$$")},
		{"HTML", "$<script>$ $$<b>$$\n", "<p>" + inline("$&lt;script&gt;$") + " <span class=\"math-display\">$$&lt;b&gt;$$</span></p>\n"},
	})
	if got := NewRenderer(Options{}).Heading([]byte("# The $x_1*a*$ case\n")); got != "The x_1*a* case" {
		t.Errorf("the first heading is %q", got)
	}
}

// TestRawHTML: HTML is kept as far as it is safe, shown, or kept as it is written. It ends where its block ends.
func TestRawHTML(t *testing.T) {
	checkRender(t, Options{}, []renderCase{
		{"details", "<details>\n<summary>A</summary>\n\n*b*\n\n- c\n\n</details>\n\nd\n", "<details>\n<summary>A</summary>\n<p><em>b</em></p>\n<ul>\n<li>c</li>\n</ul>\n</details>\n<p>d</p>\n"},
		{"in a line", "Press <kbd>Ctrl</kbd>, H<sub>2</sub>O<br>x <span class=\"a\">*b*</span>\n", "<p>Press <kbd>Ctrl</kbd>, H<sub>2</sub>O<br>x <span class=\"a\"><em>b</em></span></p>\n"},
		{"a table", "<table align=\"center\">\n<tr><td>a</td>\n</table>\n", "<table align=\"center\">\n<tr><td>a</td>\n</tr></table>\n"},
		{"scripts and handlers", "<div onclick=\"x\">\n\na <b>c</b> <script>*d*<b></script>e\n\n</div>\n\n<script>\n\ne\n</script>\n", "<div>\n<p>a <b>c</b> e</p>\n</div>\n\n"},
		{"a script without end", "a <script>b*c*\n\nd</script>\n", "<p>a b<em>c</em></p>\n<p>d</p>\n"},
		{"an icon in a line", "a <svg viewBox=\"0 0 1 1\"><title>b</title><path d=\"M0\"/></svg> c\n", "<p>a  c</p>\n"},
		{"left open", "- <div><b>a\n- b\n\nc <i>d\n\ne\n", "<ul>\n<li>\n<div><b>a\n</b></div></li>\n<li>b</li>\n</ul>\n<p>c <i>d</i></p>\n<p>e</p>\n"},
		{"ends of nothing", "a</div></p></ul>\n\n</section>\n\nb\n", "<p>a</p>\n\n<p>b</p>\n"},
		{"comments", "a <!-- b --> c\n\n<!-- d\n\n<b>\n-->\n\ne\n", "<p>a  c</p>\n\n<p>e</p>\n"},
		{"an unfinished tag", "<div title=\"\n\n*a* \"><script>b</script>\n", "<p><em>a</em> &quot;&gt;</p>\n"},
		{"addresses", "<a href=\"javascript:a\">b</a> <img src=\"x y.png\" onerror=c>\n", "<p><a>b</a> <img src=\"x%20y.png\"></p>\n"},
		{"goldmark's own attributes", "<b>a</b>[^1]\n\n- [x] b\n\n|c|\n|:-:|\n\n[^1]: d\n", "<p><b>a</b><sup id=\"fnref:1\"><a href=\"#fn:1\" class=\"footnote-ref\" role=\"doc-noteref\">1</a></sup></p>\n<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> b</li>\n</ul>\n<table>\n<thead>\n<tr>\n<th style=\"text-align:center\">c</th>\n</tr>\n</thead>\n</table>\n<div class=\"footnotes\" role=\"doc-endnotes\">\n<hr>\n<ol>\n<li id=\"fn:1\">\n<p>d&#160;<a href=\"#fnref:1\" class=\"footnote-backref\" role=\"doc-backlink\">&#x21a9;&#xfe0e;</a></p>\n</li>\n</ol>\n</div>\n"},
		{"in a quote", "> <details>\n> <summary>a</summary>\n>\n> b\n\nc\n", "<blockquote>\n<details>\n<summary>a</summary>\n<p>b</p>\n</details></blockquote>\n<p>c</p>\n"},
	})
	checkRender(t, Options{HTML: EscapedHTML}, []renderCase{
		{"a line", "a <b onclick=\"c\">d</b>\n", "<p>a &lt;b onclick=&quot;c&quot;&gt;d&lt;/b&gt;</p>\n"},
		{"a block", "<div>\n<script>a</script>\n</div>\n\nb\n", "<p>&lt;div&gt;\n&lt;script&gt;a&lt;/script&gt;\n&lt;/div&gt;</p>\n<p>b</p>\n"},
		{"comments", "a <!-- b -->\n\n<!-- c -->\n", "<p>a </p>\n"},
	})
	checkRender(t, Options{HTML: UncheckedHTML}, []renderCase{
		{"as written", "<DIV  onclick='x'>\n<!-- a -->\n\nb <custom-c d>\n", "<DIV  onclick='x'>\n<!-- a -->\n<p>b <custom-c d></p>\n"},
	})
}

// TestRemoved: what is left out of HTML is named, with its first place. A comment is meant to be left out.
func TestRemoved(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\nb <b>c</b> <iframe src=x></iframe>\n": "7:12 iframe", "> <!-- c -->\n>\n>   <div onclick=x style=y>\n": "7:5 onclick= style=", "a\n\n<svg><path d=x></svg>\n<script>\n<b>\n</script>\n": "7:1 svg script",
		"<!-- c -->\n\n<b>\n": "", "a &lt;i&gt; `<iframe>` <https://x.org>\n": "", "```\n<iframe>\n```\n": "", "<" + strings.Repeat("x", 50) + ">\n": "5:1 " + strings.Repeat("x", 30) + "…",
	} {
		out, _ := NewRenderer(Options{}).Render([]byte(text), record.Place{Line: 5, Col: 1}, nil)
		got := ""
		if len(out.Removed) > 0 {
			got = show([]record.Fault{{Place: out.RemovedAt, Message: strings.Join(out.Removed, " ")}})
		}
		if got = strings.Replace(got, ": ", " ", 1); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestLinksToItemsInHTML: a link in HTML gets the id of its item, and one that is dropped keeps its text.
func TestLinksToItemsInHTML(t *testing.T) {
	for text, want := range map[string]string{
		"<a title=t href=item.md>i</a>\n":                        `<p><a title="t" href="/i/" data-content-id="I">i</a></p>`,
		"<a data-content-id=other href=item.md>i</a>\n":          `<p><a href="/i/" data-content-id="I">i</a></p>`,
		"<div>\n<a href=' item.md '>*i*</a>\n</div>\n":           "<div>\n<a href=\"/i/\" data-content-id=\"I\">*i*</a>\n</div>",
		"<a href=hidden.md class=c>h</a> <a href=x.md>x</a>\n":   `<p><a class="c">h</a> <a href="x.md">x</a></p>`,
		"<a href=item.md onclick=a()>i</a>\n":                    `<p><a href="/i/" data-content-id="I">i</a></p>`,
		"<img src=item.md> <a href=item.md href=item.md>i</a>\n": `<p><img src="/i/"> <a href="/i/" data-content-id="I">i</a></p>`,
	} {
		out, _ := NewRenderer(Options{}).Render([]byte(text), start, func(d string, image bool, _ func() record.Place) (Destination, error) {
			switch {
			case d == "item.md" && image:
				return Destination{URL: "/i/"}, nil
			case d == "item.md":
				return Destination{URL: "/i/", Item: "I"}, nil
			}
			return Destination{URL: d, Drop: d == "hidden.md"}, nil
		})
		if got := strings.TrimSpace(string(out.Text)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestRewriteHTML: addresses in HTML are rewritten as those of Markdown are, with their places.
func TestRewriteHTML(t *testing.T) {
	const text = "a <img alt=x src=\"./a b.png\"> <a href='c.md'>d</a> [e](f)\n\n> <p>\n> <img\n> src=gone.png>\n> <video src=v.mp4></video>\n"
	for mode, want := range map[RawHTML]string{
		SafeHTML:      "<p>a <img alt=\"x\" src=\"/m/1?\"> <a href=\"c.md\">d</a> <a href=\"f\">e</a></p>\n<blockquote>\n<p>\n<img src=\"gone.png\">\n\n</p></blockquote>\n|./a b.png true 1:19|c.md false 1:40|f false 1:56|gone.png true 5:7",
		UncheckedHTML: "<p>a <img alt=\"x\" src=\"/m/1?\"> <a href='c.md'>d</a> <a href=\"f\">e</a></p>\n<blockquote>\n<p>\n<img\nsrc=gone.png>\n<video src=\"/m/1?\"></video>\n</blockquote>\n|./a b.png true 1:19|c.md false 1:40|f false 1:56|gone.png true 5:7|v.mp4 true 6:14",
	} {
		var seen []string
		out, faults := NewRenderer(Options{HTML: mode}).Render([]byte(text), start, func(d string, image bool, at func() record.Place) (Destination, error) {
			seen = append(seen, strings.ReplaceAll(show([]record.Fault{{Place: at()}}), ": ", ""))
			seen[len(seen)-1] = d + " " + map[bool]string{true: "true", false: "false"}[image] + " " + seen[len(seen)-1]
			switch d {
			case "gone.png":
				return Destination{}, &Refusal{"there is no file gone.png", ""}
			case "./a b.png", "v.mp4":
				return Destination{URL: "/m/1?"}, nil
			}
			return Destination{URL: d}, nil
		})
		if got := string(out.Text) + "|" + strings.Join(seen, "|"); got != want {
			t.Errorf("%s\n got %q\nwant %q", mode, got, want)
		}
		if got := show(faults); got != "5:7: there is no file gone.png" {
			t.Error(got)
		}
	}
}
