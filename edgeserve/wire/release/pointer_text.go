// This file separates a pointer's line from its signatures.

package release

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// PointerText is the part of a pointer that signatures sign: the first line, as it was sent.
func PointerText(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }

// knownLine returns a pointer's line with only the members that this version knows.
func knownLine(line []byte) ([]byte, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("not UTF-8")
	}
	if err := checkCompact(line); err != nil {
		return nil, fmt.Errorf("the first line: %w", err)
	}
	known, err := knownMembers(line[:len(line)-1], reflect.TypeFor[Pointer]())
	return append(known[:len(known):len(known)], '\n'), err
}

// checkSignatures refuses a signed pointer without lines of signatures, and an unsigned one that has more than
// a line. Whether the signatures are right is not its matter.
func checkSignatures(signed bool, line, b []byte) error {
	if !signed {
		if len(b) > len(line) {
			return errors.New("more than one line")
		}
		return nil
	}
	_, err := note.Open(b, nil)
	var unverified *note.UnverifiedNoteError
	if !errors.As(err, &unverified) || unverified.Note.Text != string(line) {
		return errors.New("its line is not followed by an empty line and lines with signatures")
	}
	return nil
}
