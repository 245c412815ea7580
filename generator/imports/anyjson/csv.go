// This file reads the rows of CSV as objects.

package anyjson

import (
	"bytes"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/csvtext"
)

// csv takes the rows of a file, or what the rules make of several rows.
func (in *finder) csv() error {
	text, err := in.file.All(csvtext.MaxText)
	if err != nil {
		return err
	}
	records, faults := csvtext.Records(text, csvtext.Options{Group: in.rules.group})
	if len(faults) > 0 {
		f := faults[0]
		return in.file.Fault(f.Line, f.Col, f.Message, f.Hint)
	}
	for i := range records {
		v, err := jsontree.ParseValid(records[i].JSON, 0)
		if err != nil {
			return in.file.Explain(records[i].JSON, records[i].Start().Line, err)
		}
		place := func(offset int) (int, int) {
			at := records[i].Place(offset)
			return at.Line, at.Col
		}
		if err := in.do(&element{v, in.file, place, in.name(), in.page()}); err != nil {
			return err
		}
	}
	return nil
}

// maxHead is how many bytes of a file are read to know its columns.
const maxHead = 64 << 10

// recognise uses the mapping file of the system whose columns the export has, unless something else says what an id is.
func (o *Options) recognise(ctx context.Context, j *imports.Job) error {
	if !o.CSV || o.ID != "" || j.Options.Mapping != nil {
		return nil
	}
	columns, err := columnsOf(ctx, j.Export)
	if err != nil {
		return err
	}
	for _, name := range imports.SystemNames(mappings) {
		m, err := imports.ReadMapping(name, mappings)
		if err != nil {
			return err
		}
		r, err := readRules(*o, m)
		if err != nil || len(r.header) == 0 {
			continue // it is of JSON
		}
		if !slices.ContainsFunc(r.header, func(column string) bool { return !slices.Contains(columns, column) }) {
			j.Options.Mapping = m
			j.Warn("the columns look like "+name+", so the import uses --mapping "+name, "")
			return nil
		}
	}
	return nil
}

// columnsOf returns the columns of the first file of an export.
func columnsOf(ctx context.Context, e *export.Export) (columns []string, err error) {
	err = e.Files(ctx, func(f *export.File) error {
		if columns != nil || f.Show != e.Path && !slices.Contains(extensions(true), strings.ToLower(path.Ext(f.Name))) {
			return nil
		}
		head, err := io.ReadAll(io.LimitReader(f, maxHead))
		columns = csvtext.Columns(bytes.TrimPrefix(head, []byte("\ufeff")))
		return err
	})
	return columns, err
}
