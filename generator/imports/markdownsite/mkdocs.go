// This file has what is special about MkDocs: patterns of pages in its settings, and dates in objects.

package markdownsite

import (
	"regexp"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// mkdocsPatterns are the patterns of a setting, each in a line, of paths below the folder of the content.
func (s *site) mkdocsPatterns(setting string) []matcher {
	return s.patterns(s.settings.folder("docs", "docs_dir"), strings.Split(s.settings.text(setting), "\n"))
}

// mkdocsMarks are a table of contents, included files, abbreviations, and attributes of links and images.
var mkdocsMarks = regexp.MustCompile(`(?m)^\[TOC\][ \t\r]*$|^-+8<-+[ \t][^\n]*$|^\*\[[^\]\n]+\]:[^\n]*$|\)(\{:?[ \t]*[.#\w][^{}\n]*\})`)

// mkdocsDates are the dates of a post, which may be an object: date: {created: …, updated: …}.
func mkdocsDates(m jsontree.Member) []jsontree.Member {
	if m.Name != visibility.Date || !m.Value.IsObject() {
		return nil
	}
	all := slices.Clone(m.Value.Members)
	for i := range all {
		if all[i].Name == "created" {
			all[i].Name = visibility.Date
		}
	}
	return all
}
