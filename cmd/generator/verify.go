// This file is the verify command.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/verify"
)

func verifyCommand(c console) *cli.Command {
	config := verify.SiteConfig{Jobs: verify.DefaultJobs}
	cmd := &cli.Command{
		Name: "verify", Args: "[DIR|URL]", Summary: "verify that a release is complete, or that a site serves it", Purpose: purposeLook,
		Long: "Verifies the release in DIR (default " + defaultPublic + "): the manifest matches its build id, snapshots match their checksums and are valid, every item and list page " +
			"exists and equals the response from its snapshot, and there are no other files.\n\n" +
			"With URL, verifies that a site serves the bytes of the release, plain and in each content coding of the release: every item, and every list page by its file name.",
		Examples: []cli.Example{
			{Line: "generator verify public"},
			{Line: "generator verify https://www.example.com --against public --sample 500"},
			{Line: "generator verify https://www.example.com --trust trust.txt", Text: "also that the release is the signed one"},
		},
	}
	g := cmd.Group("Site")
	g.String(&config.Against, "against", "DIR", "the expected release (default: the site's own manifest and checksum list, which an edge server does not publish)").CommandLineOnly()
	addCount(g, &config.Sample, "sample", "request only N random files").CommandLineOnly()
	addJobs(g, &config.Jobs)
	trustFile := ""
	addTrust(cmd.Group(groupSignatures), &trustFile, "trust file of the nodes: the signed pointer next to the manifest must be one that they accept, and of this release")
	cmd.Run = func(ctx context.Context, args []string) error {
		what := append(args, defaultPublic)[0]
		var err error
		if config.Trust, err = readTrust(trustFile); err != nil {
			return err
		}
		if strings.Contains(what, "://") {
			config.URL = what
			return verifySite(ctx, config, cmd, c)
		}
		if err := refuseUnused(cmd, ofDirectory); err != nil {
			return err
		}
		return verifyDir(ctx, what, config.Trust, c)
	}
	return cmd
}

// maxProblems is how many problems are printed, enough to show a pattern.
const maxProblems = 20

var errDamaged = errors.New("the release is damaged")

var errDiffers = errors.New("the site does not serve its release")

func verifyDir(ctx context.Context, dir string, policy *trust.Policy, c console) error {
	r, err := verify.Dir(ctx, dir)
	if err != nil {
		return err
	}
	for _, warning := range r.Warnings {
		c.warn(warning)
	}
	if problems := append(r.Links, r.Problems...); len(problems) > 0 {
		return damage(errDamaged, problems)
	}
	var signed *trust.Verified
	if policy != nil {
		if signed, err = verify.Signed(dir, policy); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(c.out, "verified %s: %d files, %s (environments %d, items %d, lists %d, pages %d%s)%s\n",
		r.Build, r.Files, bytesize.Format(r.Bytes), r.Environments, r.Items, r.Lists, r.Pages, countSearches(r.Searches), verifiedBy(signed))
	return err
}

// verifiedBy returns the end of a line about a release: who signed it, if that was verified.
func verifiedBy(v *trust.Verified) string {
	if v == nil {
		return ""
	}
	return describeSigned(v.SignedBy, 0, v.Expires)
}

// countSearches returns the end of a list of counts: the saved searches, if the release has any.
func countSearches(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", searches %d", n)
}

func verifySite(ctx context.Context, config verify.SiteConfig, cmd *cli.Command, c console) error {
	r, err := verify.Site(ctx, config)
	if errors.Is(err, verify.ErrAddress) {
		return wrongUsage(err.Error(), cmd.Hint())
	}
	if err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return damage(errDiffers, r.Problems)
	}
	_, err = fmt.Fprintf(c.out, "verified %s at %s: %d files in %d responses, %s; %d compressed by the web server, %d snapshots not public%s\n",
		r.Build, config.URL, r.Files, r.Responses, bytesize.Format(r.Bytes), r.Recompressed, r.Unserved, verifiedBy(r.Signed))
	return err
}

func damage(err error, problems []string) error {
	text := strings.Join(problems[:min(len(problems), maxProblems)], "\n")
	if more := len(problems) - maxProblems; more > 0 {
		text += fmt.Sprintf("\nand %d more", more)
	}
	return fmt.Errorf("%s\n%w, problems: %d", text, err, len(problems))
}
