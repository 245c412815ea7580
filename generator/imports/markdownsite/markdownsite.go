// Package markdownsite imports the Markdown of sites as their generators read it: Hugo, Jekyll, Docusaurus and others.
// It reads a site where it is, with its git history, and makes items by the code that reads Markdown in a build,
// package items. The differences between generators are rows of a table, their profiles.
package markdownsite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/source"
	"contentedge/generator/source/sites"
)

// Name is the name of all such imports in Source, and in the names of files.
const Name = "markdown"

// Systems are the names of the generators whose sites can be imported.
func Systems() (names []string) {
	for i := range profiles {
		names = append(names, profiles[i].name)
	}
	return names
}

// System returns the system that reads sites of a generator, by its name.
func System(name string) imports.System {
	return imports.System{Name: Name, Files: true, Read: func(ctx context.Context, j *imports.Job) error { return read(ctx, j, name) }}
}

// Recognise returns the name of the generator that a folder is a site of, otherwise the name of a tree of plain Markdown
// files. It is "" if the folder cannot be read.
func Recognise(dir string) (name, title string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", ""
	}
	if s := sites.Recognise(entries); s != nil {
		return s.Name, s.Title
	}
	return tree, "a folder of Markdown files"
}

func read(ctx context.Context, j *imports.Job, name string) error {
	p := profileOf(name)
	root, err := os.OpenRoot(j.Export.Path)
	if err != nil {
		return &export.Fault{File: j.Export.Path, Message: "this folder cannot be opened: " + reason(err), Hint: "name the folder of the site"}
	}
	defer root.Close()
	if other, title := Recognise(j.Export.Path); other != name && other != tree && name != tree {
		return &export.Fault{File: j.Export.Path, Message: "this looks like a site of " + title + ", not of " + p.title(), Hint: "run " + sites.Command(other, source.Show(j.Export.Path), j.Options.Env)}
	}
	if above := siteAbove(j.Export.Path, name); above != "" && !p.divisible {
		return &export.Fault{File: j.Export.Path, Message: "this is a folder of a site of " + p.title() + ", without its settings", Hint: "run " + sites.Command(name, source.Show(above), j.Options.Env)}
	}
	s := newSite(ctx, j, p, root)
	for _, step := range []func() error{s.list, s.readSettings, s.findPages, s.chooseLocales, s.describePages, s.makeItems, s.countFiles} {
		if err := step(); err != nil {
			return err
		}
	}
	return s.finish()
}

// maxAbove bounds the folders above one in which its site is looked for.
const maxAbove = 8

// siteAbove returns the path of the site of a generator that a folder is in; "" if the folder is not in one, or is a site.
func siteAbove(dir, name string) string {
	if found, _ := Recognise(dir); found != tree {
		return ""
	}
	for range maxAbove {
		dir = filepath.Join(dir, "..")
		if found, _ := Recognise(dir); found == name {
			return dir
		}
	}
	return ""
}

// reason is what an error of the system says, without the path.
func reason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}

func profileOf(name string) *profile {
	i := slices.IndexFunc(profiles, func(p profile) bool { return p.name == name })
	if i < 0 {
		panic(fmt.Sprintf("unknown profile %q", name))
	}
	return &profiles[i]
}
