// This file defines the flags of a build's input and output.

package main

import (
	"cmp"
	"errors"
	"os"
	"time"

	"contentedge/cmd/cli"
	"contentedge/generator"
	"contentedge/generator/visibility"
)

// defaultContent is where content is if nothing names another directory.
const defaultContent = "content"

// addContent adds the flag of the directory of the content.
func addContent(g *cli.Group, to *string) {
	*to = cmp.Or(*to, defaultContent)
	g.String(to, "content", "DIR", "directory of the content, with a directory per environment")
}

// environments offers the environments of a directory of content.
func environments(content *string) func() []string {
	return func() (names []string) {
		entries, _ := os.ReadDir(*content) // without one there is nothing to offer
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		return names
	}
}

func offer(words ...string) func() []string { return func() []string { return words } }

func addInput(cmd *cli.Command, c *generator.BuildConfig) {
	g := cmd.Group(groupContent)
	addContent(g, &c.Content)
	g.Strings(&c.Envs, "env", "ID", "build only this environment, and omit all others").Default("all").Offer(environments(&c.Content)).CommandLineOnly()
	addVisibility(g, c)
	g.Bool(&c.Strict, "strict", "treat warnings as errors")
	c.BrokenRefs = generator.DefaultBrokenRefs
	g.String(&c.BrokenRefs, "broken-refs", "WORD", "references to items that are missing or left out: warn, error (fail the build) or ignore").Offer(offer("warn", "error", "ignore"))
	addLists(cmd, c)
	addCompression(cmd, c)
	addBudget(cmd, c)
}

// addVisibility adds the flags that say who sees an item.
func addVisibility(g *cli.Group, c *generator.BuildConfig) {
	g.Strings(&c.Visible.Statuses, "status", "STATUS", "deliver items of this status, or of "+visibility.AllStatuses+" statuses").Default(published).Offer(offer(published, visibility.Draft, visibility.AllStatuses))
	g.Bool(&c.Visible.Scheduled, "scheduled", "deliver items before their PublishedAt, too")
	g.Bool(&c.Visible.Expired, "expired", "deliver items after their ExpiresAt, too")
	g.Func("at", "TIME", "when a visitor looks: build what is visible at this time, like 2026-12-01T09:00:00Z", func(text string) (err error) {
		if c.At, err = time.Parse(time.RFC3339, text); err != nil {
			return errors.New("write it like 2026-12-01T09:00:00Z")
		}
		return nil
	}).Default("now").CommandLineOnly()
}

func addLists(cmd *cli.Command, c *generator.BuildConfig) {
	g := cmd.Group("Lists")
	c.Order, c.PageSize = generator.Defaults()
	c.MaxValues, c.Lists, c.Orders = generator.DefaultMaxValues, generator.DefaultLists, "default"
	g.String(&c.Lists, "lists", "SETS", "lists that become files: comma-separated sets, each - (no filter) or some of name, template, status, createdby and one Data.PATH, joined by +")
	g.String(&c.Order, "default-order", "ORDER", "FIELD, FIELD:asc or FIELD:desc; lists by a path like Data.title have no files")
	addCount(g, &c.PageSize, "page-size", "items per page")
	g.String(&c.Orders, "orders", "ORDERS", "further orders of every list, comma-separated, or all").Default("")
	g.String(&c.PageSizes, "page-sizes", "SIZES", "further page sizes of every list, comma-separated")
	addCount(g, &c.MaxPages, "max-pages", "write no files for lists with more pages; the edge server serves them (default: no limit)")
	addCount(g, &c.MaxValues, "max-values", "refuse a filter with more values")
}

func addCompression(cmd *cli.Command, c *generator.BuildConfig) {
	g := cmd.Group("Compression")
	c.Compress = generator.DefaultCompress
	g.String(&c.Compress, "compress", "CODINGS", "content codings of precompressed files, written where they save at least a tenth: gzip, br, zstd, comma-separated; or none").Offer(offer("gzip", "br", "zstd", "none"))
	g.Bool(&c.CompressBest, "compress-best", "compress as much as possible; br takes 40 times as long")
}

func addBudget(cmd *cli.Command, c *generator.BuildConfig) {
	g := cmd.Group("Limits of the release")
	c.BudgetFiles, c.BudgetBytes = generator.DefaultBudgetFiles, generator.DefaultBudgetBytes
	g.String(&c.Target, "target", "HOST", "refuse a release above the limits of this host").Offer(generator.Targets)
	addCount(g, &c.BudgetFiles, "budget-files", "refuse more list files")
	g.Size(&c.BudgetBytes, "budget-bytes", "refuse larger list files in total")
}
