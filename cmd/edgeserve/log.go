// This file selects the format of logs: text on a terminal, JSON elsewhere.

package main

import (
	"io"
	"log/slog"
	"os"

	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/terminal"
)

type logOptions struct {
	format string // auto, json or text
	level  slog.Level
	access bool

	accessAs string // auto, or a format of package logs
}

func (o logOptions) asText(out *os.File) bool {
	if o.format != "auto" {
		return o.format == "text"
	}
	info, err := out.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// handler writes a log whose lines control neither a terminal nor a CI system: texts of releases, pointers and clients are
// in the lines.
func handler(out io.Writer, text bool, level slog.Level) slog.Handler {
	out = &terminal.Writer{Out: out, Source: !text}
	if text {
		return slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})
	}
	return slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})
}

// logger returns the only logger of the program. All parts share its limits of repeated lines.
func (o logOptions) logger(out *os.File) *slog.Logger {
	return logs.Limited(slog.New(handler(out, o.asText(out), o.level)))
}

// accessFormat is the format of the access log.
func (o logOptions) accessFormat(out *os.File) logs.AccessFormat {
	name := o.accessAs
	switch {
	case name != "auto":
	case o.asText(out):
		name = "text"
	default:
		name = "json"
	}
	format, _ := logs.FormatOf(name) // the flag takes only these names
	return format
}
