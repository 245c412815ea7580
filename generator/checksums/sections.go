// This file finds the lines of a directory in a list, and copies them without parsing each.

package checksums

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// nameAt is where the name begins in a line.
var nameAt = hex.EncodedLen(sha256.Size) + len(separator)

// Section is the lines of a list whose names begin with a prefix.
type Section struct {
	From, To int64 // offsets in the list
	Lines    int
}

// Finder finds sections in one pass over a list.
type Finder struct {
	lines *bufio.Reader
	at    int64  // where line begins
	line  []byte // the first line that no section has; valid until the next is read
	err   error  // io.EOF at the end of the list
}

// Finder returns a Finder at the beginning of the list.
func (l *List) Finder() *Finder {
	f := &Finder{lines: bufio.NewReaderSize(io.NewSectionReader(l.file, 0, l.Manifest.Checksums.Bytes), 2*maxLine)}
	f.read()
	return f
}

// Find returns the section of the names that begin with a prefix. Prefixes have to ascend from call to call.
func (f *Finder) Find(prefix string) (Section, error) {
	for f.err == nil && string(f.name()) < prefix {
		f.next()
	}
	s := Section{From: f.at}
	for f.err == nil && strings.HasPrefix(string(f.name()), prefix) {
		s.Lines++
		f.next()
	}
	s.To = f.at
	if errors.Is(f.err, io.EOF) {
		return s, nil
	}
	return s, f.err
}

func (f *Finder) next() {
	f.at += int64(len(f.line))
	f.read()
}

func (f *Finder) name() []byte { return f.line[nameAt : len(f.line)-1] }

func (f *Finder) read() {
	if f.line, f.err = f.lines.ReadSlice('\n'); f.err == nil && len(f.line) <= nameAt {
		f.err = fmt.Errorf("%q is not a sum, two spaces and a name", f.line)
	}
}

// Section reads the lines of a section.
func (l *List) Section(s Section) *Reader {
	return NewReader(io.NewSectionReader(l.file, s.From, s.To-s.From))
}

// Copy writes the lines of a section of another list. Their names have to follow the earlier ones.
func (w *Writer) Copy(l *List, s Section) error {
	lines := bufio.NewReaderSize(io.NewSectionReader(l.file, s.From, s.To-s.From), 2*maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if name := line[nameAt : len(line)-1]; bytes.Compare(name, w.last) <= 0 {
			return fmt.Errorf("list of checksums: %q after %q is out of order", name, w.last)
		} else {
			w.last = append(w.last[:0], name...)
		}
		if _, err := w.w.Write(line); err != nil {
			return err
		}
	}
}
