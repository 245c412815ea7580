// This file makes items of rows.

package ghost

import (
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/dates"
	"contentedge/generator/visibility"
)

// data collects the fields of an item. A field without a value is left out.
type data struct {
	g *importer
	v *jsontree.Value
}

func (g *importer) data() data { return data{g, jsontree.Object()} }

// take takes columns of a row as they are.
func (d data) take(row *jsontree.Value, columns ...string) {
	for _, column := range columns {
		d.set(column, row.Get(column))
	}
}

func (d data) set(name string, v *jsontree.Value) {
	if v.IsNull() || v.IsString() && v.Str() == "" {
		return
	}
	d.v.Set(name, d.g.withSite(v))
}

// image takes the address of an image as a reference to a file.
func (d data) image(name string, v *jsontree.Value, alt string) {
	url := d.g.withSite(v).Str()
	switch {
	case url == "":
		return
	case strings.HasPrefix(url, "//"):
		url = "https:" + url
	}
	if gravatar.MatchString(url) {
		d.g.j.Warn("images of people at Gravatar are left out: their addresses are made of e-mail addresses", "")
		return
	}
	file, _, _ := strings.Cut(url, "?")
	m := imports.Media{ID: d.g.j.MediaID("image", v.Str()), URL: url, AltText: alt, Extension: strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))}
	d.v.Set(name, m.Reference())
}

// gravatar is the service whose images have the hash of an e-mail address in their address.
var gravatar = regexp.MustCompile(`^https?://([a-z0-9-]+\.)*gravatar\.com/`)

// withSite puts the address of the site for its placeholder.
func (g *importer) withSite(v *jsontree.Value) *jsontree.Value {
	if !v.IsString() || !strings.Contains(v.Str(), placeholder) {
		return v
	}
	if g.SiteURL == "" {
		g.j.Warn("texts hold the placeholder "+placeholder+" for the address of the site; --site-url replaces it", "")
		return v
	}
	return jsontree.String(strings.ReplaceAll(v.Str(), placeholder, strings.TrimSuffix(g.SiteURL, "/")))
}

// user makes an item of a user who wrote posts.
func (g *importer) user(row *jsontree.Value) error {
	g.j.Read("users")
	id := row.Get("id").Text()
	if !g.writers[id] {
		g.j.Skipped("users", "without a post")
		return nil
	}
	d := g.data()
	if name := g.names[id]; name != "" {
		d.v.Set("name", jsontree.String(name))
	}
	if slug := row.Get("slug"); !imports.IsAddress(slug.Str()) {
		d.set("slug", slug)
	}
	d.take(row, "bio")
	d.image("image", first(row, "profile_image", "image"), g.names[id])
	d.image("cover", first(row, "cover_image", "cover"), "")
	return g.j.Item("users", &imports.Item{
		Class: author, Type: author, ID: sourceID(row), ContentID: g.ids[author+id],
		Name: cmp.Or(g.names[id], id), TemplateName: author, Status: visibility.Published,
		CreatedAt: when(row.Get("created_at")), UpdatedAt: when(row.Get("updated_at")), Data: d.v,
	})
}

func (g *importer) tag(row *jsontree.Value) error {
	g.j.Read("tags")
	id := row.Get("id").Text()
	d := g.data()
	d.take(row, "name", "slug", "description")
	d.image("image", first(row, "feature_image", "image"), "")
	d.take(row, "visibility", "meta_title", "meta_description", "accent_color", "canonical_url")
	if parent := row.Get("parent_id"); !parent.IsNull() {
		d.v.Set("parent", imports.Reference(g.ref(tag, parent.Text())))
	}
	return g.j.Item("tags", &imports.Item{
		Class: tag, Type: tag, ID: sourceID(row), ContentID: g.ids[tag+id],
		Name: firstText(row, "name", "slug", "id"), TemplateName: tag, Status: visibility.Published,
		CreatedAt: when(row.Get("created_at")), UpdatedAt: when(row.Get("updated_at")),
		CreatedBy: g.by(row, "created_by"), UpdatedBy: g.by(row, "updated_by"), Data: d.v,
	})
}

// ref returns the ContentID of a tag or an author; of one that the export lacks, what it would be.
func (g *importer) ref(class, id string) string {
	if known := g.ids[class+id]; known != "" {
		return known
	}
	return g.j.ContentID(class, id)
}

// by returns the name of a user that a column names, else the user's id.
func (g *importer) by(row *jsontree.Value, column string) string {
	id := row.Get(column)
	if id.IsNull() {
		return ""
	}
	return cmp.Or(g.names[id.Text()], id.Text())
}

// forms are the columns that hold the text of a post, in the order in which they are taken.
var forms = []string{"html", "lexical", "mobiledoc", "markdown"}

// texts takes the forms of the text that a post has. Only the first form gets its plain text next to it, as the others
// say the same. Markdown needs none.
func (d data) texts(row *jsontree.Value) {
	done := false
	for _, form := range forms {
		d.take(row, form)
		if v := d.v.Get(form); v != nil && !done && form != "markdown" {
			done = d.plain(form, v)
		}
	}
}

// plain puts the plain text of a field next to it, and reports whether the field has a text.
func (d data) plain(field string, v *jsontree.Value) bool {
	text := ""
	if field == "html" {
		text = plaintext.FromHTML(v.Str())
	} else {
		text, _ = plaintext.Of(v)
	}
	if text != "" {
		d.v.Set(field+imports.TextSuffix, jsontree.String(text))
	}
	return text != ""
}

// known are further columns of posts and of posts_meta.
var known = []string{
	"custom_excerpt", "featured", "visibility", "locale", "language", "custom_template", "canonical_url", "meta_title", "meta_description",
	"og_image", "og_title", "og_description", "twitter_image", "twitter_title", "twitter_description", "feature_image_caption",
	"show_title_and_feature_image",
}

func (g *importer) post(row *jsontree.Value) error {
	g.j.Read("posts")
	id, class := row.Get("id").Text(), kindOf(row)
	meta := g.meta[id]
	d := g.data()
	d.take(row, "title", "slug")
	d.image("feature_image", first(row, "feature_image", "image"), first2(row, meta, "feature_image_alt").Str())
	d.texts(row)
	for _, column := range known {
		d.set(column, first2(row, meta, column))
	}
	g.references(d, row, id)
	status := g.status(row)
	item := &imports.Item{
		Class: post, Type: class, ID: sourceID(row), ContentID: g.j.ContentID(post, sourceID(row)),
		Name: firstText(row, "title", "slug", "id"), TemplateName: class, Status: status,
		CreatedAt: when(row.Get("created_at")), UpdatedAt: when(row.Get("updated_at")),
		CreatedBy: g.by(row, "created_by"), UpdatedBy: g.by(row, "updated_by"), Data: d.v,
	}
	if status != visibility.Draft { // a post that was published once keeps its date
		item.PublishedAt, item.PublishedBy = when(row.Get("published_at")), g.by(row, "published_by")
	}
	if writers := g.writersOf(row, id); item.CreatedBy == "" && len(writers) > 0 { // versions from 5 on
		item.CreatedBy = cmp.Or(g.names[writers[0]], writers[0])
	}
	return g.j.Item("posts", item)
}

// writersOf returns the ids of a post's authors. The first versions name one in the post.
func (g *importer) writersOf(row *jsontree.Value, id string) []string {
	authors := g.authors[id]
	if one := row.Get("author_id"); len(authors) == 0 && !one.IsNull() {
		authors = []string{one.Text()}
	}
	return authors
}

// references takes tags and authors.
func (g *importer) references(d data, row *jsontree.Value, id string) {
	for _, list := range []struct {
		name, class string
		ids         []string
	}{{"tags", tag, g.tags[id]}, {"authors", author, g.writersOf(row, id)}} {
		var ids []string
		for _, id := range list.ids {
			ids = append(ids, g.ref(list.class, id))
		}
		if len(ids) > 0 {
			d.v.Set(list.name, imports.Reference(ids...))
		}
	}
}

// kindOf says whether a row is a page: versions up to 2 have a column for it.
func kindOf(row *jsontree.Value) string {
	switch flag := row.Get("page"); {
	case row.Get("type").Str() != "":
		return row.Get("type").Str()
	case flag.IsTrue() || flag.Text() == "1":
		return page
	}
	return post
}

// status maps the status of a post. A post for members or mail only is private.
func (g *importer) status(row *jsontree.Value) string {
	word := cmp.Or(row.Get("status").Str(), visibility.Draft) // without a word the post may be private
	status, _ := visibility.Status(word)
	if v := row.Get("visibility").Str(); status != visibility.Draft && v != "" && v != "public" {
		return visibility.Private
	}
	return status
}

func first(row *jsontree.Value, columns ...string) *jsontree.Value {
	for _, column := range columns {
		if v := row.Get(column); v.Str() != "" {
			return v
		}
	}
	return nil
}

// first2 returns a column of a row, or of another one.
func first2(row, other *jsontree.Value, column string) *jsontree.Value {
	if v := row.Get(column); !v.IsNull() {
		return v
	}
	return other.Get(column)
}

func firstText(row *jsontree.Value, columns ...string) string {
	for _, column := range columns {
		if text := strings.TrimSpace(row.Get(column).Text()); text != "" && !row.Get(column).IsNull() {
			return text
		}
	}
	return ""
}

// when returns a time as RFC 3339: exports write ISO, milliseconds, or the form of SQL in UTC.
func when(v *jsontree.Value) string {
	text := v.Text()
	if v.IsNull() || text == "" {
		return ""
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return inUTC(time.UnixMilli(ms))
	}
	t, wrong := dates.Parse(text, time.UTC)
	if wrong != nil {
		return ""
	}
	return inUTC(t)
}

func inUTC(t time.Time) string {
	const last = 9999
	if t = t.UTC(); t.Year() < 1 || t.Year() > last {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}
