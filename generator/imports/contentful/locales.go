// This file counts the locales that have values, and finds the value of a field in one.

package contentful

import (
	"cmp"
	"slices"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
)

// readIDs records the ids of entries and assets, and counts the entries with a value in each locale.
func (s *space) readIDs() error {
	err := s.each("entries", func(v *jsontree.Value) error {
		id, err := s.idOf(v, classEntry)
		if err != nil {
			return err
		}
		s.entries[id] = true
		if typeID := typeOf(v); !s.hasType(typeID) {
			s.job.Type(typeID).Fields(v.Get("fields"))
		}
		return s.countLocales(v)
	})
	if err != nil {
		return err
	}
	return s.each("assets", func(v *jsontree.Value) error {
		id, err := s.idOf(v, classAsset)
		s.assets[id] = v.Offset
		return err
	})
}

func (s *space) countLocales(entry *jsontree.Value) error {
	seen := map[string]bool{}
	fields := entry.Get("fields")
	if fields != nil && !fields.IsObject() {
		return s.fault(fields, "the fields of an entry must be an object, not "+fields.Kind())
	}
	if fields == nil {
		return nil
	}
	for _, field := range fields.Members {
		if !field.Value.IsObject() {
			return s.fault(field.Value, "the values of a field must be in an object by locale, as contentful space export writes them")
		}
		for _, m := range field.Value.Members {
			if seen[m.Name] {
				continue
			}
			seen[m.Name] = true
			s.list.Count(m.Name)
		}
	}
	return nil
}

// chooseLocales decides which locales are imported. Without a list of locales the one with the most
// values is the default.
func (s *space) chooseLocales() (err error) {
	if len(s.arrays["locales"]) == 0 {
		slices.SortFunc(s.list.All, func(a, b imports.Locale) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Code, b.Code)) })
		if len(s.list.All) > 0 {
			s.standard = s.list.All[0].Code
		}
	}
	if s.localesSet, err = s.job.Locales(s.list.All); err == nil && len(s.localesSet.Codes) == 0 {
		s.localesSet.Codes = []string{s.standard}
	}
	return err
}

// in returns the value of a field in a locale. A field that is not localized has the same in all.
func (s *space) in(field *jsontree.Value, localized bool, code string) *jsontree.Value {
	if localized {
		return s.localesSet.Value(field, code)
	}
	if v := field.Get(s.standard); v != nil {
		return v
	}
	if v := s.localesSet.Value(field, code); v != nil || !field.IsObject() || len(field.Members) == 0 {
		return v
	}
	return field.Members[0].Value
}
