// This file writes the tables as a Caddyfile. Foreign words are quoted with backquotes and
// every value is a pattern: a plain value such as "import" would be a directive.

package hosts

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/release"
)

// caddy writes a file to be imported at the top level of a Caddyfile.
func caddy(s *site) ([]File, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# To be imported at the top level of a Caddyfile, Caddy 2.6 or later. Files ending in .br, .zst and .gz beside\n# others are sent to clients that take them; snapshots and everything but items, lists and the manifest are not served.\n%s\n", s.title(), caddyClients)
	if s.edge != nil {
		fmt.Fprintf(&b, caddyUpstream, s.edge, s.edge.Host)
	}
	fmt.Fprintf(&b, "http://:%s {\n", s.port)
	if s.addr != "" {
		fmt.Fprintf(&b, "\tbind %s\n", s.addr)
	}
	b.WriteString("\troute {\n")
	if s.edge != nil {
		b.WriteString(caddyLargest)
		caddyAnswer(&b, "@declared", answerHeaders(release.ClassError), s.large, 413)
	}
	s.caddyLong(&b)
	if s.edge != nil {
		s.caddyPinned(&b)
	}
	for _, t := range s.tables() {
		caddyMap(&b, t)
	}
	s.caddyFiles(&b)
	if s.edge != nil {
		caddyEdge(&b, "*")
	} else {
		s.caddyAlone(&b)
	}
	b.WriteString("\t}\n")
	if s.edge != nil {
		b.WriteString("\thandle_errors {\n\t\t@large expression `{http.error.status_code} == 413`\n")
		caddyAnswer(&b, "@large", answerHeaders(release.ClassError), s.large, 413)
		caddyAnswer(&b, "", append(answerHeaders(release.ClassError), retryAfter), s.down, 503)
		b.WriteString("\t}\n")
	}
	b.WriteString("}\n")
	return []File{{"contentedge.caddy", []byte(b.String())}}, nil
}

// caddyClients names what only the global options can say.
const caddyClients = `# Slow clients hold connections for as long as Caddy lets them; its global options bound that:
#   servers {
#       timeouts {
#           read_header 10s
#           read_body 10s
#           write 60s
#       }
#   }
`

// caddyUpstream asks the edge server for what a matcher matches. Others may be added.
const caddyUpstream = `(contentedge_edge) {
	reverse_proxy {args.0} %s {
		header_up Host %s
		# Leave out fail_duration: it sets a node aside for its failures, and one client that provokes some would take
		# it from all others. What a node does not answer is asked once more, of the next one if there are more.
		lb_retries 1
		transport http {
			# The edge server accepts at once and answers a search in 2 seconds (--search-timeout) or says 503.
			dial_timeout 2s
			response_header_timeout 10s
			# Shorter than the edge server keeps an idle connection (--idle-timeout).
			keepalive 60s
		}
	}
}

`

// caddyLargest bounds bodies where an edge server reads them.
const caddyLargest = `		# What the edge server reads (--body-limit), 262144 bytes: a longer body is not passed on, or not whole if
		# its length is not said before.
		@declared header_regexp Content-Length ^0*(?:[1-9][0-9]{6,}|[3-9][0-9]{5}|2[7-9][0-9]{4}|26[3-9][0-9]{3}|262[2-9][0-9]{2}|2621[5-9][0-9]|26214[5-9])$
		request_body {
			max_size 256KiB
		}
`

// maxTarget bounds the targets that expressions are matched on: each byte costs about a
// microsecond, and Caddy accepts a megabyte.
const maxTarget = 8 << 10

// caddyLong sends what is too long to be looked at to the edge server.
func (s *site) caddyLong(b *strings.Builder) {
	fmt.Fprintf(b, "\t\t@long expression `size({http.request.orig_uri}) > %d`\n", maxTarget)
	if s.edge != nil {
		caddyEdge(b, "@long")
	} else {
		caddyAnswer(b, "@long", answerHeaders(release.ClassNotFound), s.noFile, 404)
	}
}

// caddyPinned sends what has to be of a certain release to the edge server.
func (s *site) caddyPinned(b *strings.Builder) {
	fmt.Fprintf(b, "\t\t@pinned {\n\t\t\theader %s *\n\t\t\tnot path /manifest.json\n\t\t}\n", release.Header)
	caddyEdge(b, "@pinned")
}

// caddyEdge sends what a matcher matches to the edge server, as it came.
func caddyEdge(b *strings.Builder, matcher string) {
	fmt.Fprintf(b, "\t\timport contentedge_edge %s\n", matcher)
}

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
	for _, t := range askedHeaderTables("http.request.header." + release.RequestHeaders) {
		caddyMap(b, t)
	}
	b.WriteString("\t\t@preflight method OPTIONS\n")
	caddyAnswer(b, "@preflight", preflightHeaders("{"+varNamed+"}"), "", 204)
	b.WriteString("\t\t@verb not method GET HEAD\n")
	caddyAnswer(b, "@verb", append(answerHeaders(release.ClassError), header{"Allow", release.AllowRead}), s.verb, 405)
	caddyAnswer(b, "", answerHeaders(release.ClassNotFound), s.noFile, 404)
}

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
