// This file checks what no item shows by itself: ids that clash, and statuses
// that nobody has.

package model

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"contentedge/generator/source"
)

// clashes reports ids that an environment has twice, also when only their case
// differs: a file system or a host may take the two for one.
func (l *loader) clashes(site *Site) {
	for i := range site.Envs {
		items := site.Envs[i].Items
		first := make(map[string]int, len(items))
		var folded []byte
		for j := range items {
			folded = appendLower(folded[:0], items[j].ContentID)
			if k, ok := first[string(folded)]; ok && len(folded) > 0 {
				l.clash(&items[k], &items[j])
			} else {
				first[string(folded)] = j
			}
		}
	}
}

// clash reports two items with one id, at the second of them.
func (l *loader) clash(first, second *Item) {
	report := &l.results[l.fileOf(second)].report
	if report.errors >= maxErrors {
		report.add(Diagnostic{})
		return
	}
	d, other := l.placeOf(second), l.placeOf(first)
	d.Message = "the ContentID " + quoted(second.ContentID) + " is taken"
	if first.ContentID != second.ContentID {
		d.Message = "the ContentID " + quoted(second.ContentID) + " differs only by case from " + quoted(first.ContentID)
	}
	d.Hint = "the other one is in " + other.place() + "; give one of them another id"
	report.add(d)
}

// fileOf returns the number of the file that an item came from.
func (l *loader) fileOf(it *Item) int {
	if l.numbers == nil {
		l.numbers = make(map[string]int, len(l.files))
		for i := range l.files {
			l.numbers[l.files[i].Name] = i
		}
	}
	return l.numbers[it.File.Name]
}

// placeOf finds the place of an item's id. The text is not kept, so it is read
// again; if that fails, the item's line must do.
func (l *loader) placeOf(it *Item) Diagnostic {
	d := Diagnostic{File: it.File.Name, Line: int(it.Line), Col: 1}
	if line, col, err := placeIn(it.File, int(it.idAt)); err == nil {
		d.Line, d.Col = line, col
	}
	return d
}

// placeIn returns the line and the column of an offset in a file.
func placeIn(file *source.File, offset int) (line, col int, err error) {
	if file.Kind == source.Lines {
		return placeInLines(file, offset)
	}
	text, err := file.Read()
	if err == nil {
		text, err = decode(text)
	}
	if err != nil {
		return 0, 0, err
	}
	line, col = place(text, offset)
	return line, col, nil
}

// placeInLines is placeIn for a file of lines, which may be large.
func placeInLines(file *source.File, offset int) (line, col int, err error) {
	r, err := file.Open()
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	parts, lines := lineParts{r: r}, 0
	for buf, err := parts.next(nil); ; buf, err = parts.next(buf) {
		if err != nil || len(buf) == 0 {
			return 0, 0, cmp.Or(err, io.EOF)
		}
		if offset < len(buf) {
			line, col = place(buf, offset)
			return lines + line, col, nil
		}
		lines += bytes.Count(buf, []byte{'\n'})
		offset -= len(buf)
	}
}

// appendLower appends an id in lower case; ids are ASCII.
func appendLower(dst []byte, id string) []byte {
	for i := range len(id) {
		c := id[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// filter keeps the items with one of the wanted statuses. A wanted status that
// no item has may be a slip, and is warned about.
func filter(site *Site, wanted []string) []Diagnostic {
	if len(wanted) == 0 {
		return nil
	}
	counts := make(map[string]int)
	for i := range site.Envs {
		env := &site.Envs[i]
		for j := range env.Items {
			counts[env.Items[j].Status]++
		}
		env.Items = slices.DeleteFunc(env.Items, func(it Item) bool { return !slices.Contains(wanted, it.Status) })
	}
	var diagnostics []Diagnostic
	for _, status := range wanted {
		if counts[status] == 0 {
			diagnostics = append(diagnostics, Diagnostic{Message: "no item has the status " + quoted(status), Hint: known(counts), Warning: true})
		}
	}
	return diagnostics
}

// known lists the statuses that items have.
func known(counts map[string]int) string {
	var names []string
	for status := range counts {
		names = append(names, quoted(status))
	}
	if len(names) == 0 {
		return "there are no items at all"
	}
	slices.Sort(names)
	return "the statuses of the content are " + strings.Join(names[:min(len(names), 10)], ", ")
}
