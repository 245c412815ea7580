// This file is the publish command.

package main

import (
	"context"
	"fmt"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator"
	"contentedge/generator/ship"
	"contentedge/generator/verify"
)

// aboutStores ends the helps of commands that write to a store.
const aboutStores = "STORE is s3://BUCKET/PREFIX. Endpoint, region and credentials come from the environment (AWS_ENDPOINT_URL_S3, AWS_REGION, " +
	"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), the shared credentials file or the machine's role."

func publishCommand(c console) *cli.Command {
	config := ship.PublishConfig{Public: defaultPublic, Jobs: ship.DefaultJobs, Warn: c.warn}
	var o output
	var sign signFlags
	var notify notifier
	var readers string
	inPlace := false
	cmd := &cli.Command{
		Name: "publish", Args: "STORE", Summary: "upload the current release to a store and make it current there", Purpose: purposeStore,
		Long: "Verifies the current release in a public directory, uploads its files to a store, and makes it current there. Edge servers that follow " +
			"the store then serve it. Files that the store already has are not uploaded again. Nothing is uploaded if the release would remove too many items.\n\n" + aboutStores + "\n\n" + aboutKeys,
		Examples: []cli.Example{
			{Line: "generator publish s3://bucket/live", Text: "the release in public"},
			{Line: "generator publish s3://bucket/live --public out --dry-run", Text: "what would be sent"},
			{Line: "generator publish s3://bucket/live --for nodes", Text: "only what edge servers read"},
			{Line: "generator publish s3://bucket/live --in-place", Text: "change what differs in a bucket behind a CDN"},
			{Line: "generator publish s3://bucket/live --changes 10 --notify https://search.example/hook", Text: "tell a search index elsewhere what changed"},
			{Line: "generator publish s3://bucket/live --sign '$RELEASE_KEY' --expires 7d", Text: "sign it with the key in a variable"},
		},
	}
	g := cmd.Group(groupRelease)
	addPublic(g, &config.Public)
	addJobs(g, &config.Jobs)
	g.String(&readers, "for", "READERS", "the readers of the store. nodes: only manifest, snapshots and media; all: every file of the release (default: as the store is; a new one for all)").Values("nodes", "all")
	g.Bool(&inPlace, "in-place", "change what differs below PREFIX/"+release.LiveDir+", the origin path of a CDN")
	addPatches(g, &config.Patches)
	addRemoval(cmd, &config.Removal)
	cmd.Group(groupGuard).Bool(&config.Again, "again", "publish a release that a rollback has withdrawn, and take the withdrawal back").CommandLineOnly()
	sign.add(cmd, true)
	addFollowers(cmd, &config.ChangesFrom, &notify)
	addDryRun(cmd, &config.DryRun)
	o.addJSON(cmd)
	o.addQuiet(cmd)
	others := cmd.Check
	cmd.Check = func() error {
		if inPlace && readers != "" {
			return wrongUsage("--in-place contradicts --for", "give only one")
		}
		return others()
	}
	cmd.Run = func(ctx context.Context, args []string) (err error) {
		if config.Store, err = openStore(args[0], cmd); err != nil {
			return err
		}
		if config.Sign, err = sign.signing(c); err != nil {
			return err
		}
		switch {
		case inPlace:
			config.Kind = release.KindInPlace
		case readers == "nodes":
			config.Kind = release.KindNodes
		case readers == "all":
			config.Complete = true
		}
		return runPublish(ctx, config, &notify, o, c)
	}
	return cmd
}

func runPublish(ctx context.Context, config ship.PublishConfig, notify *notifier, o output, c console) error {
	config.Removal.Withdrawn = func() map[string][]string { return generator.Withdrawn(config.Public) }
	bar := newBar(c.err, o.quiet)
	config.Progress = bar.showSent
	start := time.Now()
	report, err := publishVerified(ctx, config, notify)
	bar.clear()
	return show(c, o, report, err, func(r *ship.Report) string { return describePublish(config, r, time.Since(start)) })
}

// publishVerified publishes a release after comparing it with its manifest, and tells the receivers. Environments that
// the store's current release has too were verified when that one was published. If it cannot be read, all are
// verified, and Publish says why it cannot.
func publishVerified(ctx context.Context, c ship.PublishConfig, notify *notifier) (*ship.Report, error) {
	published, err := ship.CurrentManifest(ctx, c.Store)
	if err != nil {
		published = nil
	}
	r, err := verify.Changed(ctx, c.Public, published)
	if err != nil {
		return nil, err
	}
	if len(r.Problems) > 0 {
		return nil, damage(errDamaged, r.Problems)
	}
	report, err := ship.Publish(ctx, c)
	if err != nil || c.DryRun {
		return report, err
	}
	return report, notify.moved(ctx, c.Store, report.Changed && !report.Proposed)
}

// openStore opens the store that an argument of a command names.
func openStore(name string, cmd *cli.Command) (*store.Store, error) {
	s, err := store.Open(name, store.Options{})
	if err != nil {
		return nil, wrongUsage(err.Error(), cmd.Hint())
	}
	return s, nil
}

func describePublish(config ship.PublishConfig, r *ship.Report, took time.Duration) string {
	verb, end := "published", fmt.Sprintf("it is current (sequence %d)", r.Sequence)
	if !r.Changed {
		end = fmt.Sprintf("it was current already (sequence %d)", r.Sequence)
	}
	switch {
	case config.DryRun && r.Changed:
		verb, end = "would publish", fmt.Sprintf("as sequence %d", r.Sequence)
	case config.DryRun:
		verb = "would publish"
	case r.Proposed:
		verb, end = "proposed", fmt.Sprintf("it waits for signatures (sequence %d)", r.Sequence)
	}
	end = describeForms(r.Forms) + end
	end += describeSigned(r.SignedBy, r.Wanted, r.Expires)
	readers, others := "", fmt.Sprintf("%d copied", r.Copied)
	if r.Kind != release.KindComplete {
		readers = ", " + r.Kind.String()
	}
	if r.Kind == release.KindInPlace {
		others = fmt.Sprintf("%d removed", r.Removed)
	}
	return fmt.Sprintf("%s %s to %s%s: %d files, %s; %d sent (%s), %s, %d there already, %d requests; %s in %.2f s\n",
		verb, r.Build, config.Store, readers, r.Files, bytesize.Format(r.Bytes), r.Sent, bytesize.Format(r.SentBytes), others, r.Kept, r.Requests, end, took.Seconds())
}

func describeForms(f ship.Forms) (text string) {
	if f.Compressed > 0 {
		text = fmt.Sprintf("%d snapshots compressed (%s); ", f.Compressed, bytesize.Format(f.CompressedBytes))
	}
	if f.Patches > 0 {
		text += fmt.Sprintf("%d patches (%s); ", f.Patches, bytesize.Format(f.PatchBytes))
	}
	return text
}
