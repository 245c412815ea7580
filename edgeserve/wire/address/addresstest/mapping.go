// Package addresstest maps requests to files like a web server's rewrite rules, a CDN
// function or a worker, which cannot send a 400. Where the edge server decodes or
// rejects a request, the mapping leaves the request to it: this is always safe. Tests compare
// the edge and generated configurations with this mapping.
package addresstest

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/wire/address"
)

// Names are the parameters of a list, filters first.
var Names = []string{"searchByName", "searchByTemplateName", "status", "searchByCreatedBy", "page", "pageSize", "sort", "sortAsc"}

// Unmapped are the parameters of lists and items that change the response and have no files.
var Unmapped = []string{"select", "include"}

// dataPrefix begins the parameters that are paths of items.
const dataPrefix = "Data."

var (
	// filePath matches slashes and names that do not start with a dot, ending in
	// ".json".
	filePath = regexp.MustCompile(`^(?:/[\w-][\w.-]*)+\.json$`)
	// plainQuery implements rules Q1 and Q2.
	plainQuery = regexp.MustCompile(`^(?:[!"$&-:<-~]|%(?:[2-6][[:xdigit:]]|7[0-9A-Ea-e]|[89A-Fa-f][[:xdigit:]]))*$`)
	// number matches a page or a page size.
	number = regexp.MustCompile(`^[1-9][0-9]{0,6}$`)
)

// Map returns the path of a request's file below the release's root, from the request's method
// and raw target. It returns false for requests that the edge server must serve. The
// edge server also serves requests whose file does not exist. The rules:
//
//	M   the method is GET or HEAD
//	P   the path names an item, the lists of an environment, media, or a file
//	Q1  the query has only bytes 0x21 to 0x7E, without ; and #
//	Q2  each % is followed by two hexadecimal digits of a byte that is not a control byte
//	Q3  no name has a %
//	Q4  no known name occurs twice
//	Q5  page, pageSize, sort and sortAsc are literal, numbers without leading zeros,
//	    true and false in lower case
//	Q6  filters, decoded, have a token
//	Q7  no parameter is one of Unmapped. Of an item, which has no other rules of its query: none is,
//	    decoded
//	Q8  at most one parameter is a path of Data, whose path and value, decoded, have tokens
func Map(method, target string, d address.Defaults) (file string, ok bool) {
	if method != "GET" && method != "HEAD" {
		return "", false
	}
	path, query, _ := strings.Cut(target, "?")
	if filePath.MatchString(path) {
		return path[1:], true
	}
	r, ok := address.ParsePath(path)
	switch {
	case ok && r.Kind == address.Contents:
		return mapList(r.Env, query, d)
	case ok && r.Kind == address.Item && !wholeItem(query):
		return "", false
	case ok && r.Kind == address.Item:
		return address.ItemFile(r.Env, r.ID), true
	case ok && r.Kind == address.Media:
		return address.MediaPath(r), true
	}
	return "", false
}

// mapList applies the rules of a list's query. List.File checks sort fields, limits of
// numbers, and tokens.
func mapList(env, query string, d address.Defaults) (string, bool) {
	if !plainQuery.MatchString(query) {
		return "", false
	}
	v, ok := parameters(query)
	if !ok {
		return "", false
	}
	l := address.List{Sort: d.Sort, Asc: d.Asc, Page: 1, Size: d.Size}
	for i, text := range []*string{&l.Name, &l.Template, &l.Status, &l.CreatedBy} {
		var err error
		if *text, err = url.QueryUnescape(v[Names[i]]); err != nil || !utf8.ValidString(*text) {
			return "", false
		}
	}
	for name, n := range map[string]*int{"page": &l.Page, "pageSize": &l.Size} {
		if v[name] != "" && !number.MatchString(v[name]) {
			return "", false
		}
		if v[name] != "" {
			*n, _ = strconv.Atoi(v[name]) // at most 7 digits
		}
	}
	if v["sort"] != "" {
		l.Sort, l.Asc = v["sort"], false
	}
	switch v["sortAsc"] {
	case "true":
		l.Asc = true
	case "false":
		l.Asc = false
	case "":
	default:
		return "", false
	}
	if !mapData(&l, v) {
		return "", false
	}
	return l.File(env)
}

// mapData applies the filter by a path of Data.
func mapData(l *address.List, v map[string]string) bool {
	path, err := url.QueryUnescape(v[dataPrefix])
	value, bad := url.QueryUnescape(v[dataPrefix+"="])
	if err != nil || bad != nil || !utf8.ValidString(path+value) {
		return false
	}
	if value != "" {
		l.SetFilter(path, value)
	}
	return true
}

// wholeItem reports whether the query of an item changes nothing.
func wholeItem(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil && slices.Contains(Unmapped, decoded) {
			return false
		}
	}
	return true
}

// parameters implements rules Q3, Q4, Q7 and the first half of Q8.
func parameters(query string) (map[string]string, bool) {
	v := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if strings.Contains(name, "%") || slices.Contains(Unmapped, name) {
			return nil, false
		}
		if strings.HasPrefix(name, dataPrefix) {
			if _, several := v[dataPrefix]; several {
				return nil, false
			}
			v[dataPrefix], v[dataPrefix+"="] = name, value
			continue
		}
		if !slices.Contains(Names, name) {
			continue
		}
		if _, twice := v[name]; twice {
			return nil, false
		}
		v[name] = value
	}
	return v, true
}
