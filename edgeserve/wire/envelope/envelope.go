// Package envelope writes every response body: an item, a list, search hits, an error. Generator
// and edge share it, so both produce the same bytes for the same request. A fragment is the compact
// JSON of one item, copied unchanged. Functions append to the caller's buffer.
package envelope

import (
	"bytes"
	"strconv"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/edgeserve/wire/problem"
)

// Members of responses, which readers of saved responses know, too.
const (
	StatusMember = "status"
	DataMember   = "data"
	TotalMember  = "totalItems" // of lists
	// IncludedMember has the items that the response's items refer to, by their ids.
	IncludedMember = "Included"
)

const (
	itemOpen   = `{"` + StatusMember + `":200,"` + DataMember + `":`
	listOpen   = itemOpen + "["
	listEnd    = "]"
	listTotal  = `,"` + TotalMember + `":`
	listAggs   = `,"aggregations":`
	listHits   = `,"hits":`
	notExact   = `,"approximate":true`
	bodyClose  = '}'
	listFixed  = len(listOpen) + len(listEnd) + len(listTotal) + 1
	errorOpen  = `{"` + StatusMember + `":`
	errorCode  = `,"error":{"code":`
	errorText  = `,"message":`
	errorParam = `,"parameter":`
	errorPos   = `,"position":`
	errorDiags = `,"diagnostics":[`
)

// AppendItem writes the body of one item.
func AppendItem(dst, fragment []byte) []byte {
	return AppendClose(append(AppendItemOpen(dst), fragment...))
}

// AppendItemOpen writes the beginning of the body of one item. The item follows, and then AppendClose.
func AppendItemOpen(dst []byte) []byte { return append(dst, itemOpen...) }

// Item returns the fragment of a body that AppendItem wrote, or of a body with further members after the item.
func Item(body []byte) (fragment []byte, ok bool) {
	if !bytes.HasPrefix(body, []byte(itemOpen)) {
		return nil, false
	}
	end := jsoncursor.ValueEnd(body, len(itemOpen))
	if end == len(body) {
		return nil, false
	}
	return body[len(itemOpen):end:end], true
}

// ItemSize returns the length of AppendItem's body for a fragment of the given length.
func ItemSize(fragment int) int { return len(itemOpen) + fragment + 1 }

// AppendList writes the body of a list. total is the number of all matching items.
func AppendList(dst []byte, fragments [][]byte, total int) []byte {
	dst = AppendListOpen(dst)
	for i, f := range fragments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f...)
	}
	return AppendListClose(dst, total, nil)
}

// ListSize returns the length of AppendList's body. bytes is the sum of the fragments' lengths.
func ListSize(fragments, bytes, total int) int {
	size := listFixed + bytes + digits(total)
	if fragments > 1 {
		size += fragments - 1
	}
	return size
}

func digits(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}

// AppendListOpen begins a list. The caller appends fragments with commas, then calls AppendListClose.
func AppendListOpen(dst []byte) []byte { return append(dst, listOpen...) }

// AppendListClose ends a list: the total and, unless nil, the aggregations as a JSON object.
func AppendListClose(dst []byte, total int, aggregations []byte) []byte {
	return AppendClose(AppendListTotal(dst, total, aggregations))
}

// AppendListTotal ends the items of a list. The caller may append further members, then AppendClose.
func AppendListTotal(dst []byte, total int, aggregations []byte) []byte {
	return AppendTotal(AppendListEnd(dst), total, aggregations)
}

// AppendListEnd ends the items of a list. The caller may append included items, then AppendTotal.
func AppendListEnd(dst []byte) []byte { return append(dst, listEnd...) }

// AppendTotal adds the total of a list whose items have ended.
func AppendTotal(dst []byte, total int, aggregations []byte) []byte {
	dst = append(dst, listTotal...)
	dst = strconv.AppendInt(dst, int64(total), 10)
	if aggregations != nil {
		dst = append(dst, listAggs...)
		dst = append(dst, aggregations...)
	}
	return dst
}

// AppendSuggestions adds suggestions, a JSON object, to a list.
func AppendSuggestions(dst, suggestions []byte) []byte {
	return append(append(dst, `,"suggest":`...), suggestions...)
}

// AppendHitsName writes the name of the member "hits" of a search. The caller appends its value, an
// array with one hit for each item.
func AppendHitsName(dst []byte) []byte { return append(dst, listHits...) }

// AppendApproximate says in a body, of a search or of an endpoint of Elasticsearch, that its results are approximate.
func AppendApproximate(dst []byte) []byte { return append(dst, notExact...) }

// AppendClose ends a body.
func AppendClose(dst []byte) []byte { return append(dst, bodyClose) }

// MaxListTail is the number of bytes at the end of a list that ListTotal may need.
const MaxListTail = len(listTotal) + 20 + 1

// ListTotal reads the total from a list's last MaxListTail or more bytes. It returns false if
// AppendList did not write the body.
func ListTotal(tail []byte) (total int, ok bool) {
	at := bytes.LastIndex(tail, []byte(listTotal))
	if at < 0 || tail[len(tail)-1] != bodyClose {
		return 0, false
	}
	total, err := strconv.Atoi(string(tail[at+len(listTotal) : len(tail)-1]))
	return total, err == nil && total >= 0
}

// AppendError writes the body of an error. Texts may contain parts of a request. They are escaped so that no browser
// reads a byte as markup, whatever content type it guesses.
func AppendError(dst []byte, e problem.Problem) []byte {
	dst = append(dst, errorOpen...)
	dst = strconv.AppendInt(dst, int64(e.Status), 10)
	dst = append(dst, errorCode...)
	return append(appendError(dst, e), bodyClose)
}

// AppendItemError writes the body of a 200 response that has an item and an error.
func AppendItemError(dst, fragment []byte, e problem.Problem) []byte {
	dst = append(dst, itemOpen...)
	dst = append(dst, fragment...)
	dst = append(dst, errorCode...)
	return append(appendError(dst, e), bodyClose)
}

func appendError(dst []byte, e problem.Problem) []byte {
	dst = HTMLEscapes.AppendString(dst, e.Code)
	dst = append(dst, errorText...)
	dst = HTMLEscapes.AppendString(dst, e.Message)
	if e.Parameter != "" {
		dst = append(dst, errorParam...)
		dst = HTMLEscapes.AppendString(dst, e.Parameter)
	}
	if e.Position >= 0 {
		dst = append(dst, errorPos...)
		dst = strconv.AppendInt(dst, int64(e.Position), 10)
	}
	if len(e.Diagnostics) > 0 {
		dst = appendDiagnostics(dst, e.Diagnostics)
	}
	return append(dst, bodyClose)
}
