// This file answers GET /: who opens a node's address in a browser or with curl learns what answers
// there. Ids of environments may be secrets, so they are told only where the operator says so.

package edgeserve

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/metrics"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

const (
	documentation = "edgeserve/README.md of contentedge"

	// rootPolicy lets a browser load nothing for the page.
	rootPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// endpoint is a public route, for the document at /.
type endpoint struct{ methods, address string }

// describe adds an endpoint to the document at /, unless its path is another spelling.
func (a *fiberAdapter) describe(e address.Endpoint) {
	if strings.HasSuffix(e.Pattern, "/") {
		return
	}
	rest := "{filters}/page-{number}.json"
	if e.Kind == address.Media {
		rest = "{digest}/{file}"
	}
	path := strings.NewReplacer(":envs", "{environment}", ":env", "{environment}", ":id", "{content_id}", ":page", "{name}.json", "*", rest).Replace(e.Pattern)
	a.endpoints = append(a.endpoints, endpoint{strings.TrimSuffix(e.Allow, ", OPTIONS"), path})
}

func (a *fiberAdapter) root(c *fiber.Ctx) error {
	ctx := c.Context()
	if a.shared.fallback != nil && a.shared.fallback(ctx) {
		return nil
	}
	setRoute(ctx, metrics.Unknown)
	if strings.Contains(string(ctx.Request.Header.Peek(httpfield.Accept)), "text/html") {
		a.sendRootPage(ctx)
	} else {
		a.respond.sendData(ctx, a.rootDocument())
	}
	ctx.Response.Header.Set(httpfield.Vary, string(ctx.Response.Header.Peek(httpfield.Vary))+", "+httpfield.Accept)
	return nil
}

// served is the id of the served release, and of its environments those that may be told.
func (a *fiberAdapter) served() (release string, environments []string) {
	current := a.shared.current.Served.Load()
	if current == nil {
		return "", nil
	}
	if a.listEnvironments {
		for i := range current.Generation.Dir.Manifest.Environments {
			environments = append(environments, current.Generation.Dir.Manifest.Environments[i].ID)
		}
	}
	return current.Generation.Dir.Manifest.Build, environments
}

// rootDocument is the data of the JSON form. Every text in it is ASCII without quotes.
func (a *fiberAdapter) rootDocument() []byte {
	release, environments := a.served()
	b := append([]byte(`{"release":`), "null"...)
	if release != "" {
		b = strconv.AppendQuote(b[:len(b)-len("null")], release)
	}
	b = append(b, `,"documentation":"`+documentation+`","endpoints":[`...)
	for i, e := range a.endpoints {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"methods":"`+e.methods+`","address":"`+e.address+`"}`...)
	}
	b = append(b, ']')
	if a.listEnvironments {
		b = append(b, `,"environments":[`...)
		for i, id := range environments {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendQuote(b, id)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func (a *fiberAdapter) sendRootPage(ctx *fasthttp.RequestCtx) {
	release, environments := a.served()
	if release == "" {
		release = "none yet"
	}
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>contentedge</title>` +
		`<h1>contentedge</h1><p>This node delivers content. Release: <code>` + release + `</code>. Documentation: <code>` + documentation + `</code>.</p><table><caption>What answers here</caption><tr><th scope="col">Methods<th scope="col">Address`)
	for _, e := range a.endpoints {
		b.WriteString("<tr><td>" + e.methods + "<td><code>" + e.address + "</code>")
	}
	b.WriteString("</table>")
	if len(environments) > 0 {
		b.WriteString("<h2>Environments</h2><ul>")
		for _, id := range environments {
			b.WriteString(`<li><a href="` + address.Contents.Path(id) + `">` + id + "</a>")
		}
		b.WriteString("</ul>")
	}
	b.WriteString("</html>\n")
	a.respond.sendData(ctx, nil)
	ctx.Response.Header.SetContentType("text/html; charset=utf-8")
	ctx.Response.Header.Set(httpfield.ContentSecurityPolicy, rootPolicy)
	ctx.Response.SetBodyString(b.String())
}
