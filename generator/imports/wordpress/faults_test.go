package wordpress

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

func TestFaultsHaveTheirLine(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a control character", wxrOf(item("1", "post", "publish", "<content:encoded>a\x0bb</content:encoded>")), []string{"export.xml:4:1", "U+000B", "--repair"}},
		{"a null byte", wxrOf("\n\n" + item("1", "post", "publish", "<content:encoded>a\x00b</content:encoded>")), []string{"export.xml:6:1", "U+0000"}},
		{"no UTF-8", wxrOf(item("1", "post", "publish", "<content:encoded>a\xe4b</content:encoded>")), []string{"export.xml:4:1", "not UTF-8"}},
		{"a file cut off", wxrOf(item("1", "post", "publish"))[:480], []string{"middle of an element", "export again"}},
		{"an open ampersand", wxrOf(item("1", "post", "publish", "<content:encoded>a & b</content:encoded>")), []string{"not valid XML"}},
		{"a feed", `<rss><channel><item><title>x</title></item></channel></rss>`, []string{"a feed (RSS)", "Tools, Export"}},
		{"a page", `<!DOCTYPE html><html></html>`, []string{"has a declaration"}},
		{"another document", `<urlset></urlset>`, []string{"begins with <urlset>"}},
		{"no XML", `{"a":1}`, []string{"not XML"}},
		{"nothing", ``, []string{"is empty"}},
		{"two exports", wxrOf(item("1", "post", "publish")) + wxrOf(item("2", "post", "publish")), []string{"more after the end"}},
		{"another encoding", `<?xml version="1.0" encoding="ISO-8859-1"?><rss/>`, []string{"ISO-8859-1", "iconv"}},
		{"entities", `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><rss>&lol2;</rss>`, []string{"declaration"}},
		{"an entity without a declaration", wxrOf(item("1", "post", "publish", "<content:encoded>&lol;</content:encoded>")), []string{"lol"}},
	} {
		t.Run(tt.name, func(t *testing.T) { run(t, Options{}, tt.text).Fails(tt.want...) })
	}
}

func TestRepairDropsCharacters(t *testing.T) {
	r := run(t, Options{Repair: true}, wxrOf(item("1", "post", "publish", "<content:encoded>a\x00b\x0b\xe4c\uffffä</content:encoded>"))).OK()
	r.Is(r.Named("post 1"), "Data.content", `"abcä"`)
	r.Warned("dropped", 4)
}

func TestHostileExports(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time, which the race detector takes")
	}
	const huge = 20 << 20 // more than a text may have
	start := fmt.Sprintf(head, "http", "1.2")
	for _, tt := range []struct {
		name         string
		head, repeat string
		want         string
	}{
		{"a text without an end", start + "<item><content:encoded><![CDATA[", strings.Repeat("x", 1000), "more than 16.0 MiB"},
		{"a tag without an end", start + "<item ", `a="b" `, "more than 16.0 MiB"},
		{"an item without an end", start + "<item>", "<wp:post_name>" + strings.Repeat("x", 1000) + "</wp:post_name>", "this item has more than"},
		{"elements in elements", start, "<a>", "nested more than"},
		{"terms without an end", start + "<item>" + manyTerms(5_001), " ", "more than 5000 terms"},
		{"a comment without an end", start + "<!-- ", "lorem ipsum ", "more than 16.0 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.head + strings.Repeat(tt.repeat, huge/len(tt.repeat))
			begin := time.Now()
			importstest.Try(t, System(Options{}), map[string]string{"e.xml": text}, imports.Options{}).Fails(tt.want)
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func manyTerms(n int) string {
	var terms strings.Builder
	for i := range n {
		fmt.Fprintf(&terms, `<category domain="d%d">x</category>`, i)
	}
	return terms.String()
}

// TestNothingPersonalComesAlong: people are in the channel, in comments, in the messages of forms, in
// logins and in meta values.
func TestNothingPersonalComesAlong(t *testing.T) {
	r := run(t, Options{TermItems: true}, wxrOf(
		`<wp:author><wp:author_login>jane@example.org</wp:author_login><wp:author_email>jane@example.org</wp:author_email><wp:author_display_name>jane@example.org</wp:author_display_name></wp:author>`,
		item("1", "post", "publish", "<dc:creator>jane@example.org</dc:creator><wp:post_password>$P$Bsecretpass</wp:post_password>",
			"<wp:comment><wp:comment_author>Eve</wp:comment_author><wp:comment_author_email>eve@example.net</wp:comment_author_email><wp:comment_author_IP>192.0.2.7</wp:comment_author_IP><wp:comment_content>secret text</wp:comment_content></wp:comment>",
			meta("notify", "Jane@example.org"), meta("from", "by Eve (eve@example.net)"), meta("ip", "192.0.2.7"), meta("log", "seen 192.0.2.7."), meta("settings", `a:2:{s:7:"api_key";s:3:"abc";s:5:"email";s:11:"x@other.org";}`),
			meta("hash", "$2a$10$abcdefghijklmnopqrstuuxyz"), meta("client_secret", "abc"), meta("kept", "value")),
		item("2", "feedback", "publish", "<content:encoded>AUTHOR EMAIL: joe@example.com</content:encoded>"))).OK()
	r.Lacks("@example", "@other", "192.0.2.7", "secret", "$2a$", "$P$", "Eve", "abc")
	r.Is(r.Named("post 1"), "Data.meta", `{"settings":{},"kept":"value"}`)
	r.Is(r.Named("post 1"), "CreatedBy", "nothing")
}

func TestLongValues(t *testing.T) {
	importstest.LongValues(t, System(Options{}), map[string]string{"export.xml": wxrOf(
		item("7", "post", "odd", `<dc:creator>jane</dc:creator><wp:post_name>hello</wp:post_name><wp:unknown>x</wp:unknown><category domain="name" nicename="a">A</category><category domain="status" nicename="b">B</category>`,
			"<content:encoded><![CDATA[[gallery ids=\"1\"] text]]></content:encoded>", meta("_thumbnail_id", "99"), meta("mail", "a@example.org")),
		item("8", "contact_message", "publish", meta("k", "v")), item("9", "page", "publish"))}, imports.Options{})
}
