// This file walks the content folder through an os.Root, so that links never lead out of the folder.

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
	"sync"
	"syscall"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/items"
)

// maxFolders bounds the depth, as opening a folder costs a step for each folder above it.
const maxFolders = 512

// maxAhead bounds the folders read before their turn, whose entries are in memory.
const maxAhead = 8

// savedFolder is the folder of an environment with its saved searches.
const savedFolder = "_searches"

type walker struct {
	ctx   context.Context
	owner *Folder
	dir   string
	root  *os.Root
	tree  *Tree

	began          time.Time
	skippedFiles   skippedFiles // in the current environment
	skippedFolders skippedPaths // folders that no environment needs
	passedOver     skippedPaths // compressed files that exist twice
	saved          bool         // the current folder is savedFolder
	records        []candidate  // in the current environment
	unread         string       // extension of skipped files of the current environment that a rule would read, or ""
	peeked         int          // skipped files of the current environment that were looked into
	markdown       []string     // extensions of the Markdown files of the current environment that are read without a rule
	languages      []string     // that names of Markdown files of the current environment end in
	broken         bool         // the settings of the current environment are wrong
	env            *Environment // the settings of the current environment, or nil
	ignored        []bool       // by the patterns of ignore in the current environment: whether one matches anything
	itemless       skippedPaths // JSON files of the current environment that hold no items
	underscored    skippedPaths // Markdown files, and folders with Markdown, of the current environment whose names begin with "_"
	deadLinks      skippedPaths // links of the current environment that lead to no file, and are not content by their names

	looked map[string]looked   // JSON files whose beginning was read, by path
	ahead  map[string]*listing // folders that are read before their turn
	turns  chan struct{}       // bounds how many are read at a time

	reading sync.WaitGroup // of the folders in ahead
}

type listing struct {
	done    chan struct{}
	entries []fs.DirEntry
	err     error
}

// prefetch begins to read the next folders: looking at entries takes most of a walk's time. It
// gives the first entry not considered.
func (w *walker) prefetch(path string, entries []fs.DirEntry, next int) int {
	for ; next < len(entries) && len(w.ahead) < maxAhead; next++ {
		entry := entries[next]
		if at := path + "/" + entry.Name(); entry.IsDir() && !w.hidden(entry.Name()) && documents.FormatOf(entry.Name()) == nil && !release.VolumeFolder(entry.Name()) && !w.ignores(at) {
			w.begin(at)
		}
	}
	return next
}

func (w *walker) begin(path string) {
	l := &listing{done: make(chan struct{})}
	w.ahead[path] = l
	w.reading.Go(func() {
		defer crash.Exit()
		w.turns <- struct{}{}
		l.entries, l.err = w.list(path)
		<-w.turns
		close(l.done)
	})
}

func (w *walker) list(path string) ([]fs.DirEntry, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	folder, err := w.root.Open(path)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadDir(-1)
}

func (w *walker) environments(wanted []string) error {
	entries, err := w.read(".")
	if err != nil {
		return err
	}
	if w.foundSite(".", entries) {
		return nil
	}
	found := w.candidates(entries, wanted)
	w.unknown(found, wanted)
	w.twins(found)
	w.strayMarkdown(entries, len(found))
	for _, env := range found {
		w.tree.Envs = append(w.tree.Envs, env)
		w.skippedFiles, w.records, w.unread, w.broken = skippedFiles{}, nil, "", false
		w.markdown, w.peeked, w.env, w.ignored = nil, 0, nil, nil
		w.itemless, w.underscored, w.deadLinks = nil, nil, nil
		first := len(w.tree.Files)
		if err := w.folder(env, env, 0); err != nil {
			return err
		}
		if err := w.choose(env, first); err != nil {
			return err
		}
		w.passed(env)
		if len(w.skippedFiles) > 0 {
			w.tree.Skipped = append(w.tree.Skipped, Problem{Env: env, Path: shown(w.dir, env), Message: w.skippedFiles.describe(w.ruled(env)), Hint: w.skippedHint(env), skipped: w.skippedFiles, ruled: w.ruled(env), Readable: w.unread != ""})
		}
	}
	if len(w.passedOver) > 0 {
		w.tree.Skipped = append(w.tree.Skipped, Problem{Path: w.dir, Message: w.passedOver.message("compressed files with their text next to them are passed over")})
	}
	if len(w.skippedFolders) > 0 {
		w.tree.Skipped = append(w.tree.Skipped, Problem{Path: w.dir, Message: w.skippedFolders.message("folders that no environment needs are passed over")})
	}
	return nil
}

// candidates returns the environments' folders, sorted, and reports other entries.
func (w *walker) candidates(entries []fs.DirEntry, wanted []string) []string {
	var found []string
	for _, entry := range entries {
		name := entry.Name()
		if settingsName(name) && !entry.IsDir() {
			w.misplaced(name)
			continue
		}
		if Hidden(name) || len(wanted) > 0 && !slices.Contains(wanted, name) {
			continue
		}
		if w.environment(name, entry) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func (w *walker) environment(name string, entry fs.DirEntry) bool {
	switch {
	case entry.IsDir():
		if address.ValidEnv(name) {
			return true
		}
		if release.VolumeFolder(name) || w.unreadable(name) {
			w.skippedFolders = append(w.skippedFolders, name)
			return false
		}
		w.problem(name, "this name cannot be the id of an environment", `an id is 1 to 64 letters, digits, "_" or "-" and begins with a letter or digit; a name that begins with "_" or "." is passed over`)
	case leftover(name):
	case entry.Type()&fs.ModeSymlink != 0:
		w.problem(name, "a link cannot be an environment", "make it a folder")
	case !entry.Type().IsRegular():
		w.irregular(name, entry.Type())
	case documents.FormatOf(name) != nil:
		w.problem(name, "this file is not in an environment", "move it into the folder of its environment")
	}
	return false
}

// unreadable reports whether a folder may not be listed.
func (w *walker) unreadable(path string) bool {
	_, err := w.list(path)
	return errors.Is(err, fs.ErrPermission)
}

func (w *walker) unknown(found, wanted []string) {
	for _, env := range wanted {
		if slices.Contains(found, env) || slices.ContainsFunc(w.tree.Problems, func(p Problem) bool { return p.Path == shown(w.dir, env) }) {
			continue
		}
		w.problem(".", fmt.Sprintf("the content folder has no environment %q", env), w.choices())
	}
}

func (w *walker) choices() string {
	entries, err := w.read(".")
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && address.ValidEnv(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	if len(names) == 0 {
		return "the folder holds no environments"
	}
	slices.Sort(names)
	return "it holds " + strings.Join(names, ", ")
}

// twins reports environments that differ only by case, which many hosts ignore.
func (w *walker) twins(found []string) {
	first := make(map[string]string, len(found))
	for _, env := range found {
		folded := strings.ToLower(env)
		if other, ok := first[folded]; ok {
			w.problem(env, fmt.Sprintf("the environments %s and %s differ only by case", other, env), "rename one")
			continue
		}
		first[folded] = env
	}
}

func (w *walker) folder(env, path string, depth int) error {
	if depth > maxFolders {
		w.problem(path, fmt.Sprintf("folders lie more than %d deep here", maxFolders), "")
		return nil
	}
	entries, err := w.read(path)
	if err != nil {
		return err
	}
	if depth == 0 {
		if w.foundSite(path, entries) {
			return nil
		}
		if err := w.settingsOf(env, entries); err != nil {
			return err
		}
	}
	next := 0
	passed := passedOver(entries)
	for i, entry := range entries {
		next = w.prefetch(path, entries, max(next, i))
		if passed[entry.Name()] {
			w.passedOver = append(w.passedOver, path+"/"+entry.Name())
			continue
		}
		if err := w.entry(env, path+"/"+entry.Name(), entry, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(env, path string, entry fs.DirEntry, depth int) error {
	name := entry.Name()
	switch {
	case entry.IsDir() && release.VolumeFolder(name):
		w.skippedFolders = append(w.skippedFolders, path)
	case name == savedFolder && depth == 0 && entry.IsDir():
		w.saved = true
		defer func() { w.saved = false }()
		return w.folder(env, path, depth+1)
	case w.ignores(path):
	case w.saved && entry.IsDir() && !Hidden(name):
		w.problem(path, "saved searches have no folders", "move what it holds into "+savedFolder)
	case name == environment.Name && depth == 0: // is read
	case settingsName(name) && !entry.IsDir():
		w.misplaced(path)
	case w.hidden(name) && hiddenFile(name):
		w.underscore(path, entry)
	case !entry.IsDir() && leftover(name):
	case entry.IsDir():
		if documents.FormatOf(name) != nil {
			w.problem(path, "this is a folder with the name of a content file", "rename the folder")
			return nil
		}
		return w.folder(env, path, depth+1)
	case entry.Type()&fs.ModeSymlink != 0:
		w.link(env, path)
	case !entry.Type().IsRegular():
		w.irregular(path, entry.Type())
	default:
		info, _ := entry.Info() // nil if the file vanished, which reading it reports
		w.add(env, path, path, info)
	}
	return nil
}

// add keeps a regular file with the name of a content file, and counts any other.
func (w *walker) add(env, path, target string, info fs.FileInfo) {
	format, records := documents.FormatOf(path), items.FormatOf(path)
	if w.saved && format != nil && format.Compression != nil {
		format = nil
	}
	if format == nil && (records == nil || w.saved) {
		w.skippedFiles[extension(path)]++
		w.recognise(env, path, target, info)
		return
	}
	f := File{Env: env, Path: path, Name: shown(w.dir, path), Format: format, dir: w.dir, target: target}
	if info != nil {
		f.identity, f.modified = IdentityOf(info, w.began), info.ModTime()
	}
	if w.saved {
		w.tree.Searches = append(w.tree.Searches, f)
		return
	}
	if format == nil {
		w.records = append(w.records, candidate{f, records})
		return
	}
	w.tree.Files = append(w.tree.Files, f)
}

// read lists a folder. A folder that cannot be listed is a problem, and counts as empty.
func (w *walker) read(path string) ([]fs.DirEntry, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	var err error
	if l := w.ahead[path]; l != nil {
		<-l.done
		delete(w.ahead, path)
		entries, err = l.entries, l.err
	} else {
		entries, err = w.list(path)
	}
	if err == nil {
		return entries, nil
	}
	if err := w.ctx.Err(); err != nil {
		return nil, err
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

// blame explains why the content is to blame for an error of opening a file. It returns "" for other errors.
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

func (w *walker) link(env, path string) {
	target, info, message := w.resolve(path)
	switch {
	case message != "":
	case info.IsDir():
		message = "this link leads to a folder; only links to files are followed"
	case !info.Mode().IsRegular():
		message = "this link leads to " + describe(info.Mode())
	default:
		w.add(env, path, target, info)
		return
	}
	if documents.FormatOf(path) == nil && items.FormatOf(path) == nil && (info == nil || !info.IsDir()) {
		w.deadLinks = append(w.deadLinks, path)
		return
	}
	w.problem(path, message, "replace the link by what it should hold, remove it, or list it under ignore in "+environment.Name)
}

// resolve returns the link's target below the content folder, or a message.
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
		return "", nil, "this link leads in a circle, or through something that is not a folder"
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

func realPath(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(resolved)
}
