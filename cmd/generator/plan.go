// This file is the plan command.

package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"strings"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator"
)

const planUsage = `Usage: generator plan [flags]

Reads the content and prints what a build with the same flags would write: the lists with
files, and the number and size of the files, without snapshots. Writes nothing. It takes
every flag of generator build; those that only matter once files are written change nothing.

%s`

func runPlan(ctx context.Context, args []string, c console) error {
	var config generator.BuildConfig
	set := flag.NewFlagSet("plan", flag.ContinueOnError)
	var o output
	addWriting(set, &config, new(bool), &o)
	if _, err := parse(set, fmt.Sprintf(planUsage, writingHelp()), args, 0, c.out); err != nil {
		return err
	}
	config.Out = "" // a plan compares with no other release
	return showPlan(ctx, config, o, c)
}

// showPlan plans and prints the figures, or the problems. A plan above its limits has both.
func showPlan(ctx context.Context, config generator.BuildConfig, o output, c console) error {
	report, err := generator.Plan(ctx, config)
	if report != nil {
		printWarnings(c.err, report.Warnings)
	}
	if report == nil || o.json {
		return show(c, o, report, err, describePlan)
	}
	return cmp.Or(show(c, o, report, nil, describePlan), err)
}

func describePlan(r *generator.PlanReport) string {
	t := newTable("environment", "lists by", "order", "page size", "lists", "files", "bytes")
	tooDeep := 0
	for _, e := range r.Environments {
		t.row(e.ID, "(items)", "", "", "", e.Items, bytesize.Format(e.ItemBytes))
		for _, f := range e.Families {
			t.row("", family(f.Filters), generator.FormatOrder(f.Sort, f.Asc), f.PageSize, f.Lists, f.Files, bytesize.Format(f.Bytes))
			tooDeep += f.TooDeep
		}
		if e.Media > 0 {
			t.row("", "(media)", "", "", "", e.Media, bytesize.Format(e.MediaBytes))
		}
		if e.Searches > 0 {
			t.row("", "(saved searches)", "", "", e.Searches, fmt.Sprintf("at most %d", e.SearchFiles), "")
		}
	}
	text := t.String()
	if tooDeep > 0 {
		text += fmt.Sprintf("lists with too many pages, left to the edge server: %d\n", tooDeep)
	}
	text += fmt.Sprintf("%d item files, %s; %d list files of at most %d, %s of at most %s\n",
		r.ItemFiles, bytesize.Format(r.ItemBytes), r.ListFiles, r.BudgetFiles,
		bytesize.Format(r.ListBytes), bytesize.Format(r.BudgetBytes))
	if r.Media > 0 {
		text += fmt.Sprintf("plus %d media files, %s\n", r.Media, bytesize.Format(r.MediaBytes))
	}
	if r.SearchFiles > 0 {
		text += fmt.Sprintf("plus at most %d files of saved searches\n", r.SearchFiles)
	}
	if r.PrecompressedFiles > 0 {
		text += fmt.Sprintf("plus at most %d precompressed files\n", r.PrecompressedFiles)
	}
	return text
}

func family(filters []string) string {
	if len(filters) == 0 {
		return "-"
	}
	return strings.Join(filters, "+")
}
