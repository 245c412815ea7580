// This file serves rich text and images of items as documents of their own, which the page shows in frames. A
// document is content of strangers: it runs no script, belongs to no origin, and loads nothing but images of this
// preview. Images of other hosts are loaded only after a click in the document.

package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/cmd/preview/richtext"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
)

const framePath = "/-/frame/"

// The parameters of a frame, and their values.
const (
	paramAt     = "at"     // JSON pointer to the value
	paramAs     = "as"     // its format; by default the one that it is recognised as
	paramImages = "images" // of other hosts
	paramTheme  = "theme"

	asMarkdown, asMedium = "markdown", "media"
	imagesAll            = "all"
)

var frameStyle = func() string {
	text, err := assets.ReadFile("assets/frame.css")
	if err != nil {
		panic(err) // it is part of the binary
	}
	return string(text)
}()

// framePolicy is the policy of a document in a frame. The style is known by its digest: content brings none.
func framePolicy(images bool) string {
	from := "'self' data:"
	if images {
		from += " http: https:"
	}
	sum := sha256.Sum256([]byte(frameStyle))
	return "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src " + from +
		"; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
}

func (p *Page) sendFrame(r *request, env, id string) *apiError {
	query, err := url.ParseQuery(r.query)
	if err != nil {
		return errRoute
	}
	images := query.Get(paramImages) == imagesAll
	r.Response.Header.Set(httpfield.ContentSecurityPolicy, framePolicy(images))
	status, body := p.frame(env, id, query, images)
	r.SetStatusCode(status)
	r.SetContentType(mediaTypes[".html"])
	r.SetBodyString(document(query, body))
	return nil
}

// frame returns what a document shows of an item: a text, an image, or why it shows nothing.
func (p *Page) frame(env, id string, query url.Values, images bool) (status int, body string) {
	item, ok := p.tree(env, id)
	if !ok {
		return fasthttp.StatusNotFound, message("This item is not there any more.")
	}
	if item == nil {
		return fasthttp.StatusOK, message("The item is too long for its texts to be shown.")
	}
	v := richtext.At(item, query.Get(paramAt))
	if v == nil {
		return fasthttp.StatusNotFound, message("This value is not there any more.")
	}
	page, err := richtext.Render(formatOf(query.Get(paramAs), v), v, images)
	switch {
	case err != nil:
		return fasthttp.StatusOK, message(err.Error())
	case page.HTML == "":
		return fasthttp.StatusOK, message("The text is empty.")
	}
	return fasthttp.StatusOK, leftImages(page, query) + "<main>" + page.HTML + "</main>"
}

func formatOf(name string, v *jsontree.Value) plaintext.Format {
	switch name {
	case asMarkdown:
		return richtext.Markdown
	case asMedium:
		return richtext.Medium
	}
	return plaintext.FormatOf(v)
}

// leftImages says how many images are not loaded, with the link that loads them.
func leftImages(page richtext.Page, query url.Values) string {
	if page.Images == 0 {
		return ""
	}
	query.Set(paramImages, imagesAll)
	count := "1 image is"
	if page.Images > 1 {
		count = fmt.Sprintf("%d images are", page.Images)
	}
	return fmt.Sprintf(`<p class="bar">%s not loaded, from %s. <a href="?%s" target="_self">Load</a></p>`,
		count, html.EscapeString(strings.Join(page.Hosts, ", ")), html.EscapeString(query.Encode()))
}

func message(text string) string { return `<p class="bar">` + html.EscapeString(text) + "</p>" }

func document(query url.Values, body string) string {
	theme := ""
	if t := query.Get(paramTheme); t == "dark" || t == "light" {
		theme = ` data-theme="` + t + `"`
	}
	return "<!doctype html>\n<html lang=\"und\"" + theme + `><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>` +
		html.EscapeString(query.Get(paramAt)) + "</title><style>" + frameStyle + "</style></head>\n<body>" + body + "</body></html>\n"
}
