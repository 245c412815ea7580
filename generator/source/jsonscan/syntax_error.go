// This file finds where a text is no JSON.

package jsonscan

import (
	"errors"
	"io"

	"github.com/goccy/go-json/jsontext"
)

// SyntaxError is where a text is no JSON, and why.
type SyntaxError struct {
	At      int // offset in the text
	Err     error
	Pointer jsontext.Pointer
}

// SyntaxErrorOf finds the place of an error of a Scanner that read the text from an offset.
func SyntaxErrorOf(text []byte, at int, err error) SyntaxError {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return SyntaxError{At: min(at+int(syntax.ByteOffset), len(text)), Err: syntax.Err, Pointer: syntax.JSONPointer}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return SyntaxError{At: len(text), Err: err}
}
