// This file is the build command.

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/memlimit"
	"contentedge/generator"
)

const buildUsage = `Usage: generator build [flags]

Reads the content, writes a release and makes it current. If the content has errors, or
if the new release would remove too many items, the current release stays.

%s`

const writingUsage = `  --out DIR              directory for releases (default public)
  --memory SIZE          memory to use, about. More items take more time, and only some
                         300 bytes of memory each (default %s, at least %s)
%s  --dry-run              write nothing and print what generator plan prints
  --full                 write every file, even those that the current release has
  --check                compare the bytes of every file that the current release has with
                         its list of checksums, and write damaged ones anew
  --file-mode MODE       mode of files (default %04o)
  --dir-mode MODE        mode of directories (default %04o); a setgid bit stays
  --no-sync              do not wait for the disk. A power failure can then damage the
                         release; for machines that only upload it
  --json                 print one JSON object instead of a summary
  --quiet                print only problems
`

// writingHelp describes the flags of addWriting, then those of addInput.
func writingHelp() string {
	return fmt.Sprintf(writingUsage, bytesize.Format(generator.DefaultMemory), bytesize.Format(generator.MinMemory), removalUsage, generator.DefaultFileMode, generator.DefaultDirMode) + inputHelp()
}

// addWriting adds the flags of a build to a set. The command plan takes all of them too.
func addWriting(set *flag.FlagSet, config *generator.BuildConfig, dry *bool, o *output) {
	addInput(set, config)
	addRemovalOld(set, &config.Removal)
	config.Memory = generator.DefaultMemory
	set.StringVar(&config.Out, "out", "public", "")
	set.Func("memory", "", bytesize.Flag(&config.Memory))
	set.BoolVar(dry, "dry-run", false, "")
	set.BoolVar(&config.Full, "full", false, "")
	set.BoolVar(&config.CheckFiles, "check", false, "")
	set.Func("file-mode", "", readMode(&config.FileMode))
	set.Func("dir-mode", "", readMode(&config.DirMode))
	set.BoolVar(&config.NoSync, "no-sync", false, "")
	o.register(set)
}

func runBuild(ctx context.Context, args []string, c console) error {
	var config generator.BuildConfig
	var o output
	var dry bool
	set := flag.NewFlagSet("build", flag.ContinueOnError)
	addWriting(set, &config, &dry, &o)
	if _, err := parse(set, fmt.Sprintf(buildUsage, writingHelp()), args, 0, c.out); err != nil {
		return err
	}
	limitMemory(config.Memory)
	if dry {
		return showPlan(ctx, config, o, c)
	}
	bar := newBar(c.err, o.quiet)
	config.Progress = bar.show
	start := time.Now()
	report, err := generator.Build(ctx, config)
	bar.clear()
	result := buildResult{Report: report, Seconds: time.Since(start).Seconds()}
	if err == nil {
		printWarnings(c.err, report.Warnings)
		result.Warnings = findings(report.Warnings)
	}
	return show(c, o, result, err, func(r buildResult) string { return describeBuild(config, r) })
}

type buildResult struct {
	*generator.Report
	Warnings []finding `json:"warnings,omitempty"`
	Seconds  float64   `json:"seconds"`
}

// mediaFiles says how many media files each environment has.
func mediaFiles(r *generator.Report) (text string) {
	for _, e := range r.Environments {
		if e.Media > 0 {
			text += fmt.Sprintf("%s: media files: %d\n", e.ID, e.Media)
		}
	}
	return text
}

func describeBuild(c generator.BuildConfig, r buildResult) string {
	t := newTable("environment", "items", "lists", "pages", "snapshot", "files", "bytes", "statuses")
	for _, e := range r.Environments {
		t.row(e.ID, e.Items, e.Lists, e.Pages, bytesize.Format(e.SnapshotBytes), e.Files, bytesize.Format(e.Bytes), statuses(e))
	}
	text := t.String() + mediaFiles(r.Report) + drafts(c, r.Report)
	if r.Unchanged {
		return text + fmt.Sprintf("%s in %s is unchanged: %d files, %s; nothing written in %.2f s\n", r.Build, c.Out, r.Files, bytesize.Format(r.Bytes), r.Seconds)
	}
	if r.Repaired > 0 {
		return text + fmt.Sprintf("repaired %s in %s: %d files, %s in %.2f s; files missing or damaged: %d\n", r.Build, c.Out, r.Files, bytesize.Format(r.Bytes), r.Seconds, r.Repaired)
	}
	return text + fmt.Sprintf("built %s in %s: %d files, %s in %.2f s; items and pages written anew: %d\n", r.Build, c.Out, r.Files, bytesize.Format(r.Bytes), r.Seconds, r.Written)
}

// limitMemory makes the collector keep the heap below the memory to use, and below the limit of the
// process's control group, above which the kernel kills it.
func limitMemory(limit int64) {
	soft, percent := collection(limit, memlimit.Find(os.DirFS("/")))
	debug.SetMemoryLimit(soft)
	if percent > 0 && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// collection returns the soft limit of memory for the memory to use and the limit of the process. Near the
// soft limit the collector runs more often; exceeding it only costs time. The heap may reach twice the live
// memory. With the default memory or more it may reach five times, as fewer collections save a seventh of
// the processor time of 10,000 Markdown files: then percent is not 0. A process with less memory has none
// to spare for that, and keeps a quarter for what is not the heap.
func collection(limit, process int64) (soft int64, percent int) {
	soft = min(limit, process-process/4)
	if soft >= generator.DefaultMemory {
		percent = 400
	}
	return soft, percent
}
