// Package sanity imports what `sanity dataset export` writes: a tar archive with data.ndjson, a document a line,
// assets.json and the files of assets. A data.ndjson without the archive will do, also one that was written for `sanity
// dataset import`.
package sanity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/exports"
)

// System is Sanity.
var System = imports.System{Name: exports.Sanity, Read: read, RichText: []plaintext.Format{plaintext.PortableText}}

// The classes of ids.
const (
	classDocument = "Document"
	classAsset    = "Asset"
)

// dataset is an export. It is read twice: what a document becomes depends on others.
type dataset struct {
	job     *imports.Job
	dataset string // the name of the file with the documents

	documents map[string]*known  // by _id, as written
	unnamed   map[string]int     // documents without _id by type and slug
	locales   imports.LocaleList // values of language
	chosen    *imports.Locales   // by --locales; nil: all documents come into one environment
	details   map[string]details // of assets, by the beginning of their ids

	linked map[string]bool // assets that items refer to
	assets []asset         // that the export has, as documents or as files
}

// known is what the first reading notes of a document.
type known struct {
	sum   [16]byte // of its line
	line  int
	kind  string
	taken bool // it becomes an item
	done  bool // the second reading has met it
}

func read(ctx context.Context, j *imports.Job) error {
	d := &dataset{job: j, documents: map[string]*known{}, unnamed: map[string]int{}, details: map[string]details{}, linked: map[string]bool{}}
	if err := j.Export.Files(ctx, d.survey); err != nil {
		return err
	}
	if d.dataset == "" {
		return &export.Fault{File: j.Export.Path, Message: "this is not an export of Sanity: it has no .ndjson file", Hint: "sanity dataset export writes an archive with data.ndjson"}
	}
	d.note()
	if err := d.chooseLocales(); err != nil {
		return err
	}
	if err := j.Export.Files(ctx, d.convert); err != nil {
		return err
	}
	return d.countAssets()
}

// isData reports whether a file holds documents. A file that is the whole export does, whatever its
// name is.
func (d *dataset) isData(f *export.File) bool {
	extension := strings.ToLower(path.Ext(f.Name))
	return extension == ".ndjson" || extension == ".jsonl" || f.Show == d.job.Export.Path
}

// document calls do with each document of a file.
func document(f *export.File, do func(line int, text []byte, v *jsontree.Value) error) error {
	return f.Lines(func(line int, text []byte) error {
		v, err := jsontree.Parse(text)
		switch {
		case err != nil:
			return explain(f, text, line, err)
		case !v.IsObject():
			return f.Fault(line, 1, "a document must be an object, not "+v.Kind(), "")
		case v.Get("_type").Str() == "":
			return f.Fault(line, 1, "this document has no _type", oneALine)
		}
		return do(line, text, v)
	})
}

// explain adds to the fault of a line that ends too early what a line holds.
func explain(f *export.File, text []byte, line int, err error) error {
	if wrong, ok := errors.AsType[*jsontree.Error](err); ok && wrong.Offset == len(text) {
		wrong.Hint = oneALine
	}
	return f.Explain(text, line, err)
}

const oneALine = "an export of Sanity has documents with _id and _type, one a line"

// survey is the first reading of a file.
func (d *dataset) survey(f *export.File) error {
	switch {
	case path.Base(f.Name) == "assets.json":
		return d.readDetails(f)
	case !d.isData(f):
		return nil
	case d.dataset != "":
		return f.Fault(0, 0, "this file has documents, and so has "+d.dataset, "name the one to import")
	}
	d.dataset = f.Show
	return document(f, func(line int, text []byte, v *jsontree.Value) error { return d.surveyOne(f, line, text, v) })
}

func (d *dataset) surveyOne(f *export.File, line int, text []byte, v *jsontree.Value) error {
	kind, id := v.Get("_type").Str(), v.Get("_id").Str()
	if assetDocument(kind) {
		d.addDetails(id, v)
	}
	d.noteType(kind, v)
	d.countLocale(v)
	if id == "" {
		d.unnamed[slugKey(v)]++
		return nil
	}
	sum := sha256.Sum256(text)
	k := &known{sum: [16]byte(sum[:]), line: line, kind: kind}
	if first := d.documents[id]; first != nil && first.sum != k.sum {
		return f.Fault(line, 1, "the _id "+documents.Cut(id)+" is given twice, with other content", "the first one is in line "+number(first.line))
	} else if first != nil {
		return nil
	}
	d.documents[id] = k
	return nil
}

// noteType records the facts that decide whether a type is people's data.
func (d *dataset) noteType(kind string, v *jsontree.Value) {
	if ofSanity(kind) {
		return
	}
	of := d.job.Type(kind)
	of.Fields(v)
	if imports.HasSecret(v) {
		of.Holds("passwords or keys")
	}
}

// note marks the documents that become items, when it is known which types are people's data.
func (d *dataset) note() {
	for id, k := range d.documents {
		form, base := formOf(id)
		k.taken = d.withoutType(k.kind) == "" && (form == published || form == draft && d.documents[base] == nil)
	}
}

// form is what the id of a document says about it.
type form int

const (
	published form = iota
	draft
	version // of a release that is not out yet
	hidden  // only users with a token can read it
)

// formOf returns the form of a document, and the id of the published one.
func formOf(id string) (form, string) {
	if base, ok := strings.CutPrefix(id, "drafts."); ok && !strings.Contains(base, ".") {
		return draft, base
	}
	if rest, ok := strings.CutPrefix(id, "versions."); ok {
		if _, base, ok := strings.Cut(rest, "."); ok && !strings.Contains(base, ".") {
			return version, base
		}
	}
	if strings.Contains(id, ".") {
		return hidden, id
	}
	return published, id
}

// slugKey is the id that a document without one gets: its type and its slug. Without a slug it is empty.
func slugKey(v *jsontree.Value) string {
	slug := v.Get("slug", "current").Str()
	if slug == "" {
		slug = v.Get("slug").Str()
	}
	if slug == "" {
		return ""
	}
	return v.Get("_type").Str() + "/" + slug
}

// idOf returns the id of a document that has one, or the one that it gets.
func (d *dataset) idOf(v *jsontree.Value) string {
	if id := v.Get("_id").Str(); id != "" {
		_, base := formOf(id)
		return base
	}
	if key := slugKey(v); key != "" && d.unnamed[key] == 1 {
		d.job.Warn("documents without _id have ids from their types and slugs", key)
		return key
	}
	sum := sha256.Sum256(v.Append(nil))
	d.job.Warn("documents without _id and without a slug of their own have ids from their content, so that an edit makes a new item", v.Get("_type").Str())
	return hex.EncodeToString(sum[:16])
}
