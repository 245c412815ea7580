// This file is the join command of releases.

package main

import (
	"context"
	"fmt"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/join"
	"contentedge/generator/ship"
)

// joinCommand makes a release of partial ones.
func joinCommand(c console) *cli.Command {
	config := join.Config{Out: defaultPublic, Warn: c.warn}
	var o output
	var against string
	cmd := &cli.Command{
		Name: "join", Args: "PART...", Summary: "make a release of partial releases, which several machines have built",
		Long: "Makes a release of the partial releases of generator build --part, each of some environments, and makes it current in a directory. " +
			"The release equals one build of all environments. Nothing is written if an environment is in two parts, or if one that the current release has is in none.",
		Examples: []cli.Example{
			{Line: "generator releases join parts/1 parts/2", Text: "into public"},
			{Line: "generator releases join parts/1 parts/2 --against s3://bucket/live", Text: "with the environments that the store's current release has"},
		},
	}
	g := cmd.Group(groupRelease)
	g.String(&config.Out, "out", "DIR", "directory for releases")
	g.String(&against, "against", "STORE", "refuse to lose environments of the current release of a store")
	addRemoval(cmd, &config.Removal)
	addDryRun(cmd, &config.DryRun)
	o.addJSON(cmd)
	cmd.Run = func(ctx context.Context, args []string) error {
		config.Parts = args
		if against != "" {
			s, err := openStore(against, cmd)
			if err != nil {
				return err
			}
			current, err := ship.CurrentManifest(ctx, s)
			if err != nil {
				return err
			}
			if current != nil {
				config.Against = []*release.Manifest{current}
			}
		}
		start := time.Now()
		report, err := join.Join(ctx, config)
		return show(c, o, report, err, func(r *join.Report) string { return describeJoin(config, r, time.Since(start)) })
	}
	return cmd
}

func describeJoin(c join.Config, r *join.Report, took time.Duration) string {
	what := fmt.Sprintf("%d environments of %d parts, %d items, %d files, %s", r.Environments, r.Parts, r.Items, r.Files, bytesize.Format(r.Bytes))
	if c.DryRun {
		return "would join " + what + "\n"
	}
	return fmt.Sprintf("joined %s in %s: %s; %d linked, %d copied in %.2f s\n", r.Build, c.Out, what, r.Linked, r.Copied, took.Seconds())
}
