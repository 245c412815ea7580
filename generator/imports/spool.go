// This file writes the items. They wait in a temporary file, and come into their places together, in
// the order of their ids: an export has no order that matters.

package imports

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"contentedge/generator/imports/export"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/spill"
)

type spool struct {
	file    *spill.File
	system  string
	entries map[string][]entry // by environment
}

// entry is an item in the spool.
type entry struct {
	id     string
	what   string // for messages
	offset int64
	size   int
}

func newSpool(system string) (*spool, error) {
	file, err := spill.Temp("contentedge-import-")
	if err != nil {
		return nil, err
	}
	return &spool{file, system, map[string][]entry{}}, nil
}

// Close frees the temporary file.
func (s *spool) Close() { _ = s.file.Close() }

func (s *spool) add(env, id, what string, text []byte) error {
	e := entry{id, what, s.file.Reserve(len(text)), len(text)}
	if _, err := s.file.WriteAt(text, e.offset); err != nil {
		return err
	}
	s.entries[env] = append(s.entries[env], e)
	return nil
}

// checkFile refuses a file name that a content file of an environment cannot have.
func checkFile(name string) error {
	if name != filepath.Base(name) || !filepath.IsLocal(name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || !isLines(documents.FormatOf(name)) {
		return &UsageError{"--file", fmt.Sprintf("%q cannot be the name of a file of lines", name), "name it for example " + defaultFile("blog") + ", without a folder"}
	}
	return nil
}

// isLines reports whether files of a format are written line by line.
func isLines(f *documents.Format) bool { return f != nil && f.Lines && f.Compression == nil }

// staged is a complete file that waits to be renamed.
type staged struct {
	WrittenFile
	temp string
	lock *os.File // the temporary file
	keep string   // another name of the file that it replaces, or ""

	others int // how many other files of the environment are content
}

// countOthers counts the content files but one.
func countOthers(tree *source.Tree, path string) (n int) {
	for _, f := range tree.Files {
		if f.Path != path {
			n++
		}
	}
	return n
}

// write writes the file of each environment. Nothing changes before all are complete and our own
// reader has read them.
func (s *spool) write(ctx context.Context, o *Options, sync *fileSync) (files []WrittenFile, warnings []Warning, err error) {
	w := &fileWriter{spool: s, o: o, content: o.Content}
	defer func() { err = errors.Join(err, w.clean()) }()
	if o.DryRun {
		if w.content, err = os.MkdirTemp("", "contentedge-import-"); err != nil {
			return nil, nil, spill.ExplainTempDir(err)
		}
		w.made = append(w.made, w.content)
	}
	for _, env := range slices.Sorted(maps.Keys(s.entries)) {
		if err := w.stage(ctx, env); err != nil {
			return nil, nil, err
		}
		if err := w.check(ctx, &w.staged[len(w.staged)-1]); err != nil {
			return nil, nil, err
		}
	}
	for i := range w.staged {
		files = append(files, w.staged[i].WrittenFile)
	}
	if o.DryRun {
		return files, nil, nil
	}
	if err := w.installWith(sync, files); err != nil {
		return nil, nil, err
	}
	warnings, err = w.unread(ctx)
	return files, append(warnings, leftovers(o, files)...), err
}

type fileWriter struct {
	*spool
	o       *Options
	content string   // the content directory, or a temporary one
	made    []string // directories that did not exist before
	staged  []staged
	done    bool
}

// stage writes an environment's file under a temporary name next to its place.
func (w *fileWriter) stage(ctx context.Context, env string) error {
	dir := filepath.Join(w.content, env)
	if err := w.mkdir(dir); err != nil {
		return err
	}
	entries := w.entries[env]
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.what, b.what)) })
	for i := 1; i < len(entries); i++ {
		if a, b := entries[i-1], entries[i]; strings.EqualFold(a.id, b.id) {
			return &export.Fault{File: w.o.Path, Message: fmt.Sprintf("%s and %s have the same id", a.what, b.what), Hint: "skip one of their types in a mapping file"}
		}
	}
	f, err := lockedTemp(filepath.Join(dir, "."+w.o.File+".tmp"))
	if err != nil {
		return err
	}
	file := WrittenFile{env, filepath.Join(w.o.Content, env, w.o.File), len(entries), 0}
	w.staged = append(w.staged, staged{WrittenFile: file, temp: f.Name(), lock: f})
	size, err := w.copy(ctx, f, entries)
	w.staged[len(w.staged)-1].Bytes = size
	return errors.Join(err, f.Sync())
}

// lockedTemp opens an empty temporary file. Its name does not vary, so that what a killed import left is
// written over. While it is open it is locked: another import of the same file ends.
func lockedTemp(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	opened, _ := f.Stat()
	named, _ := os.Stat(name)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK), !os.SameFile(opened, named): // the other one may just have renamed it
		err = fmt.Errorf("another import is writing here: %s is locked; wait for it to end", name)
	case output.NoLocks(err), err == nil:
		err = f.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (w *fileWriter) copy(ctx context.Context, to io.Writer, entries []entry) (size int64, err error) {
	out := bufio.NewWriterSize(to, 1<<20)
	var buf []byte
	for i, e := range entries {
		if i%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		buf = slices.Grow(buf[:0], e.size+1)[:e.size]
		if _, err := w.file.ReadAt(buf, e.offset); err != nil {
			return 0, err
		}
		if _, err := out.Write(append(buf, '\n')); err != nil {
			return 0, err
		}
		size += int64(e.size) + 1
	}
	return size, out.Flush()
}

// mkdir makes a directory and its parents, and remembers which it made.
func (w *fileWriter) mkdir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := w.mkdir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	w.made = append(w.made, dir)
	return nil
}

// check reads a staged file as a build would, with the other files of its environment. It ignores faults of other
// files.
func (w *fileWriter) check(ctx context.Context, s *staged) error {
	tree, err := source.List(ctx, w.content, []string{s.Env})
	if err != nil {
		return err
	}
	name := s.Env + "/" + w.o.File
	s.others = countOthers(tree, name)
	tree.Stage(w.content, s.Env, name, s.Env+"/"+filepath.Base(s.temp))
	_, found, err := model.Load(ctx, tree, model.Options{Broken: model.BrokenPasses})
	if err != nil {
		return err
	}
	var ours []model.Diagnostic
	shown := filepath.Join(w.content, filepath.FromSlash(name))
	for _, d := range found {
		if !d.Warning && (d.File == shown || strings.Contains(d.Hint, shown)) {
			ours = append(ours, d)
		}
	}
	if len(ours) > 0 {
		return &InvalidError{w.o.Path, ours}
	}
	return nil
}

// InvalidError is a result that a build would refuse.
type InvalidError struct {
	Path        string
	Diagnostics []model.Diagnostic
}

// Error lists the diagnostics.
func (e *InvalidError) Error() string {
	text := source.Show(e.Path) + ": a build would refuse the items of this export"
	for _, d := range e.Diagnostics {
		text += "\n" + d.String()
	}
	return text
}

// Refused says what is refused.
func (*InvalidError) Refused() string { return "a build would refuse the items" }

// installWith installs the files that the items name, and then the items. Files of earlier items stay until the end.
func (w *fileWriter) installWith(sync *fileSync, files []WrittenFile) error {
	if sync == nil {
		return w.install()
	}
	err := sync.stage()
	if err == nil {
		err = sync.commit()
	}
	if err == nil {
		err = w.install()
	}
	if err != nil {
		return errors.Join(err, sync.undo())
	}
	return sync.clean(files)
}

// install renames the staged files. If one cannot be renamed, the earlier ones are renamed back.
func (w *fileWriter) install() error {
	for i := range w.staged {
		s := &w.staged[i]
		if err := s.install(); err != nil {
			for j := range i {
				err = errors.Join(err, w.staged[j].restore())
			}
			return err
		}
	}
	w.done = true
	return nil
}

// unread warns of files that were content until the import: next to NDJSON, Markdown is read only where rules say so.
func (w *fileWriter) unread(ctx context.Context) (found []Warning, err error) {
	for i := range w.staged {
		s := &w.staged[i]
		tree, err := source.List(ctx, w.content, []string{s.Env})
		if err != nil {
			return nil, err
		}
		lost := s.others - countOthers(tree, s.Env+"/"+w.o.File)
		if lost <= 0 {
			continue
		}
		message := fmt.Sprintf("%s has other files that were content until now, and are not read any more: %d", source.Show(s.Name), lost)
		for _, skipped := range tree.Skipped {
			if skipped.Env == s.Env {
				message += "\n  hint: " + skipped.Hint
			}
		}
		found = append(found, Warning{Message: message})
	}
	return found, nil
}

func (s *staged) install() error {
	keep := s.temp + ".old"
	_ = os.Remove(keep) // a killed import may have left it
	switch err := os.Link(s.Name, keep); {
	case err == nil:
		s.keep = keep
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Rename(s.temp, s.Name)
}

func (s *staged) restore() error {
	if s.keep == "" {
		return os.Remove(s.Name)
	}
	return os.Rename(s.keep, s.Name)
}

// leftovers warns of files of earlier imports that this one did not replace: of a locale that is gone, of
// other --locales, or of an export that has no items now.
func leftovers(o *Options, written []WrittenFile) (found []Warning) {
	entries, err := os.ReadDir(o.Content)
	if err != nil {
		return nil // the content does not exist yet
	}
	for _, d := range entries {
		name := filepath.Join(o.Content, d.Name(), o.File)
		ours := d.Name() == o.Env || strings.HasPrefix(d.Name(), o.Env+"-")
		if !ours || slices.ContainsFunc(written, func(f WrittenFile) bool { return f.Name == name }) {
			continue
		}
		if _, err := os.Stat(name); err == nil {
			found = append(found, Warning{Message: source.Show(name) + " is of an earlier import and stays; remove it if it is not wanted"})
		}
	}
	return found
}

// clean removes temporary files, and after a failure the directories that were made.
func (w *fileWriter) clean() (err error) {
	remove := func(name string) {
		if e := os.Remove(name); name != "" && e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	for _, s := range w.staged {
		remove(s.keep)
		remove(s.temp)
		if s.lock != nil {
			_ = s.lock.Close() // it was synced
		}
	}
	if w.done {
		return err
	}
	for _, dir := range slices.Backward(w.made) {
		if e := os.Remove(dir); e != nil && !errors.Is(e, fs.ErrNotExist) {
			return errors.Join(err, e)
		}
	}
	return err
}
