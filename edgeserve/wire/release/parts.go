// This file has the manifest of manifests: a release of many environments describes each in a file of its own, a
// part. Readers fetch and parse the parts that changed.

package release

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
)

// MaxWhole is how many environments a new manifest describes by itself: one request has them all, in some 250 KiB.
const MaxWhole = 100

// MaxEnvironments is how many rows a manifest of MaxManifest bytes has for certain.
const MaxEnvironments = MaxManifest / maxRow

const maxRow = 256 // bytes, with an id of 64

// PartsDir is the directory of the parts, in the release's root.
const PartsDir = "manifests"

const partSuffix = ".json"

// Part identifies the description of an environment: the canonical JSON of an Environment and a line feed. It has the
// digest of the snapshot, so environments with equal parts have equal items and lists.
type Part struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal digits
}

// PartFile is a part as a file of the release.
type PartFile struct {
	Environment string
	Name        string // below the release's root
	Part
}

// row is what a manifest of formatParts says of an environment.
type row struct {
	ID       string `json:"id"`
	Items    int    `json:"items"`
	Manifest Part   `json:"manifest"`
}

// head is a manifest of formatParts. It has the members of Manifest.
type head struct {
	Format       int           `json:"format"`
	Build        string        `json:"build,omitempty"`
	Partial      bool          `json:"partial,omitempty"`
	Visible      Interval      `json:"visible,omitzero"`
	Defaults     Defaults      `json:"defaults"`
	Environments []row         `json:"environments"`
	Files        int           `json:"files"`
	Bytes        int64         `json:"bytes"`
	Compression  []Compression `json:"compression"`
	Checksums    Checksums     `json:"sums"`
}

// partsPrefix begins every manifest that has parts: the canonical form says the format first.
var partsPrefix = fmt.Appendf(nil, `{"format":%d,`, formatParts)

// hasParts reports whether a manifest's text is of formatParts.
func hasParts(raw []byte) bool { return bytes.HasPrefix(raw, partsPrefix) }

// HasParts reports whether the release has a file for the description of each environment.
func (m *Manifest) HasParts() bool { return m.Format == formatParts }

// Text returns the canonical JSON of the environment and a line feed.
func (e *Environment) Text() []byte {
	c := e.canonical()
	return encodeJSON(&c)
}

// Part identifies the environment's description. An environment that was read or encoded has it already.
func (e *Environment) Part() Part {
	if e.part.SHA256 != "" {
		return e.part
	}
	return partOf(e.Text())
}

func partOf(text []byte) Part { return Part{int64(len(text)), HexSHA256(text)} }

// PartFile is the file of the environment's part in a release that has parts.
func (e *Environment) PartFile() PartFile { return partFile(e.ID, e.Part()) }

// partFile gives a part a name that depends on its content, as SnapshotName does.
func partFile(env string, p Part) PartFile {
	return PartFile{Environment: env, Name: PartsDir + "/" + env + "-" + p.SHA256[:2*shortDigest] + partSuffix, Part: p}
}

// head returns the manifest with a row for each environment.
func (m *Manifest) head() *head {
	h := &head{m.Format, m.Build, m.Partial, m.Visible, m.Defaults, make([]row, len(m.Environments)), m.Files, m.Bytes, nonNil(m.Compression), m.Checksums}
	for i := range m.Environments {
		e := &m.Environments[i]
		e.part = e.Part()
		h.Environments[i] = row{e.ID, e.Items, e.part}
	}
	return h
}

// manifest returns the manifest of a head, with environments that have only id, items and part.
func (h *head) manifest() *Manifest {
	m := &Manifest{h.Format, h.Build, h.Partial, h.Visible, h.Defaults, make([]Environment, len(h.Environments)), h.Files, h.Bytes, h.Compression, h.Checksums}
	for i, r := range h.Environments {
		m.Environments[i] = Environment{ID: r.ID, Items: r.Items, part: r.Manifest}
	}
	return m
}

// ReadPart reads a part by its name. It returns exactly as many bytes as the part has.
type ReadPart func(PartFile) ([]byte, error)

// Read reads and validates a manifest and its parts. An environment of before, an earlier manifest or nil, is carried
// over where its part is equal. read is called for the other parts, and never for a manifest without parts. The error
// wraps ErrFormat, ErrManifest or the error of read.
func Read(raw []byte, before *Manifest, read ReadPart) (*Manifest, error) {
	m, err := ParseRows(raw)
	if err != nil {
		return nil, err
	}
	for i, missing := range m.carryOver(before) {
		if !missing {
			continue
		}
		file := m.Environments[i].PartFile()
		text, err := read(file)
		if err == nil {
			err = m.Fill(file, text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	return m, nil
}

// ParseRows is Parse, but leaves the parts out: their environments have only id, items and part. Fill completes them.
func ParseRows(raw []byte) (*Manifest, error) {
	if !hasParts(raw) {
		return Parse(raw)
	}
	if len(raw) > MaxManifest {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrManifest, len(raw), MaxManifest)
	}
	m, err := parseHead(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return m, nil
}

// Missing lists the parts that before, an earlier manifest or nil, does not have. The others are carried over.
func (m *Manifest) Missing(before *Manifest) (files []PartFile) {
	for i, missing := range m.carryOver(before) {
		if missing {
			files = append(files, m.Environments[i].PartFile())
		}
	}
	return files
}

// carryOver completes environments with parts equal to an earlier manifest's. It returns the indices of the
// environments that are still incomplete.
func (m *Manifest) carryOver(before *Manifest) []bool {
	missing := make([]bool, len(m.Environments))
	for i := range m.Environments {
		e := &m.Environments[i]
		if _, missing[i] = e.Missing(); !missing[i] {
			continue
		}
		if old := before.Environment(e.ID); old != nil && old.complete() && old.part == e.part {
			*e, missing[i] = *old, false
		}
	}
	return missing
}

// Missing returns the part of an environment of which only the row is known. It reports whether that is so.
func (e *Environment) Missing() (file PartFile, ok bool) {
	if e.complete() {
		return PartFile{}, false
	}
	return e.PartFile(), true
}

// complete reports whether the environment has more than its row.
func (e *Environment) complete() bool { return e.Snapshot.File != "" }

// Fill completes an environment by the bytes of its part. Several goroutines may fill different parts at once: it reads
// the ids of all environments, and so writes none.
func (m *Manifest) Fill(file PartFile, text []byte) error {
	e := m.Environment(file.Environment)
	if e == nil || e.part != file.Part {
		return fmt.Errorf("%w: it lists no such part", ErrManifest)
	}
	read, err := parsePart(text, *e)
	if err != nil {
		return fmt.Errorf("%w: environment %q: %w", ErrManifest, e.ID, err)
	}
	e.Visible = read.Visible
	e.Snapshot, e.Fields, e.LeftOut, e.Lists, e.Searches, e.Media = read.Snapshot, read.Fields, read.LeftOut, read.Lists, read.Searches, read.Media
	e.Templates, e.TemplatesLeftOut, e.Include, e.UsedIn, e.Files, e.Bytes = read.Templates, read.TemplatesLeftOut, read.Include, read.UsedIn, read.Files, read.Bytes
	return nil
}

// parseHead reads a manifest of formatParts.
func parseHead(raw []byte) (*Manifest, error) {
	h, text, err := decodeKnown[head](raw)
	if err != nil {
		return nil, err
	}
	m := h.manifest()
	if len(m.Environments) <= MaxWhole && !m.Partial {
		return nil, fmt.Errorf("it has format %d, but only %d environments", m.Format, len(m.Environments))
	}
	if err := m.checkWhole(); err != nil {
		return nil, err
	}
	for i := range m.Environments {
		e := &m.Environments[i]
		if !isHex(e.part.SHA256, sha256.Size) || e.part.Bytes < 1 || e.part.Bytes > MaxManifest {
			return nil, fmt.Errorf("environment %q: its part of %d bytes with SHA-256 %q cannot be", e.ID, e.part.Bytes, e.part.SHA256)
		}
	}
	return m, m.checkText(raw, text)
}

// parsePart reads the part of an environment of which id, items and part are known.
func parsePart(text []byte, known Environment) (*Environment, error) {
	if got := partOf(text); got != known.part {
		return nil, fmt.Errorf("its part has %d bytes with SHA-256 %s, instead of %d with %s", got.Bytes, got.SHA256, known.part.Bytes, known.part.SHA256)
	}
	e, canonical, err := decodeKnown[Environment](text)
	if err != nil {
		return nil, err
	}
	if e.ID != known.ID || e.Items != known.Items {
		return nil, fmt.Errorf("its part belongs to environment %q with %d items", e.ID, e.Items)
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	if !bytes.Equal(e.Text(), canonical) {
		return nil, errors.New("not in canonical form")
	}
	e.part = known.part
	return e, nil
}
