// This file has the tags that Markdown can say too.

package shortcodes

import (
	"net/url"
	"path"
	"strings"
)

// equivalent returns the Markdown of a tag. whole says that it replaces what the tag encloses too.
type equivalent func(r *replacer, t *Tag, inner string) (text string, whole bool)

// equivalents are the tags by their names.
var equivalents map[string]equivalent

func init() {
	equivalents = map[string]equivalent{
		"figure": figure, "image": figure, "img": figure,
		"asset_img": asset(true), "asset_link": asset(false), "asset_path": assetPath,
		"ref": page, "relref": page, "post_url": namedPage, "link": namedPage, "post_path": page, "post_link": pageLink,
		"youtube": link("id", "https://www.youtube.com/watch?v="), "vimeo": link("id", "https://vimeo.com/"),
		"gist": gist, "tweet": tweet, "x": tweet, "twitter": tweet,
		"highlight": highlight, "codeblock": highlight, "code": highlight,
		"raw": raw, "comment": nothing, "param": parameter,
	}
}

// linkText and linkTarget escape what would end the text or the target of a link.
var (
	linkText   = strings.NewReplacer("[", `\[`, "]", `\]`, "\n", " ", "\r", " ")
	linkTarget = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\n", "%0A", "\r", "")
	linkTitle  = strings.NewReplacer(`"`, `\"`, "\n", " ", "\r", " ")
)

// Link returns a link in Markdown.
func Link(text, target string) string {
	return "[" + linkText.Replace(text) + "](" + linkTarget.Replace(target) + ")"
}

// Image returns an image in Markdown. The title may be "".
func Image(alt, target, title string) string {
	text := "![" + linkText.Replace(alt) + "](" + linkTarget.Replace(target)
	if title != "" {
		text += ` "` + linkTitle.Replace(title) + `"`
	}
	return text + ")"
}

// parameter is a value of the front matter or of the settings.
func parameter(r *replacer, t *Tag, _ string) (string, bool) {
	text, ok := r.variable(t.Arg("name", 0))
	if !ok {
		r.note(&r.left, Use{t.Name, t.Start})
	}
	return text, false
}

// figure is an image with a caption, perhaps in a link.
func figure(r *replacer, t *Tag, inner string) (string, bool) {
	source := t.Arg("src", 0)
	if source == "" {
		r.note(&r.left, Use{t.Name, t.Start})
		return "", false
	}
	title, caption := t.Arg("title", -1), t.Arg("caption", -1)
	if title == "" {
		title = caption
	}
	alt := t.Arg("alt", -1)
	if alt == "" {
		alt = title
	}
	text := Image(alt, source, title)
	if to := t.Arg("link", -1); to != "" {
		text = "[" + text + "](" + linkTarget.Replace(to) + ")"
	}
	if inner = strings.TrimSpace(inner); inner != "" {
		text += " " + inner
	}
	return text, true
}

// asset is a file in the folder of a post of Hexo: its name, perhaps classes and sizes before it, a title after it.
func asset(image bool) equivalent {
	return func(r *replacer, t *Tag, _ string) (string, bool) {
		for i, a := range t.Args {
			if path.Ext(a.Value) == "" {
				continue
			}
			var title []string
			for _, rest := range t.Args[i+1:] {
				title = append(title, rest.Value)
			}
			text, _, _ := strings.Cut(strings.Join(title, " "), " ' ")
			if image {
				return Image(text, r.site.File(a.Value), text), false
			}
			if text == "" {
				text = a.Value
			}
			return Link(text, r.site.File(a.Value)), false
		}
		r.note(&r.left, Use{t.Name, t.Start})
		return "", false
	}
}

func assetPath(r *replacer, t *Tag, _ string) (string, bool) {
	return linkTarget.Replace(r.site.File(t.Arg("path", 0))), false
}

// page is the URL of a page.
func page(r *replacer, t *Tag, _ string) (string, bool) {
	return pageURL(r, t, t.Arg("path", 0))
}

// namedPage is the URL of a page whose name is the whole text of the tag: it may have spaces.
func namedPage(r *replacer, t *Tag, _ string) (string, bool) {
	return pageURL(r, t, strings.TrimSpace(t.Text))
}

func pageURL(r *replacer, t *Tag, reference string) (string, bool) {
	to := r.site.Page(reference)
	if to == "" {
		r.note(&r.links, Use{reference, t.Start})
		to = reference
	}
	return linkTarget.Replace(to), false
}

// pageLink is a link to a page, with its text.
func pageLink(r *replacer, t *Tag, _ string) (string, bool) {
	reference, text := t.Arg("path", 0), t.Arg("title", 1)
	if text == "" {
		text = reference
	}
	to, _ := page(r, t, "")
	return Link(text, to), false
}

// link is a link to an address that an argument ends.
func link(name, base string) equivalent {
	return func(r *replacer, t *Tag, _ string) (string, bool) {
		id := t.Arg(name, 0)
		if id == "" {
			r.note(&r.left, Use{t.Name, t.Start})
			return "", false
		}
		return "<" + base + url.PathEscape(id) + ">", false
	}
}

func gist(_ *replacer, t *Tag, _ string) (string, bool) {
	user, id := t.Arg("user", 0), t.Arg("id", 1)
	address := "https://gist.github.com/" + (&url.URL{Path: user}).EscapedPath()
	if id != "" {
		address += "/" + url.PathEscape(id)
	}
	return "<" + address + ">", false
}

func tweet(_ *replacer, t *Tag, _ string) (string, bool) {
	user, id := t.Arg("user", 0), t.Arg("id", -1)
	if id == "" {
		id, user = user, "i/web"
	}
	return "<https://twitter.com/" + (&url.URL{Path: user}).EscapedPath() + "/status/" + url.PathEscape(id) + ">", false
}

// highlight is code in a fence, or in a span if it has one line.
func highlight(_ *replacer, t *Tag, inner string) (string, bool) {
	if inner == "" {
		return "", true
	}
	if !strings.Contains(inner, "\n") {
		return "`` " + strings.TrimSpace(inner) + " ``", true
	}
	fence := "```"
	for strings.Contains(inner, fence) {
		fence += "`"
	}
	text := fence + strings.TrimPrefix(t.Arg("lang", 0), "lang:")
	if !strings.HasPrefix(strings.TrimLeft(inner, " \t\r"), "\n") {
		text += "\n"
	}
	text += inner
	if !strings.HasSuffix(strings.TrimRight(inner, " \t"), "\n") {
		text += "\n"
	}
	return text + fence, true
}

// raw is text that is not a template.
func raw(_ *replacer, _ *Tag, inner string) (string, bool) { return inner, true }

// nothing drops a shortcode that readers of a page do not see.
func nothing(*replacer, *Tag, string) (string, bool) { return "", true }
