// This file lets who writes content files have them read before they are in their place.

package source

import (
	"slices"

	"contentedge/generator/source/documents"
)

// Stage puts a file of an environment into a tree. It replaces a file with the same path. The bytes come from another
// file, target, below dir, the content folder.
func (t *Tree) Stage(dir, env, path, target string) {
	file := File{Env: env, Path: path, Name: shown(dir, path), Format: documents.FormatOf(path), dir: dir, target: target}
	if !slices.Contains(t.Envs, env) {
		t.Envs = append(t.Envs, env)
	}
	t.Files = append(slices.DeleteFunc(t.Files, func(f File) bool { return f.Path == path }), file)
	sortTree(t)
}
