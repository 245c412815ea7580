package plaintext

import (
	"strings"
	"testing"
	"time"

	"contentedge/generator/jsontree"
)

// TestPlaintext shows the text of each form: a line a block, white space as one space.
func TestPlaintext(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		format     Format
		want       string
	}{
		{"HTML has a line for each block", `"<h1>A  title</h1><p>One<br>two &amp; <b>th</b>ree&nbsp;four</p>\n<ul><li>x<li>y</ul>"`, HTML, "A title|One|two & three four|x|y"},
		{"scripts and styles are no text", `"<p>a</p><script>var x = '<p>'</script><style>p{}</style><!-- c --><p>b</p>"`, HTML, "a|b"},
		{"the words of a row share a line", `"<table><tr><td>1<td>2</tr><tr><th>3</th><td>4</td></tr></table>"`, HTML, "1 2|3 4"},
		{"preformatted text keeps its lines", `"<pre>a\n  b</pre>\n<p>c\nd</p>"`, HTML, "a|b|c d"},
		{"a soft hyphen divides no word", `"<p>Donau&shy;dampf</p>"`, HTML, "Donaudampf"},
		{"text that names a tag is no HTML", `"use <b> for bold"`, None, ""},
		{"nor is Markdown", `"# a\n\n<em>b</em> c"`, None, ""},
		{"nor a text with an unknown tag", `"<3 <3>"`, None, ""},
		{"Contentful", `{"nodeType":"document","data":{},"content":[
			{"nodeType":"heading-1","content":[{"nodeType":"text","value":"T"}]},
			{"nodeType":"paragraph","content":[{"nodeType":"text","value":"a "},{"nodeType":"hyperlink","data":{"uri":"https://x"},"content":[{"nodeType":"text","value":"link"}]},{"nodeType":"text","value":".\nb"}]},
			{"nodeType":"embedded-entry-block","data":{"target":{}},"content":[]},
			{"nodeType":"unordered-list","content":[{"nodeType":"list-item","content":[{"nodeType":"paragraph","content":[{"nodeType":"text","value":"i"}]}]}]}]}`, Contentful, "T|a link.|b|i"},
		{"portable text, with blocks in objects", `[{"_type":"block","children":[{"text":"a "},{"text":"b"}],"markDefs":[]},{"_type":"image","alt":"no"},
			{"_type":"box","body":[{"_type":"block","children":[{"text":"c"}]}]}]`, PortableText, "a b|c"},
		{"Strapi blocks", `[{"type":"paragraph","children":[{"type":"text","text":"a"},{"type":"link","url":"u","children":[{"type":"text","text":"b"}]}]},
			{"type":"list","format":"ordered","children":[{"type":"list-item","children":[{"type":"text","text":"c"}]},{"type":"list-item","children":[{"type":"text","text":"d"}]}]}]`, StrapiBlocks, "ab|c|d"},
		{"an array of other objects is none", `[{"type":"paragraph","children":[]},{"id":1}]`, None, ""},
		{"Lexical, also in a string", `"{\"root\":{\"type\":\"root\",\"children\":[{\"type\":\"paragraph\",\"children\":[{\"type\":\"extended-text\",\"text\":\"a\"},{\"type\":\"linebreak\"},{\"type\":\"link\",\"children\":[{\"text\":\"b\"}]}]},{\"type\":\"html\",\"html\":\"<p>c</p>\"}]}}"`, Lexical, "a|b|c"},
		{"mobiledoc", `{"version":"0.3.1","markups":[],"atoms":[["soft-return","",{}]],"cards":[["markdown",{"markdown":"# x\ny"}]],
			"sections":[[1,"p",[[0,[],0,"a"],[1,[],0,0],[0,[],0,"b"]]],[3,"ul",[[[0,[],0,"c"]],[[0,[],0,"d"]]]],[10,0],[10,0]]}`, Mobiledoc, "a|b|c|d|# x|y"},
		{"ProseMirror", `{"type":"doc","content":[{"type":"heading","attrs":{"level":1},"content":[{"type":"text","text":"T"}]},
			{"type":"bullet_list","content":[{"type":"list_item","content":[{"type":"paragraph","content":[{"type":"text","text":"a "},{"type":"text","text":"b","marks":[{"type":"bold"}]},{"type":"hard_break"},{"type":"text","text":"c"}]}]}]},{"type":"paragraph"}]}`, ProseMirror, "T|a b|c"},
		{"Slate in an object", `{"children":[{"type":"heading-one","children":[{"text":"T"}]},{"type":"paragraph","children":[{"text":"a "},{"type":"link","href":"u","children":[{"text":"b","bold":true}]},{"text":"."}]}]}`, Slate, "T|a b."},
		{"Slate in an array, without types", `[{"children":[{"text":"a"}]},{"type":"ul","children":[{"type":"li","children":[{"text":"b"}]}]}]`, Slate, "a|b"},
		{"a tree without texts is none", `[{"title":"x","children":[{"title":"y","children":[]}]}]`, None, ""},
		{"a page with children is none", `{"title":"x","slug":"y","children":[{"text":"z"}]}`, None, ""},
		{"Prismic", `[{"type":"heading1","text":"T","spans":[]},{"type":"image","url":"u","alt":"no"},{"type":"paragraph","text":"a\nb","spans":[{"start":0,"end":1,"type":"strong"}]}]`, Prismic, "T|a|b"},
		{"Notion", `[{"type":"text","text":{"content":"a "},"annotations":{"bold":true},"plain_text":"a "},{"type":"mention","annotations":{},"plain_text":"b\nc"}]`, Notion, "a b|c"},
		{"a number is none", `1`, None, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, format := ofJSON([]byte(tt.json))
			if got := strings.ReplaceAll(text, "\n", "|"); got != tt.want || format != tt.format {
				t.Errorf("%q of %q, want %q of %q", got, format, tt.want, tt.format)
			}
		})
	}
}

// TestOddShapes: a value of another shape has no text, and nothing fails.
func TestOddShapes(t *testing.T) {
	for _, json := range []string{`null`, `{}`, `[]`, `[[]]`, `"x"`, `7`, `{"root":1,"sections":[[10,5],[10,-1],[1],[3,"ul",7],7,[1,"p",[[1,[],0,9],[]]]],"nodeType":1,"content":[1,null]}`} {
		v, err := jsontree.Parse([]byte(json))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []Format{None, HTML, Contentful, PortableText, StrapiBlocks, Lexical, Mobiledoc, ProseMirror, Slate, Prismic, Notion} {
			_ = As(f, v)
			_ = As(f, nil)
		}
	}
}

// TestHostileText: long texts of odd forms take time in proportion, and no text is too long.
func TestHostileText(t *testing.T) {
	const n = 2 << 20
	long := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, text := range map[string]string{
		"open tags": long("<a "), "nested blocks": long("<div>"), "comments": long("<!--"), "entities": long("&amp"), "open entities": long("&"), "attributes": "<p " + long("a=1 "),
		"other attributes": "<p " + long("a") + ">", "scripts": long("<script></"), "ends": long("</"), "spaces": long(" \u00a0"), "doctype": long("<!DOCTYPE"), "zero": long("\x00"), "invalid": long("\xff<p>"),
	} {
		start := time.Now()
		got := FromHTML("<p>" + text)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %s", name, took)
		}
		if len(got) > MaxText {
			t.Errorf("%s: %d bytes of text", name, len(got))
		}
	}
	if got := FromHTML(strings.Repeat("long text ", MaxText/5)); len(got) > MaxText || len(got) < MaxText-20 {
		t.Errorf("%d bytes", len(got))
	}
	// A card is used once, whoever names it again.
	card := `{"version":"0.3.1","cards":[["html",{"html":"` + long("<p>x</p>") + `"}]],"sections":[[10,0]` + strings.Repeat(`,[10,0]`, 100_000) + `]}`
	if got, f := ofJSON([]byte(card)); f != Mobiledoc || len(got) > n {
		t.Errorf("%q, %d bytes", f, len(got))
	}
}

func FuzzPlaintext(f *testing.F) {
	for _, seed := range []string{
		`"<p>a</p>"`, `{"nodeType":"document","content":[{"nodeType":"text","value":"a"}]}`, `[{"_type":"block","children":[{"text":"a"}]}]`, `[{"type":"list","children":[{"text":"a"}]}]`,
		`{"root":{"type":"root","children":[{"text":"a"}]}}`, `"{\"root\":{\"type\":\"root\",\"children\":[]}}"`, `{"version":"0.3.1","sections":[[1,"p",[[0,[],0,"a"]]],[10,0]],"cards":[["html",{"html":"<b>"}]]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		plain, format := ofJSON(text)
		if format == None && plain != "" {
			t.Fatalf("%q is the text of no form", plain)
		}
		for line := range strings.SplitSeq(plain, "\n") {
			if plain != "" && (line == "" || line != strings.Join(strings.Fields(line), " ")) {
				t.Fatalf("%q is a line of %q", line, plain)
			}
		}
		_ = FromHTML(string(text))
	})
}

// ofJSON is Of for a value as JSON text. A text that is no JSON has no form.
func ofJSON(text []byte) (string, Format) {
	v, err := jsontree.Parse(text)
	if err != nil {
		return "", None
	}
	return Of(v)
}
