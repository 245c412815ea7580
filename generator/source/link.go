// This file decides about symbolic links: a link may name a regular file inside
// the content folder, so that one text can stand in two environments; every
// other link could publish what nobody meant to publish.

package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// link follows the link at path and keeps the file it names, or reports why
// it may not be followed.
func (w *walker) link(env, path string) {
	target, info, message := w.resolve(path)
	switch {
	case message != "":
	case info.IsDir():
		message = "this link leads to a folder; only links to files are followed"
	case !info.Mode().IsRegular():
		message = "this link leads to " + describe(info.Mode())
	default:
		w.add(env, path, target)
		return
	}
	w.problem(path, message, "replace the link by what it should hold, or remove it")
}

// resolve returns where a link leads, as a path below the content folder
// without links, or a message when it leads nowhere or outside.
func (w *walker) resolve(path string) (string, fs.FileInfo, string) {
	base, err := realPath(w.dir)
	if err != nil {
		return "", nil, "this link cannot be followed: the content folder changed"
	}
	resolved, err := realPath(shown(w.dir, path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, "this link leads nowhere"
	case errors.Is(err, fs.ErrPermission):
		return "", nil, "this link cannot be followed: permission denied"
	case err != nil:
		return "", nil, "this link leads in a circle, or through something that is no folder"
	}
	target, err := filepath.Rel(base, resolved)
	if err != nil || !filepath.IsLocal(target) {
		return "", nil, "this link leaves the content folder"
	}
	info, err := os.Lstat(resolved)
	if err != nil {
		return "", nil, "this link leads nowhere"
	}
	return filepath.ToSlash(target), info, ""
}

// realPath is the absolute path without links.
func realPath(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(resolved)
}
