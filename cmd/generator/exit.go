// This file converts errors to messages and exit statuses, and signals to cancellation.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/terminal"
)

// graceful is how long an interrupted command may clean up; the next build removes the rest.
const graceful = 800 * time.Millisecond

// wrongUsage is an error in a command line or in settings.
func wrongUsage(message, hint string) error { return &cli.UsageError{Message: message, Hint: hint} }

// signalError is the cancellation cause after a signal.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string { return e.signal.String() }

// withSignals returns a context that ends at the first SIGINT or SIGTERM. A second
// signal ends the process, and so does the first one after graceful.
func withSignals() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		defer crash.Exit()
		s := (<-signals).(syscall.Signal)
		signal.Reset(syscall.SIGINT, syscall.SIGTERM)
		time.AfterFunc(graceful, crash.Guarded(func() { os.Exit(exitcode.Signal + int(s)) }))
		cancel(&signalError{s})
	}()
	return ctx
}

// finish prints an error to w and returns the exit status.
func finish(ctx context.Context, err error, w io.Writer) int {
	code := exitcode.Of(err)
	if code == exitcode.OK {
		return code
	}
	if interrupted, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		err, code = interrupted, exitcode.Signal+int(interrupted.signal)
	}
	if code != exitcode.Content && !errors.Is(err, errDamaged) && !errors.Is(err, errDiffers) {
		err = fmt.Errorf(program+": %w", err)
	}
	fmt.Fprintln(w, terminal.Error(err))
	if code == exitcode.Content {
		fmt.Fprintln(w, refusedLine+exitcode.Refused(err))
	}
	return code
}

// refusedLine begins the last line of every command that ends with exitcode.Content. Go's runtime ends
// with that code too, where a fault of the program cannot be caught, but without this line.
const refusedLine = program + ": refused: "
