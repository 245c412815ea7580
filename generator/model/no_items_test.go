package model

import (
	"strings"
	"testing"
)

// TestNoItems: JSON that is no content has one error, which says so; items with faults have theirs.
func TestNoItems(t *testing.T) {
	const none = "this file has no items: its objects have no ContentID, Name, TemplateName and date\n  hint: if it is not content, list it under ignore"
	for name, c := range map[string]struct {
		file, text string
		none       bool
	}{
		"data":                      {"e/x.json", `[{"name":"a","n":1},{"name":"b","n":{"ContentID":1}}]`, true},
		"settings":                  {"e/x.json", `{"title":"a","status":"live"}`, true},
		"lines":                     {"e/x.ndjson", "{\"a\":1}\n{\"a\":2}\n", true},
		"many objects":              {"e/x.json", "[" + strings.Repeat(`{"a":1},`, 500) + `{"a":1}]`, true},
		"a field":                   {"e/x.json", `{"Name":"a"}`, false},
		"an id in another case":     {"e/x.json", `{"contentId":"a"}`, false},
		"nothing":                   {"e/x.json", `{}`, false},
		"an item behind":            {"e/x.json", `[{"a":1},` + item(id1, "") + `]`, false},
		"data that is cut off":      {"e/x.json", `[{"a":1},{"a":`, false},
		"a text among objects":      {"e/x.json", `[{"a":1},"b"]`, false},
		"an array in an array":      {"e/x.json", `[[{"a":1}]]`, false},
		"a key that is given twice": {"e/x.json", `{"a":1,"a":2}`, false},
	} {
		_, diagnostics := load(t, map[string]string{c.file: c.text, "f/x.json": item(id2, "")}, Options{})
		got := len(diagnostics) == 1 && strings.Contains(diagnostics[0].String(), none)
		if got != c.none || len(diagnostics) == 0 {
			t.Errorf("%s: %v", name, diagnostics)
		}
	}
}
