// This file describes the outcome of a build for the terminal and the server's clients.

package main

import (
	"errors"
	"fmt"
	"time"

	"contentedge/cmd/preview/page"
	"contentedge/edgeserve"
	"contentedge/edgeserve/wire/problem"
	"contentedge/generator"
)

type phase int

// The phases of a build: building, then served or failed. At the end of preview a build may stay
// building.
const (
	building phase = iota
	built
	failed
)

type outcome struct {
	phase  phase
	report *generator.Report // of the served release
	took   time.Duration     // to build and open the release, or until it failed
	err    error             // why it failed: a *generator.ContentError or an error of the machine
}

// maxText bounds each text for clients, in bytes: findings can quote content of any length.
const maxText = 1000

func contentError(err error) *edgeserve.ContentError {
	var content *generator.ContentError
	if !errors.As(err, &content) {
		return &edgeserve.ContentError{Code: problem.BuildFailed, Message: cut("the build failed: " + err.Error())}
	}
	n := count(problems(content.Diagnostics), "problem")
	return describeProblems(content.Diagnostics, fmt.Sprintf("the content has %s and cannot be built; it is rebuilt after a correction", n))
}

// badFiles says what is wrong with the files that a build left out, or returns nil if it left out no file.
func badFiles(r *generator.Report) *edgeserve.ContentError {
	if len(r.Bad) == 0 {
		return nil
	}
	return describeProblems(r.Bad, fmt.Sprintf("the content has %s; the files that have them are left out until they are corrected", count(len(r.Bad), "problem")))
}

func describeProblems(found []generator.Diagnostic, message string) *edgeserve.ContentError {
	e := &edgeserve.ContentError{Code: problem.ContentError, Message: message}
	for _, d := range found {
		if !d.Warning && len(e.Diagnostics) < maxFindings {
			e.Diagnostics = append(e.Diagnostics, problem.Diagnostic{
				File: cut(d.File), Line: d.Line, Column: d.Col, Message: cut(d.Message), Hint: cut(d.Hint),
			})
		}
	}
	return e
}

func cut(text string) string { return page.Shorten(text, maxText, "...") }
