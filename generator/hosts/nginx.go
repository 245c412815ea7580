// This file writes the tables as nginx maps. All keys are regular expressions, because nginx
// ignores the case of others.

package hosts

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/release"
)

// nginx writes a file for the http block.
func nginx(s *site) ([]File, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# To be included in the http block of nginx 1.11 or later. Files ending in .gz beside others are sent\n# to clients that take them; snapshots and everything but items, lists and the manifest are not served.\n\n", s.title())
	b.WriteString("map $request_method $ce_method {\n    \"~^(?:GET|HEAD)$\" \"\";\n    default \"/!\";\n}\n")
	for _, t := range s.tables() {
		nginxMap(&b, t)
	}
	if s.edge != nil {
		fmt.Fprintf(&b, "\nmap \"$request_uri $http_%s\" $ce_pin {\n    \"~ $\" \"\";\n    \"~^/manifest\\.json[? ]\" \"\";\n    default \"/!\";\n}\n", nginxName(release.Header))
		fmt.Fprintf(&b, nginxUpstream, hostPort(s.edge.Hostname(), s.edgePort()))
	} else {
		b.WriteString("\nmap $request_method $ce_allow {\n    \"~^(?:GET|HEAD)$\" \"\";\n    default " + nginxQuote(release.AllowRead) + ";\n}\n")
		for _, t := range askedHeaderTables("http_" + nginxName(release.RequestHeaders)) {
			nginxMap(&b, t)
		}
	}
	s.nginxServer(&b)
	return []File{{"contentedge.conf", []byte(b.String())}}, nil
}

// nginxUpstream is the group of edge servers, to which others may be added.
const nginxUpstream = `
upstream contentedge_edge {
    # No node is set aside for its failures: one client that provokes some would take it from all others.
    # What a node does not answer is asked of the next one, if there are more.
    server %s max_fails=0;
    keepalive 16;
}
`

// nginxClients says how long and how large a request may be.
const nginxClients = `
    # Slow clients hold a connection here, not at the edge server, and not for long.
    client_header_timeout 10s;
    client_body_timeout 10s;
    send_timeout 60s;
`

// nginxLargest bounds bodies where an edge server reads them.
const nginxLargest = `
    # What the edge server reads (--body-limit): a longer body is refused before it is passed on.
    client_max_body_size 256k;
    error_page 413 = @large;
`

// nginxProxy says how the edge server is asked.
const nginxProxy = `
        # A whole head: it has less than 4 KiB, which is all that some builds of nginx take.
        proxy_buffer_size 8k;
        # The edge server accepts at once and answers a search in 2 seconds (--search-timeout) or says 503;
        # with those that wait for their turn and long bodies it is done long before.
        proxy_connect_timeout 2s;
        proxy_send_timeout 10s;
        proxy_read_timeout 10s;
        # A node that is out of reach, or closed an idle connection: once more elsewhere, searches too, which change
        # nothing. Never for 503: a node that is overloaded would overload the others.
        proxy_next_upstream error timeout non_idempotent;
        proxy_next_upstream_tries 2;
        proxy_next_upstream_timeout 10s;
`

// nginxMap writes a table. Its sources and values never hold a quote.
func nginxMap(b *strings.Builder, t table) {
	source := t.source
	if source == "" {
		source = "request_uri"
	}
	fmt.Fprintf(b, "\nmap $%s $%s {\n", source, t.name)
	for _, r := range t.rows {
		key := "~" + r.pattern
		if r.pattern == emptyPattern {
			key = "" // nginx tries no expression on an empty text
		}
		fmt.Fprintf(b, "    \"%s\" \"%s\";\n", key, r.value)
	}
	fmt.Fprintf(b, "    default \"%s\";\n}\n", t.other)
}

// nginxServer writes the server block.
func (s *site) nginxServer(b *strings.Builder) {
	listen := s.port
	if s.addr != "" {
		listen = hostPort(s.addr, s.port)
	}
	fmt.Fprintf(b, "\nserver {\n    listen %s;\n    root %s;\n    types { %s json; }\n    default_type %s;\n    gzip_static on;\n    merge_slashes off;\n",
		listen, nginxQuote(s.root), release.ContentType, release.ContentType)
	b.WriteString(nginxClients)
	reach := "$ce_method"
	if s.edge != nil {
		reach += "$ce_pin"
	}
	b.WriteString("\n    location / {\n        try_files " + reach + "$" + varFile + " \"" + reach)
	for _, p := range listParts() {
		b.WriteString(p.text)
		if p.variable != "" {
			b.WriteString("${" + p.variable + "}")
		}
	}
	b.WriteString("\" @miss;\n")
	// A file's time follows from its bytes (release.FileTime) and is no date.
	nginxHeaders(b, "        ", append(fixedHeaders(), header{"Cache-Control", "$" + varCache}, header{"Last-Modified", ""}), "")
	b.WriteString("    }\n")
	if s.edge != nil {
		s.nginxEdge(b)
	} else {
		s.nginxAlone(b)
	}
	b.WriteString("}\n")
}

// nginxEdge sends a miss to the edge server, as it came.
func (s *site) nginxEdge(b *strings.Builder) {
	b.WriteString(nginxLargest)
	fmt.Fprintf(b, "\n    location @miss {\n        proxy_pass %s://contentedge_edge$request_uri;\n        proxy_http_version 1.1;\n        proxy_set_header Host %s;\n        proxy_set_header Connection \"\";\n",
		s.edge.Scheme, s.edge.Host)
	if s.edge.Scheme == "https" {
		fmt.Fprintf(b, "        proxy_ssl_server_name on;\n        proxy_ssl_name %s;\n", s.edge.Hostname())
	}
	b.WriteString(nginxProxy + "        error_page 502 504 = @down;\n        error_page 413 = @large;\n    }\n")
	nginxAnswer(b, "@down", append(answerHeaders(release.ClassError), retryAfter), s.down, 503)
	nginxAnswer(b, "@large", answerHeaders(release.ClassError), s.large, 413)
}

// nginxAnswer writes a location that answers by itself.
func nginxAnswer(b *strings.Builder, location string, headers []header, body string, status int) {
	fmt.Fprintf(b, "\n    location %s {\n", location)
	nginxHeaders(b, "        ", headers, " always")
	fmt.Fprintf(b, "        return %d %s;\n    }\n", status, nginxQuote(body))
}

// nginxAlone answers a miss where there is no edge server.
func (s *site) nginxAlone(b *strings.Builder) {
	b.WriteString("\n    location @miss {\n        if ($request_method = OPTIONS) {\n")
	nginxHeaders(b, "            ", preflightHeaders("${"+varNamed+"}"), "")
	b.WriteString("            return 204;\n        }\n        if ($ce_method) {\n")
	nginxHeaders(b, "            ", append(answerHeaders(release.ClassError), header{"Allow", release.AllowRead}), " always")
	fmt.Fprintf(b, "            return 405 %s;\n        }\n", nginxQuote(s.verb))
	nginxHeaders(b, "        ", answerHeaders(release.ClassNotFound), " always")
	fmt.Fprintf(b, "        return 404 %s;\n    }\n", nginxQuote(s.noFile))
}

func nginxHeaders(b *strings.Builder, indent string, headers []header, always string) {
	for _, h := range headers {
		fmt.Fprintf(b, "%sadd_header %s \"%s\"%s;\n", indent, h.name, h.value, always)
	}
}

// nginxQuote is a text without variables as a word.
func nginxQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// nginxName is a header's name in the variable of its value.
func nginxName(header string) string {
	return strings.ReplaceAll(strings.ToLower(header), "-", "_")
}

// hostPort joins a host, which may be an IPv6 address, and a port.
func hostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
