// This file recognises folders of sites where environments are expected.

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
	"contentedge/generator/source/sites"
)

// foundSite reports whether a folder has a whole site whose content is further below, among files of other kinds: such
// a folder is not an environment. A folder that has its content directly is an environment, and a note says what
// imports the site.
func (w *walker) foundSite(at string, entries []fs.DirEntry) bool {
	site := sites.Recognise(entries)
	if site == nil {
		return false
	}
	dir := Show(shown(w.dir, at))
	article := "a"
	if strings.ContainsAny(site.Title[:1], "AEIOU") {
		article = "an"
	}
	looks, command := fmt.Sprintf("this looks like %s %s site", article, site.Title), sites.Command(site.Name, dir, "")
	switch {
	case slices.Contains(site.Content, ".") && at != ".":
		w.tree.Skipped = append(w.tree.Skipped, Problem{Env: at, Path: dir, Message: looks, Hint: command + " reads more of the site, where the site is"})
		return false
	case at == ".":
		w.problem(at, looks+", not a folder of environments", command+" turns it into items in content/ENV")
	default:
		w.problem(at, looks+", not an environment", "move it out of the content folder, and import it: "+command)
	}
	return true
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

// strayMarkdown reports Markdown files next to the environments, except files of a repository such as README.md.
func (w *walker) strayMarkdown(entries []fs.DirEntry, environments int) {
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
			Message: skippedPaths(names).message("Markdown files next to the environments are not read"), Hint: "move them into the folder of an environment; each folder here is one"})
	case len(w.tree.Problems) > 0:
	case len(names) > 0:
		w.problem(".", "the content folder has no environment, but "+files(len(names)), "move what it holds into a folder for its environment, for example "+site)
	default:
		w.problem(".", "the content folder has no environment", "make a folder for each environment, for example "+site)
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

// ruleFor returns the lines of settings that read files of a kind.
func ruleFor(extension string) string {
	rule := "      - files: \"**/*" + extension + "\""
	if f := items.FormatOf(extension); f != nil && f.Rows {
		rule += "\n        id: {from: COLUMN}\n        dates: [{created: COLUMN}]"
	}
	return rule
}

// skippedHint says what to do about skipped files.
func (w *walker) skippedHint(env string) string {
	settings := w.tree.Settings[env]
	switch {
	case w.unread != "":
		return fmt.Sprintf("to read the %s files too, write this into %s:\n    sources:\n%s%s", w.unread, cmp.Or(settings.File, shown(w.dir, env+"/"+environment.Name)), alsoMarkdown(w.markdown), ruleFor(w.unread))
	case w.ruled(env):
		return documents.Extensions("and") + " files are read, and the files of the rules in " + settings.File
	case len(w.markdown) > 0:
		return "Markdown files are items here, and other files come along if an item names them as its media; all others are left out"
	}
	return documents.Extensions("and") + ` files are read; a name that begins with "_" or "." is passed over without a word`
}
