// Command preview shows content while authors edit it. It builds a release into a directory of its
// own, serves it with the edge's server, watches the content and rebuilds after every change. It
// only connects the two halves of the project.
//
// Exit status: 0 after SIGINT, SIGTERM or SIGHUP, 1 for a failure of the machine (such as an
// address in use), 3 for wrong settings. Invalid content is reported and does not end preview.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	_ "contentedge/cmd/builtin"
	"contentedge/cmd/cli"
	"contentedge/cmd/preview/page"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/terminal"
	"contentedge/generator"
)

func main() {
	defer crash.Exit()
	problems := &terminal.Writer{Out: os.Stderr}
	err := start(untilSignal(), os.Args[1:], &terminal.Writer{Out: os.Stdout}, problems)
	code := status(err)
	if code != exitcode.OK {
		fmt.Fprintf(problems, program+": %s\n", terminal.Error(err))
	}
	os.Exit(code)
}

// untilSignal returns a context that ends at the first signal. The second is ignored: one Ctrl-C
// can come twice, from the terminal and the parent. The third kills; the next start cleans up.
func untilSignal() context.Context {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer crash.Exit()
		<-signals
		end()
		<-signals
		signal.Reset()
	}()
	return ctx
}

func start(ctx context.Context, args []string, out, problems io.Writer) error {
	return newProgram(out, problems, os.Environ(), func(ctx context.Context, o options) error {
		return run(ctx, o, &console{out: out, err: problems, visitor: o.as == page.Visitor})
	}).Run(ctx, args)
}

func status(err error) int {
	switch {
	case err == nil:
		return exitcode.OK
	case errors.As(err, new(*cli.UsageError)), errors.As(err, new(*generator.UsageError)):
		return exitcode.Usage
	}
	return exitcode.Machine
}
