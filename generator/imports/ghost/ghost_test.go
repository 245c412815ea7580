package ghost

import (
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/imports/importstest"
)

func run(t testing.TB, o Options, text string) *importstest.Checks {
	t.Helper()
	return importstest.Try(t, System(o), map[string]string{"ghost.json": text}, imports.Options{})
}

// tables is an export with some tables.
func tables(version string, tables ...string) string {
	return `{"db":[{"meta":{"exported_on":1388805572000,"version":"` + version + `"},"data":{` + strings.Join(tables, ",") + `}}]}`
}

// post is a table with a post: further columns.
func post1(columns string) string {
	return `"posts":[{"id":"p1","title":"Hello","slug":"hello","status":"published","created_at":"2024-01-01T00:00:00.000Z"` + columns + `}]`
}

// TestGhost shows what posts, tags and users become in each version of the format.
func TestGhost(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       map[string]string // of the item Hello
	}{
		{
			"0.x has numbers as ids, Markdown, a column for pages and one author", tables("009",
				`"posts":[{"id":1,"uuid":"D15E5C91-0083-4d56-a20c-f95832e2b88b","title":"Hello","slug":"hello","markdown":"*Hi*","html":"<p><em>Hi</em></p>","image":"/content/images/a.png",
				"featured":0,"page":1,"status":"published","language":"en_US","author_id":1,"created_at":1388318310000,"created_by":1,"updated_at":1388318310000,"updated_by":1,"published_at":1388404710123,"published_by":1}]`,
				`"users":[{"id":1,"name":"Jane","slug":"jane","email":"jane@example.org","password":"$2a$10$x","image":"/me.png","created_at":1388318310000}]`,
				`"tags":[{"id":3,"name":"Go","slug":"go","created_at":1388318310000}]`, `"posts_tags":[{"post_id":1,"tag_id":3}]`),
			map[string]string{
				"ContentID": `"Content_d15e5c91-0083-4d56-a20c-f95832e2b88b"`, "TemplateName": `"page"`, "CreatedBy": `"Jane"`, "PublishedBy": `"Jane"`,
				"CreatedAt": `"2013-12-29T11:58:30.000Z"`, "PublishedAt": `"2013-12-30T11:58:30.123Z"`,
				"Data.markdown": `"*Hi*"`, "Data.html": `"<p><em>Hi</em></p>"`, "Data.htmlText": `"Hi"`, "Data.feature_image.MediaUrl": `"/content/images/a.png"`,
				"Data.language": `"en_US"`, "Data.featured": "0",
			},
		},
		{
			"1 and 2 have mobiledoc and several authors", tables("2.37.0",
				post1(`,"mobiledoc":"{\"version\":\"0.3.1\",\"markups\":[],\"atoms\":[],\"cards\":[],\"sections\":[[1,\"p\",[[0,[],0,\"Words here\"]]]]}","html":null,"feature_image":"https://e.org/b.webp?w=1","page":false,"locale":"de","author_id":"u2"`),
				`"posts_authors":[{"id":"x","post_id":"p1","author_id":"u2","sort_order":1},{"id":"y","post_id":"p1","author_id":"u1","sort_order":0}]`,
				`"users":[{"id":"u1","name":"Jane","slug":"jane","created_at":"2020-01-01 10:00:00"},{"id":"u2","name":"Joe","slug":"joe","created_at":"2020-01-01 10:00:00"},{"id":"u3","name":"Nobody","slug":"nobody"}]`),
			map[string]string{
				"TemplateName": `"post"`, "Data.mobiledocText": `"Words here"`, "Data.html": "nothing", "Data.htmlText": "nothing", "Data.feature_image.Extension": `"webp"`,
				"Data.locale": `"de"`, "CreatedBy": `"Jane"`, "Data.authors.Type": `"Reference"`,
			},
		},
		{
			"3 and 4 have a type and posts_meta", tables("4.48.0",
				post1(`,"type":"page","html":"<p>A</p><p>B</p>","plaintext":"A B","feature_image":"__GHOST_URL__/content/images/c.jpg"`),
				`"posts_meta":[{"id":"m","post_id":"p1","meta_title":"For machines","feature_image_alt":"A cat","email_subject":"x"}]`),
			map[string]string{
				"TemplateName": `"page"`, "Data.htmlText": `"A\nB"`, "Data.meta_title": `"For machines"`, "Data.feature_image.AltText": `"A cat"`,
				"Data.feature_image.MediaUrl": `"https://blog.example.org/content/images/c.jpg"`, "Data.plaintext": "nothing", "Data.email_subject": "nothing",
			},
		},
		{
			"5 and later have lexical", tables("6.10.3",
				post1(`,"type":"post","lexical":"{\"root\":{\"type\":\"root\",\"children\":[{\"type\":\"paragraph\",\"children\":[{\"type\":\"text\",\"text\":\"Lexical words\"}]}]}}","html":"","mobiledoc":null,"visibility":"public"`)),
			map[string]string{"Data.lexicalText": `"Lexical words"`, "Data.mobiledoc": "nothing", "Data.visibility": `"public"`},
		},
		{
			"a body may be empty", tables("5.0", post1(`,"html":null,"lexical":null`)),
			map[string]string{"Data": `{"title":"Hello","slug":"hello"}`},
		},
		{
			"the object inside of db may stand alone", `{"meta":{"version":"5.0"},"data":{` + post1("") + `}}`,
			map[string]string{"Status": `"Published"`, "Source": `{"System":"ghost","Type":"post","ID":"p1"}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, Options{SiteURL: "https://blog.example.org/"}, tt.text).OK()
			for path, want := range tt.want {
				r.Is(r.Named("Hello"), path, want)
			}
		})
	}
}

func TestReferencesKeepTheirOrder(t *testing.T) {
	r := run(t, Options{}, tables("5.0", post1(""),
		`"posts_authors":[{"post_id":"p1","author_id":"u2","sort_order":1},{"post_id":"p1","author_id":"u1","sort_order":0}]`,
		`"posts_tags":[{"post_id":"p1","tag_id":"t2","sort_order":0},{"post_id":"p1","tag_id":"t1","sort_order":2},{"post_id":"p1","tag_id":"gone","sort_order":1}]`,
		`"users":[{"id":"u1","name":"Jane","created_at":1},{"id":"u2","name":"Joe","created_at":1},{"id":"u3","name":"Nobody"}]`,
		`"tags":[{"id":"t1","name":"One","created_at":1,"parent_id":"t2"},{"id":"t2","name":"Two","created_at":1}]`)).OK()
	id := func(name string) string { return r.Named(name).Get("ContentID").Str() }
	r.Is(r.Named("Hello"), "Data.authors.ContentIDs", `["`+id("Jane")+`","`+id("Joe")+`"]`)
	got := string(r.Named("Hello").Get("Data", "tags", "ContentIDs").Append(nil))
	if !strings.HasPrefix(got, `["`+id("Two")+`","Content_`) || !strings.HasSuffix(got, `","`+id("One")+`"]`) || strings.Count(got, "Content_") != 3 {
		t.Error(got)
	}
	r.Is(r.Named("One"), "Data.parent.ContentIDs", `["`+id("Two")+`"]`)
	r.Is(r.Named("Jane"), "TemplateName", `"author"`)
	r.Count("users", "without a post", 1)
	r.Count("posts_tags", "into their posts", 3)
}

func TestStatuses(t *testing.T) {
	for columns, want := range map[string]string{
		`,"status":"published"`: "Published", `,"status":"draft","published_at":"2020-01-01T00:00:00.000Z"`: "Draft", `,"status":"scheduled","published_at":"2030-01-01T00:00:00.000Z"`: "Published",
		`,"status":"scheduled"`: "Draft", `,"status":"scheduled","visibility":"members","published_at":"2030-01-01T00:00:00.000Z"`: "Private",
		`,"status":"sent"`: "Private", `,"status":"published","visibility":"members"`: "Private", `,"status":"published","visibility":"paid"`: "Private",
		`,"status":"published","visibility":"public"`: "Published", `,"status":"draft","visibility":"paid"`: "Draft", `,"status":"odd"`: "odd", ``: "Draft",
	} {
		r := run(t, Options{}, tables("5.0", `"posts":[{"id":"p1","title":"Hello","created_at":1`+columns+`}]`)).OK()
		r.Is(r.Named("Hello"), "Status", `"`+want+`"`)
		if want == "Draft" {
			r.Is(r.Named("Hello"), "PublishedAt", "nothing")
		}
	}
}

func TestTablesAreCounted(t *testing.T) {
	r := run(t, Options{}, tables("5.0", post1(`,"html":"<p>__GHOST_URL__/a</p>"`), `"settings":[{"key":"a"},{"key":"b"}]`, `"never_seen":[{}]`, `"snippets":[]`, `"odd":null`)).OK()
	r.Count("settings", "not content", 2)
	r.Count("never_seen", "not content", 1)
	r.Warned("--site-url", 1)
	r.Is(r.Named("Hello"), "Data.html", `"<p>__GHOST_URL__/a</p>"`)
}

func TestNothingPersonalComesAlong(t *testing.T) {
	r := run(t, Options{}, tables("4.0",
		post1(`,"author_id":"u1","email_recipient_filter":"label:secret","codeinjection_head":"<script>token='secret1'</script>"`),
		`"users":[{"id":"u1","name":"jane@example.org","slug":"jane@example.org","email":"jane@example.org","password":"$2a$10$abc","ghost_auth_access_token":"secret2","profile_image":"//www.gravatar.com/avatar/d620c3ccb17934ab778e66839a7168af?s=250","bio":"Writes","location":"here","last_seen":"x","created_at":1}]`,
		`"settings":[{"key":"members_stripe_webhook_secret","value":"secret3"},{"key":"mailgun_api_key","value":"secret4"}]`,
		`"api_keys":[{"secret":"secret5"}]`, `"members":[{"email":"eve@example.net"}]`, `"webhooks":[{"secret":"secret6"}]`, `"newsletters":[{"sender_email":"news@example.org"}]`,
		`"sessions":[{"session_data":"secret7"}]`, `"integrations":[{"name":"secret8"}]`)).OK()
	r.Lacks("@", "$2a$", "secret", "gravatar", "Stripe")
	r.Is(r.Named("u1"), "Data", `{"bio":"Writes"}`)
	r.Is(r.Named("Hello"), "CreatedBy", `"u1"`)
	r.Warned("Gravatar", 1)
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a list", `[{"url":"x","data":{"posts":[]}}]`, []string{"ghost.json:1:1", "a list", "generator import json"}},
		{"another object", "{\n\"a\":1}", []string{"not an export of Ghost", "generator import json"}},
		{"a word", `7`, []string{"a number"}},
		{"no JSON", `<html>`, []string{"ghost.json:1:1"}},
		{"a file cut off", tables("5.0", post1(""))[:100], []string{"middle of a value"}},
		{"a key twice", tables("5.0", `"posts":[]`, `"posts":[]`), []string{"given twice"}},
		{"a table that is none", tables("5.0", `"posts":[]`, `"tags":{}`), []string{"an object, not an array"}},
		{"a row that is none", tables("5.0", `"posts":[7]`), []string{"a number, not an object"}},
		{"two exports", `{"db":[{"data":{"posts":[]}},{"data":{"posts":[]}}]}`, []string{"more than one export"}},
		{"no export inside", `{"db":[]}`, []string{"db holds no export"}},
		{"nested too deep", `{"db":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, []string{"nested more than 500"}},
		{"nested very deep", strings.Repeat(`{"db":[`, 1<<20), nil},
		{"nothing", ``, nil},
		{"a post without a date", tables("5.0", `"posts":[{"id":"p1","title":"x","status":"draft"}]`), []string{"without a date", "--date"}},
		{"a post twice", tables("5.0", `"posts":[{"id":"p1","title":"x","created_at":1},{"id":"p1","title":"y","created_at":1}]`), []string{"the same id"}},
	} {
		t.Run(tt.name, func(t *testing.T) { run(t, Options{}, tt.text).Fails(tt.want...) })
	}
}

func FuzzGhost(f *testing.F) {
	f.Add(tables("5.0", post1(`,"html":"<p>a</p>","feature_image":"x"`), `"users":[{"id":"u"}]`, `"posts_authors":[{"post_id":"p1","author_id":"u","sort_order":0}]`))
	f.Add(tables("009", `"posts":[{"id":1,"page":1,"author_id":1,"created_at":1388318310000}]`, `"tags":[{"id":1,"parent_id":1}]`))
	f.Add(`{"db":[[]]}`)
	f.Add(`{"data":{"posts":null}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if r := run(t, Options{}, text); r.Err == nil {
			r.OK()
		}
	})
}

func TestLongValues(t *testing.T) {
	importstest.LongValues(t, System(Options{}), map[string]string{"ghost.json": tables("5.1.0",
		post1(`,"type":"post","html":"<p>__GHOST_URL__/a</p>","visibility":"members","author_id":"u9","custom_template":"x"`), `"posts_authors":[{"id":"x","post_id":"p9","author_id":"u9"}]`,
		`"users":[{"id":"u1","name":"Jane","slug":"jane","email":"a@example.org"}]`, `"odd":[{"id":1}]`)}, imports.Options{})
}
