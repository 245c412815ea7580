// Package crash ends a program after a panic. Go's own end has the exit code 2, which is that of
// refused content here: no script could tell a fault of the program from one of its input.
package crash

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Code is the exit code after a panic: that of a failure of the machine.
const Code = 1

// Exit is deferred first in every goroutine. It prints a panic with its stack and ends the program.
func Exit() {
	if cause := recover(); cause != nil {
		end(cause, os.Stderr, os.Exit)
	}
}

func end(cause any, w io.Writer, exit func(int)) {
	fmt.Fprintf(w, "panic: %v\n\n%s\ncontentedge: this is a fault of the program, not of its input\n", cause, debug.Stack())
	exit(Code)
}

// Guarded is f with Exit, for goroutines that others start.
func Guarded(f func()) func() {
	return func() {
		defer Exit()
		f()
	}
}
