// This file decides which files and folders of an environment are passed over: what its settings ignore, what belongs to
// other programs, and names that begin with "_".

package source

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/exports"
)

// otherFolders are folders that hold no content, whatever is in them.
var otherFolders = []string{"node_modules", "bower_components"}

// otherFiles are patterns of names of JSON files that belong to other programs, unless such a file holds items.
var otherFiles = []string{"package.json", "package-lock.json", "npm-shrinkwrap.json", "composer.json", "deno.json", "tsconfig*.json", "jsconfig*.json", "*.11tydata.json"}

func otherFile(name string) bool {
	return slices.ContainsFunc(otherFiles, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
}

// ignores reports whether the current environment ignores an entry. at is the path below the content folder.
func (w *walker) ignores(at string) bool {
	if slices.Contains(otherFolders, path.Base(at)) {
		return true
	}
	if w.env == nil || len(w.env.Ignore) == 0 {
		return false
	}
	_, below, _ := strings.Cut(at, "/")
	i := w.env.Ignoring(below)
	if i >= 0 {
		w.ignored[i] = true
	}
	return i >= 0
}

// hidden is Hidden for a name in the current environment, whose rules may name files and folders that begin with "_".
func (w *walker) hidden(name string) bool {
	return Hidden(name) && (strings.HasPrefix(name, ".") || w.env == nil || !w.env.Opens(name))
}

// underscore records a Markdown file, or a folder with Markdown files, whose name begins with "_".
func (w *walker) underscore(at string, entry fs.DirEntry) {
	switch {
	case strings.HasPrefix(entry.Name(), "."):
	case !entry.IsDir():
		if isMarkdown(entry) {
			w.underscored = append(w.underscored, at)
		}
	default:
		entries, _ := w.list(at) // of a folder that cannot be read nothing is said: it is passed over anyway
		if slices.ContainsFunc(entries, isMarkdown) {
			w.underscored = append(w.underscored, at+"/")
		}
	}
}

// passed reports what of an environment is passed over and may be meant as content.
func (w *walker) passed(env string) {
	say := func(paths skippedPaths, what, hint string) {
		if len(paths) > 0 {
			w.tree.Skipped = append(w.tree.Skipped, Problem{Env: env, Path: shown(w.dir, env), Message: paths.message(what), Hint: hint})
		}
	}
	say(w.itemless, "JSON files that hold no items are passed over", "list them under ignore in "+environment.Name+", or turn them into items with generator import json")
	say(w.deadLinks, "links that lead to no file of the content folder are passed over", "list them under ignore in "+environment.Name)
	if len(w.underscored) > 0 {
		name := strings.TrimSuffix(strings.TrimPrefix(slices.Min(w.underscored), env+"/"), "/")
		if strings.HasSuffix(slices.Min(w.underscored), "/") {
			name += "/**"
		}
		w.tree.Skipped = append(w.tree.Skipped, Problem{Env: env, Path: shown(w.dir, env), Readable: true,
			Message: w.underscored.message(`Markdown whose file or folder has a name that begins with "_" is passed over`),
			Hint:    fmt.Sprintf("to read it, name it in a rule of %s, for example files: %q", environment.Name, name)})
	}
	for i, matched := range w.ignored {
		if p := w.env.Ignore[i]; !matched {
			w.tree.Skipped = append(w.tree.Skipped, Problem{Path: w.env.File, Line: p.Line, Col: p.Col, Message: "nothing matches this pattern of ignore: " + Show(p.String())})
		}
	}
}

// maxStart is how much of a file is read to see what it is.
const maxStart = exports.Peek

// looked is the finding from the beginning of a JSON file.
type looked struct {
	identity Identity
	itemless bool
}

// foreign drops JSON files that hold no items from the files of the current environment: files of other programs, and
// all JSON files where Markdown or a rule says that items are in other files. Without rules, the first JSON file with
// items decides that JSON has the items of the environment, and foreign does not read the others.
func (w *walker) foreign(settings *Environment, first int) error {
	files := w.tree.Files[first:]
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	all, kept := len(w.records) > 0, files[:0]
	for i := range files {
		f := &files[i]
		other := otherFile(path.Base(f.Path))
		if f.Format.Compression != nil || !all && !other {
			kept = append(kept, *f)
			continue
		}
		itemless, err := w.isItemless(f)
		if err != nil {
			return err
		}
		switch {
		case itemless && other:
		case itemless:
			w.itemless = append(w.itemless, f.Path)
		default:
			kept = append(kept, *f)
			all = all && len(settings.Rules) > 0
		}
	}
	w.tree.Files = w.tree.Files[:first+len(kept)]
	return nil
}

// isItemless reports whether a JSON file begins with an object that is not an item. A file that cannot be read is not: its
// fault is reported where it is loaded.
func (w *walker) isItemless(f *File) (bool, error) {
	if known, ok := w.owner.looked[f.Path]; ok && !known.identity.Young() && known.identity.Same(f.identity) {
		w.looked[f.Path] = known
		return known.itemless, nil
	}
	start, whole := w.start(f.target)
	if err := w.ctx.Err(); err != nil {
		return false, err
	}
	known := looked{f.identity, start != nil && documents.Itemless(start, whole)}
	w.looked[f.Path] = known
	return known.itemless, nil
}

// start reads the beginning of a file; nil if the file cannot be read. whole reports whether the file has no more.
func (w *walker) start(target string) (start []byte, whole bool) {
	f, err := w.root.OpenFile(filepath.FromSlash(target), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	start, err = io.ReadAll(io.LimitReader(f, maxStart+1))
	if err != nil || len(start) == 0 {
		return nil, false
	}
	return start[:min(len(start), maxStart)], len(start) <= maxStart
}
