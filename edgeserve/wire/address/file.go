// This file converts lists to file names and back. A name defines its list: the edge needs no index
// of files, and can respond to a name without a file.

package address

import (
	"slices"
	"strconv"
	"strings"
)

const (
	sortKey = "sort-"
	pageKey = "/page-"
	// A filter by a path of Data has two components: the path after DataPrefix and the value, as tokens.
	pathKey  = "path-"
	valueKey = "/value-"
	// maxListFile keeps a file name below an object store's 1,024 bytes, with a suffix and a prefix of its own. Only
	// names with a path of Data and other filters may be longer.
	maxListFile = 960
)

// File is the path of a list's page below the release's root. It returns false if no file can exist:
// the sort field is a path of Data, a filter has no token, it has filters by several paths of Data, or it shows parts
// of items.
func (l List) File(env string) (string, bool) {
	field := slices.Index(scalarFields[:], l.Sort)
	if l.Show != (Show{}) || field < 0 || !ValidEnv(env) || l.Page < 1 || l.Page > maxFilePage || l.Size < 1 || l.Size > MaxSize {
		return "", false
	}
	var buf [256]byte
	b := append(buf[:0], restRoot[1:]...)
	b = append(b, env...)
	b = append(b, listDir...)
	b, ok := l.appendFilters(b)
	if !ok {
		return "", false
	}
	b = appendOrder(b, fileFields[field], l.Asc, l.Size)
	b = append(b, pageKey...)
	b = strconv.AppendInt(b, int64(l.Page), 10)
	if b = append(b, fileSuffix...); len(b) > maxListFile || l.Data != "" && len(l.appendSelf(nil)) > maxLink {
		return "", false
	}
	return string(b), true
}

// PageFile is the last component of File, for links between pages of a list.
func (l List) PageFile() string {
	return pageKey[1:] + strconv.Itoa(l.Page) + fileSuffix
}

func (l List) appendFilters(b []byte) ([]byte, bool) {
	for i, text := range l.filters() {
		if *text == "" {
			continue
		}
		var ok bool
		if b, ok = appendToken(append(append(b, Filters[i]...), '-'), *text); !ok {
			return b, false
		}
		b = append(b, '/')
	}
	if l.Data == "" {
		return b, true
	}
	return l.Data.appendFile(b)
}

// appendFile appends the components of a filter by one path.
func (f DataFilters) appendFile(b []byte) ([]byte, bool) {
	path, value, ok := f.Only()
	if !ok {
		return b, false
	}
	if b, ok = appendToken(append(b, pathKey...), path[len(DataPrefix):]); !ok {
		return b, false
	}
	b, ok = appendToken(append(b, valueKey...), value)
	return append(b, '/'), ok
}

func appendOrder(b []byte, field string, asc bool, size int) []byte {
	b = append(b, sortKey...)
	b = append(b, field...)
	if asc {
		b = append(b, "-asc-"...)
	} else {
		b = append(b, "-desc-"...)
	}
	return strconv.AppendInt(b, int64(size), 10)
}

// PathComponents are the components of file names for a filter by a path of Data, with a slash at the end. It returns
// false if no file can have them.
func PathComponents(path, value string) (string, bool) {
	b, ok := DataFilters("").with(path, value).appendFile(nil)
	return string(b), ok
}

// parseList parses the part of a list's file name after the directory of lists.
func parseList(name string) (l List, ok bool) {
	rest, ok := l.parseFilters(name)
	if !ok || !l.parseOrder(rest) {
		return List{}, false
	}
	return l, true
}

func (l *List) parseFilters(path string) (rest string, ok bool) {
	for i, text := range l.filters() {
		after, found := strings.CutPrefix(path, Filters[i])
		if !found || !strings.HasPrefix(after, "-") {
			continue
		}
		token, after, found := strings.Cut(after[1:], "/")
		if *text, ok = ParseToken(token); !ok || !found {
			return "", false
		}
		path = after
	}
	return l.parsePath(path)
}

// parsePath parses the components of a filter by a path of Data.
func (l *List) parsePath(file string) (rest string, ok bool) {
	after, found := strings.CutPrefix(file, pathKey)
	if !found {
		return file, true
	}
	path, after, found := strings.Cut(after, valueKey)
	value, rest, ended := strings.Cut(after, "/")
	if path, ok = ParseToken(path); !ok || !found || !ended {
		return "", false
	}
	if value, ok = ParseToken(value); ok {
		l.SetFilter(DataPrefix+path, value)
	}
	return rest, ok
}

// parseOrder parses sort-FIELD-DIR-SIZE/page-N.json.
func (l *List) parseOrder(path string) bool {
	order, page, ok := strings.Cut(path, pageKey)
	if !ok || !strings.HasPrefix(order, sortKey) || !strings.HasSuffix(page, fileSuffix) {
		return false
	}
	field, order, _ := strings.Cut(order[len(sortKey):], "-")
	dir, size, _ := strings.Cut(order, "-")
	i := slices.Index(fileFields[:], field)
	if i < 0 || dir != ascending && dir != descending {
		return false
	}
	l.Sort, l.Asc = scalarFields[i], dir == ascending
	l.Size = fileNumber(size, MaxSize)
	l.Page = fileNumber(page[:len(page)-len(fileSuffix)], maxFilePage)
	return l.Size > 0 && l.Page > 0
}

func fileNumber(s string, limit int) int {
	if strings.HasPrefix(s, "0") {
		return 0
	}
	return number(s, limit)
}
