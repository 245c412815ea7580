// This file finds the answer in a release's files: which file, in which coding. What the
// file system said about a name is kept in the cache; that there is no such file, from the
// second time on.

package edgeserve

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
)

// maxFile bounds what one request can make the server hold: more than a page of
// 10,000 items has, and less than a file that was put there by mistake.
const maxFile = 256 << 20

// allCodings is what a file may have beside it.
var allCodings = encoding.Set(0).With(encoding.Brotli).With(encoding.Zstd).With(encoding.Gzip)

// file returns what is known of a file, after a first look at it if need be, and whether
// it was known before. The links of a list need its total, which links is given.
func (g *Generation) file(key, name string, class release.Class, links func(total int) []byte) (f *file, again bool, err error) {
	if g.bare {
		f, again = g.files.unfiled([]byte(key), class)
		return f, again, nil
	}
	if f = g.files.get(key); f != nil {
		return f, true, nil
	}
	total, err := g.look(name, links != nil)
	if errors.Is(err, fs.ErrNotExist) {
		f, again = g.files.unfiled([]byte(key), class)
		return f, again, nil
	}
	if err != nil {
		return nil, false, err
	}
	f = &file{key: key, name: name, class: class}
	if links != nil {
		f.link = links(total)
	}
	g.files.put(f)
	return f, false, nil
}

// look opens a file to see whether it is there and, for a list, how many items the list
// has.
func (g *Generation) look(name string, list bool) (total int, err error) {
	f, size, err := g.open(name, maxFile)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	if !list {
		return 0, nil
	}
	var tail [envelope.MaxListTail]byte
	from := max(size-int64(len(tail)), 0)
	n, err := f.ReadAt(tail[:], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	total, ok := envelope.ListTotal(tail[:n])
	if !ok {
		return 0, fmt.Errorf("%s does not end as a list does", name)
	}
	return total, nil
}

// answer returns the file's answer in the coding that the client likes best among those
// there are; errUnbuilt if it is to be built. A large one is held for the caller.
func (g *Generation) answer(f *file, accept *encoding.Accept) (*answer, error) {
	var failed error
	for available := allCodings; ; {
		coding := accept.Choose(available)
		a, err := g.coded(f, coding)
		if err == errMemory || err == errUnbuilt {
			return nil, cmp.Or(failed, err)
		}
		if err != nil && failed == nil {
			failed = err
		}
		if a != nil || coding == encoding.Identity {
			return a, failed
		}
		available = available.Without(coding)
	}
}

var (
	// errMemory means that too many large answers are being sent.
	errMemory = errors.New("no memory is left for answers")
	// errUnbuilt means that the answer has to be built from the snapshot.
	errUnbuilt = errors.New("the answer is in no file and not in memory")
)

// coded returns the file's answer in one coding, nil if there is none or errUnbuilt. A
// large one is held for the caller.
func (g *Generation) coded(f *file, coding encoding.Coding) (*answer, error) {
	a := f.answers[coding].Load()
	switch {
	case a == nil && f.unfiled.Load():
		return nil, errUnbuilt
	case a == nil:
		return g.load(f, coding)
	case a == absent:
		return nil, nil
	case a.large() && !g.memory.hold(a):
		return nil, errMemory
	}
	return a, nil
}

// load is coded for an answer that is not in memory. Room for a large body is taken
// before it is read.
func (g *Generation) load(f *file, coding encoding.Coding) (*answer, error) {
	handle, size, err := g.open(f.name+coding.Suffix(), maxFile)
	if errors.Is(err, fs.ErrNotExist) && coding == encoding.Identity {
		f.unfiled.Store(true)
		return nil, errUnbuilt
	}
	if errors.Is(err, fs.ErrNotExist) {
		f.answers[coding].CompareAndSwap(nil, absent)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = handle.Close() }()
	large := size >= heldFrom
	if large && !g.memory.resize(0, size) {
		return nil, errMemory
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(handle, body); err != nil {
		if large {
			g.memory.resize(size, 0)
		}
		return nil, fmt.Errorf("%s%s: %w", f.name, coding.Suffix(), err)
	}
	return g.enter(f, newAnswer(g.fields[f.class], f.link, coding, body, []byte(release.ETag(body))))
}

// enter keeps a new answer, and gives the one that is to be sent. For a large one the
// memory has been taken, which becomes the first hold.
func (g *Generation) enter(f *file, a *answer) (*answer, error) {
	a.writeHead()
	if !a.large() {
		return g.files.keep(f, a), nil
	}
	a.readers = 1
	kept := g.files.keep(f, a)
	if kept == a {
		return a, nil
	}
	g.memory.drop(a) // another request was faster
	if !g.memory.hold(kept) {
		return nil, errMemory
	}
	return kept, nil
}

// readOnly opens a pipe or a device without a wait for its other end.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// open opens a regular file inside the release and gives its size. Where the directory is
// no longer this release's, it has none of its files: builds make releases of the
// directories of old ones.
func (g *Generation) open(name string, limit int64) (*os.File, int64, error) {
	f, err := g.root.OpenFile(filepath.FromSlash(name), readOnly, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil {
		err = g.current()
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		err = fmt.Errorf("%s is not a file of at most %d bytes", name, limit)
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// errRemoved is a release whose directory is another's now.
var errRemoved = fmt.Errorf("the release was removed: %w", fs.ErrNotExist)

// current is errRemoved unless the release's manifest is still in its directory. It goes
// before any file is replaced by another, so what was opened before this is the
// release's.
func (g *Generation) current() error {
	info, err := g.root.Stat(release.ManifestName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !g.mark.same(mark{dir: g.mark.dir, info: info}) {
		return errRemoved
	}
	return err
}

// read returns the content of a regular file inside the release.
func (g *Generation) read(name string, limit int64) ([]byte, error) {
	f, size, err := g.open(name, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	body := make([]byte, size)
	if _, err := io.ReadFull(f, body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return body, nil
}
