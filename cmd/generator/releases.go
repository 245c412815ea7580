// This file is the releases command, which manages the releases in a store.

package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/generator"
	"contentedge/generator/publish"
)

const releasesUsage = `Usage: generator releases ACTION STORE [flags]

  list STORE             list the releases of a store, the newest upload first
  promote STORE BUILD    make a release of the store current, unless that would remove
                         too many items (--max-removed, --allow-removal)
  rollback STORE         make the previous release current
  renew STORE            write the pointer again, for nodes with --max-pointer-age, or
                         with the sequence number that their logs recommend (--sequence)
  gc STORE               remove old releases, but not the current and the previous one
  repair STORE           restore missing files of the current release, from --public DIR
                         or from other releases of the store

%s  --sequence N           renew: the sequence number to write (default: the next one)
  --public DIR           repair: directory of the current release
  --keep N               gc: how many of the newest releases stay (default %d)
  --jobs N               gc, repair: concurrent requests (default %d)
  --dry-run              gc: print what would be removed, and remove nothing
  --json                 print JSON

STORE is s3://BUCKET/PREFIX, as for generator publish.
`

// defaultKeep permits a few rollbacks.
const defaultKeep = 5

type releasesFlags struct {
	output
	publish.Config
	keep, sequence int
}

// releaseArguments are how many arguments each action takes.
var releaseArguments = map[string]int{"list": 1, "promote": 2, "rollback": 1, "renew": 1, "gc": 1, "repair": 1}

func runReleases(ctx context.Context, args []string, c console) error {
	f := releasesFlags{keep: defaultKeep, Config: publish.Config{Jobs: publish.DefaultJobs, Warn: c.warn}}
	set := flag.NewFlagSet("releases", flag.ContinueOnError)
	addRemoval(set, &f.Removal)
	set.Func("keep", "", readPositive(&f.keep))
	set.Func("jobs", "", readPositive(&f.Jobs))
	set.Func("sequence", "", readPositive(&f.sequence))
	set.StringVar(&f.Public, "public", "", "")
	set.BoolVar(&f.DryRun, "dry-run", false, "")
	set.BoolVar(&f.json, "json", false, "")
	rest, err := parse(set, fmt.Sprintf(releasesUsage, removalUsage, defaultKeep, publish.DefaultJobs), args, 3, c.out)
	if err != nil {
		return err
	}
	const hint = "run generator releases --help"
	if len(rest) == 0 {
		return &usageError{"no action given", hint}
	}
	if n, ok := releaseArguments[rest[0]]; !ok || len(rest)-1 != n {
		return &usageError{fmt.Sprintf("%q is not an action with its arguments", strings.Join(rest, " ")), hint}
	}
	if f.Store, err = openStore(rest[1:], "releases"); err != nil {
		return err
	}
	var p *release.Pointer
	switch rest[0] {
	case "list":
		found, err := publish.List(ctx, f.Store)
		return show(c, f.output, found, err, listTable)
	case "repair":
		r, err := publish.Repair(ctx, f.Config)
		return show(c, f.output, r, err, repaired)
	case "gc":
		done, err := publish.GC(ctx, f.Store, f.keep, f.Jobs, f.DryRun, c.warn)
		return show(c, f.output, done, err, f.collected)
	case "promote":
		p, err = publish.Promote(ctx, f.Store, rest[2], f.Removal, c.warn)
	case "rollback":
		p, err = publish.Rollback(ctx, f.Store, c.warn)
	case "renew":
		p, err = publish.Renew(ctx, f.Store, int64(f.sequence))
	}
	return show(c, f.output, p, err, promoted)
}

func listTable(releases []publish.Release) string {
	t := newTable("release", "sent", "files uncompressed", "bytes", "")
	for _, r := range releases {
		sent, mark := "(not whole)", ""
		if !r.Sent.IsZero() {
			sent = r.Sent.UTC().Format(time.RFC3339)
		}
		if r.Current {
			mark = "current, as of " + r.Published
		}
		if r.Previous {
			mark = "previous"
		}
		t.row(r.Build, sent, r.Files, generator.FormatBytes(r.Bytes), mark)
	}
	return t.String()
}

func promoted(p *release.Pointer) string {
	return fmt.Sprintf("%s is current (sequence %d)\n", p.Build, p.Sequence)
}

func repaired(r *publish.Repaired) string {
	return fmt.Sprintf("%s is complete: %d files, %d of them repaired\n", r.Build, r.Files, r.Sent)
}

func (f releasesFlags) collected(c *publish.GCReport) string {
	verb := "removed"
	if f.DryRun {
		verb = "would remove"
	}
	return fmt.Sprintf("%s %d releases, %d stay\n%s", verb, len(c.Removed), len(c.Kept), lines(c.Removed))
}

func lines(words []string) string {
	var b strings.Builder
	for _, w := range words {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}
