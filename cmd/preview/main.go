// Command preview shows content while it is being written: it builds a release into a
// directory of its own, serves it with the edge's server, watches the content and
// builds again on every change. It is the one place where both halves of the project
// meet, and does nothing itself that either of them does.
//
// Exit status: 0 ended by SIGINT, SIGTERM or SIGHUP, 1 the machine failed (the address
// is taken), 3 the flags are wrong. Bad content ends nothing: it is shown, and waited on.
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

	"contentedge/generator"
)

// Exit statuses.
const (
	exitOK      = 0
	exitMachine = 1
	exitUsage   = 3
)

func main() {
	err := start(untilSignal(), os.Args[1:], os.Stdout, os.Stderr)
	code := status(err)
	if code != exitOK {
		fmt.Fprintf(os.Stderr, "preview: %v\n", err)
	}
	os.Exit(code)
}

// untilSignal gives a context that the first signal ends. The second one does nothing:
// the end takes less than a second, and one Ctrl-C may arrive twice, from the terminal and
// from the program that started this one. The third one ends the process at once; what is
// left then, the next start removes.
func untilSignal() context.Context {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		end()
		<-signals
		signal.Reset()
	}()
	return ctx
}

// start runs what the arguments ask for.
func start(ctx context.Context, args []string, out, problems io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	return run(ctx, o, &console{out: out, err: problems})
}

// status is the exit status of an error.
func status(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, new(*usageError)), errors.As(err, new(*generator.UsageError)):
		return exitUsage
	}
	return exitMachine
}
