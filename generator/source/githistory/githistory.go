// Package githistory finds when files were first and last committed to git. It runs the program git: one
// log for all files of a repository, which it reads again only when HEAD or the files differ.
//
// Dates are author dates, in seconds: they stay the same when commits are rebased. Created is the earliest commit with
// the file at this path, Updated the latest. A renamed file begins with its renaming. A file that is not committed has
// no date.
package githistory

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"sync"
)

// Dates are the times of the first and the last commit of a file, in seconds since 1970.
type Dates struct{ Created, Updated int64 }

// History has the dates of files below a directory. It is for concurrent use, and is kept between
// builds.
type History struct {
	dir string // of the content

	mu    sync.Mutex // guards what follows
	repos map[string]*repo
	roots map[string]string // by the directories of files: the directory of their repository
	paths func(visit func(path string))
	build int
}

// repo is a repository, or a part of one, that begins at a directory below the content.
type repo struct {
	mu    sync.Mutex        // held while git runs
	build int               // in which it was asked last
	err   error             // of that build
	head  string            // of the log
	dates map[string]*entry // by path below the directory: of all files that there were when the log was read
}

// entry is a file that may be asked.
type entry struct {
	Dates
	known bool // some commit has the file
}

// New returns the History of the files below a directory.
func New(dir string) *History { return &History{dir: dir, repos: map[string]*repo{}} }

// Begin begins a build with the files that paths visits, whose dates may be asked. The paths are relative to the
// directory, with slashes.
func (h *History) Begin(paths func(visit func(path string))) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build++
	h.paths, h.roots = paths, map[string]string{}
}

// Dates returns the dates of a file; ok is false if git does not have it. An *Unavailable says that git has no dates
// for any file in its directory.
func (h *History) Dates(ctx context.Context, file string) (d Dates, ok bool, err error) {
	h.mu.Lock()
	root := h.root(path.Dir(file))
	r := h.repos[root]
	if r == nil {
		r = &repo{}
		h.repos[root] = r
	}
	build := h.build
	h.mu.Unlock()

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.build != build {
		r.build = build
		r.err = h.refresh(ctx, r, root)
	}
	if r.err != nil {
		if ctx.Err() != nil {
			r.build = 0 // it was not asked
		}
		return d, false, r.err
	}
	found := r.dates[below(root, file)]
	if found == nil {
		return d, false, nil
	}
	return found.Dates, found.known, nil
}

// root returns the directory in which git finds the repository of a directory: that one or one above it which has a
// .git, as clones and submodules have, or ".". The caller holds mu.
func (h *History) root(dir string) string {
	if root, ok := h.roots[dir]; ok {
		return root
	}
	root := dir
	if _, err := os.Lstat(filepath.Join(h.dir, filepath.FromSlash(dir), ".git")); err != nil && dir != "." {
		root = h.root(path.Dir(dir))
	}
	h.roots[dir] = root
	return root
}

func below(root, file string) string {
	if root == "." {
		return file
	}
	return file[len(root)+1:]
}

// refresh reads the log again if HEAD or the files of the repository differ.
func (h *History) refresh(ctx context.Context, r *repo, root string) error {
	dir := filepath.Join(h.dir, filepath.FromSlash(root))
	head, err := headOf(ctx, dir)
	if err != nil {
		r.dates = nil
		return err
	}
	dates := map[string]*entry{}
	known := r.dates != nil && r.head == head
	h.mu.Lock()
	h.paths(func(file string) {
		if h.root(path.Dir(file)) == root {
			name := below(root, file)
			dates[name] = &entry{}
			known = known && r.dates[name] != nil
		}
	})
	h.mu.Unlock()
	if known {
		return nil
	}
	if err := readLog(ctx, dir, head, dates); err != nil {
		r.dates = nil
		return err
	}
	r.head, r.dates = head, dates
	return nil
}
