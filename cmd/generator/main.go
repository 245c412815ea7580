// Command generator plans, builds, verifies, inspects, queries, tests, compares and publishes releases,
// and writes configurations of hosts.
//
// Exit status: 0 done, 1 a failure of the machine or a damaged release or site, 2 invalid content,
// 3 invalid flags or a plan above its limits, 130 and 143 interrupted.
package main

import (
	"context"
	"fmt"
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

var commands = []command{
	{"build", "build a release and make it current", runBuild},
	{"plan", "show which files a build would write, and their size", runPlan},
	{"inspect", "print a snapshot's sections", runInspect},
	{"diff", "print the differences of two releases, and what caches must purge", runDiff},
	{"hosts", "write a web server's configuration for a release", runHosts},
	{"query", "answer a search from a release, without a server", runQuery},
	{"import", "make items of the export of a content management system", runImport},
	{"pull", "mirror an environment of an origin into the content", runPull},
	{"publish", "upload the current release to a store and make it current there", runPublish},
	{"releases", "list, promote, renew, roll back, repair or remove releases in a store", runReleases},
	{"test", "compare a release's responses to searches with files of expectations", runTest},
	{"verify", "verify that a release is complete, or that a site serves it", runVerify},
}

func main() {
	defer crash.Exit()
	ctx := withSignals()
	err := dispatch(ctx, os.Args[1:], console{os.Stdout, os.Stderr})
	os.Exit(finish(ctx, err, os.Stderr))
}

func dispatch(ctx context.Context, args []string, c console) error {
	if len(args) == 0 {
		return &usageError{"no command given", "run generator help"}
	}
	for _, cmd := range commands {
		if cmd.name == args[0] {
			return cmd.run(ctx, args[1:], c)
		}
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(c.out)
	}
	return &usageError{fmt.Sprintf("unknown command %q", args[0]), "run generator help"}
}

func help(w io.Writer) error {
	text := "Usage: generator COMMAND [flags]\n\n"
	for _, cmd := range commands {
		text += fmt.Sprintf("  %-8s %s\n", cmd.name, cmd.summary)
	}
	text += "\nRun generator COMMAND --help for its flags.\n"
	_, err := io.WriteString(w, text)
	return err
}
