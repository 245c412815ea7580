// Package source finds and reads the files of a content folder. Links, pipes, editors' files
// and files that change while they are read are handled here only.
//
// The content folder holds one folder for each environment, named by its id. Below it, at any depth,
// are files of the formats of package documents. A folder _searches directly below an environment has
// its saved searches. What _environment.yaml ignores, files of other programs (ignored.go), other names that begin with
// "." or "_", unless a rule names them, and editors' files (*~, *.swp, *.swo,
// *.swx, *.tmp, *.bak, 4913, #x#) are ignored. Files with other extensions are counted. Folders that
// systems put on volumes (lost+found, @eaDir, …) are named in one line.
//
// A symbolic link must name a regular file inside the content folder. Any other link with the name of a content file,
// and every pipe, socket and device, is a Problem and is never opened.
package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/items"
	"contentedge/generator/visibility"
)

// File is a content file.
type File struct {
	Env    string // the environment it belongs to
	Path   string // below the content folder, with slashes: demo/articles/a.json
	Name   string // as the user would type it: content/demo/articles/a.json
	Format *documents.Format

	// Rule differs between rules that make other items of the file; "" for formats without rules.
	Rule    string
	rules   items.Rules   // of a file with a rule
	records *items.Format // of a file with a rule, or nil

	modified time.Time // zero if the file vanished
	dir      string    // the content folder
	target   string    // what is opened, below dir: Path, or the target of a link
	identity Identity
}

// Tree is the result of List. Envs includes environments without files. All lists are sorted by the
// bytes of the names.
type Tree struct {
	Envs     []string
	Files    []File
	Searches []File // the saved searches: the content files directly in _searches of an environment
	Problems []Problem
	Skipped  []Problem // one problem for the skipped files of each environment, one for skipped folders, and warnings

	Settings map[string]*Environment // of all Envs, except environments whose settings are wrong

	answers map[string]Answerer        // by the kinds of Questions
	visible func(visibility.Item) bool // see SetVisible; nil: all items are
}

// Problem is a fault of the content that concerns a file as a whole.
type Problem struct {
	Env     string // of skipped files: their environment; otherwise ""
	Path    string // as the user would type it
	Message string
	Hint    string // what to do about it, may be empty

	Readable bool // of skipped files: the hint says how to have some read

	skipped skippedFiles // the files that the message counts; nil: it counts none
	ruled   bool         // rules say which files are read

	Line, Col int // from 1; 0: the file as a whole
}

// Error returns the path and the message, in one line.
func (p *Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", Show(p.Path), p.Line, p.Col, p.Message)
	}
	return Show(p.Path) + ": " + p.Message
}

// folderProblem explains why dir cannot be a content folder. It returns nil if the system is to blame.
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
	for _, files := range [][]File{t.Files, t.Searches} {
		slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	}
	for _, problems := range [][]Problem{t.Problems, t.Skipped} {
		slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	}
}

func shown(dir, path string) string {
	return filepath.Join(dir, filepath.FromSlash(path))
}
