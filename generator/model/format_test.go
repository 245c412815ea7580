package model

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// propertyReader reads a format that is not JSON: one document a file, a member a line, name = value.
type propertyReader struct {
	json   []byte
	starts []int // the offset in json where the member of each line begins
}

func (r *propertyReader) Load(text []byte) {
	r.json, r.starts = []byte("{"), nil
	for line := range strings.Lines(strings.TrimSpace(string(text))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if len(r.starts) > 0 {
			r.json = append(r.json, ',')
		}
		r.starts = append(r.starts, len(r.json))
		r.json = fmt.Appendf(r.json, "%q:%q", name, value)
	}
	r.json = append(r.json, '}')
}

func (r *propertyReader) Documents(out documents.Receiver) {
	members, end, err := jsonscan.New().Object(r.json, 0)
	if err != nil {
		out.Fault(0, err.Error(), "")
		return
	}
	out.Document(documents.Document{End: end, Line: 1, Members: members})
}

func (r *propertyReader) JSON() []byte { return r.json }

func (r *propertyReader) Place(offset int) (line, col int) {
	for line < len(r.starts) && r.starts[line] <= offset {
		line++
	}
	return max(line, 1), 1
}

// TestAnotherFormat: a row of documents.Formats and its Reader are all that a format needs. Its items
// are delivered, and diagnostics name the lines of its files.
func TestAnotherFormat(t *testing.T) {
	before := documents.Formats
	defer func() { documents.Formats = before }()
	documents.Formats = append(before[:len(before):len(before)], &documents.Format{Extensions: []string{".properties"}, NewReader: func() documents.Reader { return new(propertyReader) }})

	const id = "Content_0b6f2a58-6b0e-4c1a-9f5e-2d8f1c7e4a10"
	site, diagnostics := load(t, map[string]string{"site/a.properties": `
ContentID = ` + id + `
Name = About us
TemplateName = Page
CreatedAt = 2025-01-31T09:00:00Z`}, Options{})
	if site == nil || len(site.Envs[0].Items) != 1 || site.Envs[0].Items[0].Name != "About us" {
		t.Errorf("%v: %s", site, said(diagnostics))
	}
	_, diagnostics = load(t, map[string]string{"site/a.properties": `
ContentID = ` + id + `
Name = About us
TemplateName = Page
CreatedAt = yesterday`}, Options{})
	if want := `site/a.properties:4:1: CreatedAt "yesterday" is not an RFC 3339 timestamp`; !strings.HasPrefix(said(diagnostics), want) {
		t.Errorf("got %s\nwant %s", said(diagnostics), want)
	}
}
