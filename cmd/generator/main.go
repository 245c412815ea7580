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
)

type console struct{ out, err io.Writer }

type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, c console) error
}

var legacy = []command{
	{"build", "build a release and make it current", runBuild},
	{"plan", "show which files a build would write, and their size", runPlan},
	{"inspect", "print a snapshot's sections", runInspect},
	{"diff", "print the differences of two releases, and what caches must purge", runDiff},
	{"hosts", "write a web server's configuration for a release", runHosts},
	{"query", "answer a search from a release, without a server", runQuery},
	{"import", "make items of the export of a content management system", runImport},
	{"pull", "mirror an environment of an origin into the content", runPull},
	{"test", "compare a release's responses to searches with files of expectations", runTest},
	{"verify", "verify that a release is complete, or that a site serves it", runVerify},
}

func main() {
	defer crash.Exit()
	ctx := withSignals()
	err := dispatch(ctx, os.Args[1:], console{os.Stdout, os.Stderr})
	os.Exit(finish(ctx, err, os.Stderr))
}

// dispatch runs a command line.
func dispatch(ctx context.Context, args []string, c console) error {
	if len(args) > 0 {
		for _, cmd := range legacy {
			if cmd.name == args[0] {
				return cmd.run(ctx, args[1:], c)
			}
		}
	}
	return newProgram(c).Run(ctx, args)
}
