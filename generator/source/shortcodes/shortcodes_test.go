package shortcodes

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

type testSite map[string]string

func (s testSite) Page(reference string) string { return s[reference] }
func (s testSite) File(name string) string      { return "assets/" + name }

func (s testSite) Value(variable string) (string, bool) {
	text, ok := s["="+variable]
	return text, ok
}

// TestShortcodes shows what becomes of tags, also of wrong ones. The number of lines stays.
func TestShortcodes(t *testing.T) {
	site := testSite{"/docs/a.md": "/docs/a.md", "2024-01-02-b": "/posts/b.md", "=page.name": "A *b* {% c %}", "=page.lines": "a\n\r\nb", "=page.none": "", "=page.image": "x.png"}
	for _, test := range []struct {
		name, text, want string
		left, links      string
	}{
		{name: "no tag", text: "a {b} {{c}} %}", want: "a {b}  %}", left: "{{ }}"},
		{name: "figure", text: `{{< figure src="a b.png" alt="A [x]" caption="C \"q\"" >}}`, want: `![A \[x\]](a%20b.png "C \"q\"")`},
		{name: "figure without a file", text: `{{< figure class="x" >}}`, want: "", left: "figure"},
		{name: "figure with a link", text: `{{< figure src="a.png" link="https://x.example/" >}}`, want: `[![](a.png)](https://x.example/)`},
		{name: "figure of several lines", text: "{{< figure\n src=\"a.png\"\n alt=\"A\" >}}\nb", want: "![A](a.png)\n\n\nb"},
		{name: "ref", text: `[A]({{< ref "/docs/a.md" >}}) [B]({{% relref path="gone.md" %}})`, want: `[A](/docs/a.md) [B](gone.md)`, links: "gone.md"},
		{name: "post_url", text: `[B]({% post_url 2024-01-02-b %})`, want: "[B](/posts/b.md)"},
		{name: "addresses", text: `{{< youtube w7Ft2ymGmfc >}} {{< vimeo id="19899678" >}} {{< gist jmooring 50a7 >}} {{< tweet user="SanDiegoZoo" id="1453" >}}`,
			want: `<https://www.youtube.com/watch?v=w7Ft2ymGmfc> <https://vimeo.com/19899678> <https://gist.github.com/jmooring/50a7> <https://twitter.com/SanDiegoZoo/status/1453>`},
		{name: "highlight", text: "{{< highlight go \"linenos=table\" >}}\nx := `y`\n{{< /highlight >}}\nz", want: "```go\nx := `y`\n```\nz"},
		{name: "highlight of Jekyll", text: "{% highlight ruby %}\nputs {{ x }}\n{% endhighlight %}", want: "```ruby\nputs {{ x }}\n```"},
		{name: "inner text stays", text: "{{< tabs >}}\n{{% tab \"A\" %}}\n**a**\n{{% /tab %}}\n{{< /tabs >}}", want: "\n\n**a**\n\n", left: "tabs tab"},
		{name: "a self-closed tag", text: `{{< badge "x" />}}y`, want: "y", left: "badge"},
		{name: "escaped", text: `{{</* figure src="x" */>}} {{%/* a */%}}`, want: `{{< figure src="x" >}} {{% a %}}`},
		{name: "a fence", text: "```\n{{< figure src=a.png >}}\n```\n{{< x2 >}}", want: "```\n{{< figure src=a.png >}}\n```\n", left: "x2"},
		{name: "a fence in a quote", text: "> ~~~\n> {% a %}\n> ~~~\n{% b %}", want: "> ~~~\n> {% a %}\n> ~~~\n", left: "b"},
		{name: "a fence without an end", text: "```\n{% a %}", want: "```\n{% a %}"},
		{name: "a code span", text: "`{% a %}` ``{{ ` }}`` `{% b %}", want: "`{% a %}` ``{{ ` }}`` `", left: "b"},
		{name: "a code span ends with its paragraph", text: "`a\n\n{% b %}`", want: "`a\n\n`", left: "b"},
		{name: "raw", text: "{% raw %}{{ x }} {% y %}{% endraw %}", want: "{{ x }} {% y %}"},
		{name: "urls of Liquid", text: `[a]({{ site.baseurl }}/a) [b]({{ "/b c" | relative_url }}) {{- page.title -}}`, want: `[a](/a) [b](/b c) `, left: "{{ }}"},
		{name: "variables", text: "{{page.name}} {{ page.lines }} {{- page.none }}{{ page.image | relative_url }} `{{ page.name }}` {% raw %}{{ page.name }}{% endraw %}", want: "A *b* {% c %} a b /x.png `{{ page.name }}` {{ page.name }}"},
		{name: "variables with filters", text: `{{ page.name | escape }} {{ page.name | strip | safe }}, {{ page.name | upcase }}{{ page.name | date: "%Y" }}.`, want: "A *b* {% c %} A *b* {% c %}, .", left: "{{ }}"},
		{name: "unknown variables", text: `{{ page.gone }}{{ page }}{{ page["name"] }}{{ page.name + 1 }}{{ | safe }}`, want: "", left: "{{ }}"},
		{name: "param", text: `{{< param "page.name" >}}{{% param page.none %}}{{< param gone >}}{{< param >}}`, want: "A *b* {% c %}", left: "param"},
		{name: "Hexo", text: `{% asset_img left 300 cat.jpg "A cat" %} {% asset_link a.pdf %}`, want: `![A cat](assets/cat.jpg "A cat") [a.pdf](assets/a.pdf)`},
		{name: "include", text: "a\n{% include x.html y=\"{{ z }}\" %}\nb", want: "a\n\nb", left: "include"},
		{name: "no end", text: "{{< figure src=\"a\" {{% b\n{% c", want: "{{< figure src=\"a\" {{% b\n{% c"},
		{name: "odd names", text: "{{<>}} {{< >}} {%%} {{< 'a' >}}", want: "{{<>}} {{< >}} {%%} {{< 'a' >}}"},
		{name: "an unclosed quote", text: `{{< figure src="a.png >}}`, want: "![](a.png)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Replace([]byte(test.text), Hugo|Tags|Expressions, site)
			if string(got.Text) != test.want {
				t.Errorf("text %q, want %q", got.Text, test.want)
			}
			if names(got.Left) != test.left || names(got.Links) != test.links {
				t.Errorf("left %q links %q, want %q and %q", names(got.Left), names(got.Links), test.left, test.links)
			}
			if a, b := bytes.Count(got.Text, []byte{'\n'}), strings.Count(test.text, "\n"); a != b {
				t.Errorf("%d line ends, want %d", a, b)
			}
		})
	}
}

func names(uses []Use) string {
	var all []string
	for _, u := range uses {
		all = append(all, u.Name)
	}
	return strings.Join(all, " ")
}

// TestUses lists each name once, without code and without expressions.
func TestUses(t *testing.T) {
	text := "{{< a >}}\n`{{< b >}}` {{% a %}}{% include x %}{{ c }}\n```\n{% d %}\n```\n{{< e >}}x{{< /e >}}"
	if got := Uses([]byte(text)); !slices.Equal(got, []Use{{"a", 0}, {"include", 31}, {"e", 70}}) {
		t.Errorf("uses %v", got)
	}
}

// TestHostileTexts bounds the time of a megabyte of each mark.
func TestHostileTexts(t *testing.T) {
	for _, part := range []string{"{{< ", "{{% ", "{% ", "{{ ", "{{< \"", "{{< `", "{{< a >}}", "{{< /a >}}", "{% a %}", "{{ a }}", "`", "``a`", "```\n", "~~~\n>", "{", "{{< a b=", "{% raw %}", "{% endraw %}", "\\`", "{{</* "} {
		text := bytes.Repeat([]byte(part), 1<<20/len(part))
		begin := time.Now()
		got := Replace(text, Hugo|Tags|Expressions, testSite{})
		if d := time.Since(begin); d > 3*time.Second {
			t.Errorf("%q: %v", part, d)
		}
		if len(got.Text) > 2*len(text) {
			t.Errorf("%q: %d bytes", part, len(got.Text))
		}
	}
	many := bytes.Repeat([]byte("{{ v }}"), 1<<17)
	if got := Replace(many, Expressions, testSite{"=v": strings.Repeat("x", 1000)}); len(got.Text) != maxVariables*1000 || names(got.Left) != "{{ }}" {
		t.Errorf("variables become %d bytes, left %v", len(got.Text), got.Left)
	}
	var odd strings.Builder // runs of backticks of all lengths
	for i := 1; i < 1400; i++ {
		odd.WriteString(strings.Repeat("`", i) + " {% a %}")
	}
	begin := time.Now()
	Replace([]byte(odd.String()), Tags, testSite{})
	if d := time.Since(begin); d > 3*time.Second {
		t.Errorf("runs of backticks: %v", d)
	}
}

// FuzzReplace holds that any text keeps its lines, and that what is left has no tags but in code and in raw text.
func FuzzReplace(f *testing.F) {
	for _, seed := range []string{"{{< a >}}", "{% raw %}{% b %}{% endraw %}", "`{{< a >}}`", "{{< highlight go >}}\nx{{< /highlight >}}", "{{</* a */>}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Replace(text, Hugo|Tags|Expressions, testSite{})
		if bytes.Count(got.Text, []byte{'\n'}) < bytes.Count(text, []byte{'\n'}) {
			t.Errorf("%q has fewer lines: %q", text, got.Text)
		}
	})
}
