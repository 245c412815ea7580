// This file looks at media files and reads them, through an os.Root of their environment.

package media

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source"
)

var (
	missing = &Fault{"this file does not exist", "add the file, or take the reference out; names are case-sensitive"}
	changed = &Fault{"this file changed while it was read", "run the build again"}
)

// refresh looks at a file once in each Load, and reads it if it changed.
func (r *Resolver) refresh(ctx context.Context, e *entry, env, at string) error {
	r.mu.Lock()
	load := r.load
	r.mu.Unlock()
	if e.load == load {
		return nil
	}
	opened, info, err := r.open(env, at)
	if opened != nil {
		defer opened.Close()
	}
	if e.fault = nil; errors.As(err, &e.fault) {
		e.file, e.load = nil, load
		return nil
	}
	if err != nil {
		return err
	}
	if state := source.IdentityOf(info, time.Now()); e.file == nil || !e.state.Same(state) || e.state.Young() {
		e.file, e.state = nil, state
		if e.file, err = r.read(ctx, opened, info, env, at); errors.As(err, &e.fault) {
			err = nil
		}
	}
	if err == nil {
		e.load = load
	}
	return err
}

// open opens a media file. The error is a *Fault, or the system's. It returns the info of a refused file, too.
func (r *Resolver) open(env, at string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(r.shown(env))
	if err != nil {
		return nil, nil, r.failed(at, err)
	}
	defer root.Close()
	name := filepath.FromSlash(strings.TrimPrefix(at, env+"/"))
	if fault := r.follow(root, env, at); fault != nil {
		return nil, nil, fault
	}
	// Non-blocking, as it may be a pipe.
	opened, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, r.failed(at, err)
	}
	info, err := opened.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &Fault{"this is a folder, not a file", ""}
	case !info.Mode().IsRegular():
		err = &Fault{"this is a pipe or a device, not a file", "replace it by a file"}
	case info.Size() > address.MaxMedia:
		err = &Fault{fmt.Sprintf("this file has %d bytes; a media file may have %d", info.Size(), address.MaxMedia), "deliver it from elsewhere, and name it by its whole URL"}
	case info.Size() == 0:
		err = &Fault{"this file is empty", "add its bytes, or take the reference out"}
	}
	if err != nil {
		opened.Close()
		return nil, info, err
	}
	return opened, info, nil
}

// follow checks where the links on a path lead, of the file and of its folders. The os.Root keeps them in the
// environment.
func (r *Resolver) follow(root *os.Root, env, at string) *Fault {
	if !hasLink(root, strings.TrimPrefix(at, env+"/")) {
		return nil
	}
	base, err := filepath.EvalSymlinks(r.shown(env))
	if err != nil {
		return missing
	}
	resolved, err := filepath.EvalSymlinks(r.shown(at))
	if info, e := os.Lstat(r.shown(at)); err != nil && (e != nil || info.Mode()&fs.ModeSymlink == 0) {
		return missing // below a link to a folder
	}
	if err != nil {
		return &Fault{"this is a link that leads nowhere", "replace the link by the file"}
	}
	target, err := filepath.Rel(base, resolved)
	if err != nil || !filepath.IsLocal(target) {
		return &Fault{"this is a link that leaves its environment", "replace the link by the file"}
	}
	for part := range strings.SplitSeq(filepath.ToSlash(target), "/") {
		if source.Hidden(part) {
			return hidden
		}
	}
	return nil
}

// hasLink reports whether a path, with slashes, has a link.
func hasLink(root *os.Root, at string) bool {
	for end := range len(at) + 1 {
		if end < len(at) && at[end] != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(at[:end]))
		if err != nil {
			return false // of a path that opening refuses
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// failed returns a *Fault if the content is to blame for an error, otherwise the error with the name.
func (r *Resolver) failed(at string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return missing
	case errors.Is(err, fs.ErrPermission):
		return &Fault{"this file cannot be read: permission denied", ""}
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		return &Fault{"this can be no name of a file", ""}
	case errors.Is(err, syscall.ELOOP), strings.Contains(err.Error(), "path escapes"):
		return &Fault{"this is a link that leaves its environment", "replace the link by the file"}
	}
	return fmt.Errorf("%s: %w", source.Show(r.shown(at)), err)
}

// read reads a file for its digest and the size of its image.
func (r *Resolver) read(ctx context.Context, opened *os.File, before fs.FileInfo, env, at string) (*File, error) {
	f := &File{Env: env, Path: at, Name: r.shown(at), Type: address.MediaType(at), Size: before.Size(), dir: r.dir}
	digest := sha256.New()
	n := &counter{ctx: ctx, to: digest}
	stream := io.TeeReader(opened, n)
	f.measure(stream)
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, stream, make([]byte, 256<<10)); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, r.failed(at, err)
	}
	after, err := opened.Stat()
	if err != nil {
		return nil, r.failed(at, err)
	}
	if n.bytes != before.Size() || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return nil, changed
	}
	digest.Sum(f.SHA256[:0])
	f.Address = "/" + address.MediaFile(env, f.SHA256, filepath.Base(at))
	return f, nil
}

// counter counts the bytes that pass, and fails once the context has ended.
type counter struct {
	ctx   context.Context
	to    io.Writer
	bytes int64
}

func (c *counter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	c.bytes += int64(len(b))
	return c.to.Write(b)
}

// Open opens the file to copy its bytes. The caller must compare their SHA-256: an editor may have changed them since.
func (f *File) Open() (io.ReadCloser, error) {
	r := Resolver{dir: f.dir}
	opened, _, err := r.open(f.Env, f.Path)
	var fault *Fault
	if errors.As(err, &fault) {
		return nil, &source.Problem{Path: f.Name, Message: fault.Message, Hint: fault.Hint}
	}
	return opened, err
}

// Changed returns the problem of a file whose bytes no longer have its SHA-256.
func (f *File) Changed() *source.Problem {
	return &source.Problem{Path: f.Name, Message: changed.Message, Hint: changed.Hint}
}
