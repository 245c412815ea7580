// This file is the command that imports the Markdown of sites, once or whenever it changes.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/exitcode"
	"contentedge/generator/imports"
	"contentedge/generator/imports/markdownsite"
	"contentedge/generator/source"
	"contentedge/generator/source/sites"
	"contentedge/generator/watch"
)

// markdownImport are the flags of the command.
type markdownImport struct {
	imports.Options
	mapping string
	watch   bool
	out     output
}

func markdownCommand(c console) *cli.Command {
	m := &markdownImport{}
	systems := strings.Join(markdownsite.Systems(), ", ")
	cmd := &cli.Command{
		Name: markdownsite.Name, Args: "SYSTEM [DIR]", Summary: "import the Markdown of a site: of Hugo, Jekyll, Docusaurus and others",
		Long: "Reads the Markdown of a site where it is, with its git history, and writes it as items into content/ENV/imported-markdown.ndjson. Files that the pages name go into the folder imported-markdown next to it. Importing again replaces both and nothing else. After an error nothing is written.\n\n" +
			"SYSTEM is what publishes the site: " + systems + ". tree is a folder of Markdown files. DIR is the folder of the site. Without SYSTEM the command says which system it looks like.",
		Examples: []cli.Example{{Line: "generator import markdown hugo ../site --env docs --dry-run", Text: "what becomes of what"}},
	}
	addPlace(cmd, &m.Options)
	g := cmd.Group("Items")
	g.String(&m.Locales, "locales", "WHICH", "one language to import; environments (one for each: ENV-ja); or member (the members of Data become objects by language)").Offer(offer("environments", "member"))
	addDate(g, &m.Options)
	addMapping(g, &m.mapping, nil)
	g.Bool(&m.watch, "watch", "import again whenever the site changes, until a signal comes")
	addDryRun(cmd, &m.DryRun)
	m.out.addJSON(cmd)
	m.out.addQuiet(cmd)
	cmd.Run = func(ctx context.Context, args []string) error {
		if err := m.arguments(args); err != nil {
			return show[*imports.Report](c, m.out, nil, err, describeImport)
		}
		system := markdownsite.System(args[0])
		if m.watch {
			return m.follow(ctx, c, system)
		}
		report, err := c.runImport(ctx, system, m.Options, m.mapping)
		return show(c, m.out, report, err, describeImport)
	}
	return cmd
}

// arguments reads the arguments. One that is a folder is a site whose system is not named.
func (m *markdownImport) arguments(args []string) error {
	known := slices.Contains(markdownsite.Systems(), args[0])
	if len(args) == 2 && known {
		m.Path = args[1]
		return nil
	}
	if name, title := markdownsite.Recognise(args[len(args)-1]); name != "" && !(known && len(args) == 1) {
		message := source.Show(args[len(args)-1]) + " looks like a site of " + title
		return wrongUsage(message, "run "+sites.Command(name, source.Show(args[len(args)-1]), m.Env))
	}
	if known {
		return wrongUsage("missing argument DIR", "name the folder of the site")
	}
	return wrongUsage(fmt.Sprintf("%s is not a system whose sites are imported", source.Show(args[0])), "it is "+strings.Join(markdownsite.Systems(), ", "))
}

// follow imports at the start and after every change. After an error, the items of the last good import stay.
func (m *markdownImport) follow(ctx context.Context, c console, system imports.System) error {
	if m.DryRun {
		return wrongUsage("--watch does not use --dry-run", "leave one of the two out")
	}
	var usage error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watch.Run(ctx, m.Path, watch.Options{Skip: m.skip, Warn: c.warn}, func() {
		report, err := c.runImport(ctx, system, m.Options, m.mapping)
		switch {
		case ctx.Err() != nil:
		case err != nil && exitcode.Of(err) == exitcode.Usage:
			usage = err
			stop()
		case err != nil:
			fmt.Fprintf(c.err, "%v\n", err)
			c.warn("the items of the last good import stay")
		case m.out.json:
			_ = printJSON(c.documents(), report, nil)
		case !m.out.quiet:
			fmt.Fprintf(c.out, "imported: items %d, warnings %d\n", report.Items, len(report.Warnings))
		}
	})
	if _, signal := errors.AsType[*signalError](context.Cause(ctx)); signal || usage == nil {
		return nil
	}
	return usage
}

// skip reports whether changes of files and folders with a name do not matter: the import does not read them, or it
// writes them, as content inside the site.
func (m *markdownImport) skip(name string) bool {
	return markdownsite.PassesOver(name) || name == filepath.Base(m.Content) && m.inside()
}

// inside reports whether the content folder is in the folder of the site.
func (m *markdownImport) inside() bool {
	site, err := filepath.Abs(m.Path)
	content, err2 := filepath.Abs(m.Content)
	if errors.Join(err, err2) != nil {
		return false
	}
	below, err := filepath.Rel(site, content)
	return err == nil && filepath.IsLocal(below)
}
