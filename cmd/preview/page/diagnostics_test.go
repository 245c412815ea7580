package page

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"contentedge/generator"
)

// TestSource: a diagnostic has the lines around its place.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	long := strings.Repeat("é", 1000)
	small := write("small", "one\ntwo\r\nthree\nfour\nfive\n")
	wide := write("wide", "a\n"+long+"HERE"+long+"\n"+long)
	odd := write("odd", "\xff\xfe<script>\x00\n")
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		file         string
		line, column int
		want         []Line
	}{
		{small, 1, 1, []Line{{1, "one", true}, {2, "two", false}, {3, "three", false}}},
		{small, 3, 2, []Line{{1, "one", false}, {2, "two", false}, {3, "three", true}, {4, "four", false}, {5, "five", false}}},
		{small, 5, 1, []Line{{3, "three", false}, {4, "four", false}, {5, "five", true}}},
		{small, 7, 1, []Line{{5, "five", false}}},
		{small, 0, 0, []Line{}},
		{odd, 1, 1, []Line{{1, "\uFFFD<script>\x00", true}}},
		{filepath.Join(dir, "none"), 1, 1, []Line{}},
		{pipe, 1, 1, []Line{}},
		{dir, 1, 1, []Line{}},
		{"", 1, 1, []Line{}},
	} {
		list, total := describe([]generator.Diagnostic{{File: c.file, Line: c.line, Col: c.column, Message: "m"}})
		if total != 1 || !reflect.DeepEqual(list[0].Source, c.want) {
			t.Errorf("%s:%d: %+v, want %+v", c.file, c.line, list[0].Source, c.want)
		}
	}
	list, _ := describe([]generator.Diagnostic{{File: wide, Line: 2, Col: 1002}, {File: wide, Line: 2, Col: 1}})
	for i, d := range list {
		if len(d.Source) != 3 {
			t.Fatalf("%d lines", len(d.Source))
		}
		text := d.Source[1].Text
		if n := utf8.RuneCountInString(strings.Trim(text, "…")); n != maxLine || strings.Contains(text, "HERE") != (i == 0) || strings.HasPrefix(text, "…") != (i == 0) || !strings.HasSuffix(text, "…") {
			t.Errorf("%d characters: %s", n, text)
		}
		if last := d.Source[2].Text; !strings.HasSuffix(last, "é…") || utf8.RuneCountInString(last) != maxLine+1 {
			t.Errorf("%q", last)
		}
	}
}

// TestDescribe: errors come first, texts and lists are bounded, and files are read for the first
// diagnostics only.
func TestDescribe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte(strings.Repeat("line\n", 2000)), 0o644); err != nil {
		t.Fatal(err)
	}
	found := []generator.Diagnostic{{Message: "odd", Warning: true}}
	for i := range 2000 {
		found = append(found, generator.Diagnostic{File: file, Line: 2000 - i, Col: 1, Message: strings.Repeat("é", maxText), Hint: fmt.Sprint(i)})
	}
	list, total := describe(found)
	if total != len(found) || len(list) != maxDiagnostics {
		t.Errorf("%d of %d", len(list), total)
	}
	for i, d := range list {
		if d.Severity != severityError || d.Hint != fmt.Sprint(i) || len(d.Message) > maxText+len("…") || !utf8.ValidString(d.Message) {
			t.Fatalf("%d: %+v", i, d)
		}
		if (len(d.Source) > 0) != (i < maxWithSource) {
			t.Errorf("%d has %d lines", i, len(d.Source))
		}
	}
	if list, _ := describe(found[:1]); list[0].Severity != severityWarning {
		t.Errorf("%+v", list)
	}
}

// TestSourceOfLargeFiles: what is read for one build is bounded.
func TestSourceOfLargeFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(file, []byte(strings.Repeat("0123456789abcde\n", 1<<16)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit int64
		lines int
	}{{1 << 20, 5}, {1 << 16, 0}} {
		d := Diagnostic{File: file, Line: 1 << 15, Column: 3}
		if read := addLines(file, []*Diagnostic{&d}, c.limit); read > c.limit || len(d.Source) != c.lines {
			t.Errorf("limit %d: read %d, %d lines", c.limit, read, len(d.Source))
		}
	}
}
