// This file makes keys and signatures.

package trust

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/wire/release"
)

// MaxName limits the name of a key, in bytes, so that some 20 signatures fit into a pointer.
const MaxName = 100

// CheckName refuses a text that is not a name of a key: ASCII letters, digits and some marks, so that people can
// compare two by eye.
func CheckName(s string) error {
	if len(s) > MaxName || release.CheckOrigin(s) != nil {
		return fmt.Errorf("the name of a key %+q is not 1 to %d of ASCII letters, digits and . / _ : @ -, as news.example/ci", s, MaxName)
	}
	return nil
}

// NewKey makes a key. Both texts are a line without its end: private is what NewSigner reads, public follows "key " in
// a trust file.
func NewKey(name string) (private, public string, err error) {
	if err := CheckName(name); err != nil {
		return "", "", err
	}
	return note.GenerateKey(rand.Reader, name)
}

// NewSigner reads a private key. Spaces around it have no meaning. No error quotes the key.
func NewSigner(private string) (note.Signer, error) {
	s, err := note.NewSigner(strings.TrimSpace(private))
	if err != nil {
		return nil, errors.New("this is not a private key, which is a line that begins with PRIVATE+KEY+; generator keys new makes one")
	}
	return s, CheckName(s.Name())
}

// Sign adds signatures to a pointer of format 2: to the line that Encode returns, or to a signed one, whose
// other signatures stay. A key signs once: a signature that it has made before is replaced. It returns the
// bytes of the object.
func Sign(b []byte, signers ...note.Signer) ([]byte, error) {
	line := release.PointerText(b)
	n := &note.Note{Text: string(line)}
	if len(line) < len(b) {
		var unverified *note.UnverifiedNoteError
		if _, err := note.Open(b, nil); !errors.As(err, &unverified) {
			return nil, fmt.Errorf("%w: %w", release.ErrPointer, err)
		}
		n = unverified.Note
	}
	signed, err := note.Sign(n, signers...)
	if err != nil {
		return nil, err
	}
	if len(signed) > release.MaxPointer {
		return nil, fmt.Errorf("the pointer with its signatures has %d bytes, more than %d: let fewer keys sign, or give them shorter names", len(signed), release.MaxPointer)
	}
	if p, err := release.ParsePointer(signed); err != nil {
		return nil, err
	} else if !p.IsSigned() || !bytes.Equal(release.PointerText(signed), line) {
		return nil, fmt.Errorf("%w: it has format %d, which has no signatures", release.ErrPointer, p.Format)
	}
	return signed, nil
}
