// This file converts errors to messages and exit statuses, and signals to cancellation.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"contentedge/generator"
)

const (
	exitOK      = 0
	exitMachine = 1
	exitContent = 2
	exitUsage   = 3
	exitSignal  = 128 // plus the signal's number
)

// graceful is how long an interrupted command may clean up. The next build removes what
// is left.
const graceful = 800 * time.Millisecond

// usageError is an invalid command line.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message + "\n  hint: " + e.hint }

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
		s := (<-signals).(syscall.Signal)
		signal.Reset(syscall.SIGINT, syscall.SIGTERM)
		time.AfterFunc(graceful, func() { os.Exit(exitSignal + int(s)) })
		cancel(&signalError{s})
	}()
	return ctx
}

// finish prints an error to w and returns the exit status.
func finish(ctx context.Context, err error, w io.Writer) int {
	var interrupted *signalError
	switch code := status(err); {
	case code == exitOK:
		return exitOK
	case errors.As(context.Cause(ctx), &interrupted):
		fmt.Fprintf(w, "generator: %v\n", interrupted)
		return exitSignal + int(interrupted.signal)
	case code == exitContent || errors.Is(err, errDamaged) || errors.Is(err, errDiffers):
		fmt.Fprintln(w, err)
		return code
	default:
		fmt.Fprintf(w, "generator: %v\n", err)
		return code
	}
}

// status is the exit status for an error.
func status(err error) int {
	var (
		usage   *usageError
		config  *generator.UsageError
		budget  *generator.BudgetError
		limit   *generator.LimitError
		content *generator.ContentError
		removal *generator.RemovalError
	)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage), errors.As(err, &config), errors.As(err, &budget), errors.As(err, &limit):
		return exitUsage
	case errors.As(err, &content), errors.As(err, &removal):
		return exitContent
	}
	return exitMachine
}
