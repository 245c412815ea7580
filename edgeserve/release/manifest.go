// This file writes and reads the manifest: the file that makes a release one. Reading
// is strict, because an edge opens the files that a manifest names, and a follower gets
// manifests over a network.

package release

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Format is the number of the manifest's format. A change of meaning or of members
// takes a new one:
//
//	1  the first
//	2  compression and sums
//	3  fields
const Format = 3

// MaxManifest bounds the bytes of a manifest that is read: some million list values.
const MaxManifest = 64 << 20

// Manifest describes a release.
type Manifest struct {
	Format       int           `json:"format"`
	Build        string        `json:"build,omitempty"` // 16 hexadecimal digits of a sum over everything else here
	Defaults     Defaults      `json:"defaults"`
	Environments []Environment `json:"environments"` // by id
	Files        int           `json:"files"`        // of the whole release, without coded ones, sums and manifest
	Bytes        int64         `json:"bytes"`        // of those
	Compression  []Compression `json:"compression"`  // how items and pages are coded, by coding
	Sums         Sums          `json:"sums"`
}

// Compression is a content coding of which files stand beside those they code, where
// that is worth it.
type Compression struct {
	Coding string `json:"coding"` // as Content-Encoding names it
	Level  int    `json:"level"`  // in the coding's own terms
}

// Sums describes the file SumsName, and by it every byte of the release.
type Sums struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal digits
}

// Defaults is what a list request means where it is silent.
type Defaults struct {
	Sort     string `json:"sort"`
	Asc      bool   `json:"sortAsc"`
	PageSize int    `json:"pageSize"`
}

// Environment describes what a release has of one environment.
type Environment struct {
	ID       string   `json:"id"`
	Items    int      `json:"items"`
	Snapshot Snapshot `json:"snapshot"`
	Fields   []Field  `json:"fields"` // by path
	Lists    []Family `json:"lists"`
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
}

// Snapshot names an environment's snapshot.
type Snapshot struct {
	File   string `json:"file"` // below the release's root; as SnapshotName has it
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the whole file, in hexadecimal digits
}

// Field is a path of an environment's items, as it is searched.
type Field struct {
	Path      string   `json:"path"`
	Type      string   `json:"type"`      // text, date, long, float or boolean
	SubFields []string `json:"subFields"` // some of keyword, long, double, boolean, date, in this order
}

// Family is the lists of one combination of filters, order and page size. All pages of
// each of them are files, and no other list has a file.
type Family struct {
	Filters  []string      `json:"filters"` // some of name, template, status, createdby, in this order
	Sort     string        `json:"sort"`
	Asc      bool          `json:"sortAsc"`
	PageSize int           `json:"pageSize"`
	Values   []FamilyValue `json:"values"` // by the filters' values in the order of Filters
}

// FamilyValue is one list of a family.
type FamilyValue struct {
	Filters    map[string]string `json:"filters,omitempty"` // a value for each of the family's filters
	TotalItems int               `json:"totalItems"`
}

func (v *FamilyValue) text(filter string) string { return v.Filters[filter] }

// Find returns the family's list that has the given text for each filter.
func (f *Family) Find(text func(filter string) string) (v FamilyValue, ok bool) {
	i, ok := slices.BinarySearchFunc(f.Values, text, func(v FamilyValue, text func(string) string) int { return f.compare(&v, text) })
	if ok {
		v = f.Values[i]
	}
	return v, ok
}

// filterNames are the names of filters in the order that file names have them.
var filterNames = [...]string{"name", "template", "status", "createdby"}

// Encode sets Build from everything else in the manifest and gives its bytes, the same
// ones for the same content.
func (m *Manifest) Encode() []byte {
	m.Build = ""
	sum := sha256.Sum256(m.encode())
	m.Build = hex.EncodeToString(sum[:shortSum])
	return m.encode()
}

// encode gives the bytes of the manifest as it is. Lists that are nil are written as
// empty ones: which of the two a caller had is no content.
func (m *Manifest) encode() []byte {
	c := *m
	c.Environments, c.Compression = filled(c.Environments), filled(c.Compression)
	for i := range c.Environments {
		e := &c.Environments[i]
		e.Lists, e.Fields = filled(e.Lists), filled(e.Fields)
		for j := range e.Fields {
			e.Fields[j].SubFields = filled(e.Fields[j].SubFields)
		}
		for j := range e.Lists {
			e.Lists[j].Filters = filled(e.Lists[j].Filters)
			e.Lists[j].Values = filled(e.Lists[j].Values)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&c); err != nil {
		panic("release: a manifest of strings and numbers cannot be written: " + err.Error())
	}
	return b.Bytes()
}

// filled is a copy of s that is not nil.
func filled[T any](s []T) []T { return append([]T{}, s...) }

// Errors that callers tell apart.
var (
	// ErrFormat: the manifest was written in another format than this program's.
	ErrFormat = errors.New("manifest of another format")
	// ErrManifest: the manifest is damaged or was not written by a generator.
	ErrManifest = errors.New("bad manifest")
)

// Parse reads a manifest and checks all that can be told from it alone: what it
// accepts, Encode gives back byte for byte. The error wraps ErrFormat or ErrManifest.
func Parse(b []byte) (*Manifest, error) {
	if len(b) > MaxManifest {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrManifest, len(b), MaxManifest)
	}
	m := new(Manifest)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode(m)
	if err != nil || m.Format != Format {
		return nil, cmp.Or(otherFormat(b), fmt.Errorf("%w: %w", ErrManifest, err))
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	build := m.Build
	again := m.Encode()
	if m.Build != build {
		return nil, fmt.Errorf("%w: build is %q, but the content is that of build %s", ErrManifest, build, m.Build)
	}
	if !bytes.Equal(again, b) {
		return nil, fmt.Errorf("%w: not in the form that the generator writes", ErrManifest)
	}
	return m, nil
}

// FormatError is ErrFormat with what a manifest of any format says: the ids of its
// environments and how many items each has.
type FormatError struct {
	Format       int
	Environments []Environment
}

// Error names both formats and says what to do.
func (e *FormatError) Error() string {
	advice := "build the release again with the generator of this version"
	if e.Format > Format {
		advice = "it takes a newer version of this program"
	}
	return fmt.Sprintf("%v: it has format %d, this program reads format %d: %s", ErrFormat, e.Format, Format, advice)
}

// Unwrap gives ErrFormat.
func (e *FormatError) Unwrap() error { return ErrFormat }

// otherFormat says of what has not the form of a manifest that it has another one.
func otherFormat(b []byte) error {
	var head struct {
		Format       *int
		Environments []struct {
			ID    string
			Items int
		}
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if head.Format == nil {
		return fmt.Errorf("%w: no format number", ErrManifest)
	}
	if *head.Format == Format {
		return nil
	}
	e := &FormatError{Format: *head.Format}
	for _, env := range head.Environments {
		e.Environments = append(e.Environments, Environment{ID: env.ID, Items: env.Items})
	}
	return e
}
