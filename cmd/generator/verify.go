// This file is the verify command.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator/verify"
)

const verifyUsage = `Usage: generator verify [DIR]
       generator verify URL [flags]

Verifies the release in DIR (default public): the manifest matches its build id, snapshots
match their checksums and are valid, every item and list page exists and equals the
response from its snapshot, and there are no other files.

With URL, verifies that a site serves the bytes of the release, plain and in each content
coding of the release: every item, and every list page by its file name.

  --against DIR          the expected release (default: the site's own manifest and
                         checksum list, which an edge server does not publish)
  --sample N             request only N random files
  --jobs N               concurrent requests (default %d)
`

// maxProblems is how many problems are printed, enough to show a pattern.
const maxProblems = 20

var errDamaged = errors.New("the release is damaged")

var errDiffers = errors.New("the site does not serve its release")

func runVerify(ctx context.Context, args []string, c console) error {
	config := verify.SiteConfig{Jobs: verify.DefaultJobs}
	set := flag.NewFlagSet("verify", flag.ContinueOnError)
	set.StringVar(&config.Against, "against", "", "")
	set.Func("sample", "", readPositive(&config.Sample))
	set.Func("jobs", "", readPositive(&config.Jobs))
	rest, err := parse(set, fmt.Sprintf(verifyUsage, verify.DefaultJobs), args, 1, c.out)
	if err != nil {
		return err
	}
	what := append(rest, "public")[0]
	if strings.Contains(what, "://") {
		config.URL = what
		return verifySite(ctx, config, c)
	}
	if err := refuseUnused(set, ofDirectory); err != nil {
		return err
	}
	r, err := verify.Dir(ctx, what)
	if err != nil {
		return err
	}
	for _, warning := range r.Warnings {
		c.warn(warning)
	}
	if problems := append(r.Links, r.Problems...); len(problems) > 0 {
		return damage(errDamaged, problems)
	}
	_, err = fmt.Fprintf(c.out, "verified %s: %d files, %s (environments %d, items %d, lists %d, pages %d%s)\n",
		r.Build, r.Files, bytesize.Format(r.Bytes), r.Environments, r.Items, r.Lists, r.Pages, countSearches(r.Searches))
	return err
}

// countSearches returns the end of a list of counts: the saved searches, if the release has any.
func countSearches(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", searches %d", n)
}

func verifySite(ctx context.Context, config verify.SiteConfig, c console) error {
	r, err := verify.Site(ctx, config)
	if errors.Is(err, verify.ErrAddress) {
		return wrongUsage(err.Error(), "run generator verify --help")
	}
	if err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return damage(errDiffers, r.Problems)
	}
	_, err = fmt.Fprintf(c.out, "verified %s at %s: %d files in %d responses, %s; %d compressed by the web server, %d snapshots not public\n",
		r.Build, config.URL, r.Files, r.Responses, bytesize.Format(r.Bytes), r.Recompressed, r.Unserved)
	return err
}

func damage(err error, problems []string) error {
	text := strings.Join(problems[:min(len(problems), maxProblems)], "\n")
	if more := len(problems) - maxProblems; more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return fmt.Errorf("%s\n%w, problems: %d", text, err, len(problems))
}
