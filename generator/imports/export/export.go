// Package export reads the files of an export: one file, the files of a folder, or the members of a
// tar archive, each as it is or compressed with gzip. Names of members are compared, never opened.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

const (
	// MaxDecoded bounds what an export decodes to, in bytes: a million documents of 16 KiB. Gzip makes a
	// thousand times more of its input.
	MaxDecoded = 16 << 30
	// MaxWhole bounds a file that has to be read as a whole: as much as a .json file of the content.
	MaxWhole = source.MaxFileSize
	// maxFiles bounds the files of a folder and the members of an archive, whose names are in memory.
	maxFiles = 1 << 20
	// maxName bounds a member's name in bytes: the longest path of Linux.
	maxName = 4096
)

// Export is an export on the disk. It must not change while it is read.
type Export struct {
	Path string // as the user typed it

	info fs.FileInfo // when it was opened
}

// Fault is what is wrong with an export, with its place.
type Fault struct {
	File          string // for messages
	Line, Col     int    // 0: the file as a whole
	Message, Hint string
}

// Error returns the place, the message and, on its own line, the hint.
func (f *Fault) Error() string {
	place := source.Show(f.File)
	if f.Line > 0 {
		place += fmt.Sprintf(":%d:%d", f.Line, f.Col)
	}
	text := documents.Bound(place) + ": " + documents.Bound(f.Message)
	if f.Hint != "" {
		text += "\n  hint: " + documents.Bound(f.Hint)
	}
	return text
}

// Refused says what is refused.
func (*Fault) Refused() string { return "the export or the mapping file is wrong" }

// File is a file of an export. It can be read once, while its turn lasts.
type File struct {
	Name string // below the folder or in the archive, with slashes; of a single file, its own without .gz
	Show string // for messages

	open func() (io.Reader, error)
	r    io.Reader
	err  error // why it could not be opened
}

// Open finds out what kind of export a path names. It reads nothing yet.
func Open(name string) (*Export, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, &Fault{File: name, Message: "this is neither a file nor a folder"}
	}
	if !info.IsDir() && info.Size() == 0 {
		return nil, &Fault{File: name, Message: "this file is empty", Hint: "export or copy it again"}
	}
	return &Export{name, info}, nil
}

// Files calls do with each file: of a folder in the order of names, of an archive in its own. It may
// be called again. Names that begin with a dot are left out.
func (e *Export) Files(ctx context.Context, do func(*File) error) error {
	if e.info.IsDir() {
		return e.folder(ctx, do)
	}
	f, err := os.Open(e.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := e.decoded(ctx, f, do); err != nil {
		return err
	}
	now, err := f.Stat()
	if err == nil && (now.Size() != e.info.Size() || !now.ModTime().Equal(e.info.ModTime())) {
		return &Fault{File: e.Path, Message: "this file changed while it was read", Hint: "import it again"}
	}
	return err
}

// decoded reads one file: an archive, or a file that is all there is.
func (e *Export) decoded(ctx context.Context, f io.Reader, do func(*File) error) error {
	r, zipped, err := decode(ctx, f, e.Path)
	if err != nil {
		return err
	}
	if isTar(r, e.Path) {
		return e.archive(r, do)
	}
	name := filepath.Base(e.Path)
	if zipped {
		name = withoutGz(name)
	}
	return do(&File{Name: name, Show: e.Path, r: r})
}

func withoutGz(name string) string {
	if strings.EqualFold(path.Ext(name), ".gz") {
		return name[:len(name)-len(".gz")]
	}
	return name
}

// folder gives the files below a folder, through an os.Root, so that links never lead out of the folder.
func (e *Export) folder(ctx context.Context, do func(*File) error) error {
	root, err := os.OpenRoot(e.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	n := 0
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		show := filepath.Join(e.Path, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name != "." && hidden(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return &Fault{File: show, Message: "this is not a regular file, and links are not followed", Hint: "replace it by a file, or remove it"}
		}
		if n++; n > maxFiles {
			return tooMany(e.Path)
		}
		return e.below(ctx, root, name, show, do)
	})
}

// below gives a file of a folder, which is opened when it is read.
func (e *Export) below(ctx context.Context, root *os.Root, name, show string, do func(*File) error) error {
	var opened *os.File
	file := &File{Name: withoutGz(name), Show: show}
	file.open = func() (io.Reader, error) {
		var err error
		if opened, err = root.Open(name); err != nil {
			return nil, err
		}
		r, _, err := decode(ctx, opened, show)
		return r, err
	}
	err := do(file)
	if opened != nil {
		err = errors.Join(err, opened.Close())
	}
	return err
}

// hidden reports whether a name cannot belong to content: macOS puts "._name" and __MACOSX next to files.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || name == "__MACOSX" }

func tooMany(show string) error {
	return &Fault{File: show, Message: fmt.Sprintf("this has more than %d files", maxFiles), Hint: "name only the export"}
}

// Read reads the file.
func (f *File) Read(b []byte) (int, error) {
	if f.r == nil && f.err == nil {
		f.r, f.err = f.open()
	}
	if f.err != nil {
		return 0, f.err
	}
	return f.r.Read(b)
}

// Fault returns a fault of the file.
func (f *File) Fault(line, col int, message, hint string) *Fault {
	return &Fault{f.Show, line, col, message, hint}
}
