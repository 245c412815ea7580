package generator

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

// longTexts find what a file has: words and texts in quotes.
var longTexts = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|[A-Za-z][A-Za-z0-9_./-]*|\d[\d-]*`)

// TestLongValues: whichever name or value of a file is very long, messages about it are short.
func TestLongValues(t *testing.T) {
	const item = `{"ContentID":"a","Name":"A","TemplateName":"Page","Status":"Odd","CreatedAt":"2024-01-02T00:00:00Z","ExpiresAt":"2030-01-01T00:00:00Z","Data":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["gone"]},"pic":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./gone.png"}}}`
	settings := "sources:\n- {files: x.csv, id: {from: code}, name: {from: title}, template: {from: kind}, types: {price: number}}\n- {files: '**', references: {author: people}, status: {from: state, x: Draft}, dates: [front matter, file]}\n"
	for _, files := range []map[string]string{
		{"a.json": item}, {"a.ndjson": item + "\n"},
		{"a.md": "---\ntitle: A\ndate: 2024-01-02\nstatus: odd\nexpires: 2030-01-01\nkey: 010\n---\n# B\n\n![c](gone.png)\n"},
		{"a.md": "---json\n{\"title\":\"A\",\"date\":\"2024-01-02\",\"draft\":\"true\",\"updated\":1578182400}\n---\nText\n"},
		{"a.mdx": "+++\ntitle = \"A\"\ndate = 2024-01-02\nCreatedBy = \"b\"\n+++\nText\n"},
		{"a.yaml": "title: A\ndate: 2024-01-02\nauthor: jane\nstate: x\nlist: [&b {c: d}, *b]\n", "_environment.yaml": settings},
		{"a.toml": "title = \"A\"\ndate = 2024-01-02\n[table]\nkey = 1\n", "_environment.yaml": settings},
		{"x.csv": "code,title,kind,price,date,status\na,A,Page,1,2024-01-02,odd\n", "_environment.yaml": settings},
	} {
		for name, text := range files {
			all := longTexts.FindAllStringIndex(text, -1)
			for _, at := range all[:max(fewer(len(all)), 1)] {
				for _, long := range []string{strings.Repeat("long ü", 20_000), strings.Repeat("1", 100_000)} {
					end := at[1]
					if text[end-1] == '"' {
						end--
					}
					changed := maps.Clone(files)
					changed[name] = text[:end] + long + text[end:]
					checkShort(t, text[at[0]:at[1]], changed)
				}
			}
		}
	}
}

// checkShort builds the files of an environment and fails the test if a message is long.
func checkShort(t *testing.T, where string, files map[string]string) {
	t.Helper()
	below := map[string]string{}
	for name, text := range files {
		below["site/"+name] = text
	}
	c := BuildConfig{Visible: visibility.Everything(), Content: content(t, below), Out: filepath.Join(t.TempDir(), "public"), NoSync: true, SnapshotOnly: true}
	r, err := Build(t.Context(), c)
	var said []string
	if err != nil {
		said = append(said, err.Error())
	}
	if r != nil {
		for _, w := range r.Warnings {
			said = append(said, w.String())
		}
	}
	for _, message := range said {
		for line := range strings.Lines(message) {
			if len(line) > documents.MaxMessage+500 {
				t.Errorf("%.100s: a message has %d bytes: %.300s", where, len(line), line)
			}
		}
	}
}
