// This file writes the tables as a Caddyfile. Every word that is not ours is quoted with
// backquotes and every value is a pattern of harmless characters: as a plain word, a
// value such as "import" would be a directive.

package hosts

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/release"
)

// caddy writes a file to be imported at the top level of a Caddyfile.
func caddy(s *site) ([]File, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# To be imported at the top level of a Caddyfile, Caddy 2.6 or later. Files ending in .br, .zst and .gz beside\n# others are sent to clients that take them; snapshots and everything but items, lists and the manifest are not served.\n\nhttp://:%s {\n", s.title(), s.port)
	if s.addr != "" {
		fmt.Fprintf(&b, "\tbind %s\n", s.addr)
	}
	b.WriteString("\troute {\n")
	s.caddyLong(&b)
	if s.edge != nil {
		s.caddyPinned(&b)
	}
	for _, t := range s.tables() {
		caddyMap(&b, t)
	}
	s.caddyFiles(&b)
	if s.edge != nil {
		s.caddyEdge(&b, "")
	} else {
		s.caddyAlone(&b)
	}
	b.WriteString("\t}\n")
	if s.edge != nil {
		b.WriteString("\thandle_errors {\n")
		caddyAnswer(&b, "", append(answerHeaders(release.ClassError), retryAfter), s.down, 503)
		b.WriteString("\t}\n")
	}
	b.WriteString("}\n")
	return []File{{"contentedge.caddy", []byte(b.String())}}, nil
}

// maxTarget bounds the bytes that expressions are tried on. Caddy takes requests of a
// megabyte, and each costs about a microsecond a byte; others take no more than this.
const maxTarget = 8 << 10

// caddyLong sends what is too long to be looked at to the edge server.
func (s *site) caddyLong(b *strings.Builder) {
	fmt.Fprintf(b, "\t\t@long expression `size({http.request.orig_uri}) > %d`\n", maxTarget)
	if s.edge != nil {
		s.caddyEdge(b, "@long ")
	} else {
		caddyAnswer(b, "@long", answerHeaders(release.ClassNotFound), s.noFile, 404)
	}
}

// caddyPinned sends what has to be of a certain release to the edge server.
func (s *site) caddyPinned(b *strings.Builder) {
	fmt.Fprintf(b, "\t\t@pinned {\n\t\t\theader %s *\n\t\t\tnot path /manifest.json\n\t\t}\n", release.Header)
	s.caddyEdge(b, "@pinned ")
}

// caddyEdge sends what a matcher matches to the edge server, as it came.
func (s *site) caddyEdge(b *strings.Builder, matcher string) {
	fmt.Fprintf(b, "\t\treverse_proxy %s%s {\n\t\t\theader_up Host %s\n\t\t}\n", matcher, s.edge, s.edge.Host)
}

// caddyMap writes a table.
func caddyMap(b *strings.Builder, t table) {
	source := t.source
	if source == "" {
		source = "http.request.orig_uri"
	}
	fmt.Fprintf(b, "\t\tmap {%s} {%s} {\n", source, t.name)
	for _, r := range t.rows {
		fmt.Fprintf(b, "\t\t\t`~%s` `%s`\n", r.pattern, strings.ReplaceAll(r.value, first, "${1}"))
	}
	fmt.Fprintf(b, "\t\t\tdefault `%s`\n\t\t}\n", t.other)
}

// caddyFiles serves the file if it is there.
func (s *site) caddyFiles(b *strings.Builder) {
	fmt.Fprintf(b, "\t\t@file {\n\t\t\tmethod GET HEAD\n\t\t\tfile {\n\t\t\t\troot `%s`\n\t\t\t\ttry_files {%s} ", s.root, varFile)
	for _, p := range listParts() {
		b.WriteString(p.text)
		if p.variable != "" {
			b.WriteString("{" + p.variable + "}")
		}
	}
	b.WriteString("\n\t\t\t}\n\t\t}\n\t\thandle @file {\n")
	headers := append(fixedHeaders(), header{"Cache-Control", "{" + varCache + "}"}, header{"Content-Type", release.ContentType})
	caddyHeaders(b, "\t\t\t", headers)
	b.WriteString("\t\t\theader {\n\t\t\t\t-Last-Modified\n\t\t\t\tdefer\n\t\t\t}\n") // it follows from the bytes (release.FileTime) and is no date
	fmt.Fprintf(b, "\t\t\trewrite * {http.matchers.file.relative}\n\t\t\tfile_server {\n\t\t\t\troot `%s`\n\t\t\t\tprecompressed br zstd gzip\n\t\t\t}\n\t\t}\n", s.root)
}

// caddyAlone answers a miss where there is no edge server.
func (s *site) caddyAlone(b *strings.Builder) {
	for _, t := range namedTables("http.request.header." + release.AskedHeaders) {
		caddyMap(b, t)
	}
	b.WriteString("\t\t@preflight method OPTIONS\n")
	caddyAnswer(b, "@preflight", preflightHeaders("{"+varNamed+"}"), "", 204)
	b.WriteString("\t\t@verb not method GET HEAD\n")
	caddyAnswer(b, "@verb", append(answerHeaders(release.ClassError), header{"Allow", release.AllowRead}), s.verb, 405)
	caddyAnswer(b, "", answerHeaders(release.ClassNotFound), s.noFile, 404)
}

// caddyAnswer answers what a matcher matches.
func caddyAnswer(b *strings.Builder, matcher string, headers []header, body string, status int) {
	fmt.Fprintf(b, "\t\thandle %s {\n", matcher)
	caddyHeaders(b, "\t\t\t", append(headers, header{"Content-Type", release.ContentType}))
	fmt.Fprintf(b, "\t\t\trespond `%s` %d\n\t\t}\n", body, status)
}

// caddyHeaders sets headers after others have, so that each is there once.
func caddyHeaders(b *strings.Builder, indent string, headers []header) {
	fmt.Fprintf(b, "%sheader {\n", indent)
	for _, h := range headers {
		fmt.Fprintf(b, "%s\t%s `%s`\n", indent, h.name, h.value)
	}
	fmt.Fprintf(b, "%s\tdefer\n%s}\n", indent, indent)
}
