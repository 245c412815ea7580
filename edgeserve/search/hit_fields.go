// This file finds the values of fields that hits show.

package search

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/aggs"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/hits"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

const (
	// maxDocvalueFields is the number of fields that docvalue_fields may reach, as in Elasticsearch.
	maxDocvalueFields = 100
	// readPerStep is the number of bytes of an item that are searched for a path in a step.
	readPerStep = 8
	// fieldBytes is about the length of a field with a value.
	fieldBytes = 64
)

// hitFields adds the part that writes the fields of a page.
func (c *compiler) hitFields(body *query.Body, page *hits.Page) error {
	docvalues := body.DocvalueFields
	if body.Collapse != nil && !slices.ContainsFunc(docvalues, func(f query.FieldFormat) bool { return f.Field == body.Collapse.Field }) {
		docvalues = append(slices.Clone(docvalues), query.FieldFormat{Field: body.Collapse.Field})
	}
	if len(docvalues)+len(body.Fields) == 0 {
		return nil
	}
	list, err := c.docvalues(docvalues, page.Docs)
	if err != nil {
		return err
	}
	written, err := c.written(body.Fields)
	if err != nil {
		return err
	}
	for _, f := range written { // they replace doc values
		list = slices.DeleteFunc(list, func(v hits.Field) bool { return v.Name == f.Name })
	}
	page.Parts = append(page.Parts, hits.Fields(append(list, written...)))
	page.Extra += fieldBytes * len(list) * len(page.Docs)
	if len(written) > 0 {
		for _, d := range page.Docs {
			page.Extra += min(len(written)*fieldBytes, len(c.Reader.Fragment(d))) + len(c.Reader.Fragment(d))
		}
	}
	return nil
}

func badField(member, format string, args ...any) error {
	return &query.Error{Code: query.CodeBody, Parameter: member, Position: -1, Message: fmt.Sprintf(format, args...)}
}

// docvalues are the fields of docvalue_fields on a page. A name given twice has its values twice.
func (c *compiler) docvalues(asked []query.FieldFormat, docs []snapshot.DocID) (list []hits.Field, err error) {
	const member = "docvalue_fields"
	count := 0
	for _, f := range asked {
		if fields.Valueless(f.Field) {
			return nil, badField(member, "%.80q has no doc values", f.Field)
		}
		for _, t := range c.Named(f.Field) {
			if count++; count > maxDocvalueFields {
				return nil, badField(member, "docvalue_fields reaches more than %d fields: name fewer", maxDocvalueFields)
			}
			if t.Kind == fields.Text {
				return nil, badField(member, "%.80q is text, which has no doc values: use %.80[1]s.keyword, or fields", t.Name())
			}
			write, err := valueWriter(member, &t, f.Format)
			if err != nil {
				return nil, err
			}
			ordinals, err := c.ordinalsOf(t.Values.Column(), docs)
			if err != nil {
				return nil, err
			}
			values := func(dst []byte, d snapshot.DocID) ([]byte, error) {
				for _, ord := range ordinals(d) {
					dst = write(append(dst, ','), ord)
				}
				return dst, c.Charge(1)
			}
			name := t.Name()
			if i := slices.IndexFunc(list, func(f hits.Field) bool { return f.Name == name }); i >= 0 {
				list[i].Values = both(list[i].Values, values)
			} else {
				list = append(list, hits.Field{Name: name, Values: values})
			}
		}
	}
	return list, nil
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
func (c *compiler) ordinalsOf(col *snapshot.Column, docs []snapshot.DocID) (func(d snapshot.DocID) []int, error) {
	several := map[snapshot.DocID][]int{}
	for _, d := range docs {
		if !col.Single && col.Has(d) && col.Least(d) != col.Greatest(d) {
			several[d] = nil
		}
	}
	if len(several) > 0 {
		for ord := range col.Distinct {
			from, to := col.Start(ord), col.Start(ord+1)
			if err := c.Charge(1 + to - from); err != nil {
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
	numbers := t.Values.Numbers()
	switch {
	case format == "" || t.Kind == fields.Date:
	case t.Kind.IsNumber():
		write, writeInt, ok := aggs.NumberFormat(format)
		if !ok {
			return nil, badField(member, "%.80q is no format of numbers that is known here, for %.80q", format, t.Name())
		}
		return func(dst []byte, ord int) []byte {
			if t.Kind == fields.Long {
				return writeInt(dst, numbers.Int(ord))
			}
			return write(dst, numbers.Float(ord))
		}, nil
	default:
		return nil, badField(member, "%.80q has no format: only numbers and dates have", t.Name())
	}
	switch t.Kind {
	case fields.Keyword:
		return func(dst []byte, ord int) []byte {
			return envelope.JavaEscapes.AppendString(dst, string(t.Values.Strings().At(ord, nil)))
		}, nil
	case fields.Date:
		write, err := dateWriter(member, t, format)
		return func(dst []byte, ord int) []byte { return write(dst, numbers.Int(ord)) }, err
	case fields.Boolean:
		return func(dst []byte, ord int) []byte { return strconv.AppendBool(dst, numbers.Int(ord) != 0) }, nil
	case fields.Long:
		return func(dst []byte, ord int) []byte { return strconv.AppendInt(dst, numbers.Int(ord), 10) }, nil
	}
	return func(dst []byte, ord int) []byte { return envelope.AppendFloat(dst, numbers.Float(ord), 64) }, nil
}

func dateWriter(member string, t *fields.Target, format string) (func(dst []byte, ms int64) []byte, error) {
	write, err := aggs.DateFormat(format, time.UTC)
	if err != nil {
		return nil, badField(member, "%.80q: %s", t.Name(), err)
	}
	return write, nil
}

// written are the fields of the option fields, whose values are those written in items.
func (c *compiler) written(asked []query.FieldFormat) (list []hits.Field, err error) {
	const member = "fields"
	for _, f := range asked {
		for _, t := range c.Named(f.Field) {
			if t.Metadata {
				continue // it is no field of items
			}
			write, err := c.textWriter(member, &t, f.Format)
			if err != nil {
				return nil, err
			}
			field := hits.Field{Name: t.Name(), Values: func(dst []byte, d snapshot.DocID) ([]byte, error) {
				fragment := c.Reader.Fragment(d)
				for _, text := range envelope.AppendPathValues(nil, fragment, t.Field.Path) {
					dst = write(dst, text)
				}
				return dst, c.Charge(1 + len(fragment)/readPerStep)
			}}
			list = slices.DeleteFunc(list, func(before hits.Field) bool { return before.Name == field.Name })
			if list = append(list, field); len(list) > iter.LookEvery {
				return nil, badField(member, "fields reaches too many fields: name fewer")
			}
		}
	}
	return list, nil
}

// textWriter returns what writes a value from its text, after a comma; nothing if it does not fit.
func (c *compiler) textWriter(member string, t *fields.Target, format string) (func(dst []byte, text string) []byte, error) {
	if format != "" && t.Kind != fields.Date {
		return nil, badField(member, "%.80q has no format: only dates have", t.Name())
	}
	switch t.Kind {
	case fields.Date:
		write, err := dateWriter(member, t, format)
		return func(dst []byte, text string) []byte {
			if ms, ok := analysis.ReadDate(text); ok {
				dst = write(append(dst, ','), ms)
			}
			return dst
		}, err
	case fields.Boolean:
		return func(dst []byte, text string) []byte {
			if n, ok := analysis.ReadBool(text); ok {
				dst = strconv.AppendBool(append(dst, ','), n != 0)
			}
			return dst
		}, nil
	case fields.Long:
		return func(dst []byte, text string) []byte {
			if n, ok := analysis.ReadLong(text); ok {
				dst = strconv.AppendInt(append(dst, ','), n, 10)
			}
			return dst
		}, nil
	case fields.Float, fields.Double:
		return func(dst []byte, text string) []byte {
			f, ok := analysis.ReadDouble(text)
			if t.Kind == fields.Float {
				f = float64(float32(f))
			}
			if ok && !math.IsInf(f, 0) {
				dst = envelope.AppendFloat(append(dst, ','), f, t.Kind.Bits())
			}
			return dst
		}, nil
	}
	return func(dst []byte, text string) []byte { return envelope.JavaEscapes.AppendString(append(dst, ','), text) }, nil
}
