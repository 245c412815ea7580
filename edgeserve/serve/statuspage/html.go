// This file writes HTML. Constants are markup, everything else is text: only text reaches text and
// attr, and the compiler refuses a variable string as markup.

package statuspage

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// markup is HTML of this package's constants.
type markup string

type html struct{ b []byte }

// raw writes markup. It is called so often that its code in each place would double this package.
//
//go:noinline
func (h *html) raw(m markup) { h.b = append(h.b, m...) }

// text writes a text as characters. Characters that show nothing, or change how others are shown, are escaped as in Go:
// clients and publishers write the text.
func (h *html) text(s string) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '<':
			h.b = append(h.b, "&lt;"...)
		case r == '>':
			h.b = append(h.b, "&gt;"...)
		case r == '&':
			h.b = append(h.b, "&amp;"...)
		case r == '"':
			h.b = append(h.b, "&#34;"...)
		case r == '\'':
			h.b = append(h.b, "&#39;"...)
		case r == utf8.RuneError && size == 1:
			h.b = append(append(h.b, `\x`...), s[i]>>4+hexOffset(s[i]>>4), s[i]&15+hexOffset(s[i]&15))
		case r == '\n' || r == '\t' || strconv.IsPrint(r):
			h.b = append(h.b, s[i:i+size]...)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			h.b = append(h.b, quoted[1:len(quoted)-1]...)
		}
		i += size
	}
}

func hexOffset(digit byte) byte {
	if digit < 10 {
		return '0'
	}
	return 'a' - 10
}

// attr writes an attribute.
func (h *html) attr(name markup, value string) {
	h.raw(" " + name + `="`)
	h.text(value)
	h.raw(`"`)
}

// cell writes a cell of a table.
func (h *html) cell(s string) {
	h.raw("<td>")
	h.text(s)
}

// heading writes the head of a row.
func (h *html) heading(s string) {
	h.raw(`<tr><th scope="row">`)
	h.text(s)
}

// section begins a section of the page with its title. end ends it.
func (h *html) section(id, title markup) {
	h.raw(`<section id="` + id + `"><h2>` + title + `</h2>`)
}

func (h *html) end() { h.raw("</section>\n") }

// table begins a table that may be wider than the window, with the heads of its columns. endTable ends it.
func (h *html) table(name markup, columns ...markup) {
	h.raw(`<div class="wide" tabindex="0" role="group" aria-label="` + name + `"><table><thead><tr>`)
	for _, c := range columns {
		h.raw(`<th scope="col">` + c)
	}
	h.raw("<tbody>")
}

func (h *html) endTable() { h.raw("</table></div>") }

// moment writes a time and how long ago it was.
func (h *html) moment(t, now time.Time) {
	if t.IsZero() {
		h.raw("never")
		return
	}
	h.time(t)
	h.raw(" ")
	if age := now.Sub(t); age >= 0 {
		h.text("(" + duration(age.Seconds()) + " ago)")
	} else {
		h.text("(in " + duration(-age.Seconds()) + ")")
	}
}

func (h *html) time(t time.Time) {
	h.raw("<time")
	h.attr("datetime", t.UTC().Format(time.RFC3339))
	h.raw(">")
	h.text(t.UTC().Format("2006-01-02 15:04:05 UTC"))
	h.raw("</time>")
}

// words writes a name of a member, such as lastSuccess, as words.
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_':
			r = ' '
		case r >= 'A' && r <= 'Z' && i > 0:
			b.WriteByte(' ')
			r += 'a' - 'A'
		case r >= 'a' && r <= 'z' && i == 0:
			r -= 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
