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

const ()

// maxText bounds each text for clients, in bytes: findings can quote content of any length.
const maxText = 1000

func contentError(err error) *edgeserve.ContentError {
	var content *generator.ContentError
	if !errors.As(err, &content) {
		return &edgeserve.ContentError{Code: problem.BuildFailed, Message: cut("the build failed: " + err.Error())}
	}
	e := &edgeserve.ContentError{Code: problem.ContentError}
	for _, d := range content.Diagnostics {
		if !d.Warning && len(e.Diagnostics) < maxFindings {
			e.Diagnostics = append(e.Diagnostics, problem.Diagnostic{
				File: cut(d.File), Line: d.Line, Column: d.Col, Message: cut(d.Message), Hint: cut(d.Hint),
			})
		}
	}
	n := count(problems(content.Diagnostics), "problem")
	e.Message = fmt.Sprintf("the content has %s and cannot be built; it is rebuilt after a correction", n)
	return e
}

func cut(text string) string { return page.Shorten(text, maxText, "...") }
