// This file makes the document at /: it describes the server to people who open the address. Ids of environments may be
// secrets, so it lists them only where the operator allows it.

package respond

import (
	"bytes"
	"cmp"
	"html"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Home is what the document at / says.
type Home struct {
	Release string // its identity; "" before the first release
	// Environments are listed if ListEnvironments is set.
	Environments     []HomeEnvironment
	ListEnvironments bool
	// Documentation is the URL of the documentation. "": the name of the page that has it.
	Documentation string
}

// HomeEnvironment is an environment with examples from its content.
type HomeEnvironment struct {
	ID   string
	Item string // the id of an item, or ""
	Word string // that a search finds, or ""
}

const (
	documentation = "edgeserve/README.md of contentedge"
	// maxDocumentation is the longest URL of the documentation, in bytes.
	maxDocumentation = 2048

	// HomePolicy lets a browser load nothing for the page.
	HomePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// ValidDocumentation reports whether a text is a URL to which the document at / can link.
func ValidDocumentation(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && len(text) <= maxDocumentation &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) })
}

// SetHome sets the fields of the document at /, except X-Release. It appends the document to dst: a page if the request
// accepts HTML, otherwise JSON.
func (f *Fields) SetHome(h httpfield.Header, r Request, home Home, dst []byte) []byte {
	page := bytes.Contains(r.Fields.Peek(httpfield.Accept), []byte("text/html"))
	f.Set(homeHeader{h, page}, release.ClassError, r.Fields)
	if !page {
		return envelope.AppendItem(dst, home.document())
	}
	httpfield.New(httpfield.ContentSecurityPolicy, HomePolicy).Set(h)
	return append(dst, home.page()...)
}

// homeHeader changes the fields in which the document at / differs from others of its class.
type homeHeader struct {
	httpfield.Header
	page bool
}

// SetCanonical implements httpfield.Header.
func (h homeHeader) SetCanonical(name, value []byte) {
	switch {
	case string(name) == httpfield.Vary:
		value = append(bytes.Clone(value), ", "+httpfield.Accept...)
	case string(name) == httpfield.ContentType && h.page:
		value = []byte("text/html; charset=utf-8")
	}
	h.Header.SetCanonical(name, value)
}

// SetHealth sets the fields of a probe's response, except X-Release, and appends its body to dst.
func (f *Fields) SetHealth(h httpfield.Header, r RequestFields, word string, dst []byte) []byte {
	f.Set(h, release.ClassError, r)
	return envelope.AppendItem(dst, strconv.AppendQuote(nil, word))
}

// Words of probes.
const (
	Live  = "live"
	Ready = "ready"
)

// UnknownRoute is the problem of a path that has no route. It names the document at /, and the route that is most like the
// path.
func UnknownRoute(path string) *problem.Problem {
	message := problem.Of(problem.UnknownRoute).Message + "; / lists the addresses"
	if nearest := address.Nearest(path); nearest != "" {
		message += ", and " + nearest + " is the nearest"
	}
	return problem.New(problem.UnknownRoute, message)
}

// endpoint is a public route, for the document at /.
type endpoint struct{ methods, address string }

// endpoints are the public routes except routes whose path is another spelling.
var endpoints = sync.OnceValue(func() (list []endpoint) {
	for _, e := range address.Endpoints() {
		if strings.HasSuffix(e.Pattern, "/") {
			continue
		}
		list = append(list, endpoint{strings.TrimSuffix(e.Allow, ", OPTIONS"), e.Template()})
	}
	return list
})

// document is the data of the JSON form. Every text in it is ASCII without quotes.
func (home Home) document() []byte {
	b := []byte(`{"release":`)
	if home.Release != "" {
		b = strconv.AppendQuote(b, home.Release)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"documentation":"`+cmp.Or(home.Documentation, documentation)+`","endpoints":[`...)
	for i, e := range endpoints() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"methods":"`+e.methods+`","address":"`+e.address+`"}`...)
	}
	b = append(b, ']')
	if home.ListEnvironments {
		b = append(b, `,"environments":[`...)
		for i, e := range home.Environments {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendQuote(b, e.ID)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func (home Home) page() string {
	name := home.Release
	if name == "" {
		name = "none yet"
	}
	where := "<code>" + documentation + "</code>"
	if home.Documentation != "" {
		where = link(home.Documentation)
	}
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>contentedge</title>` +
		`<h1>contentedge</h1><p>This node delivers content. Release: <code>` + name + `</code>. Documentation: ` + where + `.</p><table><caption>What answers here</caption><tr><th scope="col">Methods<th scope="col">Address`)
	for _, e := range endpoints() {
		b.WriteString("<tr><td>" + e.methods + "<td><code>" + e.address + "</code>")
	}
	b.WriteString("</table><p>The same for tools, as OpenAPI: " + link(address.Description.Path()) + "</p>")
	if home.ListEnvironments {
		for _, e := range home.Environments {
			e.write(&b)
		}
	}
	b.WriteString("</html>\n")
	return b.String()
}

// write writes the examples of an environment.
func (e HomeEnvironment) write(b *strings.Builder) {
	b.WriteString("<h2>" + e.ID + "</h2><ul><li>A list: " + link(address.Contents.Path(e.ID)))
	if e.Item != "" {
		b.WriteString("<li>An item: " + link(address.Item.Path(e.ID, e.Item)))
	}
	if e.Word != "" {
		b.WriteString("<li>A search: " + link(address.Search.Path(e.ID)+"?"+address.ParamQuery+"="+url.QueryEscape(e.Word)))
	}
	b.WriteString("</ul>")
}

// link is a link with its address as its text.
func link(target string) string {
	target = html.EscapeString(target)
	return `<a href="` + target + `">` + target + "</a>"
}
