// This file finds ids that clash.

package model

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// clashes reports ids that an environment has twice, ignoring case as some file systems do.
func (l *loader) clashes(site *Site) {
	var found []clash
	for i := range site.Envs {
		items := site.Envs[i].Items
		first := make(map[string]int, len(items))
		for j := range items {
			folded := strings.ToLower(items[j].ContentID)
			if k, ok := first[folded]; ok && folded != "" {
				found = append(found, clash{&items[k], &items[j]})
			} else {
				first[folded] = j
			}
		}
	}
	var shown []*Item
	number := map[int]int{}
	for _, c := range found {
		n := l.fileOf(c.second)
		if number[n]++; l.results[n].report.errors+number[n] <= maxErrors {
			shown = append(shown, c.first, c.second)
		}
	}
	places := l.itemPlaces(shown)
	for _, c := range found {
		l.clash(c, places)
	}
}

// clash is two items with one id.
type clash struct{ first, second *Item }

func (l *loader) clash(c clash, places map[*Item]Diagnostic) {
	report := &l.results[l.fileOf(c.second)].report
	d, shown := places[c.second]
	if report.errors >= maxErrors || !shown {
		report.add(Diagnostic{})
		return
	}
	d.Message = "the ContentID " + documents.Quoted(c.second.ContentID) + " is taken"
	if c.first.ContentID != c.second.ContentID {
		d.Message = "the ContentID " + documents.Quoted(c.second.ContentID) + " differs only by case from " + documents.Quoted(c.first.ContentID)
	}
	other := places[c.first]
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

func (l *loader) placeOf(it *Item) Diagnostic { return l.itemPlaces([]*Item{it})[it] }

// itemPlaces returns the places of items. It reads each file once.
func (l *loader) itemPlaces(items []*Item) map[*Item]Diagnostic {
	places := make(map[*Item]Diagnostic, len(items))
	files := map[*source.File][]*Item{}
	for _, it := range items {
		if _, known := places[it]; !known {
			places[it] = Diagnostic{File: it.File.Name, Line: int(it.Line), Col: 1}
			files[it.File] = append(files[it.File], it)
		}
	}
	for file, of := range files {
		slices.SortFunc(of, func(a, b *Item) int { return cmp.Compare(a.idAt, b.idAt) })
		var offsets []int64
		for _, it := range of {
			offsets = append(offsets, it.idAt)
		}
		_ = l.eachPlace(file, offsets, func(i int, v view) {
			d := places[of[i]]
			d.Line, d.Col = v.place()
			places[of[i]] = d
		})
	}
	return places
}
