// This file makes one record of all rows with the same key.

package csvtext

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
)

// RowsMember is the member of a group with the columns whose values differ: an object for each row.
const RowsMember = "rows"

// Group says which rows become one record.
type Group struct {
	By    string // the column with the key; "" makes a record of each row
	Parts []Part
	// Single reports whether a column decides about the item as a whole, as its status does. It is an error if the rows
	// of a key differ in such a column. Nil means that no column is.
	Single func(column string) bool
}

// Part is a member of a group: a list with an object for each row that has a value in one of its columns.
type Part struct {
	Name    string
	Columns []string // by their names; an asterisk at the end stands for any ending
}

// Has reports whether a column belongs to the part.
func (p *Part) Has(column string) bool {
	return slices.ContainsFunc(p.Columns, func(name string) bool {
		start, wild := strings.CutSuffix(name, "*")
		return name == column || wild && strings.HasPrefix(column, start)
	})
}

// groups are the rows of a file by their keys, in the order of the first row of each key.
type groups struct {
	key    int // the number of the column with the key
	parts  []Part
	in     []int  // by column: the number of its part, or -1
	single []bool // by column
	index  map[string]int
	rows   [][][]cell
}

// group reads which columns the groups have. It needs the names of the columns.
func (r *reader) group(known map[string]int) {
	if r.options.Group.By == "" {
		return
	}
	r.needs(known, r.options.Group.By, "group")
	r.groups = &groups{key: known[r.options.Group.By], parts: r.options.Group.Parts, index: map[string]int{}}
	names := []string{RowsMember}
	for i := range r.groups.parts {
		names = append(names, r.groups.parts[i].Name)
	}
	for i, c := range r.columns {
		single := i == r.groups.key || r.options.Group.Single != nil && r.options.Group.Single(c.name)
		part := -1
		if !single {
			part = slices.IndexFunc(r.groups.parts, func(p Part) bool { return p.Has(c.name) })
		}
		r.groups.single, r.groups.in = append(r.groups.single, single), append(r.groups.in, part)
	}
	for i, c := range r.columns {
		if slices.Contains(names, c.name) {
			r.fault(r.row[i].at, fmt.Sprintf("the column %s has the name of the list that rows of one key get", documents.Quoted(c.name)), "rename the column")
		}
	}
}

// add adds a row to the group of its key.
func (g *groups) add(r *reader) {
	key := strings.TrimSpace(string(r.row[g.key].text))
	if key == "" {
		r.fault(r.row[g.key].at, "this row has no value in the column "+documents.Quoted(r.columns[g.key].name)+", which says to which item it belongs", "fill it in")
		return
	}
	i, ok := g.index[key]
	if !ok {
		i = len(g.rows)
		g.index[key] = i
		g.rows = append(g.rows, nil)
	}
	g.rows[i] = append(g.rows[i], slices.Clone(r.row))
}

// records writes a record for each group.
func (g *groups) records(r *reader) {
	for _, rows := range g.rows {
		if len(r.faults) >= maxFaults {
			return
		}
		r.record(rows[0][0].at, func() { g.write(r, rows) })
	}
}

// write writes what all rows of a key share, and then the lists with what differs.
func (g *groups) write(r *reader, rows [][]cell) {
	var differ []int
	parts := make([][]int, len(g.parts))
	for i := range r.columns {
		switch {
		case g.in[i] >= 0:
			parts[g.in[i]] = append(parts[g.in[i]], i)
		case i == g.key:
			r.member(i, rows[0][i])
		case differs(rows, i) && g.single[i]:
			r.fault(rows[0][i].at, fmt.Sprintf("the rows of this item have different values in the column %s", documents.Quoted(r.columns[i].name)), "write the same value into all rows, or only into the first: it decides about the item as a whole")
		case differs(rows, i):
			differ = append(differ, i)
		default:
			r.member(i, rows[0][i])
		}
	}
	for i, columns := range parts {
		g.list(r, g.parts[i].Name, columns, rows)
	}
	if len(differ) > 0 {
		g.list(r, RowsMember, differ, rows)
	}
}

// list writes an object with the values of some columns for each row that has a value. It leaves out the other rows,
// such as the rows of a product's further images in a list of variants.
func (g *groups) list(r *reader, name string, columns []int, rows [][]cell) {
	place := r.lines.Place(rows[0][0].at)
	r.b.Key(name, place)
	r.b.Array(place)
	for _, row := range rows {
		if !slices.ContainsFunc(columns, func(i int) bool { return !row[i].empty() }) {
			continue
		}
		r.b.Object(r.lines.Place(row[0].at))
		for _, i := range columns {
			if !row[i].empty() {
				r.member(i, row[i])
			}
		}
		r.b.EndObject()
	}
	r.b.EndArray()
}

// differs reports whether a column has to be written row by row. It does not if the first row has the value of all: later
// rows have the same, or nothing.
func differs(rows [][]cell, column int) bool {
	first := rows[0][column]
	return slices.ContainsFunc(rows[1:], func(row []cell) bool {
		return !row[column].empty() && !bytes.Equal(row[column].text, first.text)
	})
}

func (c cell) empty() bool { return len(bytes.TrimSpace(c.text)) == 0 }
