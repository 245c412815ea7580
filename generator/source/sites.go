// This file recognises folders of site generators where environments are expected: their content lies in
// a folder further below, and their other files are no content.

package source

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/items"
)

// site is a generator of sites: the files that configure it, and where content may lie.
type site struct {
	title    string
	settings []string
	content  []string
}

// jekyllPosts is the folder in which sites of Jekyll have their posts.
const jekyllPosts = "_posts"

var sites = []site{
	{"Hugo", []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml"}, []string{"content"}},
	{"Jekyll", []string{"_config.yml", "_config.yaml", "_config.toml"}, []string{jekyllPosts}},
	{"Astro", []string{"astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts"}, []string{"src/content", "src/pages"}},
}

// foundSite reports whether entries are those of a site's folder: its settings and its content. Either
// alone may stand in any folder.
func (w *walker) foundSite(at string, entries []fs.DirEntry) bool {
	has := func(name string, folder bool) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.IsDir() == folder })
	}
	for _, s := range sites {
		if !slices.ContainsFunc(s.settings, func(name string) bool { return has(name, false) }) {
			continue
		}
		for _, content := range s.content {
			if first, _, _ := strings.Cut(content, "/"); !has(first, true) || !w.isFolder(path.Join(at, content)) {
				continue
			}
			hint := fmt.Sprintf("make an environment of its content, for example: mkdir mine; cp -r %s mine/blog; and give --content mine", Show(shown(w.dir, path.Join(at, content))))
			if at != "." {
				hint = "leave only its content there, which is " + Show(shown(w.dir, path.Join(at, content)))
			}
			w.problem(at, "this is the folder of a site of "+s.title+", not of content", hint)
			return true
		}
	}
	return false
}

func (w *walker) isFolder(at string) bool {
	info, err := w.root.Lstat(at)
	return err == nil && info.IsDir()
}

// posts says that Jekyll's folder of posts is passed over, if it has any.
func (w *walker) posts(env, at string) {
	entries, err := w.list(at)
	if err != nil {
		return
	}
	n := 0
	for _, e := range entries {
		if isMarkdown(e) {
			n++
		}
	}
	if n > 0 {
		w.tree.Skipped = append(w.tree.Skipped, Problem{Env: env, Path: shown(w.dir, at), Readable: true,
			Message: fmt.Sprintf("a folder with %s, as sites of Jekyll have it, is passed over", files(n)),
			Hint:    `rename it, for example to posts: names that begin with "_" are passed over`})
	}
}

func files(n int) string {
	if n == 1 {
		return "1 Markdown file"
	}
	return fmt.Sprintf("%d Markdown files", n)
}

func isMarkdown(e fs.DirEntry) bool {
	f := items.FormatOf(e.Name())
	return f != nil && f.Markdown && e.Type().IsRegular() && !hiddenFile(e.Name())
}

// beside reports Markdown files beside the environments, but those of a repository, as README.md.
func (w *walker) beside(entries []fs.DirEntry, environments int) {
	var names []string
	for _, e := range entries {
		if base := strings.TrimSuffix(e.Name(), path.Ext(e.Name())); isMarkdown(e) && base != strings.ToUpper(base) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 && environments > 0 {
		return
	}
	site := Show(shown(w.dir, "site"))
	switch {
	case environments > 0:
		w.tree.Skipped = append(w.tree.Skipped, Problem{Path: w.dir,
			Message: skippedPaths(names).message("Markdown files beside the environments are not read"), Hint: "move them into the folder of an environment; each folder here is one"})
	case len(w.tree.Problems) > 0:
	case len(names) > 0:
		w.problem(".", "there is no environment in the content folder, but "+files(len(names)), "move what it holds into a folder for its environment, for example "+site)
	default:
		w.problem(".", "there is no environment in the content folder", "make a folder for each environment, for example "+site)
	}
}

// alsoMarkdown returns the lines of settings that keep Markdown files being read: with rules, only files
// that match one are.
func alsoMarkdown(read []string) (lines string) {
	slices.Sort(read)
	for _, extension := range read {
		lines += fmt.Sprintf("      - files: \"**/*%s\"\n", extension)
	}
	return lines
}

// skippedHint says what to do about skipped files.
func (w *walker) skippedHint(env string) string {
	settings := w.tree.Settings[env]
	switch {
	case w.unread != "":
		return fmt.Sprintf("to read the %s files too, write this into %s:\n    sources:\n%s      - files: \"**/*%[1]s\"", w.unread, cmp.Or(settings.File, shown(w.dir, env+"/"+environment.Name)), alsoMarkdown(w.markdown))
	case w.ruled(env):
		return documents.Extensions("and") + " files are read, and those of the rules in " + settings.File
	case len(w.markdown) > 0:
		return "Markdown files are items here, and other files come along if an item names them as its media; all others are left out"
	}
	return documents.Extensions("and") + ` files are read; a name that begins with "_" or "." is passed over without a word`
}
