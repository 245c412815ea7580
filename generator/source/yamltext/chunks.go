// This file cuts a text into chunks that are scanned and parsed one by one. So memory is bounded by one
// record, and an error ends one record.

package yamltext

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"contentedge/generator/source/record"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// maxMarks bounds the characters of a chunk that make tokens, as the scanner returns all tokens at once.
const maxMarks = 2 * maxTokens

// chunk is a part of a text: whole lines.
type chunk struct {
	text   []byte
	line   int  // of the first, from 1
	begins bool // it is the first of its document
}

// chunks cuts the text before each document. It cuts documents that begin with "- " before each line that
// does: all that belongs to an entry is indented.
func (r *reader) chunks() iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		from, line := 0, 1         // of the chunk
		begins, entries := true, 0 // of the document
		content := false
		flush := func(at, next int) bool {
			c := chunk{r.text[from:at], line, begins}
			from, line = at, next
			return len(bytes.TrimSpace(c.text)) == 0 || yield(c)
		}
		for at, number := 0, 1; at < len(r.text); number++ {
			end := len(r.text)
			if n := bytes.IndexByte(r.text[at:], '\n'); n >= 0 {
				end = at + n + 1
			}
			text := r.text[at:end]
			switch {
			case marker(text, "---"), marker(text, "..."):
				if !flush(at, number) {
					return
				}
				begins, entries = true, 0
				content = len(bytes.TrimSpace(text)) > 3
			case !content && text[0] == '%':
				if !bytes.HasPrefix(text, []byte("%YAML ")) {
					r.fault(record.Place{Line: number, Col: 1}, "a directive is not read here", "remove the line")
				}
				if r.stopped() {
					return
				}
				from, line = end, number+1
			case dash(text):
				switch {
				case !content:
					entries = 1
				case entries > 0:
					if !flush(at, number) {
						return
					}
					begins = false
				}
				content = true
			case len(bytes.TrimSpace(text)) > 0 && text[0] != '#':
				content = true
			}
			at = end
		}
		flush(len(r.text), 0)
	}
}

// marker reports whether a line begins with the mark of a document.
func marker(line []byte, mark string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(mark))
	return ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// dash reports whether a line begins an entry of a sequence that is not indented.
func dash(line []byte) bool {
	return line[0] == '-' && (len(line) == 1 || strings.IndexByte(" \t\r\n", line[1]) >= 0)
}

// scan returns the tokens of a chunk, without the marks of documents, with their lines in the text.
func (r *reader) scan(c chunk) (tokens token.Tokens, ok bool) {
	if len(c.text) > maxRecord {
		r.fault(record.Place{Line: c.line, Col: 1}, fmt.Sprintf("this record has %d bytes; a record in YAML may have %d", len(c.text), maxRecord), tooMuch)
		return nil, false
	}
	if marks(c.text) > maxMarks {
		r.fault(record.Place{Line: c.line, Col: 1}, fmt.Sprintf("this record has more than %d marks of YAML", maxMarks), tooMuch)
		return nil, false
	}
	var s scanner.Scanner
	s.Init(string(c.text))
	all, _ := s.Scan() // an error is a token
	var b bounds
	for _, t := range all {
		t.Position.Line += c.line - 1
		switch t.Type {
		case token.CommentType, token.DocumentHeaderType, token.DocumentEndType:
			continue
		case token.InvalidType:
			r.invalid(t)
			return nil, false
		}
		if at, message, hint := b.add(t); message != "" {
			r.fault(placeOf(at), message, hint)
			return nil, false
		}
		tokens.Add(t)
		if indentLost(tokens) {
			r.fault(placeOf(t), "a block of text with a number of spaces is not read after a key with a question mark", "write the text in quotes, or the key without the question mark")
			return nil, false
		}
	}
	return tokens, true
}

// marks counts the characters of a text that may be tokens. Of % it counts only the first of a word and its
// repetitions: other ones are percent-encoded text.
func marks(text []byte) (n int) {
	word := false
	for _, b := range text {
		switch {
		case strings.IndexByte(`,:[]{}-?&*!"'#`, b) >= 0, b == '%' && !word:
			n++
			word = false
		default:
			word = strings.IndexByte(" \t\r\n", b) < 0
		}
	}
	return n
}

// indentLost reports whether the last token begins a block of text that the scanner reads with wrong spaces: one with a
// number, as |2, after a colon that begins its line.
func indentLost(tokens token.Tokens) bool {
	n := len(tokens)
	t := tokens[n-1]
	if t.Type != token.LiteralType && t.Type != token.FoldedType || !strings.ContainsAny(t.Value, "123456789") || n < 3 {
		return false
	}
	colon, before := tokens[n-2], tokens[n-3]
	return colon.Type == token.MappingValueType && before.Position.Line < colon.Position.Line
}
