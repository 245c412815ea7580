// This file finds the parts of an export: schemas, entities, links and the configuration.

package strapi

import (
	"context"
	"errors"
	"strings"

	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/exports"
)

// howto says how an export is made that can be read.
const howto = "export it with: strapi export --no-encrypt"

// visit takes the lines of a folder's files.
type visit map[string]func(v *jsontree.Value) error

// read passes the lines of an export to their readers, in the order of the export, and counts the files by their
// folders.
func read(ctx context.Context, e *export.Export, do visit) (files map[string]int, err error) {
	files = map[string]int{}
	if strings.HasSuffix(strings.ToLower(e.Path), ".enc") {
		return nil, &export.Fault{File: e.Path, Message: "this export is encrypted", Hint: howto}
	}
	err = e.Files(ctx, func(f *export.File) error {
		part := exports.StrapiPart(f.Name)
		files[part]++
		if do[part] == nil {
			return nil
		}
		return f.Lines(func(number int, text []byte) error {
			v, err := jsontree.Parse(text)
			if err != nil {
				return f.Explain(text, number, err)
			}
			if !v.IsObject() {
				return f.Fault(number, 1, "this line must be an object, not "+v.Kind(), "")
			}
			return do[part](v)
		})
	})
	return files, err
}

// notExport explains why a file is not an export.
func notExport(e *export.Export, err error) error {
	if fault, ok := errors.AsType[*export.Fault](err); ok && strings.Contains(fault.Message, "not a tar archive") {
		fault.Hint = "if it is encrypted, " + howto
	}
	if err == nil {
		return &export.Fault{File: e.Path, Message: "this is not an export of Strapi: it has no file entities/entities_00001.jsonl", Hint: howto}
	}
	return err
}
