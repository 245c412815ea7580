// This file decides how logs look: the reader of a terminal is a person, that of
// anything else a program.

package main

import (
	"log/slog"
	"os"
)

// newLogger writes for whoever reads: text on a terminal, else one JSON object a line.
func newLogger(out *os.File) *slog.Logger {
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return slog.New(slog.NewTextHandler(out, nil))
	}
	return slog.New(slog.NewJSONHandler(out, nil))
}
