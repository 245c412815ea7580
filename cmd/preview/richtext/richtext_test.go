package richtext

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	tokens "golang.org/x/net/html"

	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/safehtml"
)

func parse(t testing.TB, text string) *jsontree.Value {
	t.Helper()
	v, err := jsontree.Parse([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

// TestRichtext shows the HTML of each form.
func TestRichtext(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"HTML keeps what is allowed", `"<h1 class=x onclick=y>A</h1><p style=\"color:red\">b <em>c</em><br>d</p>"`, `<h1>A</h1><p>b <em>c</em><br>d</p>`},
		{"other elements leave their text", `"<p><font>a</font><center>b</center><x-y>c</x-y></p>"`, `<p>abc</p>`},
		{"scripts and forms are gone", `"<p>a<script>b</script><style>c</style><svg><svg>d</svg>e</svg><template>f</template><select><option>g</select>h</p>"`, `<p>ah</p>`},
		{"frames and films are named", `"<p><iframe src=https://v.example/1><p>x</p></iframe><video src=a.mp4>b</video><embed src=c>d</p>"`,
			`<p><span class="note">[iframe https://v.example/1]</span><span class="note">[video a.mp4]</span><span class="note">[embed c]</span>d</p>`},
		{"links open a new tab", `"<p><a href=https://a.example/?x=1&amp;y=2 target=_top ping=z>a</a><a href=' JavaScript:b()'>b</a><a href=#n>c</a><a href=/about>d</a><a href=mailto:x@y.z>e</a><a href=data:text/html,x>f</a></p>"`,
			`<p><a href="https://a.example/?x=1&amp;y=2" target="_blank" rel="noreferrer noopener">a</a><a>b</a><a href="#n" target="_self">c</a><a title="/about">d</a><a href="mailto:x@y.z" target="_blank" rel="noreferrer noopener">e</a><a>f</a></p>`},
		{"images of the release stay, others are named", `"<p><img src=/cda/media/site/0123456789abcdef0123456789abcdef/a.png alt='A \"b\"' onerror=x width=3><img src=https://i.example/b.png alt=B><img src=b/c.png><img src=data:image/png;base64,AA><img src='data:image/svg+xml,<svg>'></p>"`,
			`<p><img src="/cda/media/site/0123456789abcdef0123456789abcdef/a.png" alt="A &#34;b&#34;" width="3" loading="lazy"><span class="note">[image B (i.example)]</span><span class="note">[image (b/c.png)]</span><img src="data:image/png;base64,AA" alt="" loading="lazy"><span class="note">[image (data:image/svg+xml,&lt;svg&gt;)]</span></p>`},
		{"elements are closed", `"<ul><li>a<b>b</ul></p>c<i>d</div>"`, `<ul><li>a<b>b</b></li></ul>c<i>d</i>`},
		{"text stays text", `"<p>1 &lt; 2 &amp;amp; 3 > 2</p>"`, `<p>1 &lt; 2 &amp;amp; 3 &gt; 2</p>`},
		{"Contentful", `{"nodeType":"document","content":[
			{"nodeType":"heading-2","content":[{"nodeType":"text","value":"T<b>","marks":[{"type":"bold"},{"type":"bold"},{"type":"x"}]}]},
			{"nodeType":"paragraph","content":[{"nodeType":"text","value":"a\nb"},{"nodeType":"hyperlink","data":{"uri":"https://x.example"},"content":[{"nodeType":"text","value":"c"}]}]},
			{"nodeType":"hr"},{"nodeType":"embedded-asset-block","data":{"target":{"MediaUrl":"https://i.example/p.png","AltText":"P"}}},
			{"nodeType":"embedded-entry-block","data":{"target":{"ContentIDs":["Content_1"]}}},
			{"nodeType":"new","content":[{"nodeType":"ordered-list","content":[{"nodeType":"list-item","content":[{"nodeType":"paragraph","content":[]}]}]}]}]}`,
			`<h2><strong>T&lt;b&gt;</strong></h2><p>a<br>b<a href="https://x.example" target="_blank" rel="noreferrer noopener">c</a></p><hr><figure><span class="note">[image P (i.example)]</span></figure><p><span class="note">[entry Content_1]</span></p><ol><li><p></p></li></ol>`},
		{"portable text", `[{"_type":"block","style":"h1","children":[{"text":"T"}]},
			{"_type":"block","markDefs":[{"_key":"k","_type":"link","href":"https://x.example"}],"children":[{"text":"a","marks":["strong","k","em","?"]},{"_type":"emoji"}]},
			{"_type":"block","listItem":"bullet","level":1,"children":[{"text":"1"}]},{"_type":"block","listItem":"number","level":2,"children":[{"text":"1a"}]},{"_type":"block","listItem":"number","level":1,"children":[{"text":"2"}]},
			{"_type":"image","asset":{"MediaUrl":"https://i.example/p.png"}},{"_type":"box","n":1}]`,
			`<h1>T</h1><p><a href="https://x.example" target="_blank" rel="noreferrer noopener"><strong><em>a</em></strong></a><span class="note">[emoji]</span></p><ul><li>1</li><ol><li>1a</li></ol></ul><ol><li>2</li></ol><p><span class="note">[image (i.example)]</span></p><p><span class="note">[box]</span></p>`},
		{"Strapi blocks", `[{"type":"heading","level":2,"children":[{"text":"T","bold":true,"code":true}]},{"type":"list","format":"ordered","children":[{"type":"list-item","children":[{"text":"i"},{"type":"link","url":"https://x.example","children":[{"text":"l"}]}]}]},
			{"type":"quote","children":[{"text":"q"}]},{"type":"code","children":[{"text":"<x>"}]},{"type":"image","image":{"url":"/uploads/a.png","alternativeText":"A"},"children":[]},{"type":"paragraph","children":[{"text":"a\nb"}]}]`,
			`<h2><strong><code>T</code></strong></h2><ol><li>i<a href="https://x.example" target="_blank" rel="noreferrer noopener">l</a></li></ol><blockquote>q</blockquote><pre><code>&lt;x&gt;</code></pre><figure><span class="note">[image A (/uploads/a.png)]</span></figure><p>a<br>b</p>`},
		{"others as plain text", `{"root":{"type":"root","children":[{"type":"paragraph","children":[{"text":"a <b>"}]},{"type":"paragraph","children":[{"text":"c"}]}]}}`, `<p>a &lt;b&gt;</p><p>c</p>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := parse(t, tt.json)
			page, err := Render(plaintext.FormatOf(v), v, false)
			if err != nil || page.HTML != tt.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, page.HTML, tt.want)
			}
		})
	}
}

// A string is Markdown only where somebody says so. Bounds of package markdown are errors here.
func TestMarkdown(t *testing.T) {
	v := jsontree.String("# T\n\na *b* <script>c</script>\n\n![d](https://i.example/e.png) [f](javascript:g)")
	page, err := Render(Markdown, v, false)
	const want = `<h1 id="t">T</h1>` + "\n" + `<p>a <em>b</em> </p>` + "\n" + `<p><span class="note">[image d (i.example)]</span> <a>f</a></p>` + "\n"
	if err != nil || page.HTML != want || plaintext.FormatOf(v) != plaintext.None {
		t.Errorf("%v\ngot  %s\nwant %s", err, page.HTML, want)
	}
	if _, err := Render(Markdown, jsontree.String("|a"+strings.Repeat("|a", 4000)+"|\n|-"+strings.Repeat("|-", 4000)+"|\n"+strings.Repeat("|\n", 4000)), false); err == nil || !strings.Contains(err.Error(), "the text cannot be shown") {
		t.Errorf("a table without end: %v", err)
	}
}

// With images, those of other hosts are kept; without, they are counted.
func TestImages(t *testing.T) {
	v := parse(t, `"<p><img src=//i.example/a.png><img src=http://j.example/b.png><img src=https://i.example/c.png><img src=ftp://k.example/d.png></p>"`)
	page, _ := Render(plaintext.HTML, v, false)
	if page.Images != 3 || fmt.Sprint(page.Hosts) != "[i.example j.example]" || strings.Contains(page.HTML, "<img") {
		t.Errorf("%+v", page)
	}
	page, _ = Render(plaintext.HTML, v, true)
	if page.Images != 0 || strings.Count(page.HTML, "<img") != 3 || !strings.Contains(page.HTML, `src="https://i.example/a.png"`) {
		t.Errorf("%+v", page)
	}
	page, _ = Render(Medium, parse(t, `{"MediaUrl":"https://i.example/a.png","AltText":"<A>"}`), true)
	if page.HTML != `<img src="https://i.example/a.png" alt="&lt;A&gt;" loading="lazy">` {
		t.Errorf("%+v", page)
	}
}

func TestFind(t *testing.T) {
	item := parse(t, `{"Name":"<p>x</p>","Data":{"html":"<p>one</p>","a/b~c":[{"doc":{"nodeType":"document","content":[]}}],"md":"# Title\n\ntext","plain":"one\ntwo","n":1,
		"blocks":[{"_type":"block","children":[{"text":"`+strings.Repeat("word ", 100)+`"}]}],"md2":"one line with **bold**"}}`)
	var got []string
	for _, text := range Find(item) {
		got = append(got, fmt.Sprint(text))
		if At(item, text.Pointer) == nil {
			t.Errorf("nothing at %s", text.Pointer)
		}
	}
	want := []string{"{/Name HTML 1}", "{/Data/html HTML 1}", "{/Data/a~1b~0c/0/doc Contentful rich text 1}", "{/Data/md Markdown 3}", "{/Data/blocks portable text 6}"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, pointer := range []string{"Data", "/Data/none", "/Data/a~1b~0c/1", "/Data/a~1b~0c/00", "/Data/a~1b~0c/-1", "/Data/html/x", "/Data/html/0"} {
		if At(item, pointer) != nil {
			t.Errorf("something at %s", pointer)
		}
	}
	if n := len(Find(parse(t, "["+strings.Repeat(`"<p>x</p>",`, maxTexts*2)+"1]"))); n != maxTexts {
		t.Errorf("%d texts", n)
	}
}

// TestHostile: long texts of odd forms take time in proportion, and elements are never open without bound.
func TestHostile(t *testing.T) {
	const n = 900_000
	long := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, text := range map[string]string{
		"nested": long("<div>"), "nested and closed": long("<b></b>"), "ends": long("</p>"), "open and other ends": long("<b>") + long("</i>"), "half tags": long("<p "), "attributes": "<p " + long("id=1 ") + ">",
		"dropped": long("<svg>"), "comments": long("<!--"), "entities": long("&"), "images": long("<img src=//a.example>"), "hosts": long("<img src=//a") + ">", "links": long("<a href=//a>"), "quotes": long(`"`), "notes": long("<embed src=x>"),
	} {
		start := time.Now()
		page, err := Render(plaintext.HTML, jsontree.String("<p>"+text), false)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %s", name, took)
		}
		if len(page.HTML) > 8*n || len(page.Hosts) > maxHosts {
			t.Errorf("%s: %d bytes, %d hosts, %v", name, len(page.HTML), len(page.Hosts), err)
		}
	}
	if _, err := Render(plaintext.HTML, jsontree.String(strings.Repeat("a", MaxText)), false); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a long text: %v", err)
	}
	blocks := "[" + strings.TrimSuffix(strings.Repeat(`{"_type":"block","listItem":"x","level":1000000000,"children":[{"text":"a"}]},`, 10_000), ",") + "]"
	if page, err := Render(plaintext.PortableText, parse(t, blocks), false); err != nil || strings.Count(page.HTML, "<ul>") != maxListLevel {
		t.Errorf("levels: %v, %d", err, strings.Count(page.HTML, "<ul>"))
	}
}

// FuzzRender: whatever the value, its HTML has no element, attribute or address that is not allowed.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		`"<p onclick=x>a<img src=x onerror=y></p>"`, `"<a href=javascript:x>"`, `{"nodeType":"document","content":[{"nodeType":"hyperlink","data":{"uri":"javascript:x"},"content":[{"nodeType":"text","value":"<b>"}]}]}`,
		`[{"_type":"block","style":"h1","listItem":"bullet","level":3,"children":[{"text":"a","marks":["strong"]}]}]`, `[{"type":"heading","level":9,"children":[{"text":"a","bold":true}]}]`, `"<svg><script>a</script></svg><math><mi//xlink:href='data:x,<script>'>"`,
		`"<noscript><p title='</noscript><img src=x onerror=y>'>"`, `"<xmp><b></xmp><plaintext><script>"`, `"<table><td><p></table><img src='data:image/png,x'>"`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, images bool) {
		v, err := jsontree.Parse(text)
		if err != nil {
			return
		}
		for _, format := range []plaintext.Format{plaintext.HTML, plaintext.Contentful, plaintext.PortableText, plaintext.StrapiBlocks, plaintext.Lexical, plaintext.Mobiledoc, plaintext.ProseMirror, plaintext.Slate, plaintext.Prismic, plaintext.Notion, Medium, Markdown} {
			page, err := Render(format, v, images)
			if err == nil {
				checkSafe(t, page.HTML, images)
			}
		}
		for _, found := range Find(v) {
			if At(v, found.Pointer) == nil {
				t.Fatalf("nothing at %s", found.Pointer)
			}
		}
	})
}

// checkSafe parses HTML as a browser does, and fails for what is not allowed.
func checkSafe(t *testing.T, text string, images bool) {
	doc, err := tokens.Parse(strings.NewReader("<!doctype html><body>" + text))
	if err != nil {
		return // deeper than the parser goes
	}
	for node := range doc.Descendants() {
		if node.Type != tokens.ElementNode || slices.Contains([]string{"html", "head", "body"}, node.Data) {
			continue
		}
		if !safehtml.Allows(node.DataAtom) || node.Namespace != "" {
			t.Fatalf("<%s> in %q", node.Data, text)
		}
		for _, a := range node.Attr {
			u, err := url.Parse(a.Val)
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcset":
				t.Fatalf("%s in %q", a.Key, text)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !isMedia(a.Val) && (err != nil || !slices.Contains(safehtml.Schemes, u.Scheme)):
				t.Fatalf("a link to %q in %q", a.Val, text)
			case a.Key == "src" && !isMedia(a.Val) && !safehtml.ImageData.MatchString(a.Val) && (!images || err != nil || u.Host == ""):
				t.Fatalf("an image of %q in %q", a.Val, text)
			}
		}
	}
}
