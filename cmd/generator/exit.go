// This file converts errors to messages and exit statuses, and signals to cancellation.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/terminal"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator"
	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/join"
	"contentedge/generator/load"
	"contentedge/generator/pull"
	"contentedge/generator/ship"
	"contentedge/generator/verify"
)

const (
	exitOK      = 0
	exitMachine = 1
	exitContent = 2
	exitUsage   = 3
	exitSignal  = 128 // plus the signal's number
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
		time.AfterFunc(graceful, crash.Guarded(func() { os.Exit(exitSignal + int(s)) }))
		cancel(&signalError{s})
	}()
	return ctx
}

// finish prints an error to w and returns the exit status.
func finish(ctx context.Context, err error, w io.Writer) int {
	code := status(err)
	if code == exitOK {
		return code
	}
	if interrupted, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		err, code = interrupted, exitSignal+int(interrupted.signal)
	}
	if code != exitContent && !errors.Is(err, errDamaged) && !errors.Is(err, errDiffers) {
		err = fmt.Errorf("generator: %w", err)
	}
	fmt.Fprintln(w, terminal.Error(err))
	if code == exitContent {
		fmt.Fprintln(w, refusedLine+refused(err))
	}
	return code
}

// refusedLine begins the last line of every command that ends with exitContent. Go's runtime ends
// with that code too, where a fault of the program cannot be caught, but without this line.
const refusedLine = "contentedge: refused: "

func status(err error) int {
	switch {
	case err == nil:
		return exitOK
	case is[*cli.UsageError](err), is[*generator.UsageError](err), is[*imports.UsageError](err), is[*pull.UsageError](err), is[*load.UsageError](err), is[*generator.BudgetError](err), is[*generator.LimitError](err), errors.Is(err, ship.ErrSigned), errors.Is(err, ship.ErrTooFew), errors.Is(err, ship.ErrNoOrigin), errors.Is(err, ship.ErrInPlace), errors.Is(err, release.ErrFormat):
		return exitUsage
	case refused(err) != "":
		return exitContent
	}
	return exitMachine
}

// refused returns what was refused, or "" if the error is not a refusal.
func refused(err error) string {
	switch {
	case is[*generator.ContentError](err):
		return "the content is wrong"
	case is[*generator.RemovalError](err):
		return "too much would be removed"
	case is[*join.Error](err):
		return "the parts do not make one release"
	case is[*export.Fault](err):
		return "the export or the mapping file is wrong"
	case is[*imports.InvalidError](err):
		return "a build would refuse the items"
	case is[*imports.AccountError](err):
		return "the account does not add up"
	case is[*bodyError](err):
		return "the search is wrong"
	case is[*pull.RefusedError](err):
		return "the content of the origin is wrong"
	case is[*load.ItemError](err):
		return "the cluster does not take an item"
	case errors.Is(err, ship.ErrLoses):
		return "readers of the store would lose files"
	case errors.Is(err, ship.ErrWithdrawn):
		return "the release was withdrawn"
	case errors.Is(err, ship.ErrForeign):
		return "another program changed the store"
	case errors.Is(err, errUnexpected):
		return "the release does not answer as expected"
	case slices.ContainsFunc(untrusted, func(e error) bool { return errors.Is(err, e) }):
		return "the signatures do not match the trust file"
	}
	return ""
}

// untrusted are the errors of a store, a site or a directory that is not what a trusted key signed.
var untrusted = []error{ship.ErrNotVouched, trust.ErrOrigin, trust.ErrSignature, trust.ErrThreshold, trust.ErrUnsigned, verify.ErrUnsigned}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
