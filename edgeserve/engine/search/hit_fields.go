// This file finds the values of fields that hits show.

package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"contentedge/edgeserve/engine/aggs"
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

const (
	// maxDocvalueFields is the number of fields that docvalue_fields may reach, as in Elasticsearch.
	maxDocvalueFields = 100
	// readPerStep is the number of bytes of an item that are searched for a path in a step.
	readPerStep = 8
	// writtenPerStep is the number of bytes of values that are written in a step.
	writtenPerStep = 16
	// nameSteps is about the cost of a name that is reached, perhaps again.
	nameSteps = 16
	// fieldSteps is about the cost of a field that is reached.
	fieldSteps = 32
	// maxFields is the number of fields that fields may reach.
	maxFields = 1 << 14
	// fieldBytes is about the length of a field with a value.
	fieldBytes = 64
)

// fields adds the part that writes the fields of a page.
func (p *hitParts) fields(page *hits.Page, docs []snapshot.DocID) error {
	c, body := p.c, p.body
	if body.Collapse == nil && len(body.Show.DocvalueFields)+len(body.Show.Fields) == 0 {
		return nil
	}
	list, numbers, err := c.docvalues(body, docs)
	if err != nil {
		return err
	}
	if p.written == nil && len(body.Show.Fields) > 0 {
		if p.written, err = c.written(body.Show.Fields); err != nil {
			return err
		}
	}
	written := p.written
	if len(list) > 0 && len(written) > 0 { // they replace doc values
		names := map[string]bool{}
		for _, f := range written {
			names[f.Name] = true
		}
		list = slices.DeleteFunc(list, func(v hits.Field[snapshot.DocID]) bool { return names[v.Name] })
	}
	page.Parts = append(page.Parts, hits.Fields(append(list, written...), docs))
	page.Extra += fieldBytes * len(list) * len(docs)
	if len(written) > 0 || numbers {
		for _, d := range docs {
			page.Extra += min(len(written)*fieldBytes, len(c.resolver.Reader.Fragment(d))) + len(c.resolver.Reader.Fragment(d))
		}
	}
	return nil
}

func badField(member, format string, args ...any) error {
	return &query.Error{Code: problem.BadBody, Parameter: member, Position: -1, Message: fmt.Sprintf(format, args...)}
}

// docvalues are the fields of docvalue_fields on a page, and the field of collapse if docvalue_fields does not reach
// it. A name given twice has its values twice. numbers reports whether values are read from items: columns have each
// value of an item once, but as in Elasticsearch only strings are shown once.
func (c *evaluation) docvalues(body *query.Body, docs []snapshot.DocID) (list []hits.Field[snapshot.DocID], numbers bool, err error) {
	const member = "docvalue_fields"
	count := 0
	texts := &itemTexts{c: c}
	reach := func(t fields.Target, format string) error {
		if count++; count > maxDocvalueFields {
			return badField(member, "docvalue_fields reaches more than %d fields: name fewer", maxDocvalueFields)
		}
		if t.Kind == fields.Text {
			return badField(member, "%.80q is text, which has no doc values: use %.80[1]s.keyword, or fields", t.Name())
		}
		values, err := c.docvaluesOf(&t, format, docs, texts)
		if err != nil {
			return err
		}
		if i := indexOfField(list, t.Name()); i >= 0 {
			list[i].Values = both(list[i].Values, values)
		} else {
			list = append(list, hits.Field[snapshot.DocID]{Name: t.Name(), Values: values})
		}
		return nil
	}
	for _, f := range body.Show.DocvalueFields {
		if fields.Valueless(f.Field) {
			return nil, false, badField(member, "%.80q has no doc values", f.Field)
		}
		for _, t := range c.resolver.Named(f.Field) {
			if err := reach(t, f.Format); err != nil {
				return nil, false, err
			}
		}
	}
	if body.Collapse != nil {
		if t, ok := c.resolver.Resolve(body.Collapse.Field); ok && indexOfField(list, t.Name()) < 0 {
			err = reach(t, "")
		}
	}
	return list, len(texts.paths) > 0, err
}

func indexOfField(list []hits.Field[snapshot.DocID], name string) int {
	return slices.IndexFunc(list, func(f hits.Field[snapshot.DocID]) bool { return f.Name == name })
}

// docvaluesOf returns what writes the doc values of a target.
func (c *evaluation) docvaluesOf(t *fields.Target, format string, docs []snapshot.DocID, texts *itemTexts) (valuesOf, error) {
	const member = "docvalue_fields"
	if t.Kind.Typed() && !t.Metadata && !address.IsScalar(t.Field.Path) { // which items have once
		write, err := typedWriter(member, t, format, 64)
		texts.paths = append(texts.paths, t.Field.Path)
		return texts.typed(len(texts.paths)-1, t.Kind, write), err
	}
	write, err := valueWriter(member, t, format)
	if err != nil {
		return nil, err
	}
	ordinals, err := c.ordinalsOf(t.Values.Column(), docs)
	return func(dst []byte, d snapshot.DocID) ([]byte, error) {
		for _, ord := range ordinals(d) {
			dst = write(append(dst, ','), ord)
		}
		return dst, c.work.Charge(1)
	}, err
}

type valuesOf = func(dst []byte, d snapshot.DocID) ([]byte, error)

func both(a, b valuesOf) valuesOf {
	return func(dst []byte, d snapshot.DocID) ([]byte, error) {
		dst, err := a(dst, d)
		if err != nil {
			return nil, err
		}
		return b(dst, d)
	}
}

// ordinalsOf returns the ordinals of the documents of a page in a column. A column knows of a
// document the least and the greatest one only; if there may be others, it reads all pairs.
func (c *evaluation) ordinalsOf(col *snapshot.Column, docs []snapshot.DocID) (func(d snapshot.DocID) []int, error) {
	several := map[snapshot.DocID][]int{}
	for _, d := range docs {
		if !col.Single && col.Has(d) && col.Least(d) != col.Greatest(d) {
			several[d] = nil
		}
	}
	if len(several) > 0 {
		for ord := range col.Distinct {
			from, to := col.Start(ord), col.Start(ord+1)
			if err := c.work.Charge(1 + to - from); err != nil {
				return nil, err
			}
			for p := from; p < to; p++ {
				if ords, ok := several[col.Doc(p)]; ok {
					several[col.Doc(p)] = append(ords, ord)
				}
			}
		}
	}
	return func(d snapshot.DocID) []int {
		if !col.Has(d) {
			return nil
		}
		if ords := several[d]; ords != nil {
			return ords
		}
		return []int{col.Least(d)}
	}, nil
}

// valueWriter returns what writes the value of an ordinal.
func valueWriter(member string, t *fields.Target, format string) (func(dst []byte, ord int) []byte, error) {
	if t.Kind == fields.Keyword {
		if format != "" {
			return nil, badField(member, "%.80q has no format: only numbers and dates have", t.Name())
		}
		return func(dst []byte, ord int) []byte {
			return envelope.JavaEscapes.AppendString(dst, string(t.Values.Strings().At(ord, nil)))
		}, nil
	}
	write, err := typedWriter(member, t, format, 64)
	return func(dst []byte, ord int) []byte {
		if t.Kind.IsFraction() {
			return write(dst, typedValue{f: t.Values.Numbers().Float(ord)})
		}
		return write(dst, typedValue{i: t.Values.Numbers().Int(ord)})
	}, err
}

// typedValue is a value of a typed field: i, but f of fractions.
type typedValue struct {
	i int64
	f float64
}

// readTyped parses the text of a value; ok is false for one that the field does not have.
func readTyped(kind fields.TargetKind, text string) (n typedValue, ok bool) {
	switch kind {
	case fields.Date:
		n.i, ok = analysis.ReadDate(text)
	case fields.Boolean:
		n.i, ok = analysis.ReadBool(text)
	case fields.Long:
		n.i, ok = analysis.ReadLong(text)
	default:
		if n.f, ok = analysis.ReadDouble(text); kind == fields.Float {
			n.f = float64(float32(n.f))
			ok = ok && !math.IsInf(n.f, 0)
		}
	}
	return n, ok
}

// typedWriter returns what writes values of a typed field. bits tell fractions apart.
func typedWriter(member string, t *fields.Target, format string, bits int) (func(dst []byte, n typedValue) []byte, error) {
	switch {
	case t.Kind == fields.Date:
		write, err := dateWriter(member, t, format)
		return func(dst []byte, n typedValue) []byte { return write(dst, n.i) }, err
	case t.Kind == fields.Boolean && format != "":
		return nil, badField(member, "%.80q has no format: only numbers and dates have", t.Name())
	case t.Kind == fields.Boolean:
		return func(dst []byte, n typedValue) []byte { return strconv.AppendBool(dst, n.i != 0) }, nil
	}
	double := func(dst []byte, f float64) []byte { return envelope.AppendFloat(dst, f, bits) }
	long := func(dst []byte, i int64) []byte { return strconv.AppendInt(dst, i, 10) }
	if format != "" {
		var ok bool
		if double, long, ok = aggs.NumberFormat(format); !ok {
			return nil, badField(member, "%.80q is not a known format of numbers, for %.80q", format, t.Name())
		}
	}
	return func(dst []byte, n typedValue) []byte {
		if t.Kind == fields.Long {
			return long(dst, n.i)
		}
		return double(dst, n.f)
	}, nil
}

func dateWriter(member string, t *fields.Target, format string) (func(dst []byte, ms int64) []byte, error) {
	write, err := aggs.DateFormat(format, time.UTC)
	if err != nil {
		return nil, badField(member, "%.80q: %s", t.Name(), err)
	}
	return write, nil
}

// written are the fields of the option fields, whose values are as written in items.
func (c *evaluation) written(asked []query.FieldFormat) (list []hits.Field[snapshot.DocID], err error) {
	const member = "fields"
	texts := &itemTexts{c: c}
	seen, asking := map[string]bool{}, map[query.FieldFormat]bool{}
	for i, f := range slices.Backward(asked) { // of a field that is reached several times, the last one counts
		if asking[f] {
			continue
		}
		if i > 0 {
			asking[f] = true
		}
		targets := c.resolver.Named(f.Field)
		for i := range slices.Backward(targets) {
			t := &targets[i]
			name := t.Name()
			if err := c.work.Charge(nameSteps); err != nil {
				return nil, err
			}
			if t.Metadata || seen[name] && f.Format == "" {
				continue // metadata is not a field of items
			}
			write, err := c.textWriter(member, t, f.Format)
			if err = cmp.Or(err, c.work.Charge(fieldSteps)); err != nil {
				return nil, err
			}
			if seen[name] {
				continue
			}
			if seen[name] = true; len(list) == maxFields {
				return nil, badField(member, "fields reaches more than %d fields: name fewer", maxFields)
			}
			list = append(list, hits.Field[snapshot.DocID]{Name: name, Values: texts.values(len(list), write)})
			texts.paths = append(texts.paths, t.Field.Path)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// itemTexts reads the values of paths of an item, of all paths in one pass.
type itemTexts struct {
	c      *evaluation
	paths  []string
	reader *envelope.ValueReader // nil before the first item
	doc    snapshot.DocID        // that was read last
	list   []string              // scratch
}

// values returns what writes the values of a path.
func (x *itemTexts) values(path int, write func(dst []byte, text string) []byte) func([]byte, snapshot.DocID) ([]byte, error) {
	return func(dst []byte, d snapshot.DocID) ([]byte, error) {
		if err := x.read(d); err != nil {
			return nil, err
		}
		before := len(dst)
		x.list = x.reader.Append(x.list[:0], path)
		for _, text := range x.list {
			dst = write(dst, text)
		}
		return dst, x.c.work.Charge(1 + (len(dst)-before)/writtenPerStep)
	}
}

// typed returns what writes the values of a typed path in order, repeated ones too.
func (x *itemTexts) typed(path int, kind fields.TargetKind, write func(dst []byte, n typedValue) []byte) valuesOf {
	var list []typedValue
	return func(dst []byte, d snapshot.DocID) ([]byte, error) {
		if err := x.read(d); err != nil {
			return nil, err
		}
		list = list[:0]
		x.list = x.reader.AppendWritten(x.list[:0], path) // as sub-fields read it
		for _, text := range x.list {
			if n, ok := readTyped(kind, text); ok {
				list = append(list, n)
			}
		}
		slices.SortFunc(list, func(a, b typedValue) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.f, b.f)) })
		before := len(dst)
		for _, n := range list {
			dst = write(append(dst, ','), n)
		}
		return dst, x.c.work.Charge(1 + len(list) + (len(dst)-before)/writtenPerStep)
	}
}

func (x *itemTexts) read(d snapshot.DocID) error {
	if x.reader != nil && x.doc == d {
		return nil
	}
	if x.reader == nil {
		x.reader = envelope.NewValueReader(x.paths, func(bytes int) error { return x.c.work.Charge(bytes / readPerStep) })
	}
	x.doc = d
	return x.reader.Read(x.c.resolver.Reader.Fragment(d))
}

// textWriter returns what writes a value from its text, after a comma; nothing if it does not fit.
func (c *evaluation) textWriter(member string, t *fields.Target, format string) (func(dst []byte, text string) []byte, error) {
	if format != "" && t.Kind != fields.Date {
		return nil, badField(member, "%.80q has no format: only dates have", t.Name())
	}
	if !t.Kind.Typed() {
		return func(dst []byte, text string) []byte { return envelope.JavaEscapes.AppendString(append(dst, ','), text) }, nil
	}
	write, err := typedWriter(member, t, format, t.Kind.Bits())
	return func(dst []byte, text string) []byte {
		if n, ok := readTyped(t.Kind, text); ok {
			dst = write(append(dst, ','), n)
		}
		return dst
	}, err
}
