// This file encodes and parses the manifest, which completes a release. Parsing is strict: edges
// open the files that it names, and followers download it.

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

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/leftout"
)

// Format is the version of the manifest's format. It changes with any meaning, and with any member that readers must
// not ignore:
//
//	1  the first
//	2  compression and checksums
//	3  fields
//	4  saved searches; a manifest without them has format 3
//	5  lists order paths of dates by instant, no longer by text; with or without saved
//	   searches; compression has the version of the encoders' output
//	6  paths that an environment leaves out of its index, and media; a manifest without both has
//	   format 5, so that older programs read it
//	7  what the items of each template hold; a release without items lacks this, and has an older format; which references
//	   the responses for items include, and which items have a list of the items that refer to them
//	8  more than MaxWhole environments: the manifest has a row for each, which names a file that describes it, a part.
//	   Releases of an older format may have as many environments without parts. Partial releases, also of few
//	   environments
//
// Programs read OldestFormat to NewestFormat. Format is the format of a new release without members of a newer one. A
// release of a format before 5 keeps the order by text, because its snapshots contain that order.
const OldestFormat, Format, NewestFormat = 3, 5, 8

// The oldest formats with saved searches, with lists in the order of instants, with paths left out or
// media, with templates, and with parts.
const formatSearches, formatInstants, formatLeftOut, formatTemplates, formatParts = 4, 5, 6, 7, 8

// MaxManifest limits the size of a manifest, and of a part of one, in bytes: about a million list values.
const MaxManifest = 64 << 20

// Manifest describes a release.
type Manifest struct {
	Format       int           `json:"format"`
	Build        string        `json:"build,omitempty"`   // 16 hexadecimal digits of a digest of all other members
	Partial      bool          `json:"partial,omitempty"` // some environments of a site, to be joined with others
	Visible      Interval      `json:"visible,omitzero"`  // that all environments share
	Defaults     Defaults      `json:"defaults"`
	Environments []Environment `json:"environments"` // by id
	Files        int           `json:"files"`        // of the whole release, without compressed files, checksum list, manifest and its parts
	Bytes        int64         `json:"bytes"`        // size of these files
	Compression  []Compression `json:"compression"`  // content codings of items and pages, by name
	Checksums    Checksums     `json:"sums"`
}

// Compression is a coding of precompressed files, which exist where they are smaller.
type Compression struct {
	Coding string `json:"coding"` // as in Content-Encoding
	Level  int    `json:"level"`  // on the coding's own scale
	// Version is the version of the encoders' output; formats below 5 have no version.
	Version int `json:"version,omitempty"`
}

// Checksums describes the checksum list, which covers every byte of the release.
type Checksums struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal digits
}

// Defaults are the values of absent list parameters.
type Defaults struct {
	Sort     string `json:"sort"`
	Asc      bool   `json:"sortAsc"`
	PageSize int    `json:"pageSize"`
}

// Environment describes one environment of a release.
type Environment struct {
	ID       string   `json:"id"`
	Items    int      `json:"items"`
	Visible  Interval `json:"visible,omitzero"`
	Snapshot Snapshot `json:"snapshot"`
	Fields   []Field  `json:"fields"` // by path
	// LeftOut are the rules of the paths that have no field, whether or not items have them.
	LeftOut  leftout.Rules `json:"leftOut,omitzero"`
	Lists    []Family      `json:"lists"`
	Searches []Search      `json:"searches,omitempty"` // by name
	Media    Media         `json:"media,omitzero"`
	// Templates say what the items hold, by name. TemplatesLeftOut: they are too many, or have too many paths.
	Templates        []Template `json:"templates,omitempty"`
	TemplatesLeftOut bool       `json:"templatesLeftOut,omitempty"`
	// Include are the references that responses for items include, by template. UsedIn says which items have a list of
	// the items that refer to them.
	Include []Include `json:"include,omitempty"`
	UsedIn  UsedIn    `json:"usedIn,omitzero"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`

	part Part // once it is known
}

// Snapshot describes an environment's snapshot file.
type Snapshot struct {
	File   string `json:"file"` // below the release's root, as SnapshotName returns it
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the file, in hexadecimal digits
}

// Field is a searchable path of an environment's items.
type Field struct {
	Path      string   `json:"path"`
	Type      string   `json:"type"`      // text, date, long, float or boolean
	SubFields []string `json:"subFields"` // some of keyword, long, double, boolean, date, in this order
}

// Family is all lists with one combination of filters, order and page size. Every page
// of these lists has a file, and no other list has one.
type Family struct {
	Filters  []string      `json:"filters"` // some of name, template, status, createdby, in this order
	Sort     string        `json:"sort"`
	Asc      bool          `json:"sortAsc"`
	PageSize int           `json:"pageSize"`
	Values   []FamilyValue `json:"values"` // ordered by the values of Filters
}

// FamilyValue is one list of a family.
type FamilyValue struct {
	Filters    map[string]string `json:"filters,omitempty"` // a value per filter of the family
	TotalItems int               `json:"totalItems"`
}

// Media counts the media files of an environment. The list of checksums names them.
type Media struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// SHA256 is the digest, in hexadecimal digits, of the lines of the list of checksums that name the media
	// (MediaList). Releases of older versions lack it.
	SHA256 string `json:"sha256,omitempty"`
}

// Search is a saved search, whose pages are files.
type Search struct {
	Name       string          `json:"name"`
	Body       json.RawMessage `json:"body"` // of page 1, as compact JSON; the bodies of the other pages differ only in "from"
	TotalItems int             `json:"totalItems"`
	Files      int             `json:"files"` // its pages
	Bytes      int64           `json:"bytes"` // of those
}

// Search returns the saved search of a name, or nil.
func (e *Environment) Search(name string) *Search {
	i, ok := slices.BinarySearchFunc(e.Searches, name, func(s Search, name string) int { return cmp.Compare(s.Name, name) })
	if !ok {
		return nil
	}
	return &e.Searches[i]
}

// Find returns the list with the given filter values.
func (f *Family) Find(text func(filter string) string) (v FamilyValue, ok bool) {
	i, ok := slices.BinarySearchFunc(f.Values, text, func(v FamilyValue, text func(string) string) int { return f.compare(&v, text) })
	if ok {
		v = f.Values[i]
	}
	return v, ok
}

// CheckWhole returns ErrPartial for a partial release.
func (m *Manifest) CheckWhole() error {
	if m.Partial {
		return ErrPartial
	}
	return nil
}

// Encode computes Build and returns the bytes, equal for equal content.
func (m *Manifest) Encode() []byte {
	m.Build = ""
	sum := sha256.Sum256(m.encode())
	m.Build = hex.EncodeToString(sum[:shortDigest])
	return m.encode()
}

// OrdersByInstant reports whether lists order paths of Data that hold only dates by instant.
// Otherwise they order these paths by text.
func (m *Manifest) OrdersByInstant() bool { return m.Format >= formatInstants }

// SetFormat sets the format of a new release: the oldest one that has its members.
func (m *Manifest) SetFormat() {
	m.Format = Format
	if m.Format = m.ownFormat(); m.Partial || len(m.Environments) > MaxWhole {
		m.Format = formatParts
	}
}

// ownFormat is the format of a manifest with these members and without parts.
func (m *Manifest) ownFormat() int {
	if slices.ContainsFunc(m.Environments, func(e Environment) bool {
		return len(e.Templates) > 0 || e.TemplatesLeftOut || e.followsReferences() || slices.ContainsFunc(e.Lists, func(f Family) bool { return f.Path() != "" })
	}) {
		return formatTemplates
	}
	if slices.ContainsFunc(m.Environments, func(e Environment) bool { return !e.LeftOut.Empty() || e.Media != Media{} }) {
		return formatLeftOut
	}
	if m.OrdersByInstant() {
		return formatInstants
	}
	for i := range m.Environments {
		if len(m.Environments[i].Searches) > 0 {
			return formatSearches
		}
	}
	return OldestFormat
}

// encode returns the manifest's bytes. Nil lists become empty lists: the difference has no meaning.
func (m *Manifest) encode() []byte {
	if m.HasParts() {
		return encodeJSON(m.head())
	}
	c := *m
	c.Environments, c.Compression = nonNil(c.Environments), nonNil(c.Compression)
	for i := range c.Environments {
		c.Environments[i] = c.Environments[i].canonical()
	}
	return encodeJSON(&c)
}

// canonical returns the environment without nil lists.
func (e *Environment) canonical() Environment {
	c := *e
	c.Lists, c.Fields, c.Templates = nonNil(c.Lists), nonNil(c.Fields), slices.Clone(c.Templates)
	for j := range c.Fields {
		c.Fields[j].SubFields = nonNil(c.Fields[j].SubFields)
	}
	for j := range c.Lists {
		c.Lists[j].Filters = nonNil(c.Lists[j].Filters)
		c.Lists[j].Values = nonNil(c.Lists[j].Values)
	}
	for j := range c.Templates {
		c.Templates[j].Paths = nonNil(c.Templates[j].Paths)
	}
	return c
}

// encodeJSON returns a value as compact JSON and a line feed.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("release: cannot encode a manifest: " + err.Error())
	}
	return b.Bytes()
}

func nonNil[T any](s []T) []T { return append([]T{}, s...) }

// Errors that callers compare with.
var (
	// ErrFormat: the manifest has an unknown format version.
	ErrFormat = exitcode.NewUsage("unknown manifest format")
	// ErrPartial: the release is not one that can be served or published.
	ErrPartial = errors.New("it is a partial release: generator releases join makes a release of it and the others")
	// ErrManifest: the manifest is damaged or was not written by a generator.
	ErrManifest = errors.New("bad manifest")
)

// Parse reads and validates a manifest without parts. It ignores members that it does not know, which Build covers
// too. Without them Encode returns the same bytes for an accepted manifest. The error wraps ErrFormat or ErrManifest.
func Parse(b []byte) (*Manifest, error) {
	if len(b) > MaxManifest {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrManifest, len(b), MaxManifest)
	}
	m, text, err := decodeKnown[Manifest](b)
	if err != nil || !known(m.Format) {
		return nil, cmp.Or(unknownFormat(b), fmt.Errorf("%w: %w", ErrManifest, err))
	}
	if m.HasParts() {
		return nil, fmt.Errorf("%w: its environments are described in other files", ErrManifest)
	}
	err = m.check()
	if err == nil {
		err = m.checkText(b, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return m, nil
}

// checkText compares a manifest with its text, and with that without unknown members.
func (m *Manifest) checkText(b, known []byte) error {
	if !bytes.Equal(m.encode(), known) {
		return errors.New("not in canonical form")
	}
	build, err := buildOf(b)
	if err == nil && m.Build != build {
		err = fmt.Errorf("build is %q, but the content has build %s", m.Build, build)
	}
	return err
}

// FormatError is ErrFormat with the members that every format has: environment IDs and item counts.
type FormatError struct {
	Format       int
	Environments []Environment
}

// Newer reports whether a newer program made the release.
func (e *FormatError) Newer() bool { return e.Format > NewestFormat }

// Error names the manifest's format, the formats that this program reads, and the remedy.
func (e *FormatError) Error() string {
	if e.Newer() {
		return fmt.Sprintf("%v: a newer program made the release (format %d, this program reads %d to %d): use a program whose --version says manifest %d or more, or make a release of an older format current",
			ErrFormat, e.Format, OldestFormat, NewestFormat, e.Format)
	}
	return fmt.Sprintf("%v: an older program made the release (format %d, this program reads %d to %d): rebuild the release with this version's generator", ErrFormat, e.Format, OldestFormat, NewestFormat)
}

func known(format int) bool { return OldestFormat <= format && format <= NewestFormat }

// Unwrap returns ErrFormat.
func (e *FormatError) Unwrap() error { return ErrFormat }

func unknownFormat(b []byte) error {
	var head struct{ Format *int }
	if err := json.Unmarshal(b, &head); err != nil {
		return fmt.Errorf("%w: %w", ErrManifest, err)
	}
	if head.Format == nil {
		return fmt.Errorf("%w: no format number", ErrManifest)
	}
	if known(*head.Format) {
		return nil
	}
	e := &FormatError{Format: *head.Format}
	var rows struct {
		Environments []struct {
			ID    string
			Items int
		}
	}
	if json.Unmarshal(b, &rows) != nil {
		return e // a newer format may describe environments in another way
	}
	for _, env := range rows.Environments {
		e.Environments = append(e.Environments, Environment{ID: env.ID, Items: env.Items})
	}
	return e
}
