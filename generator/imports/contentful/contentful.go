// Package contentful imports what `contentful space export` writes: one JSON object with the entries,
// assets, content types and locales of an environment of a space, as its management API has them.
package contentful

import (
	"context"
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/exports"
	"contentedge/generator/source/jsonscan"
)

// System is Contentful.
var System = imports.System{Name: exports.Contentful, Read: read, RichText: []plaintext.Format{plaintext.Contentful}}

// The classes of ids: an entry and an asset may have the same id.
const (
	classEntry = "Entry"
	classAsset = "Asset"
)

// space is an export in memory.
type space struct {
	job  *imports.Job
	file *export.File
	text []byte

	types   map[string]contentType
	tags    map[string]string // names by id
	assets  map[string]int    // offsets by id
	entries map[string]bool   // ids
	arrays  map[string][]int  // offsets of the elements of the arrays

	list       imports.LocaleList
	standard   string // the default locale
	localesSet *imports.Locales
	linked     map[string]bool // assets that items refer to
	known      map[mediaKey]linkedAsset
}

type contentType struct {
	name, display string
	localized     map[string]bool // by the ids of its fields; other ids are unknown
	plain         map[string]bool // fields of JSON, which stay as they are
}

func read(ctx context.Context, j *imports.Job) error {
	s := &space{job: j, types: map[string]contentType{}, tags: map[string]string{}, assets: map[string]int{}, entries: map[string]bool{}, linked: map[string]bool{}, known: map[mediaKey]linkedAsset{}}
	if err := s.find(ctx); err != nil {
		return err
	}
	for _, step := range []func() error{s.readTypes, s.readTags, s.readLocales, s.readIDs} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := s.chooseLocales(); err != nil {
		return err
	}
	if err := s.convertEntries(ctx); err != nil {
		return err
	}
	if err := s.convertAssets(ctx); err != nil {
		return err
	}
	s.countOthers()
	return nil
}

// find reads the file that is the export. A folder or an archive may hold the assets' files too.
func (s *space) find(ctx context.Context) error {
	err := s.job.Export.Files(ctx, func(f *export.File) error {
		const kind = "file"
		if !strings.HasSuffix(strings.ToLower(f.Name), ".json") && f.Show != s.job.Export.Path {
			s.job.Read(kind)
			s.job.Skipped(kind, "not JSON")
			return nil
		}
		text, err := f.All(export.MaxWhole)
		if err != nil {
			return err
		}
		arrays, err := arraysOf(f, text)
		switch {
		case err != nil:
			return err
		case arrays == nil:
			s.job.Read(kind)
			s.job.Skipped(kind, "not an export of Contentful")
		case s.file != nil:
			return f.Fault(0, 0, "this is an export of Contentful, and so is "+s.file.Show, "name the one to import")
		default:
			s.file, s.text, s.arrays = f, text, arrays
		}
		return nil
	})
	if err == nil && s.file == nil {
		return &export.Fault{File: s.job.Export.Path, Message: "this is not an export of Contentful: no object with entries, contentTypes, assets or locales", Hint: "contentful space export writes one"}
	}
	return err
}

// members are the members by which an export is recognised.
var members = []string{"entries", "contentTypes", "assets", "locales"}

// arraysOf returns the offsets of the elements of an export's members. It returns nil if the text is not an export. A
// member without an array has one element.
func arraysOf(f *export.File, text []byte) (map[string][]int, error) {
	root, err := jsontree.Check(text)
	if err != nil {
		return nil, f.Explain(text, 1, err)
	}
	if text[root] != '{' {
		return nil, nil
	}
	arrays, isExport := map[string][]int{}, false
	var wrong error
	jsoncursor.Children(text, root, func(quoted []byte, at int) int {
		name := string(jsoncursor.Unquote(quoted))
		for _, k := range members {
			if name != k {
				continue
			}
			isExport = true
			if text[at] != '[' {
				line, col := jsonscan.Place(text, at)
				wrong = f.Fault(line, col, name+" must be an array, not "+jsonscan.KindName(text[at]), "")
			}
		}
		if text[at] != '[' {
			arrays[name] = []int{at}
			return jsoncursor.ValueEnd(text, at)
		}
		arrays[name] = []int{}
		return jsoncursor.Children(text, at, func(_ []byte, at int) int {
			arrays[name] = append(arrays[name], at)
			return jsoncursor.ValueEnd(text, at)
		})
	})
	if !isExport {
		return nil, nil
	}
	return arrays, wrong
}

// each calls do with each element of an array of the export.
func (s *space) each(name string, do func(v *jsontree.Value) error) error {
	for _, at := range s.arrays[name] {
		v, err := jsontree.ParseValid(s.text, at)
		if err != nil {
			return s.file.Explain(s.text, 1, err)
		}
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *space) fault(v *jsontree.Value, message string) error {
	line, col := jsonscan.Place(s.text, v.Offset)
	return s.file.Fault(line, col, message, "")
}

// idOf returns the id of an entry or an asset.
func (s *space) idOf(v *jsontree.Value, class string) (string, error) {
	id := v.Get("sys", "id").Str()
	if id == "" {
		return "", s.fault(v, "this "+class+" has no sys.id")
	}
	return id, nil
}

func (s *space) readTypes() error {
	return s.each("contentTypes", func(v *jsontree.Value) error {
		t := contentType{name: v.Get("name").Str(), display: v.Get("displayField").Str(), localized: map[string]bool{}, plain: map[string]bool{}}
		typeID := v.Get("sys", "id").Str()
		of := s.job.Type(typeID)
		for _, f := range v.Get("fields").List() {
			id := f.Get("id").Str()
			t.localized[id] = f.Get("localized").IsTrue()
			t.plain[id] = f.Get("type").Str() == "Object"
			if kind := f.Get("type").Str(); kind != "Boolean" && kind != typeLink {
				of.Field(id)
			}
		}
		s.types[typeID] = t
		return nil
	})
}

func (s *space) readTags() error {
	return s.each("tags", func(v *jsontree.Value) error {
		s.tags[v.Get("sys", "id").Str()] = v.Get("name").Str()
		return nil
	})
}

// countOthers accounts for the parts of an export other than entries and assets.
func (s *space) countOthers() {
	for name, list := range s.arrays {
		if name == "entries" || name == "assets" {
			continue
		}
		why := "not content"
		if name == "contentTypes" || name == "locales" || name == "tags" {
			why = "describes entries"
		}
		for range list {
			s.job.Read(name)
			s.job.Skipped(name, why)
		}
	}
}

// kindOf names the kind of an entry in the account.
func kindOf(typeID string) string { return strings.TrimSpace(classEntry + " " + typeID) }

func (s *space) readLocales() error {
	defaults := 0
	err := s.each("locales", func(v *jsontree.Value) error {
		code := v.Get("code").Str()
		if code == "" {
			return s.fault(v, "this locale has no code")
		}
		s.list.Add(imports.Locale{Code: code, Fallback: v.Get("fallbackCode").Str()})
		if v.Get("default").IsTrue() {
			if defaults++; defaults == 1 {
				s.standard = code
			} else {
				s.job.Warn(fmt.Sprintf("several locales are the default one; %s is taken", s.standard), code)
			}
		}
		return nil
	})
	if s.standard == "" && len(s.list.All) > 0 {
		s.standard = s.list.All[0].Code
	}
	return err
}
