// This file finds ids that clash.

package model

import (
	"strings"

	"contentedge/generator/source/documents"
)

// clashes reports ids that an environment has twice, ignoring case as some file systems do.
func (l *loader) clashes(site *Site) {
	for i := range site.Envs {
		items := site.Envs[i].Items
		first := make(map[string]int, len(items))
		for j := range items {
			folded := strings.ToLower(items[j].ContentID)
			if k, ok := first[folded]; ok && folded != "" {
				l.clash(&items[k], &items[j])
			} else {
				first[folded] = j
			}
		}
	}
}

func (l *loader) clash(first, second *Item) {
	report := &l.results[l.fileOf(second)].report
	if report.errors >= maxErrors {
		report.add(Diagnostic{})
		return
	}
	d, other := l.placeOf(second), l.placeOf(first)
	d.Message = "the ContentID " + documents.Quoted(second.ContentID) + " is taken"
	if first.ContentID != second.ContentID {
		d.Message = "the ContentID " + documents.Quoted(second.ContentID) + " differs only by case from " + documents.Quoted(first.ContentID)
	}
	d.Hint = "the other one is in " + other.place() + "; give one of them another id"
	report.add(d)
}

func (l *loader) fileOf(it *Item) int {
	if l.numbers == nil {
		l.numbers = make(map[string]int, len(l.files))
		for i := range l.files {
			l.numbers[l.files[i].Name] = i
		}
	}
	return l.numbers[it.File.Name]
}

func (l *loader) placeOf(it *Item) Diagnostic {
	d := Diagnostic{File: it.File.Name, Line: int(it.Line), Col: 1}
	_ = l.eachPlace(it.File, []int64{it.idAt}, func(_ int, v view) { d.Line, d.Col = v.place() })
	return d
}
