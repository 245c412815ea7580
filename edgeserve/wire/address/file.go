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
)

// File is the path of a list's page below the release's root. It returns false if no file can exist:
// the sort field is a path of Data, a filter has no token, or the list shows parts of items.
func (l List) File(env string) (string, bool) {
	field := slices.Index(scalarFields[:], l.Sort)
	if l.Data != "" || l.Show != (Show{}) || field < 0 || !ValidEnv(env) || l.Page < 1 || l.Page > maxFilePage || l.Size < 1 || l.Size > MaxSize {
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
	return string(append(b, fileSuffix...)), true
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
	return b, true
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

// parseList parses the part of a list's file name behind the directory of lists.
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
	return path, true
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
	if i < 0 || dir != "asc" && dir != "desc" {
		return false
	}
	l.Sort, l.Asc = scalarFields[i], dir == "asc"
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
