package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"contentedge/edgeserve/wire/problem"
	"contentedge/generator"
)

// TestOutcomes: every reader receives each outcome, in order.
func TestOutcomes(t *testing.T) {
	dir := t.TempDir()
	item := filepath.Join(dir, "content", "site", "a.json")
	if err := os.MkdirAll(filepath.Dir(item), 0o755); err != nil {
		t.Fatal(err)
	}
	var out, problems strings.Builder
	p, err := newPreview(options{content: filepath.Join(dir, "content"), addr: "127.0.0.1:0"}, &workDir{out: filepath.Join(dir, "public")}, &console{out: &out, err: &problems})
	if err != nil {
		t.Fatal(err)
	}
	defer p.server.Swap(nil)
	var told []outcome
	p.listeners = append(p.listeners, func(o outcome) { told = append(told, o) })
	const good = `{"ContentID":"Content_00000000-0000-4000-8000-000000000001","Name":"A","TemplateName":"Page","CreatedAt":"2026-01-01T00:00:00Z"}`
	for _, text := range []string{good, good[:20], good} {
		if err := os.WriteFile(item, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p.rebuild(t.Context())
	}
	var phases []phase
	for _, o := range told {
		phases = append(phases, o.phase)
	}
	if want := []phase{building, built, building, failed, building, built}; !slices.Equal(phases, want) {
		t.Fatalf("phases %v, want %v", phases, want)
	}
	var wrong *generator.ContentError
	if !errors.As(told[3].err, &wrong) || told[1].report == nil || told[1].report.Build != told[5].report.Build || told[5].took <= 0 {
		t.Errorf("%+v", told)
	}
}

// TestContentError: clients see what stops the build, within the limits.
func TestContentError(t *testing.T) {
	long := strings.Repeat("é", maxText)
	found := []generator.Diagnostic{{File: "a.json", Message: "odd", Warning: true}, {File: "b.json", Line: 3, Col: 7, Message: "wrong", Hint: "mend it"}}
	for range 2 * maxFindings {
		found = append(found, generator.Diagnostic{File: long, Message: long, Hint: long})
	}
	e := contentError(fmt.Errorf("wrapped: %w", &generator.ContentError{Diagnostics: found}))
	if e.Code != problem.ContentError || !strings.Contains(e.Message, fmt.Sprintf("has %d problems", 2*maxFindings+1)) {
		t.Errorf("%s: %s", e.Code, e.Message)
	}
	if d := e.Diagnostics[0]; len(e.Diagnostics) != maxFindings || d.File != "b.json" || d.Line != 3 || d.Column != 7 || d.Message != "wrong" || d.Hint != "mend it" {
		t.Errorf("%d, the first %+v", len(e.Diagnostics), d)
	}
	for _, text := range []string{e.Diagnostics[1].File, e.Diagnostics[1].Message, e.Diagnostics[1].Hint} {
		if len(text) > maxText+len("...") || !utf8.ValidString(text) || !strings.HasSuffix(text, "é...") {
			t.Errorf("%d bytes: %q", len(text), text)
		}
	}
	if e := contentError(errors.New("no space left")); e.Code != problem.BuildFailed || e.Message != "the build failed: no space left" || e.Diagnostics != nil {
		t.Errorf("%+v", e)
	}
}

func TestCut(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("x", maxText)} {
		if got := cut(text); got != text {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	}
	for _, text := range []string{strings.Repeat("x", maxText+1), strings.Repeat("x", maxText-1) + "🙂", strings.Repeat("\x80", 2*maxText)} {
		if got := cut(text); len(got) > maxText+3 || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q became %q", text, got)
		}
	}
}
