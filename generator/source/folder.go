// This file lists a content folder again and again, and remembers what it found out about files.

package source

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"contentedge/generator/source/githistory"
)

// Folder is a content folder. Calls of List run one after another; a Tree is valid until the next.
type Folder struct {
	// DateFromFile: an item without any date has the time of modification of its file, with a warning.
	// Otherwise it is an error.
	DateFromFile bool

	dir     string
	history *githistory.History
	lookups *lookups // of the last Tree; nil before
	looked  map[string]looked
}

// NewFolder returns the content folder at a directory. It opens nothing.
func NewFolder(dir string) *Folder {
	return &Folder{dir: dir, history: githistory.New(dir)}
}

// List finds the content files of a folder that is listed once; see Folder.List.
func List(ctx context.Context, dir string, envs []string) (*Tree, error) {
	return NewFolder(dir).List(ctx, envs)
}

// List finds the content files of the environments envs, or of all. Faults of the content are the
// Tree's Problems; the error is the system's or the context's.
func (f *Folder) List(ctx context.Context, envs []string) (*Tree, error) {
	tree := &Tree{Settings: map[string]*Environment{}}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		if problem := folderProblem(f.dir, err); problem != nil {
			tree.Problems = append(tree.Problems, *problem)
			return tree, nil
		}
		return nil, fmt.Errorf("content folder: %w", err)
	}
	defer root.Close()
	w := &walker{ctx: ctx, owner: f, dir: f.dir, root: root, tree: tree, began: time.Now(), ahead: map[string]*listing{}, looked: map[string]looked{}, turns: make(chan struct{}, runtime.GOMAXPROCS(0))}
	defer w.reading.Wait()
	if err := w.environments(envs); err != nil {
		return nil, err
	}
	f.looked = w.looked
	sortTree(tree)
	f.answer(tree)
	return tree, nil
}
