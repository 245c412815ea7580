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

Reads the content and says what a build with the same flags would write: which lists
become files, how many files and how many bytes. Snapshots are not counted. Writes
nothing.

  --json                 print one JSON object instead of a table

`

// runPlan prints the figures of a build that does not happen.
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
	report, err := generator.Plan(ctx, in.config())
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

// printPlan writes the figures as a table.
func printPlan(w io.Writer, r *generator.PlanReport) error {
	t := newTable("environment", "lists by", "lists", "files", "bytes")
	for _, e := range r.Environments {
		t.row(e.ID, "(items)", "", e.Items, generator.FormatBytes(e.ItemBytes))
		for _, f := range e.Families {
			t.row("", family(f.Filters), f.Lists, f.Files, generator.FormatBytes(f.Bytes))
		}
	}
	_, err := fmt.Fprintf(w, "%s%d item files, %s; %d list files of at most %d, %s of at most %s\n", t,
		r.ItemFiles, generator.FormatBytes(r.ItemBytes), r.ListFiles, r.BudgetFiles,
		generator.FormatBytes(r.ListBytes), generator.FormatBytes(r.BudgetBytes))
	return err
}

// family names a set of filters as --lists does.
func family(filters []string) string {
	if len(filters) == 0 {
		return "-"
	}
	return strings.Join(filters, "+")
}
