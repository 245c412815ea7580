// Package items makes items of Markdown, YAML, TOML and CSV files, as the rules of their environment say.
// Each item has the JSON of a content file, and that JSON knows where the file has each value. So the same
// code checks items of all formats.
package items

import (
	"cmp"
	"slices"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// Rules are how an environment makes items of a file.
type Rules struct {
	Settings *environment.Settings
	Rule     *environment.Rule
	// Languages are the languages that names of Markdown files of the environment end in.
	Languages []string
	// Lenient: an item without any date has the time of modification of its file, with a warning. Otherwise
	// it is an error.
	Lenient bool
	// Undated: an item may have no date. An importer gives it one, or reports it.
	Undated bool
	// OwnSite says that addresses without a host belong to the site of the items, so that such links lead to items too.
	OwnSite bool
	// Prepare changes the front matter and the text of a Markdown file before they become an item. Importers translate
	// the conventions of other systems with it. nil changes nothing.
	Prepare func(markdown.Text) markdown.Text
}

// Format is a format of files that become items by rules.
type Format struct {
	Extensions []string // lower-case, with their dots
	MaxSize    int64    // of a file in bytes
	Markdown   bool     // the file has a text, and is an item without a rule
	Rows       bool     // each row is an item, which a rule has to identify

	components bool // the text has components of the site's framework, which html leaves out

	read func(text []byte, rule *environment.Rule) ([]entry, []record.Fault)
}

// entry is the part of a file that makes one item.
type entry struct {
	rec    record.Record
	listed bool         // the file is a list of items
	text   []byte       // of Markdown, as written
	textAt record.Place // where the text begins
}

// NewReader returns a Reader of files of the format.
func (f *Format) NewReader(r Rules) documents.Reader {
	return &reader{maker: maker{Rules: r, format: f}, scanner: jsonscan.New()}
}

// reader has the items of a file one after the other, a line each.
type reader struct {
	maker
	scanner *jsonscan.Scanner
	json    []byte
	made    []made
	places  []record.Place // of findings, whose offsets are past the end of json
}

// made is an item, or the faults that prevent it.
type made struct {
	start    int
	item     *record.Record      // nil: there is a fault
	path     *documents.PagePath // of the item, or nil
	origins  []documents.Origin
	findings []finding
}

// finding is something to report at a place.
type finding struct {
	record.Place
	message, hint string
	kind          *documents.Kind // of a finding that repeats, with its value
	value         string
	media         bool              // the value is the URL of a media file
	link          *documents.Target // the value is the URL of a link that leads there
}

// names reports whether the finding is a URL of the item, and says nothing about the item itself.
func (f *finding) names() bool { return f.media || f.link != nil }

// failed reports whether a finding keeps the item from being made.
func failed(findings []finding) bool {
	return slices.ContainsFunc(findings, func(f finding) bool { return !f.names() && (f.kind == nil || f.kind.Error) })
}

// begins takes the input of the next items.
func (m *maker) begins(in documents.Input) {
	m.in, m.words = in, map[string]bool{}
	m.base, m.suffix = m.format.BasePath(in.Path, m.Languages)
}

// Load reads a text and makes its items.
func (r *reader) Load(in documents.Input) {
	r.begins(in)
	r.json, r.made, r.places = r.json[:0], r.made[:0], r.places[:0]
	entries, faults := r.entries(in.Text)
	for _, f := range faults {
		r.made = append(r.made, made{findings: []finding{findingOf(f)}})
	}
	for i := range entries {
		item, findings := r.make(&entries[i])
		m := made{start: len(r.json), item: item, path: r.pagePath(), origins: r.origins, findings: findings}
		if item != nil {
			r.json = append(append(r.json, item.JSON...), '\n')
		}
		r.made = append(r.made, m)
	}
	slices.SortStableFunc(r.made, func(a, b made) int { return comparePlaces(a.place(), b.place()) })
	for i := range r.made {
		for _, f := range r.made[i].findings {
			r.places = append(r.places, f.Place)
		}
	}
}

// entries returns what a text has of items.
func (m *maker) entries(text []byte) ([]entry, []record.Fault) {
	entries, faults := m.format.entries(text, m.Rule)
	for i := range entries {
		if e := &entries[i]; m.Prepare != nil && m.format.Markdown {
			prepared := m.Prepare(markdown.Text{FrontMatter: e.rec, Body: e.text, BodyAt: e.textAt})
			e.rec, e.text, e.textAt = prepared.FrontMatter, prepared.Body, prepared.BodyAt
		}
	}
	return entries, faults
}

func findingOf(f record.Fault) finding {
	if f.Warning {
		return finding{Place: f.Place, kind: warningKind(f), value: f.Message}
	}
	return finding{Place: f.Place, message: f.Message, hint: f.Hint}
}

// place is where the item begins, or the first finding.
func (m *made) place() record.Place {
	if m.item != nil {
		return m.item.Start()
	}
	return m.findings[0].Place
}

func comparePlaces(a, b record.Place) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// JSON returns the items.
func (r *reader) JSON() []byte { return r.json }

// Documents gives the items to out.
func (r *reader) Documents(out documents.Receiver) {
	at := len(r.json)
	for i := range r.made {
		if out.Stopped() {
			return
		}
		m := &r.made[i]
		for _, f := range m.findings {
			if m.item != nil || !f.names() {
				f.report(out, at)
			}
			at++
		}
		if m.item == nil {
			continue
		}
		members, end, err := r.scanner.Object(r.json, m.start)
		if err != nil { // the builder writes no such text
			out.Fault(m.start, "this item cannot be read: "+err.Error(), "")
			continue
		}
		out.Document(documents.Document{Start: m.start, End: end, Line: m.item.Start().Line, Members: members, Path: m.path, Origins: m.origins})
	}
}

func (f *finding) report(out documents.Receiver, at int) {
	switch {
	case f.media:
		out.Media(at, f.value)
	case f.link != nil:
		out.Link(at, f.value, *f.link)
	case f.kind != nil:
		out.Repeat(at, f.kind, f.value)
	default:
		out.Fault(at, f.message, f.hint)
	}
}

// Place returns the place of an offset in the file. Offsets past the end of the JSON index the findings.
func (r *reader) Place(offset int) (line, col int) {
	if i := offset - len(r.json); i >= 0 {
		at := record.Place{Line: 1, Col: 1}
		if i < len(r.places) {
			at = r.places[i]
		}
		return at.Line, at.Col
	}
	i := slices.IndexFunc(r.made, func(m made) bool {
		return m.item != nil && m.start <= offset && offset <= m.start+len(m.item.JSON)
	})
	at := r.made[i].item.Place(offset - r.made[i].start)
	return at.Line, at.Col
}
