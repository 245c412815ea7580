// These tests build content of which some files are wrong.

package generator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLeaveOutBad shows what a first build of a preview serves of content with wrong files.
func TestLeaveOutBad(t *testing.T) {
	item := func(id, to string) string {
		data := ""
		if to != "" {
			data = fmt.Sprintf(`,"Data":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":[%q]}}`, to)
		}
		return fmt.Sprintf(`{"ContentID":%q,"Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"%s}`, id, data)
	}
	const wrong = `{"ContentID":"Content_w"`
	tests := []struct {
		name  string
		files map[string]string
		items []string // "" is a build that fails
		bad   []string // beginnings of what is said, without the directory
	}{
		{"nothing wrong", map[string]string{"e/a.json": item("Content_a", "")}, []string{"Content_a"}, nil},
		{"a wrong file of three", map[string]string{"e/a.json": item("Content_a", ""), "e/b.json": wrong, "e/c.json": item("Content_c", "Content_w")}, []string{"Content_a", "Content_c"}, []string{"e/b.json:1:"}},
		{"several", map[string]string{"e/a.json": item("Content_a", ""), "e/b.json": wrong, "e/c.json": "["}, []string{"Content_a"}, []string{"e/b.json:1:", "e/c.json:1:"}},
		{"an id twice", map[string]string{"e/a.json": item("Content_a", ""), "e/b.json": item("Content_a", "")}, []string{"Content_a"}, []string{"e/b.json:1:"}},
		{"wrong in two ways, of which one shows later", map[string]string{"e/a.json": item("Content_a", ""), "e/b.json": item("Content_a", ""), "e/c.json": "[", "e/d.json": item("Content_d", "")},
			[]string{"Content_a", "Content_d"}, []string{"e/b.json:1:", "e/c.json:1:"}},
		{"a saved search with a wrong member", map[string]string{"e/a.json": item("Content_a", ""), "e/_searches/all.json": `{"size":"x"}`}, []string{"Content_a"}, []string{"e/_searches/all.json:"}},
		{"a saved search with a wrong query", map[string]string{"e/a.json": item("Content_a", ""), "e/_searches/all.json": `{"query":{"query_string":{"query":"("}}}`}, nil, []string{"e/_searches/all.json:"}},
		{"an environment with nothing right", map[string]string{"e/a.json": item("Content_a", ""), "f/b.json": "["}, []string{"Content_a"}, []string{"f/b.json:1:"}},
		{"nothing right", map[string]string{"e/a.json": "{", "e/b.json": wrong}, nil, []string{"e/a.json:1:", "e/b.json:1:"}},
		{"settings", map[string]string{"e/_environment.yaml": "x: 1\n", "e/a.json": item("Content_a", "")}, nil, []string{"e/_environment.yaml:1:"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := content(t, tt.files)
			s := session(t, dir)
			r, err := s.Build(t.Context(), View{LeaveOutBad: true})
			var bad []Diagnostic
			var wrong *ContentError
			switch {
			case errors.As(err, &wrong):
				bad = slices.DeleteFunc(wrong.Diagnostics, func(d Diagnostic) bool { return d.Warning })
			case err != nil:
				t.Fatal(err)
			default:
				bad = r.Bad
			}
			if (tt.items == nil) != (err != nil) {
				t.Fatalf("the build ends with %v", err)
			}
			for _, id := range tt.items {
				if _, ok := s.Item("e", id); !ok || r.Environments[0].Items != len(tt.items) {
					t.Errorf("%s is missing, or there are not %d items: %d", id, len(tt.items), r.Environments[0].Items)
				}
			}
			said := func(d Diagnostic) string { return strings.TrimPrefix(d.String(), dir+string(filepath.Separator)) }
			if len(bad) != len(tt.bad) || slices.ContainsFunc(tt.bad, func(begin string) bool {
				return !slices.ContainsFunc(bad, func(d Diagnostic) bool { return !d.Warning && strings.HasPrefix(said(d), begin) })
			}) {
				t.Errorf("said %v", bad)
			}
			if r != nil && slices.ContainsFunc(r.Warnings, func(d Diagnostic) bool { return strings.Contains(d.Message, "refers to") }) {
				t.Errorf("what a wrong file may have is called missing: %v", r.Warnings)
			}
			if _, err := session(t, dir).Build(t.Context(), View{}); (err != nil) != (len(tt.bad) > 0) {
				t.Errorf("without the option: %v", err)
			}
		})
	}
}

// TestMendBad mends one wrong file of two: its item appears, and the other stays out.
func TestMendBad(t *testing.T) {
	dir := content(t, map[string]string{"e/a.json": `{"ContentID":"Content_a","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`, "e/b.json": "{", "e/c.json": "["})
	s := session(t, dir)
	if r, err := s.Build(t.Context(), View{LeaveOutBad: true}); err != nil || len(r.Bad) != 2 {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "e", "b.json"), []byte(`{"ContentID":"Content_b","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), View{LeaveOutBad: true})
	if err != nil || len(r.Bad) != 1 || r.Environments[0].Items != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, ok := s.Item("e", "Content_b"); !ok {
		t.Error("the mended item is missing")
	}
}
