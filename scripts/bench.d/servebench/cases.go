// This file writes the requests of each case.

package servebench

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// theCase is one kind of request.
type theCase struct {
	name     string
	ours     bool // only our server supports it; measured with and without its cache
	tagged   bool // requests carry the response's ETag and get a 304
	first    bool // each request is the first one for its response: no server has it, or its file, in a cache of its own
	class    release.Class
	requests []request
}

// request is a request without Host and ETag.
type request struct {
	method, path, head, body string
}

const (
	plain   = ""
	gzip    = "Accept-Encoding: gzip\r\n"
	browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
		"Accept-Language: en-GB,en;q=0.7,de;q=0.3\r\n" +
		"Accept-Encoding: gzip, deflate, br, zstd\r\n" +
		"Connection: keep-alive\r\n" +
		"Cookie: theme=dark; session=0f7c2a54d1b94c2f8f62; consent=necessary\r\n" +
		"Upgrade-Insecure-Requests: 1\r\n" +
		"Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\nSec-Fetch-User: ?1\r\n" +
		"Priority: u=0, i\r\n"
)

// cases are all cases in table order.
func (s *site) cases() []theCase {
	var lists []string
	for _, query := range slices.Sorted(maps.Keys(s.queries)) {
		lists = append(lists, contents+mark(query))
	}
	return []theCase{
		{name: "item", class: release.ClassItem, requests: reads(s.items, plain)},
		{name: "item, gzip", class: release.ClassItem, requests: reads(s.items, gzip)},
		{name: "item, a browser's headers", class: release.ClassItem, requests: reads(s.items, browser)},
		{name: "304 of an item", tagged: true, class: release.ClassItem, requests: reads(s.items, plain)},
		{name: "list page", class: release.ClassList, requests: reads(s.pages, plain)},
		{name: "list page, gzip", class: release.ClassList, requests: reads(s.pages, gzip)},
		{name: "list page by query", class: release.ClassList, requests: reads(lists, plain)},
		{name: "first request, random item", first: true, class: release.ClassItem, requests: reads(s.items, plain)},
		{name: "first request, random item, gzip", first: true, class: release.ClassItem, requests: reads(s.items, gzip)},
		{name: "first request, random page", first: true, class: release.ClassList, requests: reads(s.allPages, plain)},
		{name: "first request, random page, gzip", first: true, class: release.ClassList, requests: reads(s.allPages, gzip)},
		{name: "list without a file", ours: true, class: release.ClassList, requests: s.evaluated()},
		{name: "search by id", ours: true, class: release.ClassSearch, requests: s.searches(`{"query":{"ids":{"values":[%s]}}}`, s.ids)},
		{name: "search by name", ours: true, class: release.ClassSearch, requests: s.searches(`{"query":{"term":{"Name.keyword":%s}}}`, s.names)},
		{name: "search for words of a name", ours: true, class: release.ClassSearch, requests: s.searches(`{"query":{"match":{"Name":%s}}}`, s.names)},
		{name: "search for a word anywhere", ours: true, class: release.ClassSearch, requests: s.searches(`{"query":{"query_string":{"query":%s}}}`, s.words)},
	}
}

// answers reports whether a server is measured in a case.
func (k theCase) answers(server string) bool {
	if k.first {
		return server == unkept || server == bare || server == nginxClosed
	}
	if k.ours {
		return server == ours || server == unkept || server == unfast
	}
	if server == floor {
		return k.name == "item"
	}
	return server != unkept && server != bare && server != nginxClosed
}

func mark(query string) string {
	if query == "" {
		return ""
	}
	return "?" + query
}

func reads(paths []string, head string) []request {
	out := make([]request, len(paths))
	for i, path := range paths {
		out[i] = request{method: "GET", path: path, head: head}
	}
	return out
}

// evaluated are pages of a size without files.
func (s *site) evaluated() []request {
	var out []request
	for i := range min(searches, len(s.items)/7) {
		out = append(out, request{method: "GET", path: fmt.Sprintf("%s?pageSize=7&page=%d", contents, i+1)})
	}
	return out
}

// searches puts texts into a body.
func (s *site) searches(body string, texts []string) []request {
	var out []request
	for _, text := range texts {
		quoted, _ := json.Marshal(text) // a string always has an encoding
		out = append(out, request{method: "POST", path: search, body: fmt.Sprintf(body, quoted)})
	}
	return out
}

// bytes is the request in HTTP/1.1 format.
func (q request) bytes(host, tag string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n%s", q.method, q.path, host, q.head)
	if tag != "" {
		fmt.Fprintf(&b, "If-None-Match: %s\r\n", tag)
	}
	if q.body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(q.body))
	}
	b.WriteString("\r\n" + q.body)
	return b.String()
}

// shuffled returns requests in random order, equal in every run.
func shuffled(all []string) []string {
	rand.New(rand.NewSource(2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
