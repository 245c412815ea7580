// This file is the plan command.

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/generator"
)

func planCommand(c console) *cli.Command {
	cmd := &cli.Command{
		Name: "plan", Summary: "show which files a build would write, and their size", Purpose: purposeBuild,
		Long: "Reads the content and prints what a build with the same flags would write: the lists with files, and the number and size of the files, without snapshots. " +
			"Writes nothing; for a target that searches without an edge server, it builds the snapshots in a temporary directory. It takes every flag of generator build; flags that only matter once files are written change nothing.",
		Examples: []cli.Example{
			{Line: "generator plan"},
			{Line: "generator plan --lists template,template+status --target cloudflare-pages", Text: "whether more lists fit a host"},
			{Line: "generator plan --target static", Text: "what a browser loads to search"},
		},
	}
	s := newBuildCommand(cmd)
	cmd.Run = func(ctx context.Context, _ []string) error {
		s.Out = "" // a plan compares with no other release
		return showPlan(ctx, s, c)
	}
	return cmd
}

// showPlan plans and prints the figures, or the problems. A plan above its limits has both.
func showPlan(ctx context.Context, s *buildSettings, c console) error {
	report, err := generator.Plan(ctx, s.BuildConfig)
	if report != nil {
		printWarnings(c.err, report.Warnings)
	}
	if err == nil {
		err = planSearch(ctx, s.BuildConfig, report)
	}
	if report == nil || s.json {
		return show(c, s.output, report, err, describePlan)
	}
	return cmp.Or(show(c, s.output, report, nil, describePlan), err)
}

func describePlan(r *generator.PlanReport) string {
	t := newTable("environment", "lists by", "order", "page size", "lists", "files", "bytes")
	tooDeep := 0
	for _, e := range r.Environments {
		t.row(e.ID, "(items)", "", "", "", e.Items, bytesize.Format(e.ItemBytes))
		if e.UsedIn > 0 {
			t.row("", "(used in)", "", "", "", e.UsedIn, bytesize.Format(e.UsedInBytes))
		}
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
	if r.UsedInFiles > 0 {
		text += fmt.Sprintf("plus %d files of the items that refer to others, %s\n", r.UsedInFiles, bytesize.Format(r.UsedInBytes))
	}
	if r.Media > 0 {
		text += fmt.Sprintf("plus %d media files, %s\n", r.Media, bytesize.Format(r.MediaBytes))
	}
	if r.SearchFiles > 0 {
		text += fmt.Sprintf("plus at most %d files of saved searches\n", r.SearchFiles)
	}
	if r.PrecompressedFiles > 0 {
		text += fmt.Sprintf("plus at most %d precompressed files\n", r.PrecompressedFiles)
	}
	return text + leftOut(r.LeftOut) + nextChange(r.NextChange) + describeSearch(r)
}

func family(filters []string) string {
	if len(filters) == 0 {
		return "-"
	}
	return strings.Join(filters, "+")
}
