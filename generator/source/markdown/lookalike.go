// This file finds what looks like front matter and is not read as such. As text it would publish drafts.

package markdown

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/record"
)

// A stray is a reason why a line does not begin or end front matter. The greatest of several is reported.
type stray int

const (
	nothing stray = iota
	spaces
	blankLines
	invisible
	comment
	spelling
	moreWords
	unknownLanguage
	second
)

// strays has what is wrong with "it", the first or the last line of front matter, and what to do.
var strays = [...]struct{ message, hint string }{
	spaces:          {"spaces are before it", "remove the spaces"},
	blankLines:      {"blank lines are before it", "remove the blank lines"},
	invisible:       {"invisible characters are in or before it", "remove the characters, such as U+200B or a second byte order mark: write the line again"},
	comment:         {"a comment is in or before it", "move the comment into the text after the front matter"},
	spelling:        {"its spelling is not known", "write --- (YAML), +++ (TOML), ---json or ---toml, and end it with the same marks; for a horizontal rule write ***"},
	moreWords:       {"there is more on it", "write what follows the marks on the next line, or leave it out"},
	unknownLanguage: {"its language is not known", "write the front matter in YAML after ---, in TOML after ---toml, or in JSON after ---json"},
	second:          {"other front matter is before it", "put all keys into the first block; for a horizontal rule write ***"},
}

// comments have no meaning in a text. A comment without an end ends with its line.
var comments = [...]struct{ begin, end string }{
	{"<!--", "-->"}, {"{/*", "*/}"}, {"%%", "%%"}, {"[//]:", ""}, {"[comment]:", ""}, {"%YAML", ""},
	{"#", ""}, // the last row: a comment in front matter, a heading in a text
}

// marks are characters of which a line may be made: the mark that each stands for, and how often.
var marks = map[rune]struct {
	mark  byte
	times int
}{'-': {'-', 1}, '+': {'+', 1}, ';': {';', 1}, '.': {'.', 1}, '\u2212': {'-', 1}, '–': {'-', 2}, '—': {'-', 3}, '―': {'-', 3}}

const fewestMarks = 3

// lookalike returns a fault if the first text looks like front matter, but is not read as front matter.
func lookalike(text []byte, first record.Place) *record.Fault {
	if languageOf(text) != nil || beginsJSON(text) {
		return nil
	}
	if f := strayObject(text, first); f != nil {
		return f
	}
	return blockFault(text, first, nothing)
}

// strayObject returns a fault if the first text is an object of JSON. One without stray characters is front matter.
func strayObject(text []byte, first record.Place) *record.Fault {
	at, before := silence(text)
	if at == len(text) || text[at] != '{' {
		return nil
	}
	n, within := silence(text[at+1:])
	if !bytes.HasPrefix(text[at+1+n:], []byte{'"'}) {
		return nil
	}
	if before == nothing {
		before = within
	}
	return seems(record.NewLines(text, first).Place(at), "front matter", before)
}

// secondBlock returns a fault if a body begins with front matter. A line between two blank lines is a rule.
func secondBlock(body []byte, first record.Place) *record.Fault {
	at, _ := silence(body)
	_, inside := cutAnyLine(body[at:])
	if line, _ := cutAnyLine(inside); len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	return blockFault(body, first, second)
}

// blockFault returns a fault if the first text is a block between two lines of marks. why is reported if both
// lines are as they should be.
func blockFault(text []byte, first record.Place, why stray) *record.Fault {
	at, before := silence(text)
	line, inside := cutAnyLine(text[at:])
	opening := fenceOf(line)
	if !opening.opens() {
		return nil
	}
	from := len(text) - len(inside)
	end, next, closing := findEnd(inside)
	if closing.mark == 0 || !opening.sure && !beginsWithKey(inside[:end], opening.mark) {
		return nil
	}
	if f := record.CheckLineEnds(text[:from+next], first); f != nil {
		return f
	}
	lines := record.NewLines(text, first)
	if why = max(why, before, opening.stray); why != nothing {
		return seems(lines.Place(at), "front matter", why)
	}
	if closing.stray == nothing {
		closing.stray = spelling // of other marks than the first line
	}
	return seems(lines.Place(from+end+closing.at), "the end of front matter", closing.stray)
}

func seems(at record.Place, what string, s stray) *record.Fault {
	return &record.Fault{Place: at, Message: fmt.Sprintf("this seems to be %s, but %s", what, strays[s].message), Hint: strays[s].hint}
}

// fenceLine is a line that begins or ends front matter.
type fenceLine struct {
	at    int  // where the marks begin
	mark  byte // zero means that the line is not one of marks
	tail  bool // something follows the marks
	sure  bool // no text has such a line
	stray stray
}

func (f fenceLine) opens() bool { return f.mark != 0 && f.mark != '.' }

// findEnd returns where the first line begins that may end front matter, and where the next line begins.
func findEnd(inside []byte) (at, next int, end fenceLine) {
	for rest := inside; len(rest) > 0; at = next {
		var line []byte
		line, rest = cutAnyLine(rest)
		next = len(inside) - len(rest)
		if f := fenceOf(line); f.mark != 0 && !f.tail {
			return at, next, f
		}
	}
	return 0, 0, fenceLine{}
}

// fenceOf reads a line: three or more of one mark, among invisible characters.
func fenceOf(line []byte) fenceLine {
	at, why := silence(line)
	f := fenceLine{at: at, stray: why}
	count := 0
	for at < len(line) {
		r, n := utf8.DecodeRune(line[at:])
		mark, times := markOf(r)
		switch {
		case isInvisible(r):
			f.stray = max(f.stray, invisible)
		case mark == 0 || f.mark != 0 && f.mark != mark:
			return f.counted(count, line[at:])
		case n > 1:
			f.stray = max(f.stray, spelling)
		}
		f.mark, count, at = max(f.mark, mark), count+times, at+n
	}
	return f.counted(count, nil)
}

func markOf(r rune) (mark byte, times int) {
	if m, ok := marks[r]; ok {
		return m.mark, m.times
	}
	if unicode.Is(unicode.Pd, r) {
		return '-', 1
	}
	return 0, 0
}

// counted is a line with a number of marks before its tail.
func (f fenceLine) counted(marks int, tail []byte) fenceLine {
	if marks < fewestMarks {
		return fenceLine{}
	}
	if marks > fewestMarks || f.mark == ';' || f.mark == '.' {
		f.stray = max(f.stray, spelling)
	}
	return f.withTail(tail)
}

// withTail adds what follows the marks of a line.
func (f fenceLine) withTail(tail []byte) fenceLine {
	n, why := silence(tail)
	if tail = tail[n:]; len(tail) == 0 {
		if why > blankLines { // spaces after the marks may be there
			f.stray = max(f.stray, why)
		}
		return f
	}
	f.tail = true
	if i := bytes.IndexFunc(tail, isInvisible); i >= 0 {
		f.stray, tail = max(f.stray, invisible), bytes.Map(visible, tail)
	}
	for _, c := range comments[:len(comments)-1] {
		if i := bytes.Index(tail, []byte(c.begin)); i > 0 {
			f.stray, tail = max(f.stray, comment), tail[:i]
		}
	}
	word, more, several := bytes.Cut(bytes.TrimSpace(tail), []byte{' '})
	letter, _ := utf8.DecodeRune(word)
	known := isLanguage(f.mark, word)
	switch {
	case known && !several:
	case known, letter == '#', looksLikeKey(bytes.TrimSpace(tail)):
		f.stray = max(f.stray, moreWords)
	case unicode.IsLetter(letter) && len(more) == 0:
		f.stray, f.sure = max(f.stray, unknownLanguage), n == 0
	default:
		return fenceLine{}
	}
	return f
}

func isLanguage(mark byte, word []byte) bool {
	return slices.ContainsFunc(languages, func(l language) bool { return l.fence[0] == mark && len(word) > 0 && l.has(word) })
}

// silence returns where the visible text begins: after spaces, comments and invisible characters.
func silence(text []byte) (at int, why stray) { return quiet(text, len(comments)-1) }

// quiet is silence with the first rows of comments.
func quiet(text []byte, rows int) (at int, why stray) {
	var endless [len(comments)]bool // no end follows: it is not searched for again
	for at < len(text) {
		if n := commentAt(text[at:], rows, &endless); n > 0 {
			at, why = at+n, comment
			continue
		}
		r, n := utf8.DecodeRune(text[at:])
		switch {
		case r == '\n' || r == '\r':
			why = max(why, blankLines)
		case unicode.IsSpace(r):
			why = max(why, spaces)
		case isInvisible(r):
			why = max(why, invisible)
		default:
			return at, why
		}
		at += n
	}
	return at, why
}

// commentAt returns the length of the comment that a text begins with.
func commentAt(text []byte, rows int, endless *[len(comments)]bool) int {
	for i, c := range comments[:rows] {
		rest, ok := bytes.CutPrefix(text, []byte(c.begin))
		if !ok {
			continue
		}
		if c.end != "" && !endless[i] {
			if n := bytes.Index(rest, []byte(c.end)); n >= 0 {
				return len(c.begin) + n + len(c.end)
			}
			endless[i] = true
		}
		line, _ := cutAnyLine(text)
		return len(line)
	}
	return 0
}

// isInvisible reports whether a character is neither seen nor a space.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unicode.IsSpace(r) || r == '\u2800'
}

// visible leaves out what is invisible, for bytes.Map.
func visible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	return r
}

// cutAnyLine returns a text's first line, which LF, CR or both end, and the rest.
func cutAnyLine(text []byte) (line, rest []byte) {
	n := bytes.IndexAny(text, "\r\n")
	if n < 0 {
		return text, nil
	}
	end := n + 1
	if bytes.HasPrefix(text[n:], []byte("\r\n")) {
		end++
	}
	return text[:n], text[end:]
}

// checkOnlyCR returns a fault if the lines of a text end in CR only: the whole text would be one line.
func checkOnlyCR(text []byte, first record.Place) *record.Fault {
	if bytes.IndexByte(text, '\n') >= 0 {
		return nil
	}
	return record.CheckLineEnds(text, first)
}

// concealedKey returns a fault if a key of front matter, without its invisible characters, equals another key.
func concealedKey(front *record.Record) *record.Fault {
	var found *record.Fault
	jsoncursor.Children(front.JSON, 0, func(quoted []byte, at int) int {
		name := string(jsoncursor.Unquote(quoted))
		clean := strings.TrimSpace(strings.Map(visible, name))
		if found == nil && clean != name && strings.IndexFunc(clean, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
			found = &record.Fault{Place: front.Place(cap(front.JSON) - cap(quoted)), Message: fmt.Sprintf("the key %+q has invisible characters or spaces around %q", name, clean), Hint: "write the key again"}
		}
		return jsoncursor.ValueEnd(front.JSON, at)
	})
	return found
}
