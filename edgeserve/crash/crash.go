// Package crash ends a program after a panic. Go's runtime would exit with code 2, which here means refused content: a
// script could not distinguish a fault of the program from a fault of its input.
package crash

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Code is the exit code after a panic. Failures of the machine have it, too.
const Code = 1

// Exit prints a panic with its stack and ends the program. Every goroutine defers it first.
func Exit() {
	if cause := recover(); cause != nil {
		end(cause, os.Stderr, os.Exit)
	}
}

func end(cause any, w io.Writer, exit func(int)) {
	fmt.Fprintf(w, "panic: %v\n\n%s\nthis is a fault of the program, not of its input\n", cause, debug.Stack())
	exit(Code)
}

// Guarded returns f with Exit, for functions that other packages start in goroutines.
func Guarded(f func()) func() {
	return func() {
		defer Exit()
		f()
	}
}
