// This file makes documents of items, and items of documents.

package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"contentedge/edgeserve/wire/release"
)

// original is the member with the bytes of an item that does not fit. The index does not look at it.
const original = "_item"

// Parts of the members that documents have in addition to their items.
const (
	begins = `"` + appended + `":{"rank` + mark + `":`
	sized  = `,"item` + mark + `":`
	kept   = `,"` + original + `":`
)

// Documents makes documents of the items of an environment. It is safe for concurrent use.
type Documents struct {
	root    *place
	targets []*target
	// Repeated keeps numbers, dates and booleans of sub-fields as often as an item has them, and what the types of
	// sub-fields cannot hold. Comparisons with an engine need it, which shows and counts all values.
	Repeated bool
}

// NewDocuments returns the Documents of an environment with these fields. Long are the paths of the index's Meta.
func NewDocuments(fields []release.Field, long ...string) *Documents {
	root, targets := newPlan(fields, long)
	return &Documents{root: root, targets: targets}
}

// Errors of items and of documents. No item of a release is in error.
var (
	errNoObject = errors.New("the item is not a JSON object without white space around it")
	// ErrNoDocument is the error of a source that Append did not make.
	ErrNoDocument = errors.New("the source is not a document of an item")
)

// Append appends the document of an item: one line of JSON without its end. Rank is the item's place in default order.
// An error says what is wrong with the item.
func (d *Documents) Append(dst, item []byte, rank int) ([]byte, error) {
	if n := len(item); n < 2 || item[0] != '{' || item[n-1] != '}' || !json.Valid(item) {
		return nil, errNoObject
	}
	r := reader{text: item, values: make([][][]byte, len(d.targets))}
	if r.read(d.root); r.err != nil {
		return nil, r.err
	}
	if r.misfit {
		dst = d.appendMisfit(dst, item, rank)
	} else {
		dst = append(dst, item[:len(item)-1]...)
		if !r.empty {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, begins...), int64(rank), 10)
	}
	for i, t := range d.targets {
		dst = t.append(dst, r.values[i], d.Repeated)
	}
	return append(dst, "}}"...), nil
}

// appendMisfit begins the document of an item that an index would refuse.
func (d *Documents) appendMisfit(dst, item []byte, rank int) []byte {
	w := fitter{item, dst}
	w.object(d.root, 0, true)
	dst = w.dst[:len(w.dst)-1]
	if dst[len(dst)-1] == '{' {
		dst = append(dst, kept[1:]...)
	} else {
		dst = append(dst, kept...)
	}
	dst = append(append(append(dst, item...), ','), begins...)
	dst = append(strconv.AppendInt(dst, int64(rank), 10), sized...)
	return strconv.AppendInt(dst, int64(len(item)), 10)
}

// append appends the members of the sub-fields with these values.
func (t *target) append(dst []byte, values [][]byte, repeated bool) []byte {
	for _, s := range t.subs {
		before := len(dst)
		dst = append(append(append(dst, ','), s.key...), '[')
		start := len(dst)
		for _, v := range s.read(values, repeated) {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			switch s.sub {
			case Order:
				dst = appendOrder(dst, appendStart(nil, v))
			case Start:
				dst = appendStart(dst, v)
			default:
				dst = append(dst, v...)
			}
		}
		if len(dst) == start {
			dst = dst[:before]
			continue
		}
		dst = append(dst, ']')
	}
	return dst
}

// lastIndex is bytes.LastIndex for a part that occurs once, or seldom: bytes.Index looks at many bytes at once.
func lastIndex(text, part []byte) int {
	last := -1
	for from := 0; ; from = last + 1 {
		at := bytes.Index(text[from:], part)
		if at < 0 {
			return last
		}
		last = from + at
	}
}

// Item appends the item of a document, byte for byte, and returns its rank. The source is what an index returns of a
// document that Append made, as a whole.
func Item(dst, source []byte) (item []byte, rank int, err error) {
	at := lastIndex(source, []byte(begins))
	if at < 1 || source[0] != '{' {
		return nil, 0, ErrNoDocument
	}
	rank, rest, ok := digits(source[at+len(begins):])
	if !ok {
		return nil, 0, ErrNoDocument
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(sized)); ok {
		n, _, ok := digits(rest)
		if from := at - 1 - n; ok && n >= 2 && from >= len(kept) && bytes.HasSuffix(source[:from], []byte(kept[1:])) {
			return append(dst, source[from:at-1]...), rank, nil
		}
		return nil, 0, ErrNoDocument
	}
	if source[at-1] == ',' {
		at--
	}
	return append(append(dst, source[:at]...), '}'), rank, nil
}

// digits reads a number from the start of a text.
func digits(text []byte) (n int, rest []byte, ok bool) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(text[:end]))
	return n, text[end:], err == nil
}
