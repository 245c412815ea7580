// This file is the releases command, which manages the releases in a store.

package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator/ship"
)

const releasesUsage = `Usage: generator releases ACTION STORE [flags]

  list STORE             list the releases of a store, the newest upload first
  promote STORE BUILD    make a release of the store current, unless that would remove
                         too many items
  rollback STORE         make the previous release current
  renew STORE            write the pointer again, for nodes with --max-pointer-age, or
                         with the sequence number that their logs recommend (--sequence)
  gc STORE               remove old releases, but not the current and the previous one
  repair STORE           restore missing files of the current release, from --public DIR
                         or from other releases of the store

promote:
%s
  --sequence N           renew: the sequence number to write (default: the next one)
  --public DIR           repair: directory of the current release
  --keep N               gc: how many of the newest releases stay (default %d)
  --jobs N               gc, repair: concurrent requests (default %d)
  --dry-run              all but list: print what would be done, and write nothing
  --json                 print JSON

STORE is s3://BUCKET/PREFIX, as for generator publish.
`

// defaultKeep permits a few rollbacks.
const defaultKeep = 5

type releasesFlags struct {
	output
	ship.PublishConfig
	keep, sequence int
}

// actions are the actions with the number of their arguments. The first argument is the store.
var actions = map[string]struct {
	arguments int
	run       func(ctx context.Context, f *releasesFlags, args []string, c console) error
}{
	"list": {1, func(ctx context.Context, f *releasesFlags, _ []string, c console) error {
		found, err := ship.List(ctx, f.Store)
		return show(c, f.output, found, err, listTable)
	}},
	"promote": {2, func(ctx context.Context, f *releasesFlags, args []string, c console) error {
		m, err := ship.Promote(ctx, f.PublishConfig, args[1])
		return show(c, f.output, m, err, f.moved)
	}},
	"rollback": {1, func(ctx context.Context, f *releasesFlags, _ []string, c console) error {
		m, err := ship.Rollback(ctx, f.PublishConfig)
		return show(c, f.output, m, err, f.moved)
	}},
	"renew": {1, func(ctx context.Context, f *releasesFlags, _ []string, c console) error {
		m, err := ship.Renew(ctx, f.PublishConfig, int64(f.sequence))
		return show(c, f.output, m, err, f.moved)
	}},
	"gc": {1, func(ctx context.Context, f *releasesFlags, _ []string, c console) error {
		done, err := ship.GC(ctx, f.PublishConfig, f.keep)
		return show(c, f.output, done, err, f.collected)
	}},
	"repair": {1, func(ctx context.Context, f *releasesFlags, _ []string, c console) error {
		r, err := ship.Repair(ctx, f.PublishConfig)
		return show(c, f.output, r, err, f.repaired)
	}},
}

func runReleases(ctx context.Context, args []string, c console) error {
	f := releasesFlags{keep: defaultKeep, PublishConfig: ship.PublishConfig{Jobs: ship.DefaultJobs, Warn: c.warn}}
	set := flag.NewFlagSet("releases", flag.ContinueOnError)
	addRemoval(set, &f.Removal)
	set.Func("keep", "", readPositive(&f.keep))
	set.Func("jobs", "", readPositive(&f.Jobs))
	set.Func("sequence", "", readPositive(&f.sequence))
	set.StringVar(&f.Public, "public", "", "")
	set.BoolVar(&f.DryRun, "dry-run", false, "")
	set.BoolVar(&f.json, "json", false, "")
	rest, err := parse(set, fmt.Sprintf(releasesUsage, removalUsage, defaultKeep, ship.DefaultJobs), args, 3, c.out)
	if err != nil {
		return err
	}
	const hint = "run generator releases --help"
	if len(rest) == 0 {
		return &usageError{"no action given", hint}
	}
	action, ok := actions[rest[0]]
	if !ok || len(rest)-1 != action.arguments {
		return &usageError{fmt.Sprintf("%q is not an action with its arguments", strings.Join(rest, " ")), hint}
	}
	if err := refuseUnused(set, rest[0]); err != nil {
		return err
	}
	if f.Store, err = openStore(rest[1:], "releases"); err != nil {
		return err
	}
	return action.run(ctx, &f, rest[1:], c)
}

func listTable(releases []ship.Release) string {
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
		t.row(r.Build, sent, r.Files, bytesize.Format(r.Bytes), mark)
	}
	return t.String()
}

func (f *releasesFlags) moved(m *ship.Moved) string {
	verb := "is"
	switch {
	case f.DryRun && m.Changed:
		verb = "would be"
	case f.DryRun:
		verb = "would stay"
	}
	return fmt.Sprintf("%s %s current (sequence %d)\n", m.Build, verb, m.Sequence)
}

func (f *releasesFlags) repaired(r *ship.Repaired) string {
	if f.DryRun {
		return fmt.Sprintf("would repair %d of the %d files of %s\n", r.Sent, r.Files, r.Build)
	}
	return fmt.Sprintf("%s is complete: %d files, %d of them repaired\n", r.Build, r.Files, r.Sent)
}

func (f *releasesFlags) collected(c *ship.GCReport) string {
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
