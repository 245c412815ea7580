// This file has the filters of lists by paths of Data: Data.slug=hello-world.

package address

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// DataFilters are filters by whole values of paths of Data, combined by AND: a canonical query string, PATH=VALUE
// joined by &, in the order of the paths. Equal filters are equal texts.
type DataFilters string

// All yields the paths and their values. A path begins with DataPrefix.
func (f DataFilters) All() iter.Seq2[string, string] {
	return func(yield func(path, value string) bool) {
		if f == "" {
			return
		}
		for pair := range strings.SplitSeq(string(f), "&") {
			path, value, _ := strings.Cut(pair, "=")
			path, _ = unescape(path)
			value, _ = unescape(value)
			if !yield(path, value) {
				return
			}
		}
	}
}

// Value returns the value of a path, or "" without a filter by the path.
func (f DataFilters) Value(path string) string {
	for p, value := range f.All() {
		if p == path {
			return value
		}
	}
	return ""
}

// Only returns the path and the value if exactly one path has filters, and one filter. Otherwise ok is false.
func (f DataFilters) Only() (path, value string, ok bool) {
	if f == "" || strings.Contains(string(f), "&") {
		return "", "", false
	}
	for path, value = range f.All() {
	}
	return path, value, true
}

// with returns the filters with one more, by another path. A filter without a value is left out.
func (f DataFilters) with(path, value string) DataFilters {
	if value == "" {
		return f
	}
	all := []sentParameter{{path, value}}
	for p, v := range f.All() {
		all = append(all, sentParameter{p, v})
	}
	slices.SortFunc(all, func(a, b sentParameter) int { return cmp.Compare(a.name, b.name) })
	var b []byte
	for _, p := range all {
		b = appendData(b, p.name, p.value)
	}
	return DataFilters(b)
}

func appendData(b []byte, path, value string) []byte {
	b = appendEscaped(separated(b), path)
	return appendEscaped(append(b, '='), value)
}

// sentParameter is a parameter as it was sent.
type sentParameter struct{ name, value string }

// maxNameLength bounds names that are decoded: a longer one with its value is longer than maxLink, too.
const maxNameLength = 3 * maxLink

// isDataPath reports whether the name of a parameter, as it was sent, begins with DataPrefix.
func isDataPath(name string) bool {
	if strings.HasPrefix(name, DataPrefix) {
		return true
	}
	if strings.IndexByte(name, '%') < 0 || len(name) > maxNameLength {
		return false
	}
	name, _ = unescape(name)
	return strings.HasPrefix(name, DataPrefix)
}

// dataFilters parses the parameters whose names are paths of Data.
func dataFilters(pairs []sentParameter) (DataFilters, error) {
	if len(pairs) == 0 {
		return "", nil
	}
	if len(pairs) > MaxFilters {
		return "", TooManyFilters(DataPrefix)
	}
	decoded := make([]sentParameter, len(pairs))
	for i, p := range pairs {
		name, ok := unescape(p.name)
		if !ok {
			return "", badData(problem.BadQuery, p.name, "the name of a parameter must be UTF-8 text, with % only before two hexadecimal digits")
		}
		decoded[i] = sentParameter{name, p.value}
	}
	slices.SortFunc(decoded, func(a, b sentParameter) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.value, b.value))
	})
	for i, p := range decoded {
		if i > 0 && p.name == decoded[i-1].name {
			return "", badData(problem.DuplicateParameter, p.name, clip(p.name)+" is given twice; give it once. For items with one of several values use a terms query in the body of a search")
		}
	}
	return canonicalData(decoded)
}

func canonicalData(pairs []sentParameter) (DataFilters, error) {
	var b []byte
	for _, p := range pairs {
		value, ok := unescape(p.value)
		switch {
		case !ok:
			return "", badData(problem.BadQuery, p.name, "the value of "+clip(p.name)+" must be UTF-8 text, with % only before two hexadecimal digits")
		case value == "":
			continue
		case len(p.name) == len(DataPrefix):
			return "", badData(problem.UnknownParameter, p.name, "write a path of the items after "+DataPrefix+", such as Data.title")
		case len(value) > MaxValue:
			return "", TooLong(clip(p.name))
		}
		b = appendData(b, p.name, value)
	}
	return DataFilters(b), nil
}

func badData(code, name, message string) error {
	return &Error{Code: code, Message: message, Parameter: clip(strings.ToValidUTF8(name, "\uFFFD"))}
}

// TooManyFilters is the error for a request with more than MaxFilters filters.
func TooManyFilters(parameter string) *Error {
	return &Error{Code: problem.TooManyParameters, Message: "at most " + strconv.Itoa(MaxFilters) + " filters may be given", Parameter: parameter}
}
