// Command generator plans, builds, verifies, inspects, queries, tests, compares and publishes releases,
// and writes configurations of hosts.
//
// Exit status: 0 done, 1 a failure of the machine or a damaged release or site, 2 invalid content,
// 3 invalid flags or a plan above its limits, 130 and 143 interrupted.
package main

import (
	"context"
	"io"
	"os"

	_ "contentedge/cmd/builtin"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/terminal"
)

// console is where a command prints. main makes both writers escape what controls a terminal.
type console struct{ out, err io.Writer }

// documents is standard output for what programs read, such as JSON, whose texts must not change.
func (c console) documents() io.Writer { return terminal.Raw(c.out) }

func main() {
	defer crash.Exit()
	ctx := withSignals()
	messages := &terminal.Writer{Out: os.Stderr}
	err := dispatch(ctx, os.Args[1:], console{&terminal.Writer{Out: os.Stdout}, messages})
	os.Exit(finish(ctx, err, messages))
}

// dispatch runs a command line.
func dispatch(ctx context.Context, args []string, c console) error {
	if err := refuseKeys(args); err != nil {
		return err
	}
	return newProgram(c).Run(ctx, args)
}
