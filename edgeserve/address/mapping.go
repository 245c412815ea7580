// This file is the mapping from requests to files as a host without an edge's freedom
// computes it: a web server's rewrite rules, a CDN's function, a worker. Such a host
// cannot answer 400 and must not guess, so the mapping is stricter than ParseList and
// gives up where that one decodes. Giving up is always safe; a file that the edge would
// not have answered with is the one error. Configurations for hosts are generated from
// these rules and tested against them.

package address

import (
	"strconv"
	"strings"
)

// Map gives the file, below the release's root, that answers a request as it was sent:
// method and request target with nothing decoded. False means that the edge has to
// answer, and so it does when the file does not exist. The rules:
//
//	M   the method is GET or HEAD
//	P   the path is that of an item, of the lists of an environment, or a file's own
//	Q1  the query holds only bytes 0x21 to 0x7E, without ; and #
//	Q2  each % is followed by two hexadecimal digits, which do not spell a control byte
//	Q3  no name holds a %
//	Q4  no known name occurs twice
//	Q5  page, pageSize, sort and sortAsc are literal, numbers without leading zeros,
//	    true and false in lower case
//	Q6  filters, decoded, have a token
func Map(method, target string, d Defaults) (file string, ok bool) {
	if method != "GET" && method != "HEAD" {
		return "", false
	}
	path, query, _ := strings.Cut(target, "?")
	if isFilePath(path) {
		return path[1:], true
	}
	r, ok := ParsePath(path)
	switch {
	case ok && r.Kind == Contents:
		return mapList(r.Env, query, d)
	case ok && r.Kind == Item:
		return ItemFile(r.Env, r.ID), true
	}
	return "", false
}

// isFilePath reports whether path is slashes and portable names, of which none begins
// with a dot and the last ends with ".json".
func isFilePath(path string) bool {
	path, ok := strings.CutSuffix(path, fileSuffix)
	if !ok || path == "" || path[0] != '/' || path[len(path)-1] == '/' {
		return false
	}
	for i := 1; i < len(path); i++ {
		first := path[i-1] == '/'
		if !isNameByte(path[i]) && (first || path[i] != '.' && path[i] != '/') {
			return false
		}
	}
	return true
}

// mapList applies the rules for a list's query string.
func mapList(env, query string, d Defaults) (string, bool) {
	if !plainQuery(query) {
		return "", false
	}
	v, ok := collectLiteral(query)
	if !ok {
		return "", false
	}
	l := List{Sort: d.Sort, Asc: d.Asc, Page: 1, Size: d.Size}
	if !v.literals(&l) || !v.filters(&l) {
		return "", false
	}
	return l.File(env)
}

// plainQuery is rules Q1 and Q2.
func plainQuery(query string) bool {
	for i := 0; i < len(query); i++ {
		c := query[i]
		if c < 0x21 || c > 0x7e || c == ';' || c == '#' {
			return false
		}
		if c == '%' && !plainEscape(query[i+1:]) {
			return false
		}
	}
	return true
}

// plainEscape reports whether s begins with the digits of a byte that is no control byte.
func plainEscape(s string) bool {
	if len(s) < 2 {
		return false
	}
	hi, lo := unhex(s[0]), unhex(s[1])
	return hi >= 2 && hi <= 15 && lo <= 15 && !(hi == 7 && lo == 15)
}

// collectLiteral is rules Q3 and Q4.
func collectLiteral(query string) (v values, ok bool) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		if strings.IndexByte(name, '%') >= 0 {
			return v, false
		}
		p, known := lookup(name)
		if !known {
			continue
		}
		if v.seen&(1<<p) != 0 {
			return v, false
		}
		v.seen |= 1 << p
		v.text[p] = value
	}
	return v, true
}

// literals is rule Q5; whether sort is a field that files are ordered by, File tells.
func (v *values) literals(l *List) bool {
	if s := v.text[paramPage]; s != "" {
		l.Page = fileNumber(s, maxFilePage)
	}
	if s := v.text[paramSize]; s != "" {
		l.Size = fileNumber(s, MaxSize)
	}
	if s := v.text[paramSort]; s != "" {
		l.Sort, l.Asc = s, false
	}
	if s := v.text[paramAsc]; s != "" {
		asc, err := strconv.ParseBool(s)
		if err != nil || strconv.FormatBool(asc) != s {
			return false
		}
		l.Asc = asc
	}
	return l.Page > 0 && l.Size > 0
}

// filters is rule Q6; whether the texts have tokens, File tells.
func (v *values) filters(l *List) bool {
	for p, text := range [...]*string{&l.Name, &l.Template, &l.Status, &l.CreatedBy} {
		var ok bool
		if *text, ok = unescape(v.text[p]); !ok {
			return false
		}
	}
	return true
}
