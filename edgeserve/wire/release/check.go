// This file validates a manifest: file names stay inside the release, numbers in range.

package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
)

func (m *Manifest) check() error {
	if own := m.ownFormat(); m.Format != own {
		return fmt.Errorf("it has format %d, but members of format %d", m.Format, own)
	}
	if m.Partial {
		return fmt.Errorf("it has format %d, partial releases have %d", m.Format, formatParts)
	}
	for i := range m.Environments {
		if err := m.Environments[i].check(); err != nil {
			return fmt.Errorf("environment %q: %w", m.Environments[i].ID, err)
		}
	}
	return m.checkWhole()
}

// checkWhole is check without the environments' members but their ids.
func (m *Manifest) checkWhole() error {
	if err := checkDefaultOrder(m.Defaults.Sort, m.Defaults.PageSize); err != nil {
		return fmt.Errorf("defaults: %w", err)
	}
	if m.Files < 0 || m.Bytes < 0 {
		return errors.New("negative size")
	}
	if err := m.Visible.check(); err != nil {
		return err
	}
	if err := m.checkFiles(); err != nil {
		return err
	}
	for i := range m.Environments {
		e := &m.Environments[i]
		if i > 0 && m.Environments[i-1].ID >= e.ID {
			return fmt.Errorf("environment %q is not after %q", e.ID, m.Environments[i-1].ID)
		}
	}
	return nil
}

func (m *Manifest) checkFiles() error {
	for i, c := range m.Compression {
		if c.Coding == "" || strings.Trim(c.Coding, letters) != "" || c.Level < 0 {
			return fmt.Errorf("compression %d: %q with level %d is not a content coding", i, c.Coding, c.Level)
		}
		if i > 0 && m.Compression[i-1].Coding >= c.Coding {
			return fmt.Errorf("compression %d: %q is not after %q", i, c.Coding, m.Compression[i-1].Coding)
		}
	}
	if !isHex(m.Checksums.SHA256, sha256.Size) {
		return fmt.Errorf("sums: sha256 %q is not 64 lower-case hexadecimal digits", m.Checksums.SHA256)
	}
	if m.Checksums.Bytes < 0 {
		return errors.New("sums: negative size")
	}
	return nil
}

func checkFields(fields []Field) error {
	for i, f := range fields {
		if i > 0 && fields[i-1].Path >= f.Path {
			return fmt.Errorf("field %q is not after %q", f.Path, fields[i-1].Path)
		}
		for _, name := range append([]string{f.Type}, f.SubFields...) {
			if name == "" || strings.Trim(name, letters) != "" {
				return fmt.Errorf("field %q: %q is not a type", f.Path, name)
			}
		}
	}
	return nil
}

func (e *Environment) check() error {
	if !address.ValidEnv(e.ID) {
		return errors.New("not a valid environment ID")
	}
	if e.Items < 0 || e.Files < 0 || e.Bytes < 0 || e.Media.Files < 0 || e.Media.Bytes < int64(e.Media.Files) {
		return errors.New("negative size")
	}
	if sum := e.Media.SHA256; sum != "" && (e.Media.Files == 0 || !isHex(sum, sha256.Size)) {
		return fmt.Errorf("media: sha256 %q is not 64 lower-case hexadecimal digits, or the number of files is 0", sum)
	}
	if err := e.Visible.check(); err != nil {
		return err
	}
	if err := e.Snapshot.check(e.ID); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if err := checkFields(e.Fields); err != nil {
		return err
	}
	if err := e.checkLeftOut(); err != nil {
		return err
	}
	if err := e.checkSearches(); err != nil {
		return err
	}
	if err := e.checkReferences(); err != nil {
		return err
	}
	if err := e.checkTemplates(); err != nil {
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
			return fmt.Errorf("list %d: duplicate", i)
		}
		seen[key] = true
	}
	return nil
}

func (e *Environment) checkLeftOut() error {
	if err := e.LeftOut.Check(); err != nil {
		return fmt.Errorf("paths left out: %w", err)
	}
	for _, f := range e.Fields {
		if rule := e.LeftOut.Rule(f.Path); rule != "" {
			return fmt.Errorf("field %q, but %q is left out", f.Path, rule)
		}
	}
	return nil
}

func (e *Environment) checkSearches() error {
	for i := range e.Searches {
		s := &e.Searches[i]
		switch {
		case !address.ValidSearch(s.Name):
			return fmt.Errorf("%q is not the name of a saved search", s.Name)
		case i > 0 && e.Searches[i-1].Name >= s.Name:
			return fmt.Errorf("search %q is not after %q", s.Name, e.Searches[i-1].Name)
		case len(s.Body) == 0 || s.Body[0] != '{':
			return fmt.Errorf("search %q: its body is not an object", s.Name)
		case s.Files < 1 || s.Files > address.MaxSavedPage || s.TotalItems < 0 || s.Bytes < 0:
			return fmt.Errorf("search %q: %d files, %d items and %d bytes cannot be", s.Name, s.Files, s.TotalItems, s.Bytes)
		}
	}
	return nil
}

// check compares the file name with the only valid one: it cannot point elsewhere.
func (s *Snapshot) check(env string) error {
	sum, err := hex.DecodeString(s.SHA256)
	if err != nil || !isHex(s.SHA256, sha256.Size) {
		return fmt.Errorf("sha256 %q is not 64 lower-case hexadecimal digits", s.SHA256)
	}
	if want := SnapshotName(env, [32]byte(sum)); s.File != want {
		return fmt.Errorf("file %q should be %q", s.File, want)
	}
	if s.Bytes < 0 {
		return errors.New("negative size")
	}
	return nil
}

func (f *Family) check() error {
	if err := checkOrder(f.Sort, f.PageSize); err != nil {
		return err
	}
	last, filters := -1, f.Filters
	if path := f.Path(); path != "" {
		if filters = filters[:len(filters)-1]; path == address.DataPrefix {
			return fmt.Errorf("filter %q does not name a path", path)
		}
	}
	for _, name := range filters {
		i := slices.Index(address.Filters[:], name)
		if i <= last {
			return fmt.Errorf("filters %q must be among %q and in that order, then a path of Data", f.Filters, address.Filters)
		}
		last = i
	}
	for i := range f.Values {
		if err := f.Values[i].check(f.Filters); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
		if i > 0 && f.compare(&f.Values[i-1], func(filter string) string { return f.Values[i].Filters[filter] }) >= 0 {
			return fmt.Errorf("value %d is not after value %d", i, i-1)
		}
	}
	return nil
}

// compare orders v and the list whose filters have the values that text returns.
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
		return errors.New("negative total")
	}
	if len(v.Filters) != len(filters) {
		return fmt.Errorf("%d filters, but the list has %d", len(v.Filters), len(filters))
	}
	for _, name := range filters {
		if v.Filters[name] == "" {
			return fmt.Errorf("no value for the filter %q", name)
		}
	}
	return nil
}

// checkDefaultOrder is checkOrder, but also accepts a path of Data as the default order. Lists in
// such an order have no files.
func checkDefaultOrder(sort string, pageSize int) error {
	if !address.IsScalar(sort) && address.ValidSort(sort) {
		sort = address.Standard.Sort
	}
	return checkOrder(sort, pageSize)
}

func checkOrder(sort string, pageSize int) error {
	if sort == "" || strings.Trim(sort, letters) != "" {
		return fmt.Errorf("%q is not a sort field", sort)
	}
	if pageSize < 1 || pageSize > address.MaxSize {
		return fmt.Errorf("page size %d is not from 1 to %d", pageSize, address.MaxSize)
	}
	return nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
