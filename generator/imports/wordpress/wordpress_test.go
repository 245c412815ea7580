package wordpress

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

// head begins an export; the verbs are the namespace's scheme and the version.
const head = `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="%[1]s://wordpress.org/export/%[2]s/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="%[1]s://wordpress.org/export/%[2]s/"><channel><title>Site</title><wp:wxr_version>%[2]s</wp:wxr_version>
`

func wxrOf(parts ...string) string {
	return fmt.Sprintf(head, "http", "1.2") + strings.Join(parts, "\n") + "\n</channel></rss>"
}

// item returns an item of an export: the id, the type, the status, and further elements.
func item(id, kind, status string, more ...string) string {
	text := "<item><title>" + kind + " " + id + "</title><wp:post_id>" + id + "</wp:post_id><wp:post_type>" + kind + "</wp:post_type><wp:status>" + status + "</wp:status>"
	if !strings.Contains(strings.Join(more, ""), "<wp:post_date") {
		text += "<wp:post_date_gmt>2024-05-06 07:08:09</wp:post_date_gmt>"
	}
	return text + strings.Join(more, "") + "</item>"
}

func meta(key, value string) string {
	return "<wp:postmeta><wp:meta_key>" + key + "</wp:meta_key><wp:meta_value><![CDATA[" + value + "]]></wp:meta_value></wp:postmeta>"
}

func run(t testing.TB, o Options, text string) *importstest.Checks {
	t.Helper()
	return importstest.Try(t, System(o), map[string]string{"export.xml": text}, imports.Options{})
}

// TestWordPress shows what a post becomes.
func TestWordPress(t *testing.T) {
	r := run(t, Options{}, wxrOf(
		`<wp:author><wp:author_login>jane</wp:author_login><wp:author_email>jane@example.org</wp:author_email><wp:author_display_name><![CDATA[Jane Doe]]></wp:author_display_name></wp:author>`,
		`<wp:category><wp:term_id>3</wp:term_id><wp:category_nicename>news</wp:category_nicename><wp:cat_name>News</wp:cat_name></wp:category>`,
		item("7", "post", "publish",
			`<link>https://example.org/hello</link><dc:creator>jane</dc:creator><wp:post_name>hello</wp:post_name>`,
			`<wp:post_date>2024-05-06 09:08:09</wp:post_date><wp:post_date_gmt>2024-05-06 07:08:09</wp:post_date_gmt><wp:post_modified_gmt>2024-06-01 00:00:00</wp:post_modified_gmt>`,
			"<content:encoded><![CDATA[First <b>words</b>\nof it.\n\n<!--more-->Second &amp; last]]></content:encoded><excerpt:encoded><![CDATA[Short]]></excerpt:encoded>",
			`<category domain="category" nicename="news">News</category><category domain="post_tag" nicename="a-b">A &amp; B</category>`,
			meta("_thumbnail_id", "9"), meta("rating", "5"), meta("_edit_lock", "1:1"), `<wp:is_sticky>1</wp:is_sticky><wp:comment><wp:comment_id>1</wp:comment_id></wp:comment>`),
		item("8", "page", "publish", `<wp:post_parent>7</wp:post_parent>`),
		item("9", "attachment", "inherit", `<wp:attachment_url>https://example.org/a.JPG</wp:attachment_url>`, meta("_wp_attachment_image_alt", "A cat"),
			meta("_wp_attachment_metadata", `a:3:{s:5:"width";i:600;s:6:"height";i:400;s:8:"filesize";i:1234;}`)),
	)).OK()
	post := r.Named("post 7")
	for path, want := range map[string]string{
		"TemplateName": `"post"`, "Status": `"Published"`, "CreatedBy": `"Jane Doe"`,
		"CreatedAt": `"2024-05-06T07:08:09Z"`, "PublishedAt": `"2024-05-06T07:08:09Z"`, "UpdatedAt": `"2024-06-01T00:00:00Z"`,
		"Source":    `{"System":"wordpress","Type":"post","ID":"7"}`,
		"Data.slug": `"hello"`, "Data.link": `"https://example.org/hello"`, "Data.sticky": "true",
		"Data.content":     `"First <b>words</b>\nof it.\n\n<!--more-->Second &amp; last"`,
		"Data.contentText": `"First words\nof it.\nSecond & last"`,
		"Data.excerpt":     `"Short"`, "Data.excerptText": "nothing",
		"Data.categories":         `[{"slug":"news","label":"News"}]`,
		"Data.tags":               `[{"slug":"a-b","label":"A & B"}]`,
		"Data.thumbnail.MediaUrl": `"https://example.org/a.JPG"`, "Data.thumbnail.AltText": `"A cat"`, "Data.thumbnail.Extension": `"jpg"`,
		"Data.thumbnail.Width": "600", "Data.thumbnail.Height": "400", "Data.thumbnail.Size": "1234",
		"Data.meta": `{"rating":"5"}`,
	} {
		r.Is(post, path, want)
	}
	r.Is(r.Named("page 8"), "Data.parent.ContentIDs", "["+string(post.Get("ContentID").Append(nil))+"]")
	r.Count("attachment", "into the posts", 1)
	r.Count("comment", "not taken", 1)
	r.Count("author", "names", 1)
	if got, want := r.Report.Account(), "read 6 = items 2 + merged 3 + skipped 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestVersionsAndNamespaces(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		for _, version := range []string{"1.0", "1.1", "1.2"} {
			r := run(t, Options{}, fmt.Sprintf(head, scheme, version)+item("1", "post", "publish", "<excerpt:encoded>E</excerpt:encoded><content:encoded>C</content:encoded>")+"</channel></rss>").OK()
			r.Is(r.Named("post 1"), "Data.content", `"C"`)
			r.Is(r.Named("post 1"), "Data.excerpt", `"E"`)
		}
	}
	// the first exports have no authors and terms, and categories without a domain, twice
	r := run(t, Options{}, wxrOf(item("1", "post", "publish", `<dc:creator>bob</dc:creator><category>News</category><category domain="category" nicename="news">News</category><category domain="tag" nicename="x">X</category>`))).OK()
	r.Is(r.Named("post 1"), "CreatedBy", `"bob"`)
	r.Is(r.Named("post 1"), "Data.categories", `[{"slug":"news","label":"News"}]`)
	r.Is(r.Named("post 1"), "Data.tags", `[{"slug":"x","label":"X"}]`)
	// an element of another module of RSS is not the title
	r = run(t, Options{}, wxrOf(item("1", "post", "publish", `<media:title xmlns:media="http://search.yahoo.com/mrss/">Other</media:title>`))).OK()
	r.Named("post 1")
	r.Warned("<title>", 1)
}

func TestTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	const local = "<wp:post_date>2024-07-01 12:00:00</wp:post_date><wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt><pubDate>Mon, 30 Nov -0001 00:00:00 +0000</pubDate>"
	r := run(t, Options{}, wxrOf(item("1", "post", "draft", local))).OK()
	r.Is(r.Named("post 1"), "CreatedAt", `"2024-07-01T12:00:00Z"`)
	r.Is(r.Named("post 1"), "PublishedAt", "nothing")
	r.Warned("--timezone", 1)
	r = run(t, Options{Timezone: berlin}, wxrOf(item("1", "post", "draft", local))).OK()
	r.Is(r.Named("post 1"), "CreatedAt", `"2024-07-01T10:00:00Z"`)
	r.Warned("--timezone", 0)
	// UpdatedAt falls back to the date
	r = run(t, Options{}, wxrOf(item("1", "post", "publish"))).OK()
	r.Is(r.Named("post 1"), "UpdatedAt", `"2024-05-06T07:08:09Z"`)
	run(t, Options{}, wxrOf(item("1", "post", "draft", "<wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt>"))).Fails("without a date", "--date")
}

func TestStatuses(t *testing.T) {
	for status, want := range map[string]string{
		"publish": "Published", "inherit": "Published", "draft": "Draft", "pending": "InReview", "future": "Published", "private": "Private",
		"wc-hidden": "wc-hidden", "": "Draft",
	} {
		r := run(t, Options{}, wxrOf(item("1", "post", status))).OK()
		r.Is(r.Named("post 1"), "Status", `"`+want+`"`)
	}
	for _, status := range []string{"publish", "draft", "pending", "future"} {
		r := run(t, Options{}, wxrOf(item("1", "post", status, "<wp:post_password>hunter2</wp:post_password>"))).OK()
		r.Is(r.Named("post 1"), "Status", `"Private"`)
		r.Lacks("hunter2")
		if published := r.Named("post 1").Has("PublishedAt"); published != (status == "publish" || status == "future") {
			t.Errorf("%s: PublishedAt %t", status, published)
		}
	}
	for _, status := range []string{"trash", "auto-draft"} {
		r := run(t, Options{}, wxrOf(item("1", "post", status))).OK()
		r.Count("post", status, 1)
	}
}

func TestTypes(t *testing.T) {
	r := run(t, Options{}, wxrOf(item("1", "recipe", "publish"), item("2", "feedback", "publish", "<content:encoded>mail me: eve@example.org</content:encoded>"),
		item("3", "revision", "inherit"), item("4", "nav_menu_item", "publish"), item("5", "shop_order", "wc-completed"), item("6", "", ""), item("7", "attachment", "inherit"),
		item("8", "user_request", "request-pending"))).OK()
	r.Count("recipe", "recipe", 1)
	r.Count("feedback", "people's data", 1)
	r.Count("shop_order", "people's data", 1)
	r.Count("user_request", "people's data", 1)
	r.Count("revision", "WordPress itself", 1)
	r.Count("nav_menu_item", "--menus", 1)
	r.Count("(no type)", "no type", 1)
	r.Count("attachment", "no post shows it", 1)
	r.Lacks("eve@")
	r = importstest.Try(t, System(Options{Menus: true}), map[string]string{"e.xml": wxrOf(item("4", "nav_menu_item", "publish"), item("7", "attachment", "inherit", "<wp:attachment_url>https://e.org/x.pdf</wp:attachment_url>"))}, imports.Options{AssetItems: true}).OK()
	r.Is(r.Named("attachment 7"), "Data.file.MediaUrl", `"https://e.org/x.pdf"`)
	r.Named("nav_menu_item 4")
}

func TestSameIDTwice(t *testing.T) {
	one := item("1", "nav_menu_item", "publish", `<category domain="nav_menu" nicename="a">A</category>`)
	r := run(t, Options{Menus: true}, wxrOf(one, strings.ReplaceAll(strings.ReplaceAll(one, `"a"`, `"b"`), ">A<", ">B<"))).OK()
	r.Is(r.Named("nav_menu_item 1"), "Data.menus", `[{"slug":"a","label":"A"},{"slug":"b","label":"B"}]`)
	r.Count("nav_menu_item", "here again", 1)
	run(t, Options{}, wxrOf(item("1", "post", "publish"), item("1", "post", "draft"))).Fails("export.xml:5:1", "id 1 is here twice", "export.xml:4")
	// another type is another item
	run(t, Options{}, wxrOf(item("1", "post", "publish"), item("1", "page", "publish"))).OK()
}

func TestTermsAreItems(t *testing.T) {
	r := run(t, Options{TermItems: true}, wxrOf(
		`<wp:category><wp:category_nicename>news</wp:category_nicename><wp:category_parent>top</wp:category_parent><wp:cat_name>News</wp:cat_name></wp:category>`,
		`<wp:category><wp:category_nicename>top</wp:category_nicename><wp:category_parent></wp:category_parent><wp:cat_name>Top</wp:cat_name></wp:category>`,
		`<wp:tag><wp:tag_slug>x</wp:tag_slug><wp:tag_name>X</wp:tag_name></wp:tag>`,
		`<wp:term><wp:term_taxonomy>nav_menu</wp:term_taxonomy><wp:term_slug>main</wp:term_slug><wp:term_name>Main</wp:term_name></wp:term>`,
		item("1", "post", "publish", `<category domain="category" nicename="news">News</category>`))).OK()
	news := string(r.Named("News").Get("ContentID").Append(nil))
	r.Is(r.Named("post 1"), "Data.categories.ContentIDs", "["+news+"]")
	r.Is(r.Named("News"), "TemplateName", `"category"`)
	r.Is(r.Named("News"), "CreatedAt", `"2024-05-06T07:08:09Z"`)
	r.Is(r.Named("News"), "Data.parent.ContentIDs", "["+string(r.Named("Top").Get("ContentID").Append(nil))+"]")
	r.Is(r.Named("X"), "TemplateName", `"post_tag"`)
	r.Count("term nav_menu", "WordPress itself", 1)
}

// TestFolders: a large site is exported into several files, each with its authors and terms.
func TestFolders(t *testing.T) {
	const author = `<wp:author><wp:author_login>jane</wp:author_login><wp:author_display_name>Jane</wp:author_display_name></wp:author>`
	files := map[string]string{
		"a.xml":     wxrOf(author, item("1", "post", "publish", meta("_thumbnail_id", "9"), `<dc:creator>jane</dc:creator>`)),
		"b.xml":     wxrOf(author, item("9", "attachment", "inherit", "<wp:attachment_url>https://e.org/x.png</wp:attachment_url>"), item("2", "page", "publish", "<wp:post_parent>1</wp:post_parent>")),
		"notes.txt": "not XML",
	}
	r := importstest.Try(t, System(Options{}), files, imports.Options{}).OK()
	r.Is(r.Named("post 1"), "Data.thumbnail.MediaUrl", `"https://e.org/x.png"`)
	r.Is(r.Named("page 2"), "Data.parent.ContentIDs", "["+string(r.Named("post 1").Get("ContentID").Append(nil))+"]")
	r.Count("author", "names", 2)
	files["b.xml"] = wxrOf(item("1", "post", "draft"))
	importstest.Try(t, System(Options{}), files, imports.Options{}).Fails("b.xml:4:1", "here twice", "a.xml:5")
	importstest.Try(t, System(Options{}), map[string]string{"a.txt": "x", "b.txt": "y"}, imports.Options{}).Fails("no file here has the extension .xml")
}

func TestTermsOfPostsAlone(t *testing.T) {
	r := run(t, Options{TermItems: true}, wxrOf(item("1", "post", "publish", `<category domain="category" nicename="news">News</category><category>Old News</category>`))).OK()
	want := `["` + r.Named("News").Get("ContentID").Str() + `","` + r.Named("Old News").Get("ContentID").Str() + `"]`
	r.Is(r.Named("post 1"), "Data.categories.ContentIDs", want)
	r.Is(r.Named("Old News"), "Data.slug", `"old-news"`)
}

func TestMeta(t *testing.T) {
	r := run(t, Options{}, wxrOf(item("1", "post", "publish",
		meta("list", `a:2:{i:0;s:3:"one";i:1;s:4:"zwö";}`), meta("map", `a:2:{s:1:"a";d:1.5;s:1:"b";a:1:{i:7;b:1;}}`), meta("object", `O:8:"stdClass":0:{}`),
		meta("cut", "a:1:{i:0;s:5:\"a\nb\";}"), meta("twice", "1"), meta("twice", "2"), meta("_hidden", "x")))).OK()
	r.Is(r.Named("post 1"), "Data.meta", `{"list":["one","zwö"],"map":{"a":1.5,"b":{"7":true}},"object":"O:8:\"stdClass\":0:{}","cut":"a:1:{i:0;s:5:\"a\nb\";}","twice":["1","2"]}`)
	r.Warned("keys that begin with _", 1)
}

func TestTexts(t *testing.T) {
	const text = "One\ntwo [gallery ids=\"1,2\"]\n\n[caption id=\"x\"]Three[/caption] [sic] <blockquote>Four</blockquote>"
	r := run(t, Options{Paragraphs: true}, wxrOf(item("1", "post", "publish", "<content:encoded><![CDATA["+text+"]]></content:encoded>"))).OK()
	r.Is(r.Named("post 1"), "Data.content", `"<p>One<br>\ntwo [gallery ids=\"1,2\"]</p>\n<p>[caption id=\"x\"]Three[/caption] [sic] <blockquote>Four</blockquote></p>"`)
	r.Is(r.Named("post 1"), "Data.contentText", `"One\ntwo\nThree [sic]\nFour"`)
	r.Warned("[gallery]", 1)
	r.Warned("[caption]", 1)
	r.Warned("[sic]", 0)
}
