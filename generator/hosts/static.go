// This file writes headers and redirects for static hosts without programs. Such hosts
// ignore the query, so they never serve a list's file for it; each file says so.

package hosts

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/release"
)

// netlify writes _headers, _redirects and the body of a 404.
func netlify(s *site) ([]File, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n"+
		"# Rules match without regard to the query, so lists have their files under those names only; without an edge server\n"+
		"# the query form of a list is a 404. An unknown item is this site's 404. Methods other than GET and HEAD are the\n"+
		"# site's to refuse. Deploy cda/, manifest.json and these files, nothing else: all of it is served.\n", s.title())
	if s.edge != nil {
		fmt.Fprintf(&b, "/cda/es/* %s/cda/es/:splat 200\n/cda/rest/v1/:env/contents %s/cda/rest/v1/:env/contents 200\n", s.edge, s.edge)
	}
	b.WriteString("/cda/rest/v1/:env/contents/:id /cda/rest/v1/:env/contents/:id.json 200\n")
	if s.edge != nil {
		fmt.Fprintf(&b, "/cda/* %s/cda/:splat 200\n", s.edge)
	}
	b.WriteString("/* /404.json 404\n")
	return []File{{"_headers", []byte(s.headerRules())}, {"_redirects", []byte(b.String())}, {"404.json", []byte(s.noFile)}}, nil
}

// cloudflarePages writes _headers, the page of a 404 and, with an edge server, _redirects.
func cloudflarePages(s *site) ([]File, error) {
	// Without a page of its own for 404 the host would take the site for one page.
	files := []File{{"_headers", []byte(s.headerRules() + "/404\n  Content-Type: " + release.ContentType + "\n")}, {"404.html", []byte(s.noFile)}}
	if s.edge == nil {
		return files, nil
	}
	text := fmt.Sprintf("# %s\n"+
		"# Rules cannot read a query, rewrite to another server or give way to files: lists have their files under those names\n"+
		"# only, and so have items, ID.json; the query form of lists and searches are sent to the edge server by redirects. A\n"+
		"# list without a file is a 404. For the whole interface use the worker. Deploy cda/, manifest.json and these files,\n"+
		"# nothing else: all of it is served.\n"+
		"/cda/rest/v1/:env/contents %s/cda/rest/v1/:env/contents 307\n/cda/es/* %s/cda/es/:splat 307\n", s.title(), s.edge, s.edge)
	return append(files, File{"_redirects", []byte(text)}), nil
}

// headerRules is the file of both hosts. No two rules set the same header for a path,
// because hosts would join the values.
func (s *site) headerRules() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# Query form, search and misses need the edge server or a program: see _redirects.\n/*\n", s.title())
	for _, h := range fixedHeaders() {
		fmt.Fprintf(&b, "  %s: %s\n", h.name, h.value)
	}
	for _, rule := range []struct {
		path  string
		class release.Class
	}{
		{"/manifest.json", release.ClassManifest},
		{"/cda/rest/v1/:env/contents/*", release.ClassItem},
		{"/cda/rest/v1/:env/contents-list/*", release.ClassList},
	} {
		fmt.Fprintf(&b, "%s\n  Cache-Control: %s\n", rule.path, release.CacheControl(rule.class))
	}
	return b.String()
}
