// This file is the build command.

package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/memlimit"
	"contentedge/generator"
)

// buildSettings are the settings of build, which plan takes too.
type buildSettings struct {
	generator.BuildConfig
	output
	dry bool

	command *cli.Command // that they belong to
}

// newBuildCommand adds the flags of a build to a command.
func newBuildCommand(cmd *cli.Command) *buildSettings {
	s := &buildSettings{command: cmd, BuildConfig: generator.BuildConfig{Out: defaultPublic, Memory: generator.DefaultMemory}}
	addInput(cmd, &s.BuildConfig)
	addRemoval(cmd, &s.Removal)
	s.addWriting()
	g := cmd.Group(groupOutput)
	g.Size(&s.Memory, "memory", "memory to use, about, at least "+bytesize.Exact(generator.MinMemory)+". More items take more time, and only some 300 bytes of memory each")
	g.Bool(&s.dry, "dry-run", "write nothing and print what generator plan prints").CommandLineOnly()
	s.addJSON(cmd)
	s.addQuiet(cmd)
	return s
}

func (s *buildSettings) addWriting() {
	g := s.command.Group("Writing")
	g.String(&s.Out, "out", "DIR", "directory for releases")
	g.Bool(&s.Full, "full", "write every file, even files that the current release has")
	g.Bool(&s.CheckFiles, "check", "compare the bytes of every file that the current release has with its list of checksums, and write damaged ones again")
	g.Bool(&s.Partial, "part", "write a partial release, which nothing serves or publishes: releases join makes a release of several. With --env, of only these environments").CommandLineOnly()
	mode := func(m fs.FileMode) string { return fmt.Sprintf("%04o", m) }
	g.Func("file-mode", "MODE", "mode of files", readMode(&s.FileMode)).Default(mode(generator.DefaultFileMode))
	g.Func("dir-mode", "MODE", "mode of directories; a setgid bit stays", readMode(&s.DirMode)).Default(mode(generator.DefaultDirMode))
	g.Bool(&s.NoSync, "no-sync", "do not wait for the disk. A power failure can then damage the release; for machines that only upload it")
}

func buildCommand(c console, run func(context.Context, *buildSettings) error) *cli.Command {
	cmd := &cli.Command{
		Name: "build", Summary: "build a release and make it current", Purpose: purposeBuild,
		Long: "Reads the content, writes a release and makes it current. If the content has errors, or if the new release would remove too many items, the current release stays.",
		Examples: []cli.Example{
			{Line: "generator build", Text: "of content, into public"},
			{Line: "generator build --content site --out www --status Published --status Draft", Text: "with drafts"},
			{Line: "generator build --part --env shop --out parts/shop", Text: "one environment, for releases join"},
			{Line: "generator build --env shop --dry-run", Text: "which files one environment takes"},
		},
	}
	s := newBuildCommand(cmd)
	cmd.Run = func(ctx context.Context, _ []string) error { return run(ctx, s) }
	return cmd
}

// build is what generator build does.
func (c console) build(ctx context.Context, s *buildSettings) error {
	limitMemory(s.Memory)
	if s.dry {
		return showPlan(ctx, s, c)
	}
	config, bar := s.BuildConfig, newBar(c.err, s.quiet)
	config.Progress = bar.show
	start := time.Now()
	report, err := generator.Build(ctx, config)
	bar.clear()
	result := buildResult{Report: report, Seconds: time.Since(start).Seconds()}
	if err == nil {
		printWarnings(c.err, report.Warnings)
		result.Warnings = findings(report.Warnings)
		if s.quiet && !s.json {
			_, _ = io.WriteString(c.err, leftOutLine(leftOutOf(report))) // as printWarnings, which a closed terminal does not end either
		}
	}
	return show(c, s.output, result, err, func(r buildResult) string { return describeBuild(config, r) })
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
	text := t.String() + fmt.Sprintf("manifest: %s\n", digestText(r.Manifest)) + mediaFiles(r.Report) + leftOut(leftOutOf(r.Report)) + nextChange(r.NextChange)
	if r.Unchanged {
		return text + fmt.Sprintf("%s in %s is unchanged: %d files, %s; nothing written in %.2f s\n", r.Build, c.Out, r.Files, bytesize.Format(r.Bytes), r.Seconds)
	}
	if r.Repaired > 0 {
		return text + fmt.Sprintf("repaired %s in %s: %d files, %s in %.2f s; files missing or damaged: %d\n", r.Build, c.Out, r.Files, bytesize.Format(r.Bytes), r.Seconds, r.Repaired)
	}
	return text + fmt.Sprintf("built %s in %s: %d files, %s in %.2f s; items and pages written: %d\n", r.Build, c.Out, r.Files, bytesize.Format(r.Bytes), r.Seconds, r.Written)
}

// leftOutOf lists the environments of which items are left out.
func leftOutOf(r *generator.Report) (list []generator.EnvLeftOut) {
	for _, e := range r.Environments {
		if e.LeftOut.Items() > 0 {
			list = append(list, generator.EnvLeftOut{ID: e.ID, LeftOut: e.LeftOut})
		}
	}
	return list
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
