// This file walks the content folder. It goes through an os.Root, so that no
// name and no link that appears meanwhile leads it out of the folder.

package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// maxFolders is how deep folders may lie below an environment. Opening a folder
// costs a step for each folder above it; nobody sorts content this deep by hand.
const maxFolders = 512

// walker collects into tree what it finds below dir.
type walker struct {
	ctx  context.Context
	dir  string
	root *os.Root
	tree *Tree

	unread unread // in the environment at hand
}

// environments walks the wanted environments, or all when none is named.
func (w *walker) environments(wanted []string) error {
	entries, err := w.read(".")
	if err != nil {
		return err
	}
	found := w.candidates(entries, wanted)
	w.unknown(found, wanted)
	w.twins(found)
	if len(found) == 0 && len(w.tree.Problems) == 0 {
		w.problem(".", "there is no environment in the content folder", "make a folder for each environment, for example "+Show(shown(w.dir, "site")))
	}
	for _, env := range found {
		w.tree.Envs = append(w.tree.Envs, env)
		w.unread = unread{}
		if err := w.folder(env, env, 0); err != nil {
			return err
		}
		if len(w.unread) > 0 {
			w.tree.Unread = append(w.tree.Unread, Problem{Path: shown(w.dir, env), Message: w.unread.String(), Hint: unreadHint})
		}
	}
	return nil
}

// candidates returns the names of the folders that are environments, and
// reports what lies beside them and is none.
func (w *walker) candidates(entries []fs.DirEntry, wanted []string) []string {
	var found []string
	for _, entry := range entries {
		name := entry.Name()
		if hidden(name) || len(wanted) > 0 && !slices.Contains(wanted, name) {
			continue
		}
		if w.environment(name, entry) {
			found = append(found, name)
		}
	}
	return found
}

// environment tells whether an entry of the content folder is one.
func (w *walker) environment(name string, entry fs.DirEntry) bool {
	switch {
	case entry.IsDir():
		if validEnv(name) {
			return true
		}
		w.problem(name, "this name cannot be the id of an environment", fmt.Sprintf("an id is 1 to %d letters, digits, \"_\" or \"-\" and begins with a letter or digit; a name that begins with \"_\" or \".\" is passed over", maxEnvLength))
	case leftover(name):
	case entry.Type()&fs.ModeSymlink != 0:
		w.problem(name, "a link cannot be an environment", "make it a folder")
	case !entry.Type().IsRegular():
		w.irregular(name, entry.Type())
	case kindOf(name) != 0:
		w.problem(name, "this file lies in no environment", "move it into the folder of its environment")
	}
	return false
}

// unknown reports the wanted environments that were not found.
func (w *walker) unknown(found, wanted []string) {
	for _, env := range wanted {
		if slices.Contains(found, env) || slices.ContainsFunc(w.tree.Problems, func(p Problem) bool { return p.Path == shown(w.dir, env) }) {
			continue
		}
		w.problem(".", fmt.Sprintf("there is no environment %q in the content folder", env), w.choices())
	}
}

// choices lists the environments there are, as a hint.
func (w *walker) choices() string {
	entries, err := w.read(".")
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && validEnv(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	if len(names) == 0 {
		return "it holds none"
	}
	return "it holds " + strings.Join(names, ", ")
}

// twins reports environments that differ only by case: on many file systems
// and hosts they would be one.
func (w *walker) twins(found []string) {
	first := make(map[string]string, len(found))
	for _, env := range found {
		folded := strings.ToLower(env)
		if other, ok := first[folded]; ok {
			w.problem(env, fmt.Sprintf("the environments %s and %s differ only by case", other, env), "rename one of them")
			continue
		}
		first[folded] = env
	}
}

// folder collects the content files of a folder and of those below it.
func (w *walker) folder(env, path string, depth int) error {
	if depth > maxFolders {
		w.problem(path, fmt.Sprintf("folders lie more than %d deep here", maxFolders), "")
		return nil
	}
	entries, err := w.read(path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := w.entry(env, path+"/"+entry.Name(), entry, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry sorts out one entry of an environment's folder.
func (w *walker) entry(env, path string, entry fs.DirEntry, depth int) error {
	name := entry.Name()
	switch {
	case hidden(name) || !entry.IsDir() && leftover(name):
	case entry.IsDir():
		if kindOf(name) != 0 {
			w.problem(path, "this is a folder with the name of a content file", "rename the folder")
			return nil
		}
		return w.folder(env, path, depth+1)
	case entry.Type()&fs.ModeSymlink != 0:
		w.link(env, path)
	case !entry.Type().IsRegular():
		w.irregular(path, entry.Type())
	default:
		w.add(env, path, path)
	}
	return nil
}

// add keeps a regular file when its name is that of a content file, or counts it.
func (w *walker) add(env, path, target string) {
	kind := kindOf(path)
	if kind == 0 {
		w.unread[extension(path)]++
		return
	}
	w.tree.Files = append(w.tree.Files, File{Env: env, Path: path, Name: shown(w.dir, path), Kind: kind, dir: w.dir, target: target})
}

// read lists a folder. A folder that cannot be listed is a problem and empty.
func (w *walker) read(path string) ([]fs.DirEntry, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	folder, err := w.root.Open(path)
	if err == nil {
		defer folder.Close()
		var entries []fs.DirEntry
		if entries, err = folder.ReadDir(-1); err == nil {
			return entries, nil
		}
	}
	if reason := blame(err); reason != "" {
		w.problem(path, "this folder cannot be read: "+reason, "")
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %w", Show(shown(w.dir, path)), err)
}

func (w *walker) irregular(path string, mode fs.FileMode) {
	w.problem(path, "this is "+describe(mode)+", not a file", "remove it from the content folder")
}

func (w *walker) problem(path, message, hint string) {
	w.tree.Problems = append(w.tree.Problems, Problem{Path: shown(w.dir, path), Message: message, Hint: hint})
}

// describe names a kind of entry that is neither file, folder nor link.
func describe(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

// blame returns why a path could not be opened when the content is the reason,
// and "" when the machine is.
func blame(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrNotExist):
		return "it vanished; run the build again"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return "it changed while it was read; run the build again"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "the path is too long"
	}
	return ""
}
