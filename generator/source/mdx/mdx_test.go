package mdx

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestMDX: what is Markdown stays in its lines, and what only a framework can write is left out.
func TestMDX(t *testing.T) {
	for _, tt := range []struct{ name, text, want, names string }{
		{"Markdown", "# A\n\nb *c* `d` <kbd>e</kbd>\n", "# A\n\nb *c* `d` <kbd>e</kbd>\n", ""},
		{"statements", "import A from '@b/c';\nimport {\n  D,\n} from 'e';\nexport const x = {\n\n  y: `}`,\n};\n\n# T\n\nimport the data\n", "\n\n\n\n\n\n\n\n\n# T\n\nimport the data\n", ""},
		{"statements in the text", "a\nimport A from 'b'\n\nexport default function F() {\n  return <p>it's</p>\n}\n\nexport it\n", "a\nimport A from 'b'\n\n\n\n\n\nexport it\n", ""},
		{"a component with text", "<Note type=\"a>b\" on={() => {x}}>\n\n*b*\n\n</Note>\nc\n", "\n\n*b*\n\n\nc\n", "Note"},
		{"indented text", "<Tabs>\n  <TabItem value=\"a\"\n    label='b'>\n    c\n\n    - d\n      - e\n\n    ```js\n    <F a={b}>\n      {g}\n    ```\n  </TabItem>\n</Tabs>\n\n    h\n", "\n\n\nc\n\n- d\n  - e\n\n```js\n<F a={b}>\n  {g}\n```\n\n\n\n    h\n", "Tabs TabItem"},
		{"in a line", "a <Badge text={`x`}/> b <Foo.bar>c</Foo.bar> <motion.div d /> <>e</>\n", "a  b c  e\n", "Badge Foo.bar motion.div"},
		{"expressions", "a {b.c} {/* d */} {'}'} {`${\"}\"}`}\n{\n  e\n}\nf\n", "a    \n\n\n\nf\n", Expression},
		{"code", "`<A>{b}` ``c`{d}`` `e {f}\n\n~~~\nimport x\n<A>\n~~~\n\n```jsx {1,3}\n{a}\n```\n", "`<A>{b}` ``c`{d}`` `e \n\n~~~\nimport x\n<A>\n~~~\n\n```jsx {1,3}\n{a}\n```\n", Expression},
		{"attributes of headings", "## A {#a-b}\n\n## B {: .c}\n", "## A {#a-b}\n\n## B {: .c}\n", ""},
		{"HTML", "<div className=\"a\" style={{b: '>'}} {...c} onClick={d}>e</div> <https://f.g> <a@b.c> 1 < 2 <3\n", "<div class=\"a\" >e</div> <https://f.g> <a@b.c> 1 < 2 <3\n", ""},
		{"comments of HTML", "a <!-- <B> {c} --> d\n", "a <!-- <B> {c} --> d\n", ""},
		{"escapes", "\\{a} \\<B> \\`{c}`\n", "\\{a} \\<B> \\``\n", Expression},
		{"mathematics", "$a_{b}$ $$\nc_{d}\n$$ $5 {e} $6\n", "$a_{b}$ $$\nc_{d}\n$$ $5  $6\n", Expression},
		{"a brace without end", "a {b\n\n<C>d</C>\n", "a {b\n\n<C>d</C>\n", ""},
		{"a tag without end", "a <B c\n\n{d}\n", "a <B c\n\n{d}\n", ""},
		{"CR LF", "import a from 'b'\r\n\r\n<C>\r\n  d\r\n</C>\r\n", "\n\r\n\r\nd\r\n\r\n", "C"},
		{"other scripts", "<Über>a</Über> <日本 />b\n", "a <日本 />b\n", "Über"},
		{"nothing", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, left := Markdown([]byte(tt.text))
			if string(got) != tt.want || strings.Join(left.Names, " ") != tt.names {
				t.Errorf("%q\n got %q\nwant %q", left.Names, got, tt.want)
			}
		})
	}
	if _, left := Markdown([]byte("a\n\nb <C/>")); left.At != 5 {
		t.Errorf("the first component is at %d", left.At)
	}
}

// TestHostile: the work grows with the length of the text.
func TestHostile(t *testing.T) {
	const n = 1 << 20
	long := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, text := range map[string]string{
		"braces": long("{"), "braces that close": strings.Repeat("{", n/2) + strings.Repeat("}", n/2), "tags": long("<A "), "open tags": long("<A>\n"), "closed tags": long("</A>"), "elements": long("<a b={c} "), "comments": long("{/*"), "HTML comments": long("<!--"),
		"backticks": long("`a``b```c````d`````e"), "templates": "{" + long("`${"), "quotes": "{" + long("\"'"), "dollars": long("$"), "two dollars": long("$$a"), "exports": long("export const a = {\n"), "imports": long("import a from 'b'\n"), "fences": long("```\n"), "one fence": "```\n" + long("a\n"),
		"names": "<" + long("A") + ">", "slashes": "{" + long("/ "), "backslashes": long("\\"), "deep text": strings.Repeat("<A>\n", 1000) + long(" a\n"), "HTML": "<a " + long("b={c} ") + ">",
	} {
		start := time.Now()
		got, left := Markdown([]byte(text))
		if took := time.Since(start); took > 2*time.Second || len(left.Names) > maxNames {
			t.Errorf("%s: %s, %d names", name, took, len(left.Names))
		}
		if strings.Count(string(got), "\n") != strings.Count(text, "\n") {
			t.Errorf("%s: the lines are not those of the text", name)
		}
	}
}

// FuzzMDX: the lines stay those of the text, and a text without what is special stays as it is.
func FuzzMDX(f *testing.F) {
	for _, seed := range []string{"import a from 'b'\n\n# c\n", "<A b={`${c}`}>\n  d\n</A>", "{/* a", "`a`` {b}", "<a className='b' {...c}>", "\\{\n$a_{b}$", "```\n<A>", "<!-- <A>", "export const a = () => {\n\n}\n", "<A\n\n/>{\n}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got, left := Markdown(text)
		if !bytes.Equal(before, text) {
			t.Error("the source has changed")
		}
		if bytes.Count(got, []byte{'\n'}) != bytes.Count(text, []byte{'\n'}) || len(got) > len(text) || left.At > len(text) {
			t.Errorf("%q becomes %q", text, got)
		}
		if !bytes.ContainsAny(text, "{<") && !bytes.Contains(text, []byte("port")) && !bytes.Equal(got, text) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
