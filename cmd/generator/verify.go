// This file is the verify command.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"contentedge/generator"
	"contentedge/generator/verify"
)

const verifyUsage = `Usage: generator verify [DIR]

Proves that the release in DIR (default public) is whole: the manifest matches its
build id, snapshots match their checksums and are sound, every item and every list page
is there and holds what its snapshot answers, and nothing else is there.
`

// maxProblems is how many problems are printed: enough to see what they have in common.
const maxProblems = 20

// errDamaged is a release that is not what its manifest says.
var errDamaged = errors.New("the release is damaged")

// runVerify proves a release.
func runVerify(ctx context.Context, args []string, c console) error {
	rest, err := parse(flag.NewFlagSet("verify", flag.ContinueOnError), verifyUsage, args, 1, c.out)
	if err != nil {
		return err
	}
	r, err := verify.Dir(ctx, append(rest, "public")[0])
	if err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return damage(r.Problems)
	}
	_, err = fmt.Fprintf(c.out, "verified %s: %d files, %s (environments %d, items %d, lists %d, pages %d)\n",
		r.Build, r.Files, generator.FormatBytes(r.Bytes), r.Environments, r.Items, r.Lists, r.Pages)
	return err
}

// damage lists the first problems.
func damage(problems []string) error {
	text := strings.Join(problems[:min(len(problems), maxProblems)], "\n")
	if more := len(problems) - maxProblems; more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return fmt.Errorf("%s\n%w, problems: %d", text, errDamaged, len(problems))
}
