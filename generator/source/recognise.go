// This file recognises exports of other systems among the files that no format reads.

package source

import (
	"io/fs"
	"slices"

	"contentedge/generator/source/exports"
)

// maxPeeked bounds how many files of an environment are looked into: exports are few, and a folder may
// hold a million other files.
const maxPeeked = 20

// archives are the extensions of files that may be exports.
var archives = []string{".xml", ".gz", ".tgz", ".tar"}

// recognise says of a skipped file that it is an export, and what imports it.
func (w *walker) recognise(env, path, target string, info fs.FileInfo) {
	if !slices.Contains(archives, extension(path)) || w.peeked == maxPeeked || info == nil || !info.Mode().IsRegular() {
		return
	}
	w.peeked++
	start, _ := w.start(target) // a file that cannot be read is not content
	if e := exports.Of(start); e != nil {
		file := File{Env: env, Name: shown(w.dir, path), dir: w.dir}
		w.tree.Skipped = append(w.tree.Skipped, Problem{Path: file.Name, Message: e.Message(), Hint: file.ImportHint(e)})
	}
}

// ImportHint says how to import a file that is an export.
func (f *File) ImportHint(e *exports.Export) string { return e.Hint(f.Name, f.Env, f.dir) }
