// This file tests that messages stay short, whatever values an export has.

package importstest

import (
	"regexp"
	"strings"
	"testing"

	"contentedge/generator/imports"
	"contentedge/generator/source/documents"
)

// texts find names and values of JSON and XML: strings, numbers, text, tags.
var texts = regexp.MustCompile(`"((?:\\.|[^"\\])*)"|[:,\[](\d[\d.]*)|>([^<>]+)<|CDATA\[([^\]]+)|<([a-z:_]+)>`)

// LongValues imports an export once for each name and value in it, which is a very long one then, and fails the test if a
// message, or a row of the report, is not short.
func LongValues(t *testing.T, system imports.System, files map[string]string, o imports.Options) {
	t.Helper()
	failed, warned := 0, 0
	for name, text := range files {
		for _, m := range texts.FindAllStringSubmatchIndex(text, -1) {
			group := 2
			for m[group] < 0 {
				group += 2
			}
			long := strings.Repeat("1", 100_000)
			if group != 4 {
				long = strings.Repeat("long ü", 20_000)
			}
			changed := map[string]string{}
			for other := range files {
				changed[other] = files[other]
			}
			changed[name] = text[:m[group+1]] + long + text[m[group+1]:]
			r := Import(t, system, changed, o)
			if r.Err != nil {
				failed++
				short(t, text[m[0]:m[1]], r.Err.Error())
			}
			if r.Report == nil {
				continue
			}
			for _, w := range r.Warnings {
				warned++
				short(t, text[m[0]:m[1]], w.String())
			}
			for _, row := range r.Rows {
				short(t, text[m[0]:m[1]], row.Kind, row.Becomes, row.Status)
			}
		}
	}
	if failed+warned == 0 {
		t.Error("no import failed or warned: the export tests little")
	}
}

// short fails the test if a line of a message is longer than a message and its place.
func short(t *testing.T, where string, messages ...string) {
	t.Helper()
	for _, message := range messages {
		for line := range strings.Lines(message) {
			if len(line) > 2*documents.MaxMessage+200 {
				t.Errorf("%.100s: a message has %d bytes: %.300s", where, len(line), line)
			}
		}
	}
}
