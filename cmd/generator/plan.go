// This file is the plan command.

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"contentedge/generator"
)

const planUsage = `Usage: generator plan [flags]

Reads the content and prints what a build with the same flags would write: the lists with
files, and the number and size of the files, without snapshots. Writes nothing.

  --json                 print one JSON object instead of a table

`

// runPlan prints a build's figures without building.
func runPlan(ctx context.Context, args []string, c console) error {
	var (
		in   inputFlags
		json bool
	)
	set := flag.NewFlagSet("plan", flag.ContinueOnError)
	in.register(set)
	set.BoolVar(&json, "json", false, "")
	if _, err := parse(set, planUsage+in.usage(), args, 0, c.out); err != nil {
		return err
	}
	return showPlan(ctx, in.config(), json, c)
}

// showPlan plans and prints the figures, or the problems.
func showPlan(ctx context.Context, config generator.Config, json bool, c console) error {
	report, err := generator.Plan(ctx, config)
	if report != nil {
		printWarnings(c.err, report.Warnings)
	}
	if json && err != nil {
		return printJSON(c.out, describe(err), err)
	}
	if json {
		return printJSON(c.out, report, nil)
	}
	if report == nil {
		return err
	}
	if e := printPlan(c.out, report); e != nil {
		return e
	}
	return err
}

// printPlan prints the figures as a table.
func printPlan(w io.Writer, r *generator.PlanReport) error {
	t := newTable("environment", "lists by", "order", "page size", "lists", "files", "bytes")
	tooDeep := 0
	for _, e := range r.Environments {
		t.row(e.ID, "(items)", "", "", "", e.Items, generator.FormatBytes(e.ItemBytes))
		for _, f := range e.Families {
			t.row("", family(f.Filters), generator.FormatOrder(f.Sort, f.Asc), f.PageSize, f.Lists, f.Files, generator.FormatBytes(f.Bytes))
			tooDeep += f.TooDeep
		}
	}
	if _, err := fmt.Fprint(w, t); err != nil {
		return err
	}
	if tooDeep > 0 {
		if _, err := fmt.Fprintf(w, "lists with too many pages, left to the edge server: %d\n", tooDeep); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d item files, %s; %d list files of at most %d, %s of at most %s\n",
		r.ItemFiles, generator.FormatBytes(r.ItemBytes), r.ListFiles, r.BudgetFiles,
		generator.FormatBytes(r.ListBytes), generator.FormatBytes(r.BudgetBytes))
	if err == nil && r.PrecompressedFiles > 0 {
		_, err = fmt.Fprintf(w, "plus at most %d precompressed files\n", r.PrecompressedFiles)
	}
	return err
}

// family spells a set of filters as --lists does.
func family(filters []string) string {
	if len(filters) == 0 {
		return "-"
	}
	return strings.Join(filters, "+")
}
