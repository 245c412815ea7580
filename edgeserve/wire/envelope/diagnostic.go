// This file writes diagnostics, which are problems in the content, into the errors of preview servers.

package envelope

import (
	"strconv"

	"contentedge/edgeserve/wire/problem"
)

func appendDiagnostics(dst []byte, list []problem.Diagnostic) []byte {
	dst = append(dst, errorDiags...)
	for i, d := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendDiagnostic(dst, d)
	}
	return append(dst, ']')
}

func appendDiagnostic(dst []byte, d problem.Diagnostic) []byte {
	dst = append(dst, '{')
	if d.File != "" {
		dst = HTMLEscapes.AppendString(append(dst, `"file":`...), d.File)
		dst = append(dst, ',')
	}
	if d.Line > 0 {
		dst = strconv.AppendInt(append(dst, `"line":`...), int64(d.Line), 10)
		dst = strconv.AppendInt(append(dst, `,"column":`...), int64(d.Column), 10)
		dst = append(dst, ',')
	}
	dst = HTMLEscapes.AppendString(append(dst, `"message":`...), d.Message)
	if d.Hint != "" {
		dst = HTMLEscapes.AppendString(append(dst, `,"hint":`...), d.Hint)
	}
	return append(dst, '}')
}
