// This file is the pull command.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/pull"
)

const pullUsage = `Usage: generator pull URL --env ENV [flags]

Mirrors an environment of an origin: writes its items into one file of the content
directory, DIR/ENV/` + pull.FileName + `, and leaves all other files alone. URL is what stands before
` + address.Root + ` in the origin's addresses. The mirror is one state that the origin had; after an
error it is the old one. A key for the origin comes from the environment
(` + pull.KeyVariable + `).

  --env ENV              the environment of the origin
  --as ID                the environment of the content directory (default that of --env)
  --content DIR          directory of the content, with a directory per
                         environment (default content)
  --status STATUS        mirror only items with this status; repeat for more
                         (default all)
  --media                fetch the media files that references name, beside the mirror
  --key-header NAME      send the key as it is in this header field
                         (default %s, after Bearer)
  --page-size N          items per request, at most (default %d)
  --rate N               requests per second, at most (default %d)
  --max-wait DURATION    time for all retries together (default %s)
  --full-every DURATION  read all items if this time has passed since they were read;
                         before, ask only for what changed (default %s)
  --full                 read all items
  --max-removed PERCENT  refuse a pull that removes more of the mirror's items than this
                         (default %d), or all of them
  --allow-removal        permit any removal
  --dry-run              print what would change, and write nothing
  --json                 print one JSON object instead of a summary
  --quiet                print only problems
` + watchUsage

func pullHelp() string {
	return fmt.Sprintf(pullUsage, pull.DefaultKeyHeader, pull.DefaultPageSize, pull.DefaultRate, shortDuration(pull.DefaultMaxWait), shortDuration(pull.DefaultFullEvery), generator.DefaultMaxRemoved)
}

func addPull(set *flag.FlagSet, config *pull.Config) {
	set.StringVar(&config.Env, "env", "", "")
	set.StringVar(&config.As, "as", "", "")
	set.StringVar(&config.Content, "content", "content", "")
	set.Func("status", "", add(&config.Statuses))
	set.BoolVar(&config.Media, "media", false, "")
	set.StringVar(&config.KeyHeader, "key-header", "", "")
	set.Func("page-size", "", readPositive(&config.PageSize))
	set.Func("rate", "", readRate(&config.Rate))
	config.MaxWait, config.FullEvery = pull.DefaultMaxWait, pull.DefaultFullEvery
	set.Func("max-wait", "", readTime(&config.MaxWait))
	set.Func("full-every", "", readTime(&config.FullEvery))
	set.BoolVar(&config.Full, "full", false, "")
	addRemovalOld(set, &config.Removal)
	set.BoolVar(&config.DryRun, "dry-run", false, "")
}

// readRate reads a number of requests a second, in which 0 is not the default.
func readRate(to *float64) func(string) error {
	return func(s string) (err error) {
		if *to, err = strconv.ParseFloat(s, 64); err != nil || *to == 0 {
			return errors.New("must be a number above 0")
		}
		return nil
	}
}

func runPull(ctx context.Context, args []string, c console) error {
	var config pull.Config
	var w watchFlags
	var o output
	own, build, hasBuild := cutBuildFlags(args)
	set := flag.NewFlagSet("pull", flag.ContinueOnError)
	addPull(set, &config)
	w.register(set)
	o.register(set)
	rest, err := parse(set, pullHelp(), own, 1, c.out)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		config.URL = rest[0]
	}
	config.Key = os.Getenv(pull.KeyVariable)
	if err := w.check(set, hasBuild); err != nil {
		return err
	}
	if w.every != 0 {
		w.build = build
		return runWatch(ctx, config, w, o, c)
	}
	bar := newBar(c.err, o.quiet)
	config.Progress = bar.showPulled
	start := time.Now()
	report, err := pull.Run(ctx, config)
	bar.clear()
	if err == nil {
		for _, message := range report.Warnings {
			c.warn(message)
		}
	}
	return show(c, o, report, err, func(r *pull.Report) string { return describePull(config.DryRun, r, time.Since(start)) })
}

func (b *bar) showPulled(p pull.Progress) {
	b.draw(generator.Reading, p.Bytes, -1, fmt.Sprintf("%s: %d/%d items", generator.Reading, p.Items, p.Total))
}

// shownRemoved is how many ids of removed items a summary names. The JSON object names all.
const shownRemoved = 20

func describePull(dry bool, r *pull.Report, took time.Duration) string {
	t := newTable("environment", "items", "added", "changed", "removed", "bytes", "statuses")
	statuses := byStatus(r.Statuses)
	if statuses == "" {
		statuses = "-"
	}
	if len(r.LeftOut) > 0 {
		statuses += "; left out: " + byStatus(r.LeftOut)
	}
	t.row(r.Env, r.Items, r.Added, r.Changed, len(r.Removed), bytesize.Format(r.Bytes), statuses)
	var b strings.Builder
	b.WriteString(t.String())
	for _, id := range r.Removed[:min(len(r.Removed), shownRemoved)] {
		b.WriteString("removed " + id + "\n")
	}
	if more := len(r.Removed) - shownRemoved; more > 0 {
		fmt.Fprintf(&b, "removed %d more\n", more)
	}
	if r.Media > 0 {
		fmt.Fprintf(&b, "media files: %d, fetched %d\n", r.Media, r.Fetched)
	}
	verb := "pulled into"
	switch {
	case r.Unchanged:
		verb = "nothing changed in"
	case dry:
		verb = "would pull into"
	}
	fmt.Fprintf(&b, "%s %s: %s, %s, %s in %.2f s%s; proof: %s\n", verb, r.File, requests(r.Requests), bytesize.Format(r.Received), walks(r), took.Seconds(), waits(r), r.Proof)
	return b.String()
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.Itoa(n) + " requests"
}

// waits says how long failures took, if that is long.
func waits(r *pull.Report) string {
	if r.Waited < time.Second {
		return ""
	}
	return fmt.Sprintf(", %s of them for retries", r.Waited.Round(time.Second))
}

// walks says what was read.
func walks(r *pull.Report) string {
	switch {
	case !r.Whole:
		return "changes only"
	case r.Restarts > 0:
		return "all items in " + strconv.Itoa(r.Restarts+1) + " walks"
	}
	return "all items"
}
