// This file reads the query string of a list request. It runs for every request, so it
// makes one pass over the bytes as they were sent, decodes only values that hold an
// escape, and allocates only for those and for errors. Whatever the order of the
// parameters, the result and the reported error are the same.

package address

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// parameter is one of the parameters that a list request knows, filters first.
type parameter uint8

const (
	paramName parameter = iota
	paramTemplate
	paramStatus
	paramCreatedBy
	paramPage
	paramSize
	paramSort
	paramAsc
	parameters // how many there are
)

// parameterNames are the names as they stand in a query string; case counts.
var parameterNames = [parameters]string{
	"searchByName", "searchByTemplateName", "status", "searchByCreatedBy", "page", "pageSize", "sort", "sortAsc",
}

// maxEncodedName is the longest known name with every byte escaped.
const maxEncodedName = 3 * len("searchByTemplateName")

// values are the known parameters of a query string.
type values struct {
	text        [parameters]string // "": absent
	seen, twice uint8              // a bit for each parameter
}

// ParseList reads the raw query string of a list request. Unknown parameters are
// ignored whatever their bytes, an empty value counts as absent and then takes d's.
// The error is an *Error. The list's strings may share rawQuery's memory.
func ParseList(rawQuery string, d Defaults) (List, error) {
	v := collect(rawQuery)
	if v.twice != 0 {
		return List{}, v.duplicate()
	}
	if err := v.decode(); err != nil {
		return List{}, err
	}
	return v.list(d)
}

// collect takes the query string apart and keeps the raw values of known parameters.
func collect(rawQuery string) (v values) {
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		name, value, _ := strings.Cut(pair, "=")
		if p, ok := lookupEncoded(name); ok {
			v.twice |= v.seen & (1 << p)
			v.seen |= 1 << p
			v.text[p] = value
		}
	}
	return v
}

// lookupEncoded finds the parameter of a name as it was sent.
func lookupEncoded(name string) (parameter, bool) {
	if strings.IndexByte(name, '%') < 0 {
		return lookup(name)
	}
	if len(name) > maxEncodedName {
		return 0, false
	}
	name, ok := unescape(name)
	if !ok {
		return 0, false
	}
	return lookup(name)
}

func lookup(name string) (parameter, bool) {
	switch name {
	case "searchByName":
		return paramName, true
	case "searchByTemplateName":
		return paramTemplate, true
	case "status":
		return paramStatus, true
	case "searchByCreatedBy":
		return paramCreatedBy, true
	case "page":
		return paramPage, true
	case "pageSize":
		return paramSize, true
	case "sort":
		return paramSort, true
	case "sortAsc":
		return paramAsc, true
	}
	return 0, false
}

// duplicate names the first parameter that was given twice.
func (v *values) duplicate() error {
	for p := range parameters {
		if v.twice&(1<<p) != 0 {
			return fail("duplicate_parameter", p, parameterNames[p]+" is given twice; give it once")
		}
	}
	return nil
}

// decode replaces each value by the text it stands for.
func (v *values) decode() error {
	for p := range parameters {
		text, ok := unescape(v.text[p])
		if !ok {
			return fail("bad_query", p, "the value of "+parameterNames[p]+" must be UTF-8 text, with % only before two hexadecimal digits")
		}
		if p <= paramCreatedBy && len(text) > MaxValue {
			return TooLong(parameterNames[p])
		}
		v.text[p] = text
	}
	return nil
}

// list reads the decoded values, in the order of the parameters.
func (v *values) list(d Defaults) (List, error) {
	l := List{
		Name: v.text[paramName], Template: v.text[paramTemplate], Status: v.text[paramStatus], CreatedBy: v.text[paramCreatedBy],
		Sort: d.Sort, Asc: d.Asc, Page: 1, Size: d.Size,
	}
	if s := v.text[paramPage]; s != "" {
		if l.Page = number(s, maxPage); l.Page == 0 {
			return List{}, fail("bad_page", paramPage, "page must be an integer from 1, not "+quote(s))
		}
	}
	if s := v.text[paramSize]; s != "" {
		if l.Size = number(s, MaxSize); l.Size == 0 {
			return List{}, fail("bad_page_size", paramSize, "pageSize must be an integer from 1 to "+strconv.Itoa(MaxSize)+", not "+quote(s))
		}
	}
	if err := v.order(&l); err != nil {
		return List{}, err
	}
	return l, nil
}

// order reads the sort parameters.
func (v *values) order(l *List) error {
	if s := v.text[paramSort]; s != "" {
		if !validSort(s) {
			return fail("bad_sort", paramSort, "sort must be one of "+strings.Join(scalarFields[:], ", ")+" or a path such as Data.title, not "+quote(s))
		}
		l.Sort, l.Asc = s, false
	}
	if s := v.text[paramAsc]; s != "" {
		asc, ok := ParseAsc(s)
		if !ok {
			return fail("bad_sort_asc", paramAsc, "sortAsc must be true or false, not "+quote(s))
		}
		l.Asc = asc
	}
	return nil
}

// ParseAsc reads the value of sortAsc: true or false, with ASCII letters of either case.
func ParseAsc(s string) (asc, ok bool) {
	switch {
	case equalFold(s, "true"):
		return true, true
	case equalFold(s, "false"):
		return false, true
	}
	return false, false
}

// equalFold compares s with a text in lower case, ignoring the case of ASCII letters
// only: Unicode has a letter that folds to the s of false.
func equalFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// validSort reports whether s has the shape of a sort field. Whether any item has the
// path is the search's business.
func validSort(s string) bool {
	return IsScalar(s) || len(s) > len("Data.") && strings.HasPrefix(s, "Data.")
}

// number reads an integer from 1 to limit of at most nine digits; 0 means it is none.
func number(s string, limit int) int {
	if len(s) > 9 {
		return 0
	}
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0
		}
		n = n*10 + int(c)
	}
	if n > limit {
		return 0
	}
	return n
}

// unescape decodes %XX and +. It fails on a % without two hexadecimal digits and on
// anything that is not UTF-8 afterwards.
func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, utf8.ValidString(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '+':
			b.WriteByte(' ')
		case '%':
			if i+2 >= len(s) || unhex(s[i+1]) > 15 || unhex(s[i+2]) > 15 {
				return "", false
			}
			b.WriteByte(unhex(s[i+1])<<4 | unhex(s[i+2]))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), utf8.ValidString(b.String())
}

// unhex is the value of a hexadecimal digit of either case, and more than 15 for
// every other byte.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func fail(code string, p parameter, message string) error {
	return &Error{Code: code, Message: message, Parameter: parameterNames[p]}
}

// maxQuoted bounds how many bytes of a wrong value a message repeats.
const maxQuoted = 40

// quote puts a decoded value between quotation marks, shortened at a character.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return `"` + s + `"`
	}
	n := maxQuoted
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return `"` + s[:n] + `…"`
}
