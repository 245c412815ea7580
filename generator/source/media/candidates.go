// This file finds the paths that a URL may mean.

package media

import (
	"path"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source"
	"contentedge/generator/source/items"
)

// StaticFolders are the folders of an environment whose files generators of sites copy to the root of the site.
var StaticFolders = []string{"static", "public", "assets"}

// candidates returns the paths below the content folder at which the file of a URL may be, the first choice first: next to
// the file that names it, then where browsers look when they show the page of that file, then both below StaticFolders.
func candidates(env, from, name string) (paths []string) {
	below := strings.TrimPrefix(from, env+"/")
	var urls []string // of the file, as paths of the site
	if strings.HasPrefix(name, "/") {
		urls = []string{path.Clean(name)}
	} else {
		paths = []string{path.Join(path.Dir(from), name)}
		if page, ok := items.PageOf(below); ok {
			urls = []string{path.Join("/", page, name), path.Join("/", path.Dir(below), name)}
		}
	}
	for _, folder := range append([]string{""}, StaticFolders...) {
		for _, url := range urls {
			if at := path.Join(env, folder, url); !slices.Contains(paths, at) {
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// check reports why a name cannot be a file.
func check(name string) *Fault {
	if name == "" || strings.HasPrefix(name, "//") || strings.ContainsAny(name, "\x00\\") {
		return &Fault{"this is not the path of a file", `write it relative to this file, with "/" between folders: ./images/a.png`}
	}
	if address.MediaType(name) == "" || strings.HasSuffix(name, "/") {
		return unknownType
	}
	return nil
}

// checkPath reports why no file at a path is delivered.
func checkPath(env, at string) *Fault {
	below, ok := strings.CutPrefix(at, env+"/")
	if !ok {
		return outside
	}
	for part := range strings.SplitSeq(below, "/") {
		if source.Hidden(part) {
			return hidden
		}
	}
	return nil
}

// elsewhere adds to the fault of the first path that the file is not at the others either.
func (f *Fault) elsewhere(paths []string) *Fault {
	const shown = 4
	if len(paths) == 0 {
		return f
	}
	var names []string
	for _, at := range paths[:min(len(paths), shown)] {
		names = append(names, source.Show(at))
	}
	if more := len(paths) - len(names); more > 0 {
		names = append(names, "and the same in "+strings.Join(StaticFolders[1:], " and "))
	}
	return &Fault{f.Message, strings.TrimPrefix(f.Hint+"; it is not at "+strings.Join(names, ", ")+" either", "; ")}
}
