// This file holds tables, which a text may give in any order, and their values.

package tomltext

import (
	"math/big"
	"strings"
	"time"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tableKind says what made a table, and so what may add to it.
type tableKind uint8

const (
	implicit tableKind = iota // a header of a table below it
	header                    // its own header
	dotted                    // a key with dots
	inline                    // braces: complete
)

type table struct {
	kind    tableKind
	at      record.Place
	members []member
	index   map[string]int // of many members
}

type member struct {
	key
	*value
}

// value is a value of a table: exactly one of its fields, or an empty string.
type value struct {
	at       record.Place // of its key; of an element: its own
	table    *table
	elements []*table // of [[headers]]
	array    []*value
	isArray  bool
	literal  string // JSON
	text     string
	textAt   record.Place
}

const indexed = 16 // members from which on a table has an index

func (t *table) get(name string) *value {
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return t.members[i].value
		}
		return nil
	}
	for i := range t.members {
		if t.members[i].name == name {
			return t.members[i].value
		}
	}
	return nil
}

func (t *table) put(k key, v *value) {
	t.members = append(t.members, member{k, v})
	if len(t.members) == indexed {
		t.index = make(map[string]int, 2*indexed)
		for i := range t.members {
			t.index[t.members[i].name] = i
		}
	} else if t.index != nil {
		t.index[k.name] = len(t.members) - 1
	}
}

func (t *table) add(k key, more *table) *table {
	t.put(k, &value{at: k.at, table: more})
	return more
}

func (t *table) write(b *record.Builder) {
	b.Object(t.at)
	for _, m := range t.members {
		if b.Fault() != nil {
			return
		}
		b.Key(m.name, m.key.at)
		m.value.write(b)
	}
	b.EndObject()
}

func (v *value) write(b *record.Builder) {
	switch {
	case v.table != nil:
		v.table.write(b)
	case v.elements != nil:
		b.Array(v.at)
		for _, t := range v.elements {
			t.write(b)
		}
		b.EndArray()
	case v.isArray:
		b.Array(v.textAt)
		for _, e := range v.array {
			e.write(b)
		}
		b.EndArray()
	case v.literal != "":
		b.Literal(v.literal, v.textAt)
	default:
		b.String(v.text, v.textAt)
	}
}

// value reads a value below a number of tables and arrays. near is a place close to it.
func (r *reader) value(n *unstable.Node, near record.Place, depth int) *value {
	v := &value{at: near, textAt: near}
	if r.values++; r.values > maxValues {
		r.failf(near, "divide it into several files, or write it as JSON", "this record has more than %d values", maxValues)
	} else if depth > record.MaxDepth {
		r.failf(near, "", "%s", documents.TooDeep)
	}
	if r.fault != nil {
		return v
	}
	if n.Kind != unstable.Array { // has no range
		v.textAt = r.place(n)
	}
	text := string(n.Data)
	switch n.Kind {
	case unstable.Array:
		v.isArray = true
		for it := n.Children(); it.Next() && r.fault == nil; {
			v.array = append(v.array, r.value(it.Node(), near, depth+1))
		}
		if len(v.array) > 0 && !v.array[0].isArray {
			v.textAt = v.array[0].textAt
		}
	case unstable.InlineTable:
		v.table = &table{kind: dotted, at: v.textAt} // until it is complete
		for it := n.Children(); it.Next() && r.fault == nil; {
			r.member(v.table, depth+1, it.Node())
		}
		v.table.close()
	case unstable.Bool:
		v.literal = text
	case unstable.Integer, unstable.Float:
		v.literal = r.number(text, v.textAt)
	case unstable.LocalDate, unstable.LocalTime, unstable.LocalDateTime, unstable.DateTime:
		if !isDate(text) {
			r.failf(v.textAt, "put it in quotes if it is a text", "%s is not a date or time", documents.Quoted(text))
		}
		v.text = text
	default:
		v.text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return v
}

// close keeps headers and keys with dots from adding to a table.
func (t *table) close() {
	t.kind = inline
	for _, m := range t.members {
		if m.table != nil && m.table.kind != inline {
			m.table.close()
		}
	}
}

// number returns a number as JSON.
func (r *reader) number(text string, at record.Place) string {
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	if jsonscan.IsNumber(plain) {
		return plain
	}
	if n, ok := new(big.Int).SetString(plain, 0); ok && len(plain) < 100 {
		return n.String()
	}
	r.failf(at, "put it in quotes if it is a text", "JSON has no number %s", documents.Quoted(text))
	return "null"
}

// dates are the forms of dates and times. Fractions of seconds are read without being named.
var dates = []string{"2006-01-02", "15:04:05", "15:04", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04", "2006-01-02T15:04Z07:00"}

func isDate(text string) bool {
	text = strings.ToUpper(strings.Replace(text, " ", "T", 1))
	for _, form := range dates {
		if _, err := time.Parse(form, text); err == nil {
			return true
		}
	}
	return false
}
