// Package checksums writes and reads the list of a release's files with their SHA-256, in
// the format of `sha256sum -c` and in byte order of the names. The manifest holds the list's
// own digest. Two lists are compared in one pass.
package checksums

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Sum is a SHA-256.
type Sum = [sha256.Size]byte

// separator stands between sum and name: two spaces, as for a file read as it is.
const separator = "  "

// maxLine is longer than any line: a sum and the longest name of a file.
const maxLine = 64 << 10

// Writer writes a list. Names have to ascend.
type Writer struct {
	w    io.Writer
	line []byte
	last []byte
}

// NewWriter writes to w, which should be buffered.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Add writes the line of a file.
func (w *Writer) Add(name string, sum Sum) error {
	if name <= string(w.last) {
		return fmt.Errorf("list of checksums: %q after %q is out of order", name, w.last)
	}
	w.last = append(w.last[:0], name...)
	w.line = hex.AppendEncode(w.line[:0], sum[:])
	w.line = append(w.line, separator...)
	w.line = append(append(w.line, name...), '\n')
	_, err := w.w.Write(w.line)
	return err
}

// Reader reads a list.
type Reader struct {
	lines *bufio.Scanner
	n     int
	name  []byte
	sum   Sum
	err   error
}

// NewReader reads from r.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, maxLine), maxLine)
	lines.Split(wholeLines)
	return &Reader{lines: lines}
}

// wholeLines cuts text at line feeds. A last line without a line feed is left out.
func wholeLines(data []byte, atEnd bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd && len(data) > 0 {
		return 0, nil, fmt.Errorf("%q has no end", data[:min(len(data), 80)])
	}
	return 0, nil, nil
}

// Next moves to the next line. It returns false at the end, and after an error.
func (r *Reader) Next() bool {
	if r.err != nil || !r.lines.Scan() {
		return false
	}
	r.n++
	line := r.lines.Bytes()
	hexLen := hex.EncodedLen(sha256.Size)
	if len(line) <= hexLen+len(separator) || string(line[hexLen:hexLen+len(separator)]) != separator {
		return r.fail("%q is not a sum, two spaces and a name", line)
	}
	if _, err := hex.Decode(r.sum[:], line[:hexLen]); err != nil || bytes.ContainsAny(line[:hexLen], "ABCDEF") {
		return r.fail("%q is not 64 lower-case hexadecimal digits", line[:hexLen])
	}
	name := line[hexLen+len(separator):]
	if bytes.Compare(r.name, name) >= 0 {
		return r.fail("%q is not after %q", name, r.name)
	}
	r.name = append(r.name[:0], name...)
	return true
}

func (r *Reader) fail(format string, args ...any) bool {
	r.err = fmt.Errorf("line %d: "+format, append([]any{r.n}, args...)...)
	return false
}

// Name returns the name in the current line. It is valid until Next is called.
func (r *Reader) Name() []byte { return r.name }

// Sum returns the checksum in the current line.
func (r *Reader) Sum() Sum { return r.sum }

// Err returns the error that ended the reading before the end of the list.
func (r *Reader) Err() error {
	if r.err != nil {
		return r.err
	}
	if err := r.lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", r.n+1, err)
	}
	return nil
}
