// This file finds ids and paths that clash.

package model

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// clashes reports ids that an environment has twice, ignoring case as some file systems do, and paths that two items of
// one language have.
func (l *loader) clashes(site *Site) {
	var found []clash
	for i := range site.Envs {
		found = append(found, clashesOf(site.Envs[i].Items)...)
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

// clashesOf finds the clashes among items. Items that have one id are not compared by path.
func clashesOf(items []Item) (found []clash) {
	ids, pages := make(map[string]int, len(items)), map[documents.PagePath]int{}
	for j := range items {
		folded, page := strings.ToLower(items[j].ContentID), items[j].page
		if k, ok := ids[folded]; ok && folded != "" {
			found = append(found, clash{first: &items[k], second: &items[j]})
			continue
		}
		ids[folded] = j
		if page == nil {
			continue
		}
		if k, ok := pages[*page]; ok {
			found = append(found, clash{&items[k], &items[j], true})
		} else {
			pages[*page] = j
		}
	}
	return found
}

// clash is two items with one id, or with one path.
type clash struct {
	first, second *Item
	byPath        bool
}

// explain returns the message about a clash, and what the second item needs.
func (c *clash) explain() (message, needs string) {
	switch id, page := c.second.ContentID, c.second.page; {
	case c.byPath && page.Language != "":
		return "the path " + documents.Quoted(page.Path) + " is taken in the language " + documents.Quoted(page.Language), "path"
	case c.byPath:
		return "the path " + documents.Quoted(page.Path) + " is taken", "path"
	case c.first.ContentID != id:
		return "the ContentID " + documents.Quoted(id) + " differs only by case from " + documents.Quoted(c.first.ContentID), "id"
	default:
		return "the ContentID " + documents.Quoted(id) + " is taken", "id"
	}
}

func (l *loader) clash(c clash, places map[*Item]Diagnostic) {
	report := &l.results[l.fileOf(c.second)].report
	d, shown := places[c.second]
	if report.errors >= maxErrors || !shown {
		report.add(Diagnostic{})
		return
	}
	message, needs := c.explain()
	other := places[c.first]
	d.Message, d.Hint = message, "the other one is in "+other.place()+"; give one item another "+needs
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
