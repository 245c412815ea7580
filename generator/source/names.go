// This file classifies names: content, ignored, environments; and shows names safely.

package source

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contentedge/generator/source/environment"
	"contentedge/generator/source/items"
)

// leftovers are the ends of names of files that editors and tools leave next to a file.
var leftovers = []string{"~", ".swp", ".swo", ".swx", ".tmp", ".bak"}

// Hidden reports whether files and folders of that name are never read.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// hiddenFile is Hidden for a file or folder in an environment. _index.md is the page of its folder, and _index.ja.md may be.
func hiddenFile(name string) bool {
	if !Hidden(name) {
		return false
	}
	f := items.FormatOf(name)
	if f == nil || !f.Markdown {
		return true
	}
	page, language, translated := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), ".")
	return page != items.FolderPage || translated && !environment.IsLanguage(language)
}

// leftover reports whether a name belongs to an editor's file. vim tests a folder with a file 4913, emacs saves x as
// #x#.
func leftover(name string) bool {
	return name == "4913" || len(name) > 1 && strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") ||
		slices.ContainsFunc(leftovers, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// Show returns a path for a message. A path that is not printable UTF-8 is quoted, so that no name
// breaks a line or controls a terminal.
func Show(path string) string {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}
