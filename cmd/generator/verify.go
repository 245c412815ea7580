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
       generator verify URL [flags]

Proves that the release in DIR (default public) is whole: the manifest matches its
build id, snapshots match their checksums and are sound, every item and every list page
is there and holds what its snapshot answers, and nothing else is there.

Of a site, proves that it answers with the bytes of the release, as they are and in each
coding that the release has them in: every item and every list page by its file's name.

  --against DIR          the release that the site should have (default: by the site's own
                         manifest and list of sums, which an edge server does not give away)
  --sample N             ask only for N files, drawn at random
  --jobs N               requests at once (default %d)
`

// maxProblems is how many problems are printed: enough to see what they have in common.
const maxProblems = 20

// errDamaged is a release that is not what its manifest says.
var errDamaged = errors.New("the release is damaged")

// errDiffers is a site that does not answer with its release.
var errDiffers = errors.New("the site does not answer with its release")

// runVerify proves a release or a site.
func runVerify(ctx context.Context, args []string, c console) error {
	var (
		config verify.SiteConfig
		sample positive
		jobs   = positive(verify.DefaultJobs)
	)
	set := flag.NewFlagSet("verify", flag.ContinueOnError)
	set.StringVar(&config.Against, "against", "", "")
	set.Var(&sample, "sample", "")
	set.Var(&jobs, "jobs", "")
	rest, err := parse(set, fmt.Sprintf(verifyUsage, verify.DefaultJobs), args, 1, c.out)
	if err != nil {
		return err
	}
	what := append(rest, "public")[0]
	if strings.Contains(what, "://") {
		config.URL, config.Sample, config.Jobs = what, int(sample), int(jobs)
		return verifySite(ctx, config, c)
	}
	if set.NFlag() > 0 {
		return &usageError{what + " is a directory, and flags are for sites", "leave them out, or name a site by its address"}
	}
	r, err := verify.Dir(ctx, what)
	if err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return damage(errDamaged, r.Problems)
	}
	_, err = fmt.Fprintf(c.out, "verified %s: %d files, %s (environments %d, items %d, lists %d, pages %d)\n",
		r.Build, r.Files, generator.FormatBytes(r.Bytes), r.Environments, r.Items, r.Lists, r.Pages)
	return err
}

// verifySite proves a site.
func verifySite(ctx context.Context, config verify.SiteConfig, c console) error {
	r, err := verify.Site(ctx, config)
	if errors.Is(err, verify.ErrAddress) {
		return &usageError{err.Error(), "run generator verify --help"}
	}
	if err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return damage(errDiffers, r.Problems)
	}
	_, err = fmt.Fprintf(c.out, "verified %s at %s: %d files in %d answers, %s; %d coded by the host, %d snapshots not given away\n",
		r.Build, config.URL, r.Files, r.Answers, generator.FormatBytes(r.Bytes), r.Recoded, r.Unserved)
	return err
}

// damage lists the first problems.
func damage(err error, problems []string) error {
	text := strings.Join(problems[:min(len(problems), maxProblems)], "\n")
	if more := len(problems) - maxProblems; more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return fmt.Errorf("%s\n%w, problems: %d", text, err, len(problems))
}
