// This file checks a manifest's content. Its rules keep every name that a reader will
// open inside the release, and every number within what a reader computes with.

package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The limits of a manifest's numbers and names.
const (
	maxPageSize = 10000
	maxEnv      = 64
)

func (m *Manifest) check() error {
	if err := checkOrder(m.Defaults.Sort, m.Defaults.PageSize); err != nil {
		return fmt.Errorf("defaults: %w", err)
	}
	if m.Files < 0 || m.Bytes < 0 {
		return errors.New("a negative size")
	}
	if err := m.checkFiles(); err != nil {
		return err
	}
	for i := range m.Environments {
		e := &m.Environments[i]
		if err := e.check(); err != nil {
			return fmt.Errorf("environment %q: %w", e.ID, err)
		}
		if i > 0 && m.Environments[i-1].ID >= e.ID {
			return fmt.Errorf("environment %q is not after %q", e.ID, m.Environments[i-1].ID)
		}
	}
	return nil
}

// checkFiles checks what the manifest says of coded files and of the sums.
func (m *Manifest) checkFiles() error {
	for i, c := range m.Compression {
		if c.Coding == "" || strings.Trim(c.Coding, letters) != "" || c.Level < 0 {
			return fmt.Errorf("compression %d: %q of level %d is no coding", i, c.Coding, c.Level)
		}
		if i > 0 && m.Compression[i-1].Coding >= c.Coding {
			return fmt.Errorf("compression %d: %q is not after %q", i, c.Coding, m.Compression[i-1].Coding)
		}
	}
	if !isHex(m.Sums.SHA256, sha256.Size) {
		return fmt.Errorf("sums: sha256 %q is not 64 lower-case hexadecimal digits", m.Sums.SHA256)
	}
	if m.Sums.Bytes < 0 {
		return errors.New("sums: a negative size")
	}
	return nil
}

// checkFields checks that each path stands once, and that types and sub-fields have names.
func checkFields(fields []Field) error {
	for i, f := range fields {
		if i > 0 && fields[i-1].Path >= f.Path {
			return fmt.Errorf("field %q is not after %q", f.Path, fields[i-1].Path)
		}
		for _, name := range append([]string{f.Type}, f.SubFields...) {
			if name == "" || strings.Trim(name, letters) != "" {
				return fmt.Errorf("field %q: %q is no type", f.Path, name)
			}
		}
	}
	return nil
}

func (e *Environment) check() error {
	if !validEnv(e.ID) {
		return errors.New("not an environment's id")
	}
	if e.Items < 0 || e.Files < 0 || e.Bytes < 0 {
		return errors.New("a negative size")
	}
	if err := e.Snapshot.check(e.ID); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if err := checkFields(e.Fields); err != nil {
		return err
	}
	seen := make(map[string]bool, len(e.Lists))
	for i := range e.Lists {
		f := &e.Lists[i]
		if err := f.check(); err != nil {
			return fmt.Errorf("list %d: %w", i, err)
		}
		key := fmt.Sprint(f.Filters, f.Sort, f.Asc, f.PageSize)
		if seen[key] {
			return fmt.Errorf("list %d: there twice", i)
		}
		seen[key] = true
	}
	return nil
}

// check compares the file's name with the only one that a snapshot of that environment
// and content can have, so no name leads anywhere else.
func (s *Snapshot) check(env string) error {
	sum, err := hex.DecodeString(s.SHA256)
	if err != nil || !isHex(s.SHA256, sha256.Size) {
		return fmt.Errorf("sha256 %q is not 64 lower-case hexadecimal digits", s.SHA256)
	}
	if want := SnapshotName(env, [32]byte(sum)); s.File != want {
		return fmt.Errorf("file %q should be %q", s.File, want)
	}
	if s.Bytes < 0 {
		return errors.New("a negative size")
	}
	return nil
}

func (f *Family) check() error {
	if err := checkOrder(f.Sort, f.PageSize); err != nil {
		return err
	}
	last := -1
	for _, name := range f.Filters {
		i := slices.Index(filterNames[:], name)
		if i <= last {
			return fmt.Errorf("filters %q are not some of %q in that order", f.Filters, filterNames)
		}
		last = i
	}
	for i := range f.Values {
		if err := f.Values[i].check(f.Filters); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
		if i > 0 && f.compare(&f.Values[i-1], f.Values[i].text) >= 0 {
			return fmt.Errorf("value %d is not after the one before it", i)
		}
	}
	return nil
}

// compare orders a value and the texts of another one by the family's filters.
func (f *Family) compare(v *FamilyValue, text func(filter string) string) int {
	for _, name := range f.Filters {
		if c := strings.Compare(v.Filters[name], text(name)); c != 0 {
			return c
		}
	}
	return 0
}

func (v *FamilyValue) check(filters []string) error {
	if v.TotalItems < 0 {
		return errors.New("a negative total")
	}
	if len(v.Filters) != len(filters) {
		return fmt.Errorf("it has %d filters, the list %d", len(v.Filters), len(filters))
	}
	for _, name := range filters {
		if v.Filters[name] == "" {
			return fmt.Errorf("no value for the filter %q", name)
		}
	}
	return nil
}

// checkOrder checks the name of a field and a page size.
func checkOrder(sort string, pageSize int) error {
	if sort == "" || strings.Trim(sort, letters) != "" {
		return fmt.Errorf("%q is no field to sort by", sort)
	}
	if pageSize < 1 || pageSize > maxPageSize {
		return fmt.Errorf("page size %d is not from 1 to %d", pageSize, maxPageSize)
	}
	return nil
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// validEnv reports whether s can be an environment's id, hence a part of a file name.
func validEnv(s string) bool {
	return s != "" && len(s) <= maxEnv && strings.Trim(s, letters+digits+"_-") == "" && !strings.ContainsAny(s[:1], "_-")
}
