// This file writes the passages of the unified highlighter.

package highlight

import (
	"bytes"
	"cmp"
	"math"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// unified is the unified highlighter of a field.
type unified struct {
	options *query.HighlightField
	matcher *matcher // nil if nothing can match
	breaker breaker
	limit   int // passages
	looked  int
	account *account

	joined joined // scratch, like the members below
	best   scorer.Heap[passage]
	out    []byte
}

func newUnified(of fields.Target, o *query.HighlightField, leaves []leaf, acc *account) *unified {
	u := &unified{options: o, account: acc, matcher: newMatcher(of, leaves, acc), limit: o.Fragments, best: scorer.Heap[passage]{Less: passage.worse}}
	switch {
	case o.Fragments == 0:
		u.breaker, u.limit = &whole{}, math.MaxInt
	case of.Kind != fields.Text:
		u.breaker = &whole{}
	case o.Words:
		u.breaker = &single{of: &words{}}
	case o.FragmentSize > 0:
		u.breaker = &bounded{size: o.FragmentSize}
	default:
		u.breaker = &single{of: &sentences{}}
	}
	return u
}

func (*unified) begin() {} // hits have no effect on later ones

// idle reports whether no text can have a highlight.
func (u *unified) idle() bool { return u.matcher == nil && u.options.NoMatchSize <= 0 }

// append appends the fragments of the values of a field.
func (u *unified) append(dst []byte, values []string) []byte {
	j := &u.joined
	if j.join(values); j.units <= 0 || !u.account.goOn(1) {
		return dst
	}
	var found []passage
	if u.matcher != nil {
		found = u.passages(u.matcher.find(j))
	}
	if len(found) == 0 {
		found = u.beginning(j)
	}
	if u.options.ByScore {
		introSort(found, func(a, b passage) int { return cmp.Compare(b.score, a.score) })
	}
	list := stringList{dst: dst, from: len(dst)}
	for i := range found {
		text := u.format(&j.parts[found[i].part], &found[i])
		if bytes.ContainsFunc(text, func(r rune) bool { return !isJavaSpace(r) }) {
			list.add(text)
		}
		if !u.account.goOn(8+len(text)/4) || !u.account.fits(list.len()) {
			return dst
		}
	}
	return list.end()
}

// isJavaSpace is Character.isWhitespace.
func isJavaSpace(r rune) bool {
	switch r {
	case '\u00a0', '\u2007', '\u202f', '\u0085':
		return false
	case '\u001c', '\u001d', '\u001e', '\u001f':
		return true
	}
	return unicode.IsSpace(r)
}

// beginning is the first passage of a field without matches, if NoMatchSize requests it.
func (u *unified) beginning(j *joined) []passage {
	if u.options.NoMatchSize <= 0 {
		return nil
	}
	for i := range j.parts {
		p := &j.parts[i]
		if p.text == "" {
			continue
		}
		end := len(p.text)
		if u.options.NoMatchSize < p.units {
			var w words
			w.reset(p.text)
			end = w.followingUnit(p, u.options.NoMatchSize)
		}
		return []passage{{part: i, end: end}}
	}
	return nil
}

// format marks the matches of a passage. The text is valid until the next call.
func (u *unified) format(p *part, of *passage) []byte {
	w := writer{html: u.options.HTML, out: u.out[:0]}
	at := of.start
	for i := 0; i < len(of.matches); i++ {
		start, end := int(of.matches[i].start), int(of.matches[i].end)
		w.text(p.text[at:start])
		for i+1 < len(of.matches) && int(of.matches[i+1].start) < end {
			i++
			end = int(of.matches[i].end)
		}
		end = min(end, of.end)
		w.raw(u.options.PreTag)
		w.text(p.text[start:end])
		w.raw(u.options.PostTag)
		at = end
		if !u.account.goOn(2+(len(u.options.PreTag)+len(u.options.PostTag))/4) || !u.account.fits(len(w.out)) {
			return nil
		}
	}
	w.text(p.text[at:max(at, of.end)])
	u.out = w.out
	text := bytes.TrimSuffix(w.out, []byte("\u2029"))
	return bytes.TrimFunc(text, func(r rune) bool { return r <= ' ' })
}

// writer writes text and tags. It encodes the text as HTML if html is set.
type writer struct {
	html bool
	out  []byte
}

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

func (w *writer) text(s string) {
	if !w.html {
		w.raw(s)
		return
	}
	for i := range len(s) {
		if c := s[i]; c < utf8.RuneSelf && htmlEntities[c] != "" {
			w.raw(htmlEntities[c])
		} else {
			w.out = append(w.out, c)
		}
	}
}

// htmlEntities are the entities that Lucene writes.
var htmlEntities = [utf8.RuneSelf]string{'"': "&quot;", '&': "&amp;", '<': "&lt;", '>': "&gt;", '\'': "&#x27;", '/': "&#x2F;"}
