// This file parses list query strings. It runs for every request: one pass, allocating only for
// escaped values and errors. The order of parameters changes neither result nor error.

package address

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/wire/problem"
)

type values struct {
	text             [parameters]string // "": absent
	seen, duplicates uint16             // a bit per parameter
	data             []sentParameter    // by paths of Data
}

// ParseList parses a raw query string of a list. It ignores unknown parameters, even malformed ones. A parameter
// with an empty value gets its default from d, like an absent parameter. Errors are *Error. The list may
// share rawQuery's memory.
func ParseList(rawQuery string, d Defaults) (List, error) {
	v := collect(rawQuery)
	if v.duplicates != 0 {
		return List{}, v.duplicate()
	}
	if err := v.decode(allParameters); err != nil {
		return List{}, err
	}
	return v.list(d)
}

const allParameters = 1<<parameters - 1

// UnknownParameter is the error for a name that is not a parameter of the address.
func UnknownParameter(name, advice string) error {
	return &Error{Code: problem.UnknownParameter, Message: advice, Parameter: clip(strings.ToValidUTF8(name, "\uFFFD"))}
}

func collect(rawQuery string) (v values) {
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		name, value, _ := strings.Cut(pair, "=")
		if p, ok := lookupEncoded(name); ok {
			v.duplicates |= v.seen & (1 << p)
			v.seen |= 1 << p
			v.text[p] = value
		} else if isDataPath(name) {
			v.data = append(v.data, sentParameter{name, value})
		}
	}
	return v
}

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

func (v *values) duplicate() error {
	for p := range parameters {
		if v.duplicates&(1<<p) != 0 {
			return fail(problem.DuplicateParameter, p, parameterNames[p]+" is given twice; give it once")
		}
	}
	return nil
}

// decode decodes the values of some parameters, given as bits.
func (v *values) decode(which uint16) error {
	for p := range parameters {
		if which&(1<<p) == 0 {
			continue
		}
		text, ok := unescape(v.text[p])
		if !ok {
			return fail(problem.BadQuery, p, "the value of "+parameterNames[p]+" must be UTF-8 text, with % only before two hexadecimal digits")
		}
		if (p <= paramCreatedBy || p == paramSelect) && len(text) > MaxValue {
			return TooLong(parameterNames[p])
		}
		v.text[p] = text
	}
	return nil
}

// list parses the decoded values, in the order of parameters.
func (v *values) list(d Defaults) (List, error) {
	l := List{
		Name: v.text[paramName], Template: v.text[paramTemplate], Status: v.text[paramStatus], CreatedBy: v.text[paramCreatedBy],
		Sort: d.Sort, Asc: d.Asc, Page: 1, Size: d.Size,
	}
	if s := v.text[paramPage]; s != "" {
		if l.Page = number(s, MaxPage); l.Page == 0 {
			return List{}, fail(problem.BadPage, paramPage, "page must be an integer from 1, not "+quote(s))
		}
	}
	if s := v.text[paramSize]; s != "" {
		if l.Size = number(s, MaxSize); l.Size == 0 {
			return List{}, fail(problem.BadPageSize, paramSize, "pageSize must be an integer from 1 to "+strconv.Itoa(MaxSize)+", not "+quote(s))
		}
	}
	if err := v.order(&l); err != nil {
		return List{}, err
	}
	return v.complete(l)
}

// complete adds the filters by paths of Data, and what the list shows.
func (v *values) complete(l List) (_ List, err error) {
	if l.Data, err = dataFilters(v.data); err == nil {
		l.Show, err = v.show()
	}
	if err == nil && len(l.appendSelf(nil)) > maxLink {
		err = tooLongTogether("")
	}
	if err != nil {
		return List{}, err
	}
	return l, nil
}

func (v *values) order(l *List) error {
	if s := v.text[paramSort]; s != "" {
		if !ValidSort(s) {
			return fail(problem.BadSort, paramSort, "sort must be one of "+strings.Join(scalarFields[:], ", ")+" or a path such as Data.title, not "+quote(s)+SortAdvice(s, InList))
		}
		l.Sort, l.Asc = s, false
	}
	if s := v.text[paramAsc]; s != "" {
		asc, ok := ParseAsc(s)
		if !ok {
			return fail(problem.BadSortAsc, paramAsc, "sortAsc must be true or false, not "+quote(s))
		}
		l.Asc = asc
	}
	return nil
}

// ParseAsc parses sortAsc: true or false, in either case.
func ParseAsc(s string) (asc, ok bool) {
	switch {
	case equalFold(s, "true"):
		return true, true
	case equalFold(s, "false"):
		return false, true
	}
	return false, false
}

// equalFold compares s with lower-case ASCII. Unicode letters that fold to ASCII differ in length.
func equalFold(s, lower string) bool {
	return len(s) == len(lower) && strings.EqualFold(s, lower)
}

// ValidSort reports whether s has the form of a sort field. The search checks that a path exists.
func ValidSort(s string) bool {
	return IsScalar(s) || len(s) > len(DataPrefix) && strings.HasPrefix(s, DataPrefix)
}

// number parses an integer from 1 to limit with at most nine digits; 0 means invalid.
func number(s string, limit int) int {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || len(s) > 9 || n > uint64(limit) {
		return 0
	}
	return int(n)
}

// unescape decodes %XX and +. It fails on an incomplete escape and on invalid UTF-8.
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

// maxQuoted limits how many bytes of a wrong value a message repeats.
const maxQuoted = 40

func quote(s string) string { return `"` + clip(s) + `"` }

func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	n := maxQuoted
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
