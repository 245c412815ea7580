// Package mdx makes Markdown of MDX. It leaves out what only the framework of a site can write: import and export
// statements, components and expressions. The text in components stays, and so do all line ends: places of faults
// are in the right line. The scanner reads a text once, whatever the text is.
package mdx

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Expression is the name under which Left lists expressions.
const Expression = "{…}"

const (
	maxNames = 20 // that Left lists
	maxName  = 60 // bytes of a name
)

// Left names the parts of a text other than Markdown.
type Left struct {
	Names []string // of components, without repetition, and Expression
	At    int      // the offset of the first in the source
}

type scanner struct {
	source []byte
	at     int
	out    bytes.Buffer
	left   Left

	indents  []int // of the text in each open component; -1 before its first line
	broken   bool  // a brace or a tag has no end: looking for ends of others is pointless
	unclosed bool  // a comment of HTML has no end
}

// Markdown returns a text without what is not Markdown.
func Markdown(source []byte) ([]byte, Left) {
	s := &scanner{source: source}
	begin := true // of a block
	for s.at < len(source) {
		line := s.line()
		switch {
		case begin && isStatement(line):
			s.statement()
			continue
		case s.fence(line):
			begin = false
			continue
		}
		begin = len(bytes.TrimSpace(line)) == 0
		s.text(line)
	}
	return s.out.Bytes(), s.left
}

// line returns the rest of the line, with its end.
func (s *scanner) line() []byte {
	if end := bytes.IndexByte(s.source[s.at:], '\n'); end >= 0 {
		return s.source[s.at : s.at+end+1]
	}
	return s.source[s.at:]
}

var statement = regexp.MustCompile(`^(import\s+(["'{*]|type\s|[\w$]+\s*,|[\w$]+\s+from\b)|export\s+(["'{*]|(default|const|let|var|function|async|class|type|interface|enum)\b))`)

func isStatement(line []byte) bool { return statement.Match(line) }

// statement leaves out a statement, and the statements that follow without a blank line. A statement ends at a line in
// which no bracket is open.
func (s *scanner) statement() {
	for s.at < len(s.source) {
		line := s.line()
		if len(bytes.TrimSpace(line)) == 0 {
			return
		}
		end := s.code(s.at, func(depth int, c byte) bool { return depth == 0 && c == '\n' })
		if end < 0 {
			end = s.at + len(line)
		}
		s.skip(end)
	}
}

// skip leaves out what is before an offset, but no line ends.
func (s *scanner) skip(end int) {
	for range bytes.Count(s.source[s.at:end], []byte{'\n'}) {
		s.out.WriteByte('\n')
	}
	s.at = end
}

// copy keeps what is before an offset.
func (s *scanner) copy(end int) {
	s.out.Write(s.source[s.at:end])
	s.at = end
}

// note lists a name.
func (s *scanner) note(name string) {
	if len(s.left.Names) == 0 {
		s.left.At = s.at
	}
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	if len(s.left.Names) < maxNames && !slices.Contains(s.left.Names, name) {
		s.left.Names = append(s.left.Names, name)
	}
}

// indent leaves out the indent that the text in a component has: four spaces would make it code.
func (s *scanner) indent(line []byte) []byte {
	content := bytes.TrimLeft(line, " \t")
	width := len(line) - len(content)
	if len(s.indents) == 0 || len(bytes.TrimSpace(content)) == 0 {
		return line
	}
	innermost := &s.indents[len(s.indents)-1]
	if *innermost < 0 && !bytes.HasPrefix(content, []byte("</")) {
		*innermost = width
	}
	s.at += min(width, max(*innermost, 0))
	return s.line()
}

// fence copies fenced code, and reports whether the line begins any.
func (s *scanner) fence(line []byte) bool {
	content := bytes.TrimLeft(line, " \t")
	if !bytes.HasPrefix(content, []byte("```")) && !bytes.HasPrefix(content, []byte("~~~")) {
		return false
	}
	mark := content[:len(content)-len(bytes.TrimLeft(content, string(content[:1])))]
	if mark[0] == '`' && bytes.IndexByte(content[len(mark):], '`') >= 0 {
		return false
	}
	for first := true; s.at < len(s.source); first = false {
		line := s.indent(s.line())
		s.copy(s.at + len(line))
		rest, closes := bytes.CutPrefix(bytes.TrimSpace(line), mark)
		if !first && closes && len(bytes.Trim(rest, string(mark[:1]))) == 0 {
			break
		}
	}
	return true
}

// text copies a line of Markdown. A component or an expression in it may end in a later line.
func (s *scanner) text(line []byte) {
	line = s.indent(line)
	for end := s.at + len(line); s.at < end; {
		special := bytes.IndexAny(s.source[s.at:end], "`\\{<$")
		if special < 0 {
			s.copy(end)
			return
		}
		s.copy(s.at + special)
		switch s.source[s.at] {
		case '`':
			s.codeSpan()
		case '\\':
			s.copy(min(s.at+2, len(s.source)))
		case '$':
			s.math()
		case '{':
			s.braces()
		default:
			s.tag()
		}
		if s.at > end { // the rest of a later line
			end = s.at + len(s.line())
		}
	}
}

// maxCodeSpan bounds code in a line, in bytes.
const maxCodeSpan = 64 << 10

// codeSpan copies code in a line, or the backticks that begin none.
func (s *scanner) codeSpan() {
	rest := s.source[s.at:min(len(s.source), s.at+maxCodeSpan)]
	run := len(rest) - len(bytes.TrimLeft(rest, "`"))
	for at := run; at < len(rest); {
		next := bytes.IndexByte(rest[at:], '`')
		if next < 0 || blankLine(rest[at:at+next]) {
			break
		}
		at += next
		closing := len(rest[at:]) - len(bytes.TrimLeft(rest[at:], "`"))
		at += closing
		if closing == run {
			s.copy(s.at + at)
			return
		}
	}
	s.copy(s.at + run)
}

func blankLine(text []byte) bool {
	for {
		_, rest, more := bytes.Cut(text, []byte{'\n'})
		if !more {
			return false
		}
		next, _, more := bytes.Cut(rest, []byte{'\n'})
		if more && len(bytes.TrimSpace(next)) == 0 {
			return true
		}
		text = rest
	}
}

// math copies mathematics, whose braces are not expressions, or the dollars of a price.
func (s *scanner) math() {
	rest := s.source[s.at:min(len(s.source), s.at+maxCodeSpan)]
	if bytes.HasPrefix(rest, []byte("$$")) {
		if length := bytes.Index(rest[2:], []byte("$$")); length >= 0 && !blankLine(rest[2:2+length]) {
			s.copy(s.at + length + len("$$$$"))
			return
		}
		s.copy(s.at + 2)
		return
	}
	length := bytes.IndexAny(rest[1:], "$\n")
	if length > 0 && rest[1+length] == '$' && rest[1] != ' ' && rest[length] != ' ' {
		s.copy(s.at + length + len("$$"))
		return
	}
	s.copy(s.at + 1)
}

// htmlComment copies a comment of HTML, and reports whether there is one.
func (s *scanner) htmlComment() bool {
	rest := s.source[s.at:]
	if s.unclosed || !bytes.HasPrefix(rest, []byte("<!--")) {
		return false
	}
	end := bytes.Index(rest, []byte("-->"))
	if s.unclosed = end < 0; !s.unclosed {
		s.copy(s.at + end + len("-->"))
	}
	return end >= 0
}

// headingID matches what a brace begins that is an attribute of a heading, and no expression.
var headingID = regexp.MustCompile(`^\{:?\s*[#.][\w.:-]`)

// braces leaves out an expression. A brace without an end is text.
func (s *scanner) braces() {
	rest := s.source[s.at:]
	end := -1
	if !headingID.Match(rest[:min(len(rest), 100)]) {
		end = s.code(s.at, func(depth int, c byte) bool { return depth == 0 && c == '}' })
	}
	if end < 0 {
		s.copy(s.at + 1)
		return
	}
	if inside := bytes.TrimSpace(s.source[s.at+1 : end-1]); !bytes.HasPrefix(inside, []byte("/*")) && len(inside) > 0 {
		s.note(Expression)
	}
	s.skip(end)
}

// code reads a program from an offset until done, and returns the offset after that; -1 if the text ends before.
// done has the number of open brackets after a character. Strings and comments are passed over.
func (s *scanner) code(at int, done func(depth int, c byte) bool) int {
	if s.broken {
		return -1
	}
	var open []byte // the closing marks that are awaited: a backtick for a template
	for at < len(s.source) {
		c := s.source[at]
		at++
		if n := len(open); n > 0 && open[n-1] == '`' {
			switch {
			case c == '\\':
				at++
			case c == '`':
				open = open[:n-1]
			case c == '$' && at < len(s.source) && s.source[at] == '{':
				at++
				open = append(open, '}')
			}
			continue
		}
		switch c {
		case '"', '\'':
			at = s.quoted(at, c)
		case '/':
			at = s.comment(at)
		case '`':
			open = append(open, '`')
		case '{', '(', '[':
			open = append(open, closingOf[c])
		case '}', ')', ']':
			if n := len(open); n > 0 && open[n-1] == c {
				open = open[:n-1]
			}
		}
		if done(len(open), c) {
			return at
		}
	}
	s.broken = true
	return -1
}

var closingOf = map[byte]byte{'{': '}', '(': ')', '[': ']'}

// quoted returns the offset after a string that ends in its line, otherwise the offset itself: an apostrophe.
func (s *scanner) quoted(at int, quote byte) int {
	for i := at; i < len(s.source) && s.source[i] != '\n'; i++ {
		switch s.source[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return at
}

// comment returns the offset after a comment whose slash is before an offset, otherwise the offset itself.
func (s *scanner) comment(at int) int {
	rest := s.source[at:]
	length := -1
	switch {
	case bytes.HasPrefix(rest, []byte("*")):
		if length = bytes.Index(rest[1:], []byte("*/")); length < 0 {
			return len(s.source)
		}
		length += len("**/")
	case bytes.HasPrefix(rest, []byte("/")):
		length = bytes.IndexByte(rest, '\n')
	}
	return at + max(0, length)
}

var tagName = regexp.MustCompile(`^</?([\p{L}_$][\p{L}\p{N}_$:-]*(?:\.[\p{L}_$][\p{L}\p{N}_$-]*)*)?`)

// tag leaves out the tag of a component. Of the tag of an element of HTML it leaves out what is a program.
func (s *scanner) tag() {
	if s.htmlComment() {
		return
	}
	rest := s.source[s.at:]
	head := tagName.FindSubmatch(rest[:min(len(rest), 2*maxName)])
	name := string(head[1])
	after, _ := utf8.DecodeRune(rest[len(head[0]):])
	isTag := after == '>' || name != "" && (after == '/' || after == ' ' || after == '\t' || after == '\r' || after == '\n')
	if !isTag {
		s.copy(s.at + 1)
		return
	}
	end := s.code(s.at+len(head[0]), func(depth int, c byte) bool { return depth == 0 && c == '>' })
	switch {
	case end < 0:
		s.copy(s.at + 1)
	case isComponent(name):
		s.component(name, end)
	default:
		s.element(end)
	}
}

// isComponent reports whether a name belongs to a component. A tag without a name is a fragment.
func isComponent(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return name == "" || strings.Contains(name, ".") || strings.ToLower(string(first)) != string(first)
}

// maxOpen bounds the components in each other whose indents are known.
const maxOpen = 1000

func (s *scanner) component(name string, end int) {
	if name != "" {
		s.note(name)
	}
	closes, empty := s.source[s.at+1] == '/', s.source[end-2] == '/'
	switch {
	case closes && len(s.indents) > 0:
		s.indents = s.indents[:len(s.indents)-1]
	case !closes && !empty && len(s.indents) < maxOpen:
		s.indents = append(s.indents, -1)
	}
	s.skip(end)
}

// classNames is how JSX writes the attribute class.
var classNames = regexp.MustCompile(`\bclassName=`)

// element copies a tag of HTML without attributes whose values are programs.
func (s *scanner) element(end int) {
	for s.at < end {
		brace := bytes.IndexByte(s.source[s.at:end], '{')
		if brace < 0 {
			brace = end - s.at
		}
		part := s.source[s.at : s.at+brace]
		if s.at+brace < end {
			part = part[:len(part)-attributeName(part)]
		}
		s.out.Write(classNames.ReplaceAll(part, []byte("class=")))
		if s.at += brace; s.at == end {
			return
		}
		closing := s.code(s.at, func(depth int, c byte) bool { return depth == 0 && c == '}' })
		if closing < 0 || closing > end {
			closing = end
		}
		s.skip(closing)
	}
}

var nameBefore = regexp.MustCompile(`\s[\w:-]+=$`)

// attributeName returns the length of the name and "=" at the end of a part of a tag.
func attributeName(part []byte) int {
	tail := part[max(0, len(part)-maxName):]
	return len(nameBefore.Find(tail))
}
