// This file writes configurations from the templates in template/: what a web server needs in addition to the tables,
// and the rules of static hosts. Static hosts ignore the query, so they never serve a list's file for it; each file
// says so.

package hosts

import (
	"bytes"
	"embed"
	"net"
	"strings"
	"text/template"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

//go:embed template
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"releaseHeader":     constant(httpfield.Release),
	"forwardedFor":      constant(httpfield.ForwardedFor),
	"requestHeaders":    constant(httpfield.RequestHeaders),
	"allow":             constant(address.AllowRead),
	"contentType":       constant(release.ContentType),
	"topFiles":          func() []string { return topFiles },
	"topPattern":        constant("^" + topPath + "[? ]"),
	"itemParameters":    itemParameters,
	"root":              constant(address.Root),
	"searches":          constant(address.SearchRoot),
	"lists":             address.Contents.Path,
	"item":              address.Item.Path,
	"listFiles":         address.ListFile.Path,
	"savedSearch":       address.SavedSearch.Path,
	"mediaFiles":        address.Media.Path,
	"mediaPolicy":       constant(release.MediaPolicy),
	"mediaTypes":        mediaTypes,
	"previous":          constant("/" + release.PreviousLink),
	"bodyLimit":         func() int { return address.DefaultBodyLimit },
	"over":              numbersOver,
	"emptyPattern":      constant(emptyPattern),
	"fixedHeaders":      fixedHeaders,
	"preflight":         preflight,
	"askedHeaderTables": askedHeaderTables,
	"join":              net.JoinHostPort,
	// A header's name in nginx's variable of its value.
	"variable": func(header string) string { return strings.ReplaceAll(strings.ToLower(header), "-", "_") },
	// A text without variables as a word of nginx.
	"quote":  func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` },
	"braced": func(value string) string { return strings.ReplaceAll(value, first, "${1}") },
}).ParseFS(templateFiles, "template/*"))

// mediaTypes are the extensions of media by content type.
func mediaTypes() map[string][]string {
	types := map[string][]string{}
	for _, e := range address.MediaExtensions() {
		types[address.MediaType("."+e)] = append(types[address.MediaType("."+e)], e)
	}
	return types
}

// itemParameters are the parameters of items. None has files.
func itemParameters() (names []string) {
	for _, p := range address.Parameters(address.Item) {
		names = append(names, p.Name)
	}
	return names
}

func constant(s string) func() string { return func() string { return s } }

func (s *site) fill(file, template string) File {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, template, s); err != nil {
		panic("hosts: " + err.Error()) // our template does not fit a site
	}
	return File{file, b.Bytes()}
}

// nginx writes a file for the http block.
func nginx(s *site) ([]File, error) { return []File{s.fill("contentedge.conf", "nginx.conf")}, nil }

// caddy writes a file to be imported at the top level of a Caddyfile.
func caddy(s *site) ([]File, error) {
	return []File{s.fill("contentedge.caddy", "contentedge.caddy")}, nil
}

// netlify writes _headers, _redirects and the body of a 404.
func netlify(s *site) ([]File, error) {
	return []File{s.fill("_headers", "headers"), s.fill("_redirects", "netlify-redirects"), {"404.json", []byte(s.NoFile.Body)}}, nil
}

// cloudflarePages writes _headers, the page of a 404 and, with an edge server, _redirects.
func cloudflarePages(s *site) ([]File, error) {
	headers := s.fill("_headers", "headers")
	headers.Body = append(headers.Body, "/404\n  Content-Type: "+release.ContentType+"\n"...)
	// Without a page for 404 the host would answer every path with the start page.
	files := []File{headers, {"404.html", []byte(s.NoFile.Body)}}
	if s.Edge != nil {
		files = append(files, s.fill("_redirects", "pages-redirects"))
	}
	return files, nil
}
