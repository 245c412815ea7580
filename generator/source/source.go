// Package source finds the files of a content folder and reads them. It exists
// so that everything a file system can throw at a build (links, pipes, devices,
// editors' leftovers, files that change while they are read) is settled here,
// once, and the packages after it see names and bytes only.
//
// A content folder holds one folder for each environment; the folder's name is
// the environment's id. Below it, at any depth, lie *.json, *.ndjson and
// *.jsonl files. What is passed over in silence: names that begin with "." or
// "_", and what editors leave behind (*~, *.swp, *.swo, *.swx, *.tmp, *.bak,
// 4913, #x#). Files with any other extension are passed over too, but counted:
// somebody may believe that they are published. A symbolic link is read when it
// names a regular file inside the content folder; any other link is a Problem,
// and so are pipes, sockets and devices, which are never opened.
package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kind says how the bytes of a file are cut into items.
type Kind uint8

// The kinds of content files.
const (
	Document Kind = iota + 1 // .json: one JSON value
	Lines                    // .ndjson, .jsonl: one JSON value a line
)

// File is a content file: where it lies, and a way to its bytes.
type File struct {
	Env  string // the environment it belongs to
	Path string // below the content folder, with slashes: demo/articles/a.json
	Name string // as the user would type it: content/demo/articles/a.json
	Kind Kind

	dir    string // the content folder, "" for a file in memory
	target string // what is opened, below dir: Path, or where a link leads
	data   []byte // the bytes of a file in memory
}

// Tree is what List found. Envs also names the environments without files.
// Envs, Files, Problems and Unread are sorted by the bytes of their names,
// whatever order the file system lists them in.
type Tree struct {
	Envs     []string
	Files    []File
	Problems []Problem
	Unread   []Problem // files that are passed over, one for each environment that has any
}

// Problem is something about files, other than what they hold, that keeps them
// from being content. It is the fault of the content, not of the machine.
type Problem struct {
	Path    string // as the user would type it
	Message string
	Hint    string // what to do about it, may be empty
}

// Error returns the path and the message, in one line.
func (p *Problem) Error() string { return Show(p.Path) + ": " + p.Message }

// FromBytes returns a file whose bytes are at hand already, for example those
// of an editor's buffer. Its Name is its path, and its Kind follows from the
// extension; the environment is the first part of the path.
func FromBytes(path string, data []byte) File {
	env, _, _ := strings.Cut(path, "/")
	return File{Env: env, Path: path, Name: path, Kind: kindOf(path), data: data}
}

// List finds the content files below dir. With envs, only those environments
// are looked at. What is wrong with the content is in the Tree's Problems; the
// error is for a machine that fails, or a context that ended.
func List(ctx context.Context, dir string, envs []string) (*Tree, error) {
	tree := &Tree{}
	root, err := os.OpenRoot(dir)
	if err != nil {
		if problem := folderProblem(dir, err); problem != nil {
			tree.Problems = append(tree.Problems, *problem)
			return tree, nil
		}
		return nil, fmt.Errorf("content folder: %w", err)
	}
	defer root.Close()
	w := &walker{ctx: ctx, dir: dir, root: root, tree: tree}
	if err := w.environments(envs); err != nil {
		return nil, err
	}
	sortTree(tree)
	return tree, nil
}

// folderProblem explains why dir cannot be a content folder, or returns nil
// when the machine is to blame.
func folderProblem(dir string, err error) *Problem {
	problem := &Problem{Path: dir, Hint: "the content folder holds one folder for each environment"}
	info, statErr := os.Stat(dir)
	switch {
	case statErr == nil && !info.IsDir():
		problem.Message = "the content folder is not a folder"
	case errors.Is(err, fs.ErrNotExist):
		problem.Message = "the content folder does not exist"
	case errors.Is(err, fs.ErrPermission):
		problem.Message = "the content folder cannot be read: permission denied"
	default:
		return nil
	}
	return problem
}

func sortTree(t *Tree) {
	slices.Sort(t.Envs)
	slices.SortFunc(t.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for _, problems := range [][]Problem{t.Problems, t.Unread} {
		slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	}
}

// shown is a path below the content folder as the user would type it.
func shown(dir, path string) string {
	return filepath.Join(dir, filepath.FromSlash(path))
}
