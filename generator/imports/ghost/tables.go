// This file reads the tables of an export.

package ghost

import (
	"bytes"
	"fmt"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// database is an export: its tables by name, each an array in the text.
type database struct {
	file    *export.File
	text    []byte
	version string
	names   []string       // of the tables, in the order of the export
	at      map[string]int // offsets of the tables
}

const makeExport = "export the site at Settings, Labs or Migration tools: Export content"

// open finds the tables of a file: {"db":[{"meta":…,"data":{…}}]}, or only the object inside.
func open(f *export.File) (*database, error) {
	text, err := f.All(export.MaxWhole)
	if err != nil {
		return nil, err
	}
	d := &database{file: f, text: text, at: map[string]int{}}
	return d, d.parse()
}

func (d *database) parse() error {
	text := d.text
	at := jsoncursor.SkipSpace(text, 0)
	s := jsonscan.New()
	end, err := s.Skip(text, at)
	if err != nil {
		return d.fault(documents.Explain(s, text, at, err))
	}
	if deep := jsonscan.TooDeep(text, documents.MaxDepth); deep >= 0 {
		return d.fault(deep, documents.TooDeep, "")
	}
	if rest := jsoncursor.SkipSpace(text, end); rest < len(text) {
		return d.fault(rest, "there is more after the end of the export", "")
	}
	switch text[at] {
	case '[':
		return d.fault(at, "this is a list, not an export of Ghost", "generator import json reads lists")
	case '{':
	default:
		return d.fault(at, "this is "+jsonscan.KindName(text[at])+", not an export of Ghost", makeExport)
	}
	return d.root(at)
}

func (d *database) fault(offset int, message, hint string) error {
	line, col := jsonscan.Place(d.text, offset)
	return d.file.Fault(line, col, message, hint)
}

// member returns the offset of an object's member, or -1.
func member(text []byte, at int, name string) int {
	found := -1
	if text[at] == '{' {
		jsoncursor.Children(text, at, func(quoted []byte, at int) int {
			if jsoncursor.Spells(quoted, name) {
				found = at
			}
			return jsoncursor.ValueEnd(text, at)
		})
	}
	return found
}

func (d *database) root(at int) error {
	if db := member(d.text, at, "db"); db >= 0 && d.text[db] == '[' {
		inner := jsoncursor.SkipSpace(d.text, db+1)
		if d.text[inner] != '{' {
			return d.fault(db, "db holds no export", makeExport)
		}
		if next := jsoncursor.SkipSpace(d.text, jsoncursor.ValueEnd(d.text, inner)); d.text[next] != ']' {
			return d.fault(next, "db holds more than one export", "import each as a file of its own")
		}
		at = inner
	}
	data := member(d.text, at, "data")
	if data < 0 || d.text[data] != '{' || member(d.text, data, "posts") < 0 {
		return d.fault(at, `this is not an export of Ghost: it has no tables, as {"db":[{"meta":…,"data":{"posts":[…]}}]} has`, makeExport+"; generator import json reads other JSON")
	}
	if meta := member(d.text, at, "meta"); meta >= 0 {
		if version := member(d.text, meta, "version"); version >= 0 {
			d.version = string(bytes.Trim(d.text[version:jsoncursor.ValueEnd(d.text, version)], `"`))
		}
	}
	var err error
	jsoncursor.Children(d.text, data, func(quoted []byte, at int) int {
		name := string(jsoncursor.Unquote(quoted))
		if d.text[at] != '[' && err == nil && d.text[at] != 'n' {
			err = d.fault(at, fmt.Sprintf("the table %s is %s, not an array", documents.Quoted(name), jsonscan.KindName(d.text[at])), "")
		}
		if d.text[at] == '[' {
			d.names = append(d.names, name)
			d.at[name] = at
		}
		return jsoncursor.ValueEnd(d.text, at)
	})
	return err
}

// rows calls do with each row of a table, in their order.
func (d *database) rows(table string, do func(row *jsontree.Value) error) error {
	at, ok := d.at[table]
	if !ok {
		return nil
	}
	var err error
	jsoncursor.Children(d.text, at, func(_ []byte, at int) int {
		if err == nil {
			err = d.row(table, at, do)
		}
		return jsoncursor.ValueEnd(d.text, at)
	})
	return err
}

func (d *database) row(table string, at int, do func(row *jsontree.Value) error) error {
	if d.text[at] != '{' {
		return d.fault(at, fmt.Sprintf("a row of %s is %s, not an object", documents.Quoted(table), jsonscan.KindName(d.text[at])), "")
	}
	row, err := jsontree.ParseValid(d.text, at)
	if err != nil {
		return err
	}
	return do(row)
}

// count returns the number of rows of a table.
func (d *database) count(table string) int {
	n := 0
	jsoncursor.Children(d.text, d.at[table], func(_ []byte, at int) int {
		n++
		return jsoncursor.ValueEnd(d.text, at)
	})
	return n
}
