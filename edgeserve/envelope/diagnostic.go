// This file writes what is wrong with content: errors carry it where content that people
// are still writing is served.

package envelope

import "strconv"

// Diagnostic is one thing that is wrong with the content.
type Diagnostic struct {
	File         string // may be empty: the content as a whole
	Line, Column int    // from 1; 0 where the whole file is meant
	Message      string
	Hint         string // what to do about it; may be empty
}

// appendDiagnostics writes the member of an error that lists diagnostics.
func appendDiagnostics(dst []byte, list []Diagnostic) []byte {
	dst = append(dst, errorDiags...)
	for i, d := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendDiagnostic(dst, d)
	}
	return append(dst, ']')
}

// appendDiagnostic writes a diagnostic without the members that it lacks.
func appendDiagnostic(dst []byte, d Diagnostic) []byte {
	dst = append(dst, '{')
	if d.File != "" {
		dst = appendString(append(dst, `"file":`...), d.File)
		dst = append(dst, ',')
	}
	if d.Line > 0 {
		dst = strconv.AppendInt(append(dst, `"line":`...), int64(d.Line), 10)
		dst = strconv.AppendInt(append(dst, `,"column":`...), int64(d.Column), 10)
		dst = append(dst, ',')
	}
	dst = appendString(append(dst, `"message":`...), d.Message)
	if d.Hint != "" {
		dst = appendString(append(dst, `,"hint":`...), d.Hint)
	}
	return append(dst, '}')
}
