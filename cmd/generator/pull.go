// This file is the pull command.

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/pull"
)

// pullSettings are the settings of pull.
type pullSettings struct {
	pull.Config
	watchFlags
	output

	command *cli.Command // that they belong to
}

func pullCommand(c console) *cli.Command { return newPull(c).command }

func newPull(c console) *pullSettings {
	cmd := &cli.Command{
		Name: "pull", Args: "URL", Summary: "mirror an environment of an origin into the content", Purpose: purposeContent,
		Long: "Mirrors an environment of an origin: writes its items into one file of the content directory, DIR/ENV/" + pull.FileName + ", and does not change other files. " +
			"URL is the part before " + address.Root + " in the origin's addresses. The mirror is one state that the origin had; after an error it is the old one.\n\n" +
			"With --watch it pulls until a signal ends it, and builds a release from what it pulled. Flags of generator build come after all others, after --. " +
			"--allow-removal then ends with the first run that succeeds.",
		Examples: []cli.Example{
			{Line: "generator pull https://cms.example.com --env site"},
			{Line: "generator pull https://cms.example.com --env site --watch 30s --publish s3://bucket/live -- --status Published", Text: "pull, build and publish again and again"},
		},
	}
	s := &pullSettings{command: cmd, Config: pull.Config{PageSize: pull.DefaultPageSize, MaxWait: pull.DefaultMaxWait, FullEvery: pull.DefaultFullEvery}}
	s.addMirror()
	s.addOrigin()
	addRemoval(cmd, &s.Removal)
	s.watchFlags.add(cmd)
	cmd.Group(groupOutput).Bool(&s.DryRun, "dry-run", "print what would change, and write nothing").CommandLineOnly()
	s.addJSON(cmd)
	s.addQuiet(cmd)
	cmd.AfterDashes = &s.build
	cmd.Check = func() error { return s.check(cmd) }
	cmd.Run = func(ctx context.Context, args []string) error {
		s.URL = args[0]
		if s.every != 0 {
			return runWatch(ctx, s, c)
		}
		return s.once(ctx, c)
	}
	return s
}

// addMirror adds what is mirrored, and into what. Names that build has too mean something else there; variables
// set the flags of build.
func (s *pullSettings) addMirror() {
	g := s.command.Group("Mirror")
	g.String(&s.Env, "env", "ENV", "the environment of the origin; required")
	g.String(&s.As, "as", "ID", "the environment of the content directory (default: the same as --env)")
	addContent(g, &s.Content)
	g.Strings(&s.Statuses, "status", "STATUS", "mirror only items of this status").Default("all").Offer(offer(published)).CommandLineOnly()
	g.Bool(&s.Media, "media", "fetch the media files that references name, next to the mirror")
	addTime(g, &s.FullEvery, "full-every", "read all items if this time has passed since they were read; before, ask only for what changed")
	g.Bool(&s.Full, "full", "read all items").CommandLineOnly()
}

func (s *pullSettings) addOrigin() {
	g := s.command.Group("Requests")
	g.Secret(&s.Key, "pull-key", "the key of the origin")
	g.String(&s.KeyHeader, "key-header", "NAME", "send the key as it is in this header field (default "+pull.DefaultKeyHeader+", after Bearer)")
	addCount(g, &s.PageSize, "page-size", "items per request, at most").CommandLineOnly()
	g.Func("rate", "N", "requests per second, at most", readRate(&s.Rate)).Default(strconv.Itoa(pull.DefaultRate))
	addTime(g, &s.MaxWait, "max-wait", "time for all retries together")
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

// once pulls one time.
func (s *pullSettings) once(ctx context.Context, c console) error {
	config, bar := s.Config, newBar(c.err, s.quiet)
	config.Progress = bar.showPulled
	start := time.Now()
	report, err := pull.Run(ctx, config)
	bar.clear()
	if err == nil {
		for _, message := range report.Warnings {
			c.warn(message)
		}
	}
	return show(c, s.output, report, err, func(r *pull.Report) string { return describePull(s.DryRun, r, time.Since(start)) })
}

func (b *bar) showPulled(p pull.Progress) {
	b.draw(generator.Reading, p.Bytes, -1, fmt.Sprintf("%s: %d/%d items", generator.Reading, p.Items, p.Total))
}

// shownRemoved is how many ids of removed items a summary names. The JSON object names all.
const shownRemoved = 20

func describePull(dry bool, r *pull.Report, took time.Duration) string {
	t := newTable("environment", "items", "added", "changed", "removed", "bytes", "statuses")
	statuses := generator.ByStatus(r.Statuses)
	if statuses == "" {
		statuses = "-"
	}
	if len(r.LeftOut) > 0 {
		statuses += "; left out: " + generator.ByStatus(r.LeftOut)
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
	return fmt.Sprintf(", %s waiting for retries", r.Waited.Round(time.Second))
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
