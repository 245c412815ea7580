// This file reads a document where a format has it.

package documents

import (
	"bytes"

	"contentedge/generator/source/jsonscan"
)

// scan reads documents of a text for a Receiver. A format gives the messages for faults.
type scan struct {
	scanner *jsonscan.Scanner
	phrases phrases
	text    []byte
	out     Receiver

	counted, line int // line ends before the offset counted
}

// phrases are the words of messages that differ between formats.
type phrases struct {
	unfinished, advice string                     // where the text ends too early
	firstName          func(line, col int) string // where a key is given first
}

func newScan(p phrases) *scan { return &scan{scanner: jsonscan.New(), phrases: p} }

func (s *scan) load(text []byte) { s.text, s.counted, s.line = text, 0, 0 }

// document reads the document at an offset and returns its end; false if the text cannot be read
// further.
func (s *scan) document(at int) (end int, ok bool) {
	if s.text[at] != '{' {
		return s.noDocument(at)
	}
	members, end, err := s.scanner.Object(s.text, at)
	if err != nil {
		s.explain(at, err)
		end, err = s.scanner.SkipLenient(s.text, at)
		return end, err == nil
	}
	s.found(at, end, members)
	return end, true
}

func (s *scan) noDocument(at int) (end int, ok bool) {
	end, err := s.scanner.Skip(s.text, at)
	if err != nil {
		s.explain(at, err)
		return 0, false
	}
	s.out.Fault(at, "an item must be an object, not "+jsonscan.KindName(s.text[at]), "")
	return end, true
}

// found returns a document to the Receiver.
func (s *scan) found(start, end int, members []jsonscan.Member) {
	s.out.Document(Document{Start: start, End: end, Line: s.lineOf(start), Members: members})
}

// lineOf returns the line of an offset; offsets must ascend.
func (s *scan) lineOf(at int) int {
	if at > s.counted {
		s.line += bytes.Count(s.text[s.counted:at], []byte{'\n'})
		s.counted = at
	}
	return s.line + 1
}
