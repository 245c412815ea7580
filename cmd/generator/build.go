// This file is the build command.

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"contentedge/generator"
)

const buildUsage = `Usage: generator build [flags]

Reads the content, writes a release and makes it current. If the content has errors, or
if the new release would remove too many items, the current release stays.

  --out DIR              directory for releases (default public)
  --memory SIZE          memory to use, about. More items take more time, and only some
                         300 bytes of memory each (default %s, at least %s)
%s  --dry-run              write nothing and print what generator plan prints
  --full                 write every file, even those that the current release has
  --no-sync              do not wait for the disk. A power failure can then damage the
                         release; for machines that only upload it
  --json                 print one JSON object instead of a summary
  --quiet                print only problems
`

func runBuild(ctx context.Context, args []string, c console) error {
	var (
		in               inputFlags
		removal          removalFlags
		out              string
		memory           = size(generator.DefaultMemory)
		json, quiet, dry bool
		full             bool
		noSync           bool
	)
	set := flag.NewFlagSet("build", flag.ContinueOnError)
	in.register(set)
	removal.register(set)
	set.StringVar(&out, "out", "public", "")
	set.Var(&memory, "memory", "")
	set.BoolVar(&dry, "dry-run", false, "")
	set.BoolVar(&full, "full", false, "")
	set.BoolVar(&noSync, "no-sync", false, "")
	set.BoolVar(&json, "json", false, "")
	set.BoolVar(&quiet, "quiet", false, "")
	if _, err := parse(set, fmt.Sprintf(buildUsage, generator.FormatBytes(generator.DefaultMemory), generator.FormatBytes(generator.MinMemory), removalUsage)+in.usage(), args, 0, c.out); err != nil {
		return err
	}
	config := in.config()
	config.Out, config.Memory, config.Removal = out, int64(memory), removal.limit()
	config.Full, config.NoSync = full, noSync
	// The heap may reach twice the live memory. Near this soft limit the collector runs
	// more often; exceeding it only costs time.
	debug.SetMemoryLimit(int64(memory))
	if dry {
		return showPlan(ctx, config, json, c)
	}
	bar := newBar(c.err, quiet)
	config.Progress = bar.show
	start := time.Now()
	report, err := generator.Build(ctx, config)
	bar.clear()
	if err == nil {
		printWarnings(c.err, report.Warnings)
	}
	if json && err != nil {
		return printJSON(c.out, describe(err), err)
	}
	if json {
		return printJSON(c.out, buildResult{report, findings(report.Warnings), time.Since(start).Seconds()}, nil)
	}
	if err != nil || quiet {
		return err
	}
	return printBuild(c.out, config, report, time.Since(start))
}

// buildResult is the JSON result of a build.
type buildResult struct {
	*generator.Report
	Warnings []finding `json:"warnings,omitempty"`
	Seconds  float64   `json:"seconds"`
}

// printBuild prints a build's summary.
func printBuild(w io.Writer, c generator.Config, r *generator.Report, took time.Duration) error {
	t := newTable("environment", "items", "lists", "pages", "snapshot", "files", "bytes", "statuses")
	for _, e := range r.Environments {
		t.row(e.ID, e.Items, e.Lists, e.Pages, generator.FormatBytes(e.SnapshotBytes), e.Files, generator.FormatBytes(e.Bytes), statuses(e))
	}
	if _, err := fmt.Fprint(w, t, drafts(c, r)); err != nil {
		return err
	}
	if r.Unchanged {
		_, err := fmt.Fprintf(w, "%s in %s is unchanged: %d files, %s; nothing written in %.2f s\n", r.Build, c.Out, r.Files, generator.FormatBytes(r.Bytes), took.Seconds())
		return err
	}
	_, err := fmt.Fprintf(w, "built %s in %s: %d files, %s in %.2f s; items and pages written anew: %d\n", r.Build, c.Out, r.Files, generator.FormatBytes(r.Bytes), took.Seconds(), r.Written)
	return err
}
