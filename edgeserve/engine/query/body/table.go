// This file defines tables of options. A row is the only place that knows an option: its parser, whether it
// is required, and its place in the list of known options that errors show.

package body

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// need says whether an option has to be given.
type need uint8

const (
	optional need = iota
	required
	unlisted // another spelling, or an option that its parser refuses: errors do not list it
)

// option is a row of a table. parse parses the value of the option and sets it in a T.
type option[T any] struct {
	name  string
	need  need
	parse func(p *parser, to *T, v *strictjson.Value)
}

// table holds the options of an object that describes a T. Its code does not depend on T: each T would have a copy.
type table struct {
	of   string // what has the options, in the words of error messages
	rows []row
}

// row is an option of a table. parse sets the option in a T, given as *T.
type row struct {
	name  string
	need  need
	parse func(p *parser, to any, v *strictjson.Value)
}

// newTable panics where add does.
func newTable[T any](of string, options []option[T]) *table {
	t := &table{of, make([]row, 0, len(options))}
	for _, o := range options {
		var parse func(p *parser, to any, v *strictjson.Value)
		if o.parse != nil {
			parse = func(p *parser, to any, v *strictjson.Value) { o.parse(p, to.(*T), v) }
		}
		t.add(o.name, o.need, parse)
	}
	return t
}

// add adds a row. It panics if the table has one of the name, or if the row has no parser.
func (t *table) add(name string, need need, parse func(p *parser, to any, v *strictjson.Value)) {
	if parse == nil || t.row(name) != nil {
		panic(fmt.Sprintf("the option %q of %s is named twice, or has no parser", name, t.of))
	}
	t.rows = append(t.rows, row{name, need, parse})
}

// parse parses all options in v, then checks that no required one is absent.
func (t *table) parse(p *parser, to any, v *strictjson.Value) {
	t.read(p, to, v)
	t.checkRequired(p, v)
}

// parseObject is parse for a value that may be no object, which is an error.
func (t *table) parseObject(p *parser, to any, v *strictjson.Value) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object")
		return
	}
	t.parse(p, to, v)
}

// read parses all options in v. An unknown option is an error.
func (t *table) read(p *parser, to any, v *strictjson.Value) {
	for i := range v.Items {
		m := &v.Items[i]
		if r := t.row(m.Name); r != nil {
			r.parse(p, to, m)
		} else {
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", strictjson.Clip(m.Name), t.of, strings.Join(t.known(), ", "))
		}
	}
}

// checkRequired reports the first required option that v lacks.
func (t *table) checkRequired(p *parser, v *strictjson.Value) {
	for i := range t.rows {
		if t.rows[i].need == required {
			p.require(v, t.rows[i].name)
		}
	}
}

// onField parses {"F":{"option":…}}, or the short form {"F":"a"} with the value of the first option. It returns the
// field F and its value, or nil if v names no field.
func (t *table) onField(p *parser, to any, v *strictjson.Value) (field string, options *strictjson.Value) {
	f := p.field(v)
	switch {
	case f == nil:
		return "", nil
	case f.Kind != strictjson.Object:
		t.rows[0].parse(p, to, f)
		return f.Name, f
	}
	t.parse(p, to, f)
	return f.Name, f
}

func (t *table) row(name string) *row {
	for i := range t.rows {
		if t.rows[i].name == name {
			return &t.rows[i]
		}
	}
	return nil
}

// known returns the names of the listed options.
func (t *table) known() (names []string) {
	for i := range t.rows {
		if t.rows[i].need != unlisted {
			names = append(names, t.rows[i].name)
		}
	}
	return names
}
