package safehtml

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// TestSafeHTML: what is allowed stays, and what is not allowed goes, with its content or without it.
func TestSafeHTML(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"what authors write", `<details open><summary>A</summary><kbd>b</kbd> H<sub>2</sub>O <img src="a.png" alt="A" width="3" align="right"></details>`, `<details open=""><summary>A</summary><kbd>b</kbd> H<sub>2</sub>O <img src="a.png" alt="A" width="3" align="right"></details>`},
		{"class, id and name", `<div class="card big" id="x" title="t" lang="de" dir="rtl"><a name="old" href="/x?a=1&amp;b=2#c">y</a></div>`, `<div class="card big" id="x" title="t" lang="de" dir="rtl"><a name="old" href="/x?a=1&amp;b=2#c">y</a></div>`},
		{"tables", `<table><colgroup><col span="2"></colgroup><tr><th scope="row" colspan="2">a<td rowspan=2 bgcolor=red>b</table>`, `<table><colgroup><col span="2"></colgroup><tr><th scope="row" colspan="2">a<td rowspan="2">b</table>`},
		{"scripts", `a<script>b</script><script src="//x.example/a.js"></script><SCRIPT/XSS SRC="x"></SCRIPT>c`, `ac`},
		{"handlers", `<img src=x onerror=alert(1)><p onclick="a()" ONMOUSEOVER=b>c</p><details ontoggle=d open>`, `<img src="x"><p>c</p><details open="">`},
		{"addresses", `<a href="javascript:a()">1</a><a href=" &#106;avascript:a()">2</a><a href="java&#9;script:a()">3</a><a href="vbscript:a">4</a><a href="data:text/html,x">5</a><a href="JaVaScRiPt:a">6</a><a href="file:///etc">7</a>`, `<a>1</a><a>2</a><a>3</a><a>4</a><a>5</a><a>6</a><a>7</a>`},
		{"images in data", `<img src="data:image/svg+xml;base64,AAAA"><img src="data:text/html;base64,AAAA"><img src="javascript:a()"><img srcset="x 2x">`, `<img><img><img><img>`},
		{"styles", `<style>@import "x";</style><p style="background:url(javascript:a)">b</p><link rel=stylesheet href=x>`, `<p>b</p>`},
		{"other languages", `<svg><script>a</script><a xlink:href="javascript:b">c</a></svg><math><mtext><table><mglyph><style><img src=x onerror=y></style></table></mtext></math>d`, `d`},
		{"raw text", `<noscript><p title="</noscript><img src=x onerror=y>">a</noscript><textarea><b></textarea><title><i></title><xmp><b></xmp>`, `<img src="x">&#34;&gt;a`},
		{"frames and forms", `<iframe srcdoc="<script>a</script>"></iframe><form action=x><input name=y><button formaction="javascript:z">b</button></form><object data=x>c</object><embed src=x><base href=x><meta http-equiv=refresh content="0;url=x">`, `b`},
		{"comments", `a<!-- b --><!--> <script>c</script> -->d<!-- e`, `a  --&gt;d`},
		{"an unfinished tag", `a<b title="`, `a`},
		{"elements without a meaning", `<x-y>a</x-y><font color=red>b</font><center>c</center>`, `abc`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Clean([]byte(tt.text))); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestBalance: elements end where browsers end them, and nothing else ends.
func TestBalance(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"balanced", `<p>a <b>b</b> &amp; c<br></p>`, `<p>a <b>b</b> &amp; c<br></p>`},
		{"open", `<div><p>a<b>b`, `<div><p>a<b>b</b></p></div>`},
		{"ends of nothing", `a</div></p></li>b`, `ab`},
		{"crossed", `<p><b>a<i>b</p>c</b></i>`, `<p><b>a<i>b</i></b></p>c`},
		{"a block in a paragraph", `<p>a<div>b</div></p>`, `<p>a</p><div>b</div>`},
		{"items", `<ul><li>a<li>b<ul><li>c</ul><li>d</ul>`, `<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>`},
		{"terms", `<dl><dt>a<dd>b<dd>c<dt>d</dl>`, `<dl><dt>a</dt><dd>b</dd><dd>c</dd><dt>d</dt></dl>`},
		{"cells", `<table><tr><td>a<td>b<tr><th>c</table>`, `<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>`},
		{"sections", `<table><caption>a<thead><tr><td>b<tbody><tr><td>c</table>d`, `<table><caption>a</caption><thead><tr><td>b</td></tr></thead><tbody><tr><td>c</td></tr></tbody></table>d`},
		{"items without a list", `<li>a</li><dd>b</dd>`, `ab`},
		{"cells without a table", `</td></tr><td>a</td><tr>b`, `ab`},
		{"links in links", `<a href="x">a<a href="y">b</a></a>`, `<a href="x">a</a><a href="y">b</a>`},
		{"headings in headings", `<h1>a<h2>b</h2></h1>`, `<h1>a</h1><h2>b</h2>`},
		{"tags that end themselves", `<a name="x"/>b<br/><div />c`, `<a name="x"></a>b<br/><div></div>c`},
		{"an end across a cell", `<div><table><tr><td></div>a</table>b</div>`, `<div><table><tr><td>a</td></tr></table>b</div>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Balance([]byte(tt.text))); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// pages are pages around a text. What follows the text has to stay where it is.
var pages = []string{`<div>%</div>`, `<ul><li><div>%</div></li></ul>`, `<dl><dd><div>%</div></dd></dl>`, `<table><tr><td><div>%</div></td></tr></table>`, `<section><article>%</article></section>`}

// FuzzClean: a browser finds only what is allowed in the HTML, and the page around it keeps its structure.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{
		`<details><summary>a</summary>b`, `<img src=x onerror=alert(1)>`, `<svg><p><style><g title="</style><img src onerror=alert(1)>">`, `<math><mi//xlink:href="data:x,<script>">`,
		`<noscript><p title="</noscript><img src=x onerror=y>">`, `<form><math><mtext></form><form><mglyph><style></math><img src onerror=a>`, `<table><td><p></table>`, `<li><dd><td>`, `</div></div><script>`,
		`<a href="jav&#x09;ascript:a">`, `<!--><script>a</script>-->`, `<b><p><b><p></b>x`, `<a><table><a>`, `<plaintext><b>`, `<p/><div/ id=x>`, "<a\x00b href=x>", `<h1><div><h2><ul><li><h3><li>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := string(Balance(Clean([]byte(text))))
		for _, page := range pages {
			checkPage(t, page, clean)
		}
		if again := string(Balance([]byte(clean))); again != clean {
			t.Errorf("%q is balanced to %q", clean, again)
		}
	})
}

// checkPage parses a text in a page as a browser does.
func checkPage(t *testing.T, page, text string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(`<!doctype html><body><main>` + strings.Replace(page, "%", `<i id="start"></i>`+text+`<i id="end"></i>`, 1) + `</main>`))
	if err != nil {
		return // deeper than the parser goes
	}
	var start, end *html.Node
	inside := false
	for node := range doc.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		switch id := attribute(node, "id"); {
		case node.Data == "i" && id == "start" && start == nil:
			start, inside = node, true
		case node.Data == "i" && id == "end":
			end = node
		case inside && end == nil:
			checkAllowed(t, node, text)
		}
	}
	if start == nil || end == nil || start.Parent != end.Parent {
		t.Errorf("%q leaves the page %q", text, page)
	}
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func checkAllowed(t *testing.T, node *html.Node, text string) {
	t.Helper()
	if !Allows(node.DataAtom) || node.Namespace != "" {
		t.Errorf("<%s> in %q", node.Data, text)
	}
	for _, a := range node.Attr {
		value := strings.ToLower(strings.Map(func(r rune) rune {
			if r <= ' ' {
				return -1
			}
			return r
		}, a.Val))
		switch scheme, _, ok := strings.Cut(value, ":"); {
		case !AllowsAttribute(node.DataAtom, a.Key):
			t.Errorf("%s in %q", a.Key, text)
		case (a.Key == "href" || a.Key == "src") && ok && !strings.ContainsAny(scheme, "/?#") && !slices.Contains(Schemes, scheme) && !ImageData.MatchString(value):
			t.Errorf("an address %q in %q", a.Val, text)
		}
	}
}

// TestHostile: the work grows with the length of the text.
func TestHostile(t *testing.T) {
	const n = 1 << 20
	long := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, text := range map[string]string{
		"nested": long("<div>"), "nested in a paragraph": strings.Repeat("<b>", MaxOpen-1) + long("<hr>"), "headings": "<h1><div>" + strings.Repeat("<b>", MaxOpen-3) + long("<h2>"),
		"items": "<ul><li>" + strings.Repeat("<b>", MaxOpen-3) + "<ul>" + long("<li>"), "items of nothing": strings.Repeat("<b>", MaxOpen) + long("<li>"), "ends": strings.Repeat("<b>", MaxOpen) + long("</i>"), "paragraphs": long("<p>"), "links": long("<a>"),
		"tables": long("<table>"), "cells": "<table>" + long("<td>"), "half tags": long("<p "), "attributes": "<p " + long("id=1 ") + ">", "comments": long("<!--"), "entities": long("&"), "skipped": long("<svg>"),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			out := Balance(Clean([]byte(text)))
			if took := time.Since(start); took > 3*time.Second || len(out) > 20*n {
				t.Errorf("%s, %d bytes", took, len(out))
			}
			t.Log(time.Since(start), len(out))
		})
	}
}
