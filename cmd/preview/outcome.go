// This file holds what becomes of a build, as one value for all who want to know: the
// terminal, the server's clients.

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"contentedge/edgeserve"
	"contentedge/edgeserve/envelope"
	"contentedge/generator"
)

// phase is how far a build is.
type phase int

// The phases. A build is building, then either of the others; one that the end of the
// preview cuts short stays building.
const (
	building phase = iota
	built
	failed
)

// outcome is what is known of the newest build.
type outcome struct {
	phase  phase
	report *generator.Report // of a release that is being served now
	took   time.Duration     // to build it and to open it
	err    error             // why there is none: a *generator.ContentError, or else the machine's
}

// The codes of errors that clients are told.
const (
	codeContent = "content_error" // the content is wrong
	codeBuild   = "build_failed"  // anything else is
)

// maxText bounds each text that clients are told, in bytes. Names and messages may quote
// what the content says at any length.
const maxText = 1000

// contentError is what clients are told of a failed build.
func contentError(err error) *edgeserve.ContentError {
	var content *generator.ContentError
	if !errors.As(err, &content) {
		return &edgeserve.ContentError{Code: codeBuild, Message: cut("the build failed: " + err.Error())}
	}
	e := &edgeserve.ContentError{Code: codeContent}
	for _, d := range content.Diagnostics {
		if !d.Warning && len(e.Diagnostics) < maxFindings {
			e.Diagnostics = append(e.Diagnostics, envelope.Diagnostic{
				File: cut(d.File), Line: d.Line, Column: d.Col, Message: cut(d.Message), Hint: cut(d.Hint),
			})
		}
	}
	n := count(problems(content.Diagnostics), "problem")
	e.Message = fmt.Sprintf("the content has %s and cannot be built; once it is mended it is built again", n)
	return e
}

// cut bounds a text, between two characters.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + "..."
}
