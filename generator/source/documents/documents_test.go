package documents

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// recorder writes down what a Reader finds, a line each: a document with its place, or a fault.
type recorder struct {
	reader Reader
	lines  []string
}

func (r *recorder) Document(d Document) {
	line, col := r.reader.Place(d.Start)
	if line != d.Line {
		r.lines = append(r.lines, fmt.Sprintf("line %d is not line %d", d.Line, line))
	}
	r.lines = append(r.lines, fmt.Sprintf("%d:%d %s, members: %d", line, col, r.reader.JSON()[d.Start:d.End], len(d.Members)))
}

func (r *recorder) Fault(at int, message, hint string) {
	line, col := r.reader.Place(at)
	r.lines = append(r.lines, fmt.Sprintf("%d:%d error: %s (%s)", line, col, message, hint))
}

func (r *recorder) Repeat(at int, kind *Kind, value string) {
	line, col := r.reader.Place(at)
	r.lines = append(r.lines, fmt.Sprintf("%d:%d "+kind.One+" (%s)", line, col, Quoted(value), kind.Hint))
}

func (r *recorder) Media(int, string) {}

func (r *recorder) Link(int, string, Target) {}

func (r *recorder) IsField(name []byte) bool { return string(name) == "id" }
func (r *recorder) Stopped() bool            { return false }

// TestDocuments shows which documents a file of each format holds, with the line and the column of
// each, and how reading goes on after an error.
func TestDocuments(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		text       string
		want       string
	}{
		{
			"a .json file is one document", "about.json", `
				{
				  "id": 1
				}`, `
				1:1 { "id": 1 }, members: 1`,
		},
		{
			"or an array of documents", "articles.json", `
				[
				  {"id": 1},
				  {"id": 2, "x": [{}]}
				]`, `
				2:3 {"id": 1}, members: 1
				3:3 {"id": 2, "x": [{}]}, members: 2`,
		},
		{
			"or a saved response", "saved.json", `
				{"status": 200, "data": [
				  {"id": 1}
				]}`, `
				2:3 {"id": 1}, members: 1`,
		},
		{
			"a saved response of an error is no content", "saved.json", `
				{"status": 404, "data": []}`, `
				1:12 error: this is a saved response with the status "404", not content (save it again)`,
		},
		{
			"an object with a field is a document, whatever else it has", "article.json", `
				{"id": 1, "status": 404, "data": []}`, `
				1:1 {"id": 1, "status": 404, "data": []}, members: 3`,
		},
		{
			"after a wrong document the next is read", "articles.json", `
				[
				  {"id": 1, "id": 1},
				  7,
				  {"id": 3}
				]`, `
				2:13 error: the key "id" is given twice in this object (it is given first at 2:4; keep one of the two)
				3:3 error: an item must be an object, not a number ()
				4:3 {"id": 3}, members: 1`,
		},
		{
			"but not after a bracket that is missing", "articles.json", `
				[
				  {"id": 1},
				  {"id": 2
				  {"id": 3}
				]`, `
				2:3 {"id": 1}, members: 1
				4:3 error: expected a comma or '}', found '{' ()`,
		},
		{
			"an .ndjson file has a document a line", "articles.ndjson", `
				{"id": 1}

				{"id": 2}`, `
				1:1 {"id": 1}, members: 1
				3:1 {"id": 2}, members: 1`,
		},
		{
			"so has a .jsonl file, whatever the case of its extension", "ARTICLES.JSONL", `
				{"id": 1}
				{"status": 200, "data": []}`, `
				1:1 {"id": 1}, members: 1
				2:1 {"status": 200, "data": []}, members: 2`,
		},
		{
			"a wrong line hides no other", "articles.ndjson", `
				{"id": 1
				{"id": 2} {"id": 3}
				{"id": 4}`, `
				1:9 error: the line ends in the middle of an item (in this kind of file each item is on one line)
				2:1 {"id": 2}, members: 1
				2:11 error: there is more after the end of the item (each item is on a line of its own)
				3:1 {"id": 4}, members: 1`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{reader: FormatOf(tt.file).NewReader()}
			for range 2 { // a Reader may be loaded again
				r.lines = nil
				r.reader.Load(Input{Text: []byte(unindent(tt.text))})
				r.reader.Documents(r)
				if got := strings.Join(strings.Fields(strings.Join(r.lines, "\n")), " "); got != strings.Join(strings.Fields(tt.want), " ") {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(r.lines, "\n"), unindent(tt.want))
				}
			}
		})
	}
}

// unindent takes the line break before a text off, and the tabs before its lines.
func unindent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\n"), "\t", "")
}

// TestFormats: an extension belongs to one format, and messages name all extensions.
func TestFormats(t *testing.T) {
	var all []string
	for _, f := range Formats {
		for _, extension := range f.Extensions {
			if slices.Contains(all, extension) || !strings.HasPrefix(extension, ".") || FormatOf("x"+extension) != f {
				t.Errorf("%s does not name one format", extension)
			}
			all = append(all, extension)
			if !strings.Contains(Extensions("or"), extension) {
				t.Errorf("%s is not in %q", extension, Extensions("or"))
			}
		}
	}
	if FormatOf("x.docx") != nil || FormatOf("json") != nil {
		t.Error("a name without a known extension has a format")
	}
}
