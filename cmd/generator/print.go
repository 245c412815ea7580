// This file prints tables and warnings for users, and JSON for programs.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/terminal"
	"contentedge/generator"
	"contentedge/generator/pull"
)

// table is a table for people. A cell stays in its line, whatever its text has.
type table struct{ rows []string }

func newTable(head ...any) *table {
	t := &table{}
	t.row(head...)
	return t
}

func (t *table) row(cells ...any) {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = terminal.Text(fmt.Sprint(c))
	}
	t.rows = append(t.rows, strings.Join(words, "\t"))
}

func (t *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range t.rows {
		fmt.Fprintln(w, row)
	}
	w.Flush()
	return b.String()
}

func printWarnings(w io.Writer, found []generator.Diagnostic) {
	for _, d := range found {
		fmt.Fprintln(w, d.String())
	}
}

func (c console) warn(message string) { fmt.Fprintf(c.err, program+": warning: %s\n", message) }

// failure is the JSON result of a failed command.
type failure struct {
	Exit        int                       `json:"exit"`
	Error       string                    `json:"error"`
	Diagnostics []finding                 `json:"diagnostics,omitempty"`
	Removals    []generator.RemovalChange `json:"removals,omitempty"`
}

type finding struct {
	Item    string `json:"item,omitempty"` // the id, of what an origin sent
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Warning bool   `json:"warning,omitempty"`
	Count   int    `json:"count,omitempty"` // number of places; the first one is given
}

// show prints a result, or with --json an error, and returns the error.
func show[T any](c console, o output, result T, err error, words func(T) string) error {
	switch {
	case o.json && err != nil:
		return printJSON(c.documents(), describe(err), err)
	case o.json:
		return printJSON(c.documents(), result, nil)
	case err != nil || o.quiet:
		return err
	}
	_, err = io.WriteString(c.out, words(result))
	return err
}

// printJSON prints one object and returns err.
func printJSON(w io.Writer, result any, err error) error {
	b, e := json.Marshal(result)
	if e != nil {
		return errors.Join(err, e)
	}
	_, e = w.Write(append(terminal.Source(b), '\n'))
	return errors.Join(err, e)
}

func describe(err error) failure {
	f := failure{Exit: exitcode.Of(err), Error: err.Error()}
	if content, ok := errors.AsType[*generator.ContentError](err); ok {
		f.Error = content.Refused()
		f.Diagnostics = findings(content.Diagnostics)
	}
	if origin, ok := errors.AsType[*pull.RefusedError](err); ok {
		f.Error = origin.Refused()
		for _, fault := range origin.Faults {
			f.Diagnostics = append(f.Diagnostics, finding{Item: fault.ID, Message: fault.Message, Hint: fault.Hint})
		}
	}
	if refused, ok := errors.AsType[*generator.RemovalError](err); ok {
		f.Error = refused.Summary()
		f.Removals = refused.Changes
	}
	return f
}

func findings(found []generator.Diagnostic) []finding {
	var out []finding
	for _, d := range found {
		out = append(out, finding{"", d.File, d.Line, d.Col, d.Message, d.Hint, d.Warning, d.Count})
	}
	return out
}
