// This file says what to write instead of a sort that names no field.

package address

import (
	"strings"
	"unicode"
)

// The directions of a sort, in names of files and in bodies of searches.
const (
	ascending  = "asc"
	descending = "desc"
)

// directionWords are the words for directions that other interfaces append to a field.
var directionWords = map[string]string{
	ascending: ascending, "ascending": ascending, "1": ascending,
	descending: descending, "descending": descending, "-1": descending,
}

// cutDirection splits the forms in which other interfaces give a field with its direction: Name:desc, Name desc,
// Name,desc and -Name. order is asc or desc, and "" if the text has no direction.
func cutDirection(sort string) (field, order string) {
	if i := strings.LastIndexAny(sort, ":, "); i > 0 {
		if order = directionWords[strings.ToLower(sort[i+1:])]; order != "" {
			return strings.Trim(sort[:i], ":, "), order
		}
	}
	switch {
	case strings.HasPrefix(sort, "-"):
		return sort[1:], descending
	case strings.HasPrefix(sort, "+"), strings.HasPrefix(sort, " "): // a plus of an address is a space
		return sort[1:], ascending
	}
	return sort, ""
}

// SortForm says how a sort by a field is written where it is sent. order is asc, desc or "" for the default.
type SortForm func(field, order string) string

// InList is the SortForm of lists.
func InList(field, order string) string {
	form := ParamSort + "=" + field
	if order == "" {
		return form
	}
	if order == ascending {
		return form + "&" + ParamSortAsc + "=true"
	}
	return form + "&" + ParamSortAsc + "=false"
}

// InBody is the SortForm of bodies of searches.
func InBody(field, order string) string {
	if order == "" {
		return `"` + field + `"`
	}
	return `{"` + field + `":"` + order + `"}`
}

// SortAdvice returns what to write instead of a sort that names no field: ": write …". It returns "" if the sort gives no
// clue.
func SortAdvice(sort string, form SortForm) string {
	if severalSorts(sort) {
		return ": name one field; the body of a search takes an array of several"
	}
	field, order := cutDirection(sort)
	if field = fieldMeant(field); field == "" {
		return ""
	}
	return ": write " + form(field, order)
}

// CannotBePath reports whether a sort below DataPrefix has a direction, or several fields. It may still be a path if an
// item has it: names of members are free.
func CannotBePath(sort string) bool {
	_, order := cutDirection(sort)
	return order != "" || severalSorts(sort)
}

// severalSorts reports whether a text lists several fields: Data.year,Name.
func severalSorts(sort string) bool {
	_, rest, listed := strings.Cut(sort, ",")
	if !listed {
		return false
	}
	for part := range strings.SplitSeq(rest, ",") {
		if field, _ := cutDirection(strings.TrimSpace(part)); ValidSort(field) {
			return true
		}
	}
	return false
}

// fieldMeant returns a field with the letters of a name, or the path of Data with that name. It returns "" for texts that
// are unlikely to be names.
func fieldMeant(name string) string {
	if name == "" || len(name) > maxQuoted || strings.HasSuffix(name, ".") || strings.ContainsFunc(name, notInNames) {
		return ""
	}
	for _, field := range scalarFields {
		if strings.EqualFold(field, name) {
			return field
		}
	}
	if n := len(DataPrefix); len(name) > n && strings.EqualFold(name[:n], DataPrefix) {
		return DataPrefix + name[n:]
	}
	if first, _, below := strings.Cut(name, "."); strings.EqualFold(name, FieldData) || below && IsScalar(first) {
		return ""
	}
	return DataPrefix + name
}

// notInNames reports whether a character is rare in names of members.
func notInNames(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.'
}
