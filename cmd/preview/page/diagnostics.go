// This file shows what is wrong with the content, with the lines around each place.

package page

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/generator"
)

const (
	severityError   = "error"
	severityWarning = "warning"

	maxDiagnostics = 1000 // of a build, errors first
	maxWithSource  = 50   // diagnostics have lines of their file
	contextLines   = 2    // before and after the place
	// maxLine is in characters.
	maxLine = 200
	// maxScanned is in bytes of one build: a file is read up to its last place.
	maxScanned = 256 << 20
	// maxText bounds messages and names, in bytes: they can quote content of any length.
	maxText = 1000
)

// Diagnostic is something wrong with the content.
type Diagnostic struct {
	Severity string `json:"severity"`
	File     string `json:"file"`   // "": the content as a whole
	Line     int    `json:"line"`   // from 1; 0: the whole file
	Column   int    `json:"column"` // in characters, from 1
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	Source   []Line `json:"source"` // around the place; may be empty
}

// Line is a line of a file, or its part around the place.
type Line struct {
	Line   int    `json:"line"`
	Text   string `json:"text"`
	Marked bool   `json:"marked"` // the place is in it
}

// describe converts a build's findings, errors first, and counts them.
func describe(found []generator.Diagnostic) (list []Diagnostic, total int) {
	for _, warnings := range []bool{false, true} {
		for _, d := range found {
			if d.Warning == warnings && len(list) < maxDiagnostics {
				list = append(list, describeOne(d))
			}
		}
	}
	addSource(list[:min(len(list), maxWithSource)])
	return list, len(found)
}

func describeOne(d generator.Diagnostic) Diagnostic {
	severity := severityError
	if d.Warning {
		severity = severityWarning
	}
	return Diagnostic{Severity: severity, File: shorten(d.File, maxText), Line: d.Line, Column: d.Col,
		Message: shorten(d.Message, maxText), Hint: shorten(d.Hint, maxText), Source: []Line{}}
}

func addSource(list []Diagnostic) {
	left := int64(maxScanned)
	byFile := map[string][]*Diagnostic{}
	for i := range list {
		if d := &list[i]; d.File != "" && d.Line > 0 {
			byFile[d.File] = append(byFile[d.File], d)
		}
	}
	for name, places := range byFile {
		slices.SortStableFunc(places, func(a, b *Diagnostic) int { return a.Line - b.Line })
		left -= addLines(name, places, left)
	}
}

// addLines adds lines to a file's diagnostics, sorted by line. It returns how many bytes it read.
func addLines(name string, places []*Diagnostic, limit int64) int64 {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return 0 // opening a pipe would wait for a writer
	}
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: limit}
	in := bufio.NewReaderSize(limited, 64<<10)
	for n := 1; len(places) > 0; n++ {
		for len(places) > 0 && places[0].Line < n-contextLines {
			places = places[1:]
		}
		if !addLine(in, n, places) {
			break
		}
	}
	return limit - limited.N
}

// addLine adds line n to the diagnostics near it; false at the end of the file.
func addLine(in *bufio.Reader, n int, places []*Diagnostic) bool {
	near := places[:0:0]
	for _, d := range places {
		if d.Line-contextLines > n {
			break
		}
		if n <= d.Line+contextLines {
			near = append(near, d)
		}
	}
	parts := make([]excerpt, len(near))
	for i, d := range near {
		if d.Line == n {
			parts[i].from = max(0, d.Column-maxLine/2)
		}
	}
	if !readLine(in, parts) {
		return false
	}
	for i, d := range near {
		d.Source = append(d.Source, Line{Line: n, Text: parts[i].text(), Marked: d.Line == n})
	}
	return true
}

func readLine(in *bufio.Reader, parts []excerpt) bool {
	some := false
	for {
		piece, err := in.ReadSlice('\n')
		some = some || len(piece) > 0
		for i := range parts {
			parts[i].add(piece)
		}
		if err != bufio.ErrBufferFull {
			return some
		}
	}
}

// excerpt is the characters of a line from one on.
type excerpt struct {
	from  int // characters before it
	chars int // read so far
	kept  []byte
	more  bool // the line continues after it
}

func (e *excerpt) add(piece []byte) {
	for _, c := range piece {
		if c == '\n' || e.more {
			return
		}
		if utf8.RuneStart(c) {
			e.chars++
		}
		if e.more = e.chars > e.from+maxLine; !e.more && e.chars > e.from {
			e.kept = append(e.kept, c)
		}
	}
}

// text returns the excerpt, with … where the line continues.
func (e *excerpt) text() string {
	text := strings.ToValidUTF8(strings.TrimSuffix(string(e.kept), "\r"), "\uFFFD")
	if e.from > 0 {
		text = "…" + text
	}
	if e.more {
		text += "…"
	}
	return text
}

func shorten(text string, n int) string { return Shorten(text, n, "…") }

// Shorten cuts a text of more than n bytes between two characters, and adds a mark.
func Shorten(text string, n int, mark string) string {
	if len(text) <= n {
		return text
	}
	end := n
	for end > n-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
