package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source/record"
	"contentedge/generator/source/record/recordtest"
)

// fill repeats a text up to the largest body, or to a number of bytes.
func fill(part string, size ...int) string {
	n := MaxBody
	if len(size) > 0 {
		n = size[0]
	}
	return strings.Repeat(part, n/len(part))
}

func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// table has a number of columns and rows; a row has as many cells as are given.
func table(columns, rows, cells int) string {
	return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat(strings.Repeat("|x", cells)+"|\n", rows)
}

// hostile are texts that take much time or memory, at a bound or beyond it.
var hostile = map[string]string{
	"a table of 4,000 x 4,000":        table(4000, 4000, 1),
	"a table at its bound":            table(300, 330, 1),
	"a narrow table at its bound":     table(2, 49_000, 2),
	"many small tables":               strings.Repeat(table(2, 0, 2)+"\n", 40_000),
	"a table of escapes":              table(2, 0, 2) + fill("|`\\|`|\n", 300_000),
	"a table of escapes at its bound": table(2, 0, 2) + strings.Repeat("|`\\|`|\n", 4_900),
	"lines below a head":              "a\n" + fill("-\n"),
	"heads in one paragraph":          fill("|a|\n|-|\n"),
	"emphasis":                        fill("*a_ "),
	"emphasis at its bound":           strings.Repeat("*a_ ", 2_499),
	"paragraphs of emphasis":          strings.Repeat(strings.Repeat("*a_ ", 2_499)+"\n\n", 104),
	"emphasis that closes":            strings.Repeat(strings.Repeat("*a ", 1_200)+strings.Repeat("a* ", 1_200)+"\n\n", 140),
	"strong in strong":                strings.Repeat(strings.Repeat("**a ", 600)+strings.Repeat("a** ", 600)+"\n\n", 200),
	"a run of stars":                  fill("*", 500_000) + "a" + fill("*", 500_000),
	"runs of stars":                   fill("a**b*c***"),
	"tildes":                          fill("~a ~~b "),
	"headings of emphasis":            strings.Repeat("# "+strings.Repeat("*a_ ", 2_499)+"\n", 100),
	"cells of emphasis":               strings.Repeat("|a|\n|-|\n|"+strings.Repeat("*a_ ", 2_499)+"|\n\n", 100),
	"links on lines":                  fill("[a b](c.md)\n"),
	"images on lines":                 fill("![a](c.md)\n"),
	"links after brackets":            strings.Repeat("[", 4_900) + fill("[a](b)", 900_000),
	"links in brackets that close":    strings.Repeat("[", 2_400) + fill("[a](b)", 900_000) + strings.Repeat("](c)", 2_400),
	"links after emphasis":            strings.Repeat("*a_ ", 2_400) + fill("[a](b) ", 900_000),
	"links with other texts":          fill("[a](b \"c\")\n"),
	"links and references":            fill("[a](b)[c]\n"),
	"references on lines":             fill("[a]\n"),
	"brackets":                        fill("["),
	"brackets at their bound":         strings.Repeat(strings.Repeat("[", 4_999)+"\n\n", 200),
	"brackets that close":             strings.Repeat(strings.Repeat("[", 2_400)+strings.Repeat("]", 2_400)+"\n\n", 210),
	"links in brackets":               strings.Repeat(strings.Repeat("[a](", 1_600)+"\n\n", 160),
	"links without end":               strings.Repeat(strings.Repeat("[a](b \"", 1_600)+"\n\n", 90),
	"links in links":                  strings.Repeat(strings.Repeat("[", 1_200)+strings.Repeat("](a)", 1_200)+"\n\n", 170),
	"images in images":                strings.Repeat(strings.Repeat("![", 1_200)+strings.Repeat("](a)", 1_200)+"\n\n", 145),
	"references without end":          strings.Repeat(strings.Repeat("[a][", 1_600)+"\n\n", 160),
	"parentheses":                     "[a](" + fill("("),
	"links with parentheses":          strings.Repeat("[a]("+fill("(", 1_000)+"\n", 1_000),
	"emphasis in links":               strings.Repeat(strings.Repeat("[*a](b)", 1_600)+"\n\n", 90),
	"definitions":                     lines(80_000, "[a%d]: b\n"),
	"definitions at their bound":      strings.Repeat(lines(4_900, "[a%d]: b\n")+"\n", 16),
	"definitions, used":               lines(4_900, "[a%d]: b\n") + "\n" + strings.Repeat(lines(1_600, "[a%d] ")+"\n\n", 75),
	"a long destination, used":        "[a]: " + fill("b", 500_000) + "\n\n" + strings.Repeat(strings.Repeat("[a] ", 1_600)+"\n\n", 30),
	"a long title, used":              "[a]: b '" + fill("\"", 500_000) + "'\n\n" + strings.Repeat(strings.Repeat("[a] ", 1_600)+"\n\n", 30),
	"definitions without end":         strings.Repeat("[a]: b \"\n", 4_900),
	"a label without end":             fill("[a\n"),
	"footnotes":                       lines(50_000, "[^%d]: x\n"),
	"footnotes at their bound":        lines(2_400, "[^%d]: x\n\n") + lines(2_400, "[^%d] ") + fill("x", 900_000),
	"footnotes that repeat":           "[^a]: x\n\n" + strings.Repeat(strings.Repeat("[^a] ", 2_000)+"\n\n", 2),
	"footnotes in footnotes":          "[^a]: x [^b]\n\n[^b]: y [^a]\n\n" + strings.Repeat("[^a] ", 2_000),
	"lists in lists":                  fill("- "),
	"lists in lists at their bound":   strings.Repeat(strings.Repeat("- ", 99)+"a\n", 5_000),
	"numbers in numbers":              strings.Repeat(strings.Repeat("1. ", 99)+"a\n", 3_000),
	"a deep list with blank lines":    strings.Repeat("- ", 99) + "a\n" + fill("\n", 1_000_000),
	"a deep list with lazy lines":     strings.Repeat("- ", 99) + "a\n" + fill("b\n", 1_000_000),
	"a deep list with indented lines": strings.Repeat("- ", 99) + "a\n" + fill(strings.Repeat(" ", 198)+"b\n\n", 1_000_000),
	"a deep list that ends":           strings.Repeat(strings.Repeat("- ", 99)+"a\n\nb\n\n", 5_000),
	"quotes in quotes":                fill(">"),
	"quotes in quotes at their bound": strings.Repeat(strings.Repeat(">", 99)+"a\n", 10_000),
	"a deep quote with lazy lines":    strings.Repeat(">", 99) + "a\n" + fill("b\n", 1_000_000),
	"quotes and lists":                strings.Repeat(strings.Repeat("> - ", 49)+"a\n", 5_000),
	"a long list":                     fill("- a\n"),
	"a long loose list":               fill("- a\n\n"),
	"an empty list":                   fill("-\n"),
	"lists of other marks":            fill("- a\n+ b\n"),
	"a list by indent":                lines(100, "%[1]*[1]s- a\n"),
	"headings":                        fill("# a\n"),
	"headings of one id":              fill("# a-1\n# a\n"),
	"empty headings":                  fill("#\n"),
	"underlined headings":             fill("a\n-\n"),
	"rules":                           fill("---\n"),
	"code":                            fill("```\n"),
	"code without end":                "```\n" + fill("a\n"),
	"indented code":                   fill("    a\n\n"),
	"backticks":                       fill("`a``b```c````d`````e"),
	"backticks of all lengths":        strings.Repeat(lengths("`", 95)+"\n\n", 200),
	"HTML":                            fill("<a "),
	"HTML at its bound":               strings.Repeat(strings.Repeat("<a ", 4_900)+"\n\n", 70),
	"HTML of many attributes":         lines(50_000, "x <b id=%d>\n\n"),
	"scripts without end":             strings.Repeat(strings.Repeat("a<svg><svg><math><title>", 1_200)+"\n\n", 36),
	"scripts that end":                strings.Repeat(strings.Repeat("<svg>", 2_400)+strings.Repeat("</svg>", 2_400)+"\n\n", 36),
	"scripts that end late":           strings.Repeat("<svg>"+strings.Repeat("a<b>", 4_900)+"</svg>\n\n", 50),
	"HTML in a line":                  fill("a<b></b>\n\n"),
	"HTML that stays open":            fill("<div><b>\n\n"),
	"HTML of many names":              lines(60_000, "x <y%d>\n\n"),
	"dollars":                         fill("$"),
	"dollars of prices":               fill("$5 "),
	"dollars without end":             strings.Repeat(strings.Repeat("$a", 4_900)+"\n\n", 100),
	"mathematics":                     strings.Repeat(strings.Repeat("$a$ ", 2_400)+"\n\n", 100),
	"mathematics without end":         fill("$$a\n"),
	"mathematics that ends late":      fill("> $$a\n$$b\n", 1_000_000) + "$$\n",
	"blocks of mathematics":           fill("$$\na\n$$\n"),
	"alerts":                          fill("> [!NOTE]\n> a\n\n"),
	"alerts with titles":              fill("> [!a] b\n\n"),
	"alerts in alerts":                strings.Repeat(strings.Repeat("> ", 99)+"[!NOTE]\n\n", 5_000),
	"attributes of headings":          fill("# a {#b .c}\n"),
	"headings of one own id":          fill("# a {#b}\n"),
	"braces in headings":              "# " + fill("{a="),
	"long attributes of headings":     strings.Repeat("# a {"+fill(".b ", 1_500)+"}\n", 600),
	"comments":                        strings.Repeat("x"+strings.Repeat("<!--", 1_200)+"\n\n", 200),
	"instructions":                    strings.Repeat("x"+strings.Repeat("<?", 2_400)+"\n\n", 200),
	"declarations":                    strings.Repeat("x"+strings.Repeat("<!A ", 1_200)+"\n\n", 200),
	"CDATA":                           strings.Repeat("x"+strings.Repeat("<![CDATA[", 1_200)+"\n\n", 90),
	"attributes":                      strings.Repeat("x <a "+fill("b='c' ", 5_000)+"\n\n", 200),
	"HTML blocks":                     fill("<div>\n"),
	"HTML blocks, each":               fill("<div>\n\n"),
	"HTML of all kinds":               fill("<x>\n\n<!a\n>\n<?\n?>\n"),
	"long HTML lines":                 strings.Repeat("<a b=\""+fill("x", 1_000)+"\n", 1_000),
	"addresses":                       fill("http://a.bc/_ "),
	"addresses in one word":           fill("_http://a"),
	"mail":                            fill("_a@b"),
	"long mail":                       fill("a_", 400_000) + "@b.c",
	"parentheses before mail":         fill("(a"),
	"www":                             fill("(www.a.b)"),
	"long addresses":                  fill("(http://a.b/" + fill("(", 1_000)),
	"semicolons":                      "http://a.b/" + fill("&a;"),
	"entities":                        fill("&amp;&#x41;&nosuch;"),
	"escapes":                         fill("\\*"),
	"hard breaks":                     fill("a  \n"),
	"spaces":                          fill(" ") + "a",
	"tabs":                            fill("\t") + "a",
	"tabs in lists":                   fill("-\ta\n\t-\tb\n"),
	"one word":                        fill("a"),
	"words":                           fill("a "),
	"quotes":                          fill("\""),
	"less than":                       fill("<"),
	"NUL":                             fill("\x00"),
	"carriage returns":                fill("\r"),
	"task lists":                      fill("- [ ] a\n"),
	"images":                          fill("![a](b.png)\n\n"),
	"images in one paragraph":         strings.Repeat("![a](b.png)\n", 1_600),
	"wide characters":                 fill("😀_"),
	"punctuation":                     fill("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ "),
	"punctuation on lines":            fill("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\n\n"),
	"random":                          random(0),
	"random on lines":                 random(6),
	"a heading of marks":              "# " + strings.Repeat("*a_ ", 2_499),
	"lists of definitions and notes":  fill("- [a]: b\n  [^c]: d\n"),
	"definitions in quotes in quotes": strings.Repeat(strings.Repeat("> ", 90)+"[a]: b\n", 5_000),
	"tables in lists in lists":        strings.Repeat(strings.Repeat("- ", 90)+"|a|\n"+strings.Repeat("  ", 90)+"|-|\n", 2_500),
	"paragraph of pipes":              fill("|\n"),
	"a paragraph of dashes":           fill("a\n") + "|-|",
}

// lengths has runs of 1, 2, 3 … characters.
func lengths(c string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(c, i+1) + "a")
	}
	return b.String()
}

// random has marks of all kinds. Lines have perLine marks; 0: there is one line.
func random(perLine int) string {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"*", "_", "[", "]", "(", ")", "<", ">", "`", "!", "|", "-", "#", " ", "a", "\\", "~", ":", "^", "&", "1.", "    "}
	var b strings.Builder
	for i := 0; b.Len() < MaxBody-10; i++ {
		b.WriteString(parts[r.IntN(len(parts))])
		if perLine > 0 && i%perLine == 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestLongParagraphs: many links in a row are neither definitions nor too many marks.
func TestLongParagraphs(t *testing.T) {
	for name, text := range map[string]string{"links": lines(20_000, "[a%d](b.md)\n"), "images": lines(20_000, "![a b](c%d.png) "), "prices": lines(4_000, "$%d\n"), "prose with colons": "a\n" + strings.Repeat("[b]: c\n", 2_000)} {
		if out, faults := NewRenderer(Options{}).Render([]byte(text), start, nil); len(faults) > 0 || len(out.Text) < len(text) {
			t.Errorf("%s: %s", name, show(faults))
		}
	}
	for name, text := range map[string]string{"definitions": lines(6_000, "[a%d]: b\n"), "labels of two lines": lines(6_000, "[a\n%d]: b\n"), "references": lines(6_000, "[a%d]\n")} {
		if _, faults := NewRenderer(Options{}).Render([]byte(text), start, nil); len(faults) != 1 {
			t.Errorf("%s are read", name)
		}
	}
}

// TestHostile: each text at the bounds is read or refused in about a second and within 200 MB.
func TestHostile(t *testing.T) {
	r := NewRenderer(Options{})
	for name, body := range hostile {
		t.Run(name, func(t *testing.T) {
			var out HTML
			var faults []record.Fault
			recordtest.Bounded(t, 2*time.Second, 300<<20, func() {
				out, faults = r.Render([]byte(body), record.Place{Line: 1, Col: 1}, func(d string, _ bool, _ func() record.Place) (Destination, error) { return Destination{URL: d}, nil })
			})
			t.Log(len(body), len(out.Text), show(faults))
			if len(faults) == 0 && len(out.Text) == 0 && len(strings.TrimSpace(body)) > 0 && !strings.Contains(name, "HTML") && !strings.Contains(name, "definitions") && !strings.Contains(name, "footnotes") {
				t.Error("neither HTML nor a fault")
			}
		})
	}
}
