// This file reads the marks by which an element is not public: package visibility has their table.

package anyjson

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

var (
	statusMarks = visibility.StatusMarks(visibility.JSON)
	expiryMarks = visibility.ExpiryMarks(visibility.JSON)
)

// status returns the word for the status of an element: by the rules, or else by its marks. The strictest counts.
func (im *importer) status(e *element) (status string, err error) {
	for _, rule := range im.rules.status {
		word := rule.in(e.Value, e.page)
		if rule.marks {
			if word, err = im.statusByMarks(e); err != nil {
				return "", err
			}
		}
		if means, _ := visibility.Status(word); visibility.Stricter(means, status) {
			status = means
		}
	}
	if im.rules.status != nil {
		return cmp.Or(status, visibility.Draft), nil // without a word nobody knows whether it is public
	}
	return im.statusByMarks(e)
}

// statusByMarks returns the strictest status that the marks of an element give it.
func (im *importer) statusByMarks(e *element) (status string, err error) {
	for i := range statusMarks {
		mark := &statusMarks[i]
		found, err := im.statusOf(e, mark)
		if err != nil {
			return "", err
		}
		if visibility.Stricter(found, status) {
			status = found
		}
	}
	return cmp.Or(status, visibility.Published), nil
}

// statusOf returns the status that a mark gives an element; "" if the element does not have the mark.
func (im *importer) statusOf(e *element, mark *visibility.Mark) (string, error) {
	v := im.marked(e, mark)
	text := strings.TrimSpace(cmp.Or(imports.TextOf(v), v.Text()))
	if text == "" {
		return "", nil
	}
	status, known := mark.Status(text)
	if !known && !mark.IsWord() && !mark.Excuses(text) {
		return "", e.fault(v, fmt.Sprintf("%s must be %s, not %s", mark.Member, mark.Wants(), documents.Quoted(text)), "correct it, or say the status with --status, as --status Published")
	}
	return status, nil
}

// marked returns the value of the member with a mark, in any case: of the element, or of an object with its fields. It
// returns nil if there is none.
func (im *importer) marked(e *element, mark *visibility.Mark) *jsontree.Value {
	objects := []*jsontree.Value{e.Value}
	for _, r := range im.rules.data {
		objects = append(objects, r.of(e.Value))
	}
	for _, object := range objects {
		if !object.IsObject() {
			continue
		}
		for _, m := range object.Members {
			if strings.EqualFold(m.Name, mark.Member) && !m.Value.IsNull() {
				return im.unwrapped(m.Value)
			}
		}
	}
	return nil
}

// unwrapped returns the value in an object that the rules call one around a value.
func (im *importer) unwrapped(v *jsontree.Value) *jsontree.Value {
	if inner := first(im.rules.value, v); v.IsObject() && inner != nil {
		return inner
	}
	return v
}

// expiry returns the time from which on an element is not public any more: by the rules, or else the earliest by its marks.
func (im *importer) expiry(e *element) (string, error) {
	if im.rules.expires != nil {
		return im.date(e, first(im.rules.expires, e.Value))
	}
	var earliest time.Time
	for i := range expiryMarks {
		at, err := im.time(e, im.marked(e, &expiryMarks[i]))
		if err != nil {
			return "", err
		}
		if !at.IsZero() && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	return written(earliest), nil
}
