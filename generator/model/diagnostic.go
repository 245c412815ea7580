// This file holds diagnostics: bounded in number by file, each with a place and a hint.

package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/terminal"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
)

// maxErrors is how many errors of one file are kept; the rest is counted.
const maxErrors = 20

// Diagnostic is a fault of the content.
type Diagnostic struct {
	File      string // as the user would type it; "" for the content as a whole
	Line, Col int    // from 1, in characters; 0 where the whole file is meant
	Message   string
	Hint      string // what to do about it, may be empty
	Warning   bool   // the build continues
	Note      bool   // a warning about something that is not wrong by itself: strict builds succeed all the same
	Count     int    // of a message about several places, how many: the place is the first one's
}

// String is "path:line:column: message", with the hint on its own line. A message about several
// places names the first at its end.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" && d.Count == 0 {
		b.WriteString(d.place() + ": ")
	}
	if d.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(terminal.Text(d.Message))
	if d.Count > 0 {
		b.WriteString(" (first: " + d.place() + ")")
	}
	if d.Hint != "" {
		b.WriteString("\n  hint: " + hintLines(d.Hint))
	}
	return b.String()
}

// hintIndent begins the lines of what a hint tells to write into a file.
const hintIndent = "\n    "

// hintLines returns a hint as it is printed. Other line ends belong to a value.
func hintLines(hint string) string {
	lines := strings.Split(hint, hintIndent)
	for i := range lines {
		lines[i] = terminal.Text(lines[i])
	}
	return strings.Join(lines, hintIndent)
}

func (d Diagnostic) place() string {
	if d.Line == 0 {
		return source.Show(d.File)
	}
	return fmt.Sprintf("%s:%d:%d", source.Show(d.File), d.Line, d.Col)
}

type report struct {
	kept    []Diagnostic
	errors  int          // all errors, including the kept ones
	closing []Diagnostic // said after all others
}

// bounded returns the diagnostic with texts of a bounded size: values of the content may have any.
func (d Diagnostic) bounded() Diagnostic {
	d.Message, d.Hint = documents.Bound(d.Message), documents.Bound(d.Hint)
	return d
}

func (r *report) add(d Diagnostic) {
	if r.errors++; r.errors <= maxErrors {
		r.kept = append(r.kept, d.bounded())
	}
}

func (r *report) clone() report {
	return report{slices.Clone(r.kept), r.errors, slices.Clone(r.closing)}
}

func (r *report) merge(part *report, lines int) {
	errors := r.errors + part.errors
	for _, d := range part.kept {
		if d.Line == 0 && slices.Contains(r.kept, d) { // an export of another system, in parts
			errors--
			continue
		}
		if d.Line > 0 {
			d.Line += lines
		}
		r.add(d)
	}
	r.errors = errors
}

func (r *report) rest(file string) []Diagnostic {
	n := r.errors - maxErrors
	if n <= 0 {
		return nil
	}
	return []Diagnostic{{File: file, Message: fmt.Sprintf("and %d more errors in this file", n)}}
}

// byPlace orders by file, line and column; diagnostics of a whole file come first.
func byPlace(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Message, b.Message))
}

// list returns the diagnostics of a file, sorted; what was only counted comes last.
func (r *report) list(file string) []Diagnostic {
	slices.SortStableFunc(r.kept, byPlace)
	return slices.Concat(r.kept, r.closing, r.rest(file))
}

func failed(diagnostics []Diagnostic) bool {
	return slices.ContainsFunc(diagnostics, func(d Diagnostic) bool { return !d.Warning })
}
