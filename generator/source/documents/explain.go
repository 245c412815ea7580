// This file explains errors in JSON outside of content files, in the same words.

package documents

import (
	"fmt"

	"contentedge/generator/source/jsonscan"
)

// Explain explains an error of a Scanner that read a text from an offset: where the fault is, what is
// wrong there, and a hint, which may be empty.
func Explain(s *jsonscan.Scanner, text []byte, at int, err error) (offset int, message, hint string) {
	var first firstFault
	(&scan{scanner: s, text: text, out: &first, phrases: phrases{
		unfinished: "the text ends in the middle of a value",
		advice:     "the text may be cut off, or a bracket or a quote is not closed",
		firstName:  func(line, col int) string { return fmt.Sprintf("at %d:%d", line, col) },
	}}).explain(at, err)
	return first.at, first.message, first.hint
}

// firstFault is a Receiver that keeps a fault.
type firstFault struct {
	at            int
	message, hint string
}

func (f *firstFault) Fault(at int, message, hint string) { f.at, f.message, f.hint = at, message, hint }
func (f *firstFault) Document(Document)                  {}
func (f *firstFault) Repeat(int, *Kind, string)          {}
func (f *firstFault) Media(int, string)                  {}
func (f *firstFault) Link(int, string, Target)           {}
func (f *firstFault) IsField([]byte) bool                { return false }
func (f *firstFault) Stopped() bool                      { return true }
