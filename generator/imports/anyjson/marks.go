// This file reads the marks by which an element is not public: package visibility has their table.

package anyjson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

var (
	statusMarks = visibility.StatusMarks(visibility.JSON)
	expiryMarks = visibility.ExpiryMarks(visibility.JSON)
)

// status returns the word for the status of an element: by the rules, or else by its marks. The strictest counts.
func (im *importer) status(e *element) (status string, err error) {
	if im.rules.status == nil {
		status, err = im.statusByMarks(e, false)
		return cmp.Or(status, visibility.Published), err
	}
	for _, rule := range im.rules.status {
		words := im.wordsFor(rule, e)
		if rule.marks {
			word, err := im.statusByMarks(e, rule.quiet)
			if err != nil {
				return "", err
			}
			if word == "" && !rule.quiet {
				word = visibility.Published
			}
			words = []string{word}
		}
		for _, word := range words {
			means, _ := visibility.Status(word)
			status = stricter(means, status)
		}
	}
	return cmp.Or(status, visibility.Draft), nil // without a word it may be private
}

// wordsFor returns the words of a rule for an element: one for each text that the rule's paths lead to.
func (im *importer) wordsFor(rule *value, e *element) (words []string) {
	v := first(rule.from, e.Value)
	for _, text := range im.textsOf(v, func(text string) bool {
		_, known := rule.words[text]
		return known || visibility.NotPublic(text)
	}) {
		words = append(words, rule.word(text))
	}
	switch {
	case len(words) > 0:
		return words
	case v.IsObject(): // it says something unknown
		return []string{rule.word(v.Kind())}
	}
	return []string{rule.in(e.Value, e.page)}
}

// statusByMarks returns the strictest status that the marks of an element give it, or "". knownOnly leaves out unknown
// values.
func (im *importer) statusByMarks(e *element, knownOnly bool) (status string, err error) {
	for i := range statusMarks {
		mark := &statusMarks[i]
		values := im.marked(e, mark)
		if im.lacks(e, mark, values) {
			status = stricter(visibility.Draft, status)
		}
		for _, v := range values {
			for _, text := range im.textsOf(v, func(text string) bool { return meansHidden(mark, text) }) {
				found, known := mark.Status(text)
				switch {
				case !known && knownOnly:
					continue
				case !known && !mark.IsWord() && !mark.Excuses(text):
					return "", e.fault(v, fmt.Sprintf("%s must be %s, not %s", mark.Member, mark.Wants(), documents.Quoted(text)), "correct it, or say the status with --status, as --status Published")
				}
				status = stricter(found, status)
			}
		}
	}
	return status, nil
}

func stricter(a, b string) string {
	if visibility.Stricter(a, b) {
		return a
	}
	return b
}

// grant is a mark that elements of a type have, by which they are public.
type grant struct{ kind, member string }

// noteGrants records the marks that an element has, whatever their values are.
func (im *importer) noteGrants(kind string, e *element) {
	for i := range statusMarks {
		if mark := &statusMarks[i]; im.rules.sparse && mark.Grants() && len(im.marked(e, mark)) > 0 {
			im.grants[grant{kind, mark.Member}] = true
		}
	}
}

// lacks reports whether an element has no value of a mark that others of its type have: an unchecked box, for example.
func (im *importer) lacks(e *element, mark *visibility.Mark, values []*jsontree.Value) bool {
	return len(im.grants) > 0 && im.grants[grant{im.kindOf(e), mark.Member}] &&
		!slices.ContainsFunc(values, func(v *jsontree.Value) bool {
			return len(im.textsOf(v, func(text string) bool { return meansHidden(mark, text) })) > 0
		})
}

// meansHidden reports whether a value of a mark means that an item is not public.
func meansHidden(mark *visibility.Mark, text string) bool {
	status, known := mark.Status(text)
	return known && status != "" && status != visibility.Published
}

// textsOf returns the texts of a value: the texts of all elements of a list, and the plain text of a rich text. For an
// object it returns the hidden words inside, such as the words of some locales, or else the object's own text.
func (im *importer) textsOf(v *jsontree.Value, hidden func(text string) bool) (texts []string) {
	v = im.unwrapped(v)
	if plain, format := plaintext.Of(v); format != plaintext.None {
		return notBlank(plain)
	}
	switch {
	case v.IsNull():
		return nil
	case v.IsArray():
		for _, item := range v.Items {
			texts = append(texts, im.textsOf(item, hidden)...)
		}
		return texts
	case !v.IsObject():
		return notBlank(v.Text())
	}
	for _, m := range v.Members {
		for _, text := range im.textsOf(m.Value, hidden) {
			if hidden(text) {
				texts = append(texts, text)
			}
		}
	}
	if len(texts) == 0 {
		return notBlank(imports.TextOf(v))
	}
	return texts
}

func notBlank(text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return []string{text}
}

// marked returns the values of the members with a mark, in any case: of the element, and of the objects with its fields.
// A member whose value a rule of the status takes is not a mark.
func (im *importer) marked(e *element, mark *visibility.Mark) (found []*jsontree.Value) {
	for _, object := range append([]route{{}}, im.rules.data...) {
		v := object.of(e.Value)
		if !v.IsObject() {
			continue
		}
		for _, m := range v.Members {
			if strings.EqualFold(m.Name, mark.Member) && !im.rules.take(e.Value, object, m.Name) {
				found = append(found, im.unwrapped(m.Value))
			}
		}
	}
	return found
}

// take reports whether a rule of the status takes the value of a member of an object in an element.
func (r *rules) take(element *jsontree.Value, object route, member string) bool {
	to := append(slices.Clone(object), step{name: member, named: true})
	return slices.ContainsFunc(r.status, func(rule *value) bool {
		p, _ := firstOf(rule.from, element)
		return len(p) >= len(to) && slices.Equal(p[:len(to)], to)
	})
}

// unwrapped returns the value in an object that the rules call one around a value. It may be null.
func (im *importer) unwrapped(v *jsontree.Value) *jsontree.Value {
	if !v.IsObject() {
		return v
	}
	for _, p := range im.rules.value {
		if inner := p.of(v); inner != nil {
			return inner
		}
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
		for _, v := range im.marked(e, &expiryMarks[i]) {
			at, err := im.time(e, v)
			if err != nil {
				return "", err
			}
			if !at.IsZero() && (earliest.IsZero() || at.Before(earliest)) {
				earliest = at
			}
		}
	}
	return written(earliest), nil
}
