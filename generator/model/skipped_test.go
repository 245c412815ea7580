// This test holds what is said where files are not read.

package model

import (
	"strings"
	"testing"

	"contentedge/generator/visibility"
)

// TestNothingToRead: an environment without items beside files that are not read is an error, which
// says what to do.
func TestNothingToRead(t *testing.T) {
	const hint = "\n  hint: write the items into Markdown files, or into .json, .ndjson or .jsonl files; if nothing here is content, begin the names with \"_\" or remove the folder"
	for name, c := range map[string]struct {
		files map[string]string
		want  string // how the last diagnostic begins
	}{
		"nothing readable": {map[string]string{"e/a.docx": "a: 1", "e/b/c.docx": "", "f/x.json": item(id1, "")}, "e: the environment has no items, but 2 files of kinds no source reads: 2 .docx" + hint},
		"an empty array":   {map[string]string{"e/a.docx": "", "e/x.json": "[]"}, "e: the environment has no items, but 1 file of a kind no source reads: 1 .docx" + hint},
		"an item":          {map[string]string{"e/a.docx": "", "e/x.json": item(id1, "")}, "e: warning: 1 file of a kind no source reads: 1 .docx\n  hint: "},
		"a draft":          {map[string]string{"e/a.docx": "", "e/x.json": item(id1, `,"Status":"Draft"`), "f/x.json": item(id1, "")}, "e: warning: 1 file of a kind no source reads: 1 .docx\n  hint: "},
		"folders of a volume": {map[string]string{"e/x.json": item(id1, ""), "lost+found/a.json": "", "e/@eaDir/x.json": ""},
			"warning: folders that no environment needs are passed over: e/@eaDir, lost+found"},
		"a wrong item": {map[string]string{"e/a.docx": "", "e/x.json": "{}"}, "e: warning: 1 file of a kind no source reads: 1 .docx\n  hint: "},
	} {
		for _, strict := range []bool{false, true} {
			site, diagnostics := load(t, c.files, Options{Strict: strict, Rules: visibility.Rules{Statuses: []string{"Published"}}})
			last := diagnostics[len(diagnostics)-1].String()
			if !strings.HasPrefix(last, c.want) || strings.Contains(c.want, hint) && site != nil {
				t.Errorf("%s, strict %t: got %s\nwant %s", name, strict, last, c.want)
			}
		}
	}
}
