// This file decodes compressed files and walks over archives.

package export

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"contentedge/edgeserve/bytesize"

	"github.com/klauspost/compress/gzip"
)

// magics are the beginnings of files that are not read, with the names of their formats.
var magics = []struct{ magic, what string }{
	{"PK\x03\x04", "a zip archive"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd"},
	{"BZh", "compressed with bzip2"},
	{"\xfd7zXZ\x00", "compressed with xz"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
}

// peeked is enough of a file to know a tar archive.
const peeked = 512

// decode returns the decoded bytes of a file, and whether they were compressed.
func decode(ctx context.Context, f io.Reader, show string) (*bufio.Reader, bool, error) {
	raw := bufio.NewReaderSize(&guard{ctx: ctx, r: f, show: show}, 64<<10)
	start, err := raw.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	for _, m := range magics {
		if bytes.HasPrefix(start, []byte(m.magic)) {
			return nil, false, &Fault{File: show, Message: "this file is " + m.what, Hint: "unpack it, and name what was in it"}
		}
	}
	if !bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		return raw, false, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, false, damaged(show, err)
	}
	return bufio.NewReaderSize(&guard{ctx: ctx, r: z, show: show, gzip: true}, 64<<10), true, nil
}

// guard is a reader that ends with its context and at MaxDecoded, and explains damaged gzip.
type guard struct {
	ctx  context.Context
	r    io.Reader
	show string
	gzip bool
	n    int64
}

func (g *guard) Read(b []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := g.r.Read(b)
	if g.n += int64(n); g.n > MaxDecoded {
		return 0, &Fault{File: g.show, Message: "this decodes to more than " + bytesize.Format(MaxDecoded), Hint: "export fewer documents at a time"}
	}
	if err != nil && !errors.Is(err, io.EOF) && g.gzip {
		err = cmp.Or(g.ctx.Err(), damaged(g.show, err))
	}
	return n, err
}

// damaged explains an error of gzip, unless it is one of the file below.
func damaged(show string, err error) error {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	message := "the compressed data is damaged"
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		message = "the compressed data ends too early: the file is cut off"
	}
	return &Fault{File: show, Message: message, Hint: "export or copy it again"}
}

// isTar reports whether a file is a tar archive: by its magic, or by its name where it is an old one.
func isTar(r *bufio.Reader, name string) bool {
	const at = 257
	start, _ := r.Peek(peeked)
	if len(start) == peeked && bytes.HasPrefix(start[at:], []byte("ustar")) {
		return true
	}
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".tar") || strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// archive gives the regular files of a tar archive.
func (e *Export) archive(r io.Reader, do func(*File) error) error {
	end := &endReader{r: r}
	members := tar.NewReader(end)
	names := map[string]bool{}
	for {
		h, err := members.Next()
		switch {
		case errors.Is(err, io.EOF) && !end.marked():
			return e.brokenArchive(io.ErrUnexpectedEOF)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return e.brokenArchive(err)
		}
		name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		if h.Typeflag != tar.TypeReg || hiddenPath(name) {
			continue
		}
		switch {
		case len(name) > maxName:
			return &Fault{File: e.Path, Message: fmt.Sprintf("the archive has a name of more than %d bytes", maxName)}
		case names[name]:
			return &Fault{File: e.Path + ":" + name, Message: "the archive has this file twice", Hint: "export it again"}
		case len(names) == maxFiles:
			return tooMany(e.Path)
		}
		names[name] = true
		show := e.Path + ":" + name
		if err := do(&File{Name: name, Show: show, r: &memberReader{members, show}}); err != nil {
			return err
		}
	}
}

// endReader remembers the last bytes that were read. The end of an archive is marked by zeros; package
// tar takes one that is cut off between two files for complete.
type endReader struct {
	r    io.Reader
	last []byte
}

// tarBlock is what a tar archive is made of.
const tarBlock = 512

func (e *endReader) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	e.last = append(e.last, b[max(0, n-tarBlock):n]...)
	e.last = e.last[max(0, len(e.last)-tarBlock):]
	return n, err
}

func (e *endReader) marked() bool {
	return len(e.last) == tarBlock && len(bytes.Trim(e.last, "\x00")) == 0
}

func (e *Export) brokenArchive(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Fault{File: e.Path, Message: "the archive is cut off: its end is missing", Hint: "export or copy it again"}
	case errors.Is(err, tar.ErrHeader), errors.Is(err, tar.ErrFieldTooLong):
		return &Fault{File: e.Path, Message: "this is not a tar archive, or a damaged one", Hint: "export or copy it again"}
	}
	return err
}

// memberReader explains an archive that ends in the middle of a member.
type memberReader struct {
	r    io.Reader
	show string
}

func (m *memberReader) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &Fault{File: m.show, Message: "the archive ends in the middle of this file: it is cut off", Hint: "export or copy it again"}
	}
	return n, err
}

func hiddenPath(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if hidden(part) {
			return true
		}
	}
	return name == ""
}
