// This file writes a mirror: it is checked as a build checks it, and then takes the place of the old one
// in one step.

package pull

import (
	"bufio"

	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/source"
	"contentedge/generator/visibility"
)

// tempPrefix begins the names of temporary files and folders. Builds skip names that begin with a dot.
const tempPrefix = ".pull-"

// lock keeps other pulls out of the folder until unlock. The kernel drops the lock with the process.
func (p *Puller) lock() (unlock func(), err error) {
	made, madeAll := !exists(p.set.dir), !exists(p.set.Content)
	if err := os.MkdirAll(p.set.dir, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.Open(p.set.dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = &LockedError{p.set.dir}
	case output.NoLocks(err):
		err = nil
	case err != nil:
		err = &os.PathError{Op: "flock", Path: p.set.dir, Err: err}
	}
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return func() {
		if made {
			_ = os.Remove(p.set.dir) // fails if the pull wrote into it
		}
		if madeAll {
			_ = os.Remove(p.set.Content)
		}
		_ = dir.Close()
	}, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// sweep removes what a killed pull left. The caller holds the lock.
func (p *Puller) sweep() error {
	entries, err := os.ReadDir(p.set.dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), tempPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(p.set.dir, entry.Name())))
		}
	}
	return err
}

// staged is a mirror that was written and checked, next to the current one.
type staged struct {
	dir, path string
	bytes     int64
	digest    string
	media     map[string]bool // DIGEST/NAME of the files that it names
}

// stage writes the items into a folder of its own, and checks them there.
func (p *Puller) stage(ctx context.Context, c *collection, m *mirror) (*staged, error) {
	dir, err := scratchDir(p.set)
	if err != nil {
		return nil, err
	}
	s := &staged{dir: dir, path: filepath.Join(dir, p.set.As, FileName), media: map[string]bool{}}
	if err := p.fill(ctx, s, c, m); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (p *Puller) fill(ctx context.Context, s *staged, c *collection, m *mirror) error {
	if err := os.Mkdir(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	ids := c.ids()
	if err := s.write(c, m, ids, func(line []byte) { p.set.noteMedia(line, s.media) }); err != nil || len(ids) == 0 { // of no items, commit leaves no file
		return err
	}
	return p.check(ctx, s.dir, ids)
}

func (s *staged) remove() { _ = os.RemoveAll(s.dir) }

func (s *staged) write(c *collection, m *mirror, ids []string, look func(line []byte)) error {
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	hash := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, hash), 1<<20)
	var line []byte
	for _, id := range ids {
		e := c.entries[id]
		line = append(slices.Grow(line[:0], int(e.size)+1)[:e.size], '\n')
		if err = c.text(e, m, line[:e.size]); err == nil {
			look(line)
			_, err = w.Write(line)
		}
		if err != nil {
			break
		}
		s.bytes += int64(len(line))
	}
	err = cmp.Or(err, w.Flush(), f.Sync())
	s.digest = hex.EncodeToString(hash.Sum(nil))
	return errors.Join(err, f.Close())
}

// text reads the text of an item, from the file of the walk or from the old mirror.
func (c *collection) text(e entry, m *mirror, line []byte) error {
	var err error
	if e.inMirror {
		_, err = m.file.ReadAt(line, e.offset)
	} else {
		_, err = c.file.ReadAt(line, e.offset)
	}
	if err == nil && sumOf(line) != e.sum {
		err = errors.New("an item changed on the disk while the mirror was written: pull again")
	}
	return err
}

// check reads a staged mirror as a build does.
func (p *Puller) check(ctx context.Context, dir string, ids []string) error {
	tree, err := source.List(ctx, dir, nil)
	if err != nil {
		return err
	}
	_, found, err := model.Load(ctx, tree, model.Options{Broken: model.BrokenPasses, Rules: visibility.Everything(), At: p.set.Now()})
	if err != nil {
		return err
	}
	refused := p.set.refuse()
	for _, d := range found {
		switch {
		case d.Warning:
		case len(refused.Faults) == maxFaults:
			refused.More++
		default:
			f := Fault{Message: d.Message, Hint: d.Hint}
			if d.Line > 0 && d.Line <= len(ids) {
				f.ID = ids[d.Line-1]
			}
			refused.Faults = append(refused.Faults, f)
		}
	}
	if len(refused.Faults) > 0 {
		return refused
	}
	return nil
}

// commit puts a staged mirror in the place of the current one. A mirror without items has no file:
// builds refuse empty ones.
func (p *Puller) commit(s *staged, next *state) error {
	path := filepath.Join(p.set.dir, FileName)
	if next.Items > 0 {
		if err := os.Rename(s.path, path); err != nil {
			return err
		}
	} else if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return cmp.Or(output.Sync(p.set.dir), p.writeState(next))
}

func (p *Puller) writeState(next *state) error {
	text, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	temp := filepath.Join(p.set.dir, tempPrefix+"state")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(cmp.Or(err, f.Sync()), f.Close())
	if err == nil {
		err = os.Rename(temp, filepath.Join(p.set.dir, StateName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return output.Sync(p.set.dir)
}
