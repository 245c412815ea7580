// This file is the publish command.

package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/ship"
	"contentedge/generator/verify"
)

const publishUsage = `Usage: generator publish STORE [flags]

Verifies the current release in a public directory, uploads its files to a store, and makes
it current there. Edge nodes that follow the store then serve it. Files that the store
already has are not uploaded again. Nothing is uploaded if the release would remove too
many items. STORE is s3://BUCKET/PREFIX. Endpoint, region and credentials come from the
environment (AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY),
the shared credentials file or the machine's role.

  --public DIR           directory of the release (default public)
%s  --jobs N               concurrent requests (default %d)
  --dry-run              print what would be uploaded, and upload nothing
  --json                 print one JSON object instead of a summary
  --quiet                print only problems
`

func runPublish(ctx context.Context, args []string, c console) error {
	config := ship.PublishConfig{Jobs: ship.DefaultJobs, Warn: c.warn}
	var o output
	set := flag.NewFlagSet("publish", flag.ContinueOnError)
	set.StringVar(&config.Public, "public", "public", "")
	addRemoval(set, &config.Removal)
	set.Func("jobs", "", readPositive(&config.Jobs))
	set.BoolVar(&config.DryRun, "dry-run", false, "")
	o.register(set)
	rest, err := parse(set, fmt.Sprintf(publishUsage, removalUsage, ship.DefaultJobs), args, 1, c.out)
	if err != nil {
		return err
	}
	if config.Store, err = openStore(rest, "publish"); err != nil {
		return err
	}
	bar := newBar(c.err, o.quiet)
	config.Progress = bar.showSent
	start := time.Now()
	report, err := publishVerified(ctx, config)
	bar.clear()
	return show(c, o, report, err, func(r *ship.Report) string { return describePublish(config, r, time.Since(start)) })
}

// publishVerified publishes a release after comparing it with its manifest.
func publishVerified(ctx context.Context, c ship.PublishConfig) (*ship.Report, error) {
	r, err := verify.Dir(ctx, c.Public)
	if err != nil {
		return nil, err
	}
	if len(r.Problems) > 0 {
		return nil, damage(errDamaged, r.Problems)
	}
	return ship.Publish(ctx, c)
}

func openStore(args []string, command string) (*store.Store, error) {
	hint := "run generator " + command + " --help"
	if len(args) == 0 {
		return nil, &usageError{"no store given", hint}
	}
	s, err := store.Open(args[0], store.Options{})
	if err != nil {
		return nil, &usageError{err.Error(), hint}
	}
	return s, nil
}

func describePublish(config ship.PublishConfig, r *ship.Report, took time.Duration) string {
	verb, end := "published", fmt.Sprintf("it is current (sequence %d)", r.Sequence)
	if !r.Changed {
		end = fmt.Sprintf("it was current already (sequence %d)", r.Sequence)
	}
	if config.DryRun {
		verb, end = "would publish", fmt.Sprintf("as sequence %d", r.Sequence)
	}
	return fmt.Sprintf("%s %s to %s: %d files, %s; %d sent (%s), %d copied, %d there already; %s in %.2f s\n",
		verb, r.Build, config.Store, r.Files, bytesize.Format(r.Bytes), r.Sent, bytesize.Format(r.SentBytes), r.Copied, r.Kept, end, took.Seconds())
}
