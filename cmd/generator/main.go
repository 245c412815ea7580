// Command generator makes releases of content: it builds them, says what a build
// would write, and looks into and proves what was built. It is a client of package
// generator: flags in, exit status out.
//
// Exit status: 0 done, 1 the machine failed, or a release or site is damaged, 2 the content is
// wrong, 3 the flags are wrong or the plan exceeds a limit, 130 and 143 interrupted.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// console is where a command prints.
type console struct{ out, err io.Writer }

// command is a subcommand.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, c console) error
}

var commands = []command{
	{"build", "make a release of the content and put it in place", runBuild},
	{"plan", "say which files a build would write, and how many bytes", runPlan},
	{"inspect", "print what a snapshot holds, section by section", runInspect},
	{"diff", "print what differs between two releases, and what caches are to drop", runDiff},
	{"hosts", "write the configuration of nginx and other hosts for a release", runHosts},
	{"publish", "put the current release into a store, and make it current there", runPublish},
	{"releases", "list, promote, renew, roll back or remove releases in a store", runReleases},
	{"verify", "prove that a release is whole, or that a site answers with one", runVerify},
}

func main() {
	ctx := withSignals()
	err := dispatch(ctx, os.Args[1:], console{os.Stdout, os.Stderr})
	os.Exit(finish(ctx, err, os.Stderr))
}

// dispatch runs the subcommand that the arguments name.
func dispatch(ctx context.Context, args []string, c console) error {
	if len(args) == 0 {
		return &usageError{"no command is named", "run generator help"}
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
	return &usageError{fmt.Sprintf("there is no command %q", args[0]), "run generator help"}
}

// help lists the subcommands.
func help(w io.Writer) error {
	text := "Usage: generator COMMAND [flags]\n\n"
	for _, cmd := range commands {
		text += fmt.Sprintf("  %-8s %s\n", cmd.name, cmd.summary)
	}
	text += "\nRun generator COMMAND --help for its flags.\n"
	_, err := io.WriteString(w, text)
	return err
}
