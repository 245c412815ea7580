// This file reads a pointer's text without giving up what a newer version adds: members that it does not know.
// It refuses every second spelling of those that it knows, and lines that are no signatures.

package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// pointerMembers are the members that this version knows.
var pointerMembers = []string{"format", "origin", "sequence", "build", "manifest_bytes", "manifest_sha256", "previous", "published",
	"expires", "attestation_bytes", "attestation_sha256"}

// PointerText is the part of a pointer that signatures sign: the first line, as it was sent.
func PointerText(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }

// knownMembers returns line with the members alone that this version knows.
func knownMembers(line []byte) ([]byte, error) {
	if err := checkLine(line); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the first line is no JSON object")
	}
	known := []byte{'{'}
	for seen := map[string]bool{}; d.More(); {
		start := d.InputOffset()
		name, err := readName(d, seen)
		if err != nil {
			return nil, err
		}
		if err := readValue(d); err != nil {
			return nil, err
		}
		if !slices.Contains(pointerMembers, name) {
			continue
		}
		if len(known) > 1 {
			known = append(known, ',')
		}
		known = append(known, bytes.TrimPrefix(line[start:d.InputOffset()], []byte(","))...)
	}
	return append(known, '}', '\n'), nil
}

// checkLine accepts UTF-8 that is one JSON value without spaces, and a line feed.
func checkLine(line []byte) error {
	if len(line) == 0 {
		return errors.New("the first line does not end")
	}
	var compact bytes.Buffer
	if !utf8.Valid(line) {
		return errors.New("not UTF-8")
	}
	if err := json.Compact(&compact, line[:len(line)-1]); err != nil {
		return err
	}
	if !bytes.Equal(compact.Bytes(), line[:len(line)-1]) {
		return errors.New("not in canonical form: there are spaces")
	}
	return nil
}

// readName reads a member's name and refuses a second one. Names that differ in case alone are one, because
// JSON parsers read them so.
func readName(d *json.Decoder, seen map[string]bool) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	name := t.(string)
	folded := strings.ToLower(name)
	if seen[folded] {
		return "", fmt.Errorf("the member %q is repeated", name)
	}
	seen[folded] = true
	return folded, nil
}

// readValue reads a value and refuses repeated members in it. A pointer's size bounds the depth.
func readValue(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	for seen := map[string]bool{}; d.More(); {
		if delim == '{' {
			if _, err := readName(d, seen); err != nil {
				return err
			}
		}
		if err := readValue(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// checkSignatures refuses a signed pointer without lines of signatures, and an unsigned one that has more than
// a line. Whether the signatures are right is not its matter.
func checkSignatures(format int, line, b []byte) error {
	if format == PointerFormat {
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
