// This file is the import command.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/timezone"
	"contentedge/generator/imports"
	"contentedge/generator/imports/anyjson"
	"contentedge/generator/imports/contentful"
	"contentedge/generator/imports/export"
	"contentedge/generator/imports/ghost"
	"contentedge/generator/imports/markdownsite"
	"contentedge/generator/imports/sanity"
	"contentedge/generator/imports/strapi"
	"contentedge/generator/imports/wordpress"
	"contentedge/generator/source/exports"
	"contentedge/generator/source/sites"
)

// systems are the systems whose exports can be imported, in the order of the help, each with the flags that it
// uses in addition to the flags of all systems.
var systems = []importable{
	{contentful.System, "Contentful", "a file of: contentful space export", fixed(contentful.System, locales, assets, templateNames)},
	{sanity.System, "Sanity", "an archive of: sanity dataset export; or its data.ndjson", fixed(sanity.System, locales, assets, mediaBase)},
	{wordpress.System(wordpress.Options{}), "WordPress", "a file of Tools, Export (WXR), or a folder of several", addWordPress},
	{ghost.System(ghost.Options{}), "Ghost", "a file of Settings, Export content", addGhost},
	{strapi.System, "Strapi", "an archive of: strapi export --no-encrypt, or its folder", fixed(strapi.System, locales, assets, mediaBase, templateNames)},
	{anyjson.System(anyjson.Options{}), "other JSON", "any array or stream of objects", addJSON},
	{anyjson.System(anyjson.Options{CSV: true}), "CSV", "a file whose first row names the columns, or a folder of several", addCSV},
}

type importable struct {
	imports.System
	title, exports string // for the help
	// add adds the flags of the system to a group, and returns what makes the system once they are set.
	add func(g *cli.Group, o *imports.Options) func() imports.System
}

// fixed returns the add of a system that has only flags of Options.
func fixed(s imports.System, flags ...func(*cli.Group, *imports.Options)) func(*cli.Group, *imports.Options) func() imports.System {
	return func(g *cli.Group, o *imports.Options) func() imports.System {
		for _, add := range flags {
			add(g, o)
		}
		return func() imports.System { return s }
	}
}

func locales(g *cli.Group, o *imports.Options) {
	g.String(&o.Locales, "locales", "WHICH", "the only locale to import; environments (one for each: ENV-de-DE); or member (localized fields become objects by locale)").Offer(offer("environments", "member"))
}

func assets(g *cli.Group, o *imports.Options) {
	addItems(g, &o.AssetItems, "assets", "make an item of each asset too, also of those nothing links to")
}

func mediaBase(g *cli.Group, o *imports.Options) {
	g.String(&o.MediaBase, "media-base", "URL", "begins the addresses of files that the export names by paths")
}

func templateNames(g *cli.Group, o *imports.Options) {
	g.Bool(&o.TemplateNames, "template-names", "name templates by the labels of types, not by their ids")
}

// addItems adds a flag whose only value makes items of things.
func addItems(g *cli.Group, to *bool, name, text string) {
	g.Func(name, "items", text, func(string) error { *to = true; return nil }).Values("items")
}

func addTimezone(g *cli.Group, to **time.Location) {
	g.Func("timezone", "ZONE", "of times without a zone, as Europe/Berlin", readTimezone(to)).Default("UTC")
}

func addWordPress(g *cli.Group, o *imports.Options) func() imports.System {
	own := wordpress.Options{}
	addTimezone(g, &own.Timezone)
	assets(g, o)
	addItems(g, &own.TermItems, "terms", "make an item of each category, tag and other term")
	g.Bool(&own.Menus, "menus", "make an item of each entry of a menu")
	g.Bool(&own.Paragraphs, "paragraphs", "put the paragraphs of content into <p>")
	g.Bool(&own.Repair, "repair", "drop characters that XML does not allow")
	return func() imports.System { return wordpress.System(own) }
}

func addGhost(g *cli.Group, _ *imports.Options) func() imports.System {
	own := ghost.Options{}
	g.Func("site-url", "URL", "the address of the site, which exports leave out", readURL(&own.SiteURL))
	return func() imports.System { return ghost.System(own) }
}

func addJSON(g *cli.Group, o *imports.Options) func() imports.System {
	own := &anyjson.Options{}
	addPath(g, &own.Items, "items", "where the items are, as .data.posts; . is the whole value")
	addPaths(g, o, own)
	return func() imports.System { return anyjson.System(*own) }
}

func addCSV(g *cli.Group, o *imports.Options) func() imports.System {
	own := &anyjson.Options{CSV: true}
	addPaths(g, o, own)
	g.String(&own.Group, "group", "COLUMN", "make one item of all rows with the same value there").CommandLineOnly()
	return func() imports.System { return anyjson.System(*own) }
}

// addPaths adds where the parts of items are. They belong to one export: no variable sets them.
func addPaths(g *cli.Group, o *imports.Options, own *anyjson.Options) {
	addPath(g, &own.ID, "id", "the id of an item, as .slug; of CSV also a column, as SKU")
	addPath(g, &own.Name, "name", "the name").Default("the first of title, name, label, heading, slug")
	addPath(g, &own.Template, "template", "the template; or a word, as Article").Default("the name of the array or the file")
	addPath(g, &own.Created, "created", "a date; also --updated and --published")
	addPath(g, &own.Updated, "updated", "a date")
	addPath(g, &own.Published, "published", "a date")
	addPath(g, &own.Status, "status", "the status; or a word, as Draft").Default(published)
	addTimezone(g, &own.Timezone)
	mediaBase(g, o)
}

func addPath(g *cli.Group, to *string, name, text string) *cli.Flag {
	return g.String(to, name, "PATH", text).CommandLineOnly()
}

// importCommand has a command for each system, with the flags that it uses.
func importCommand(c console) *cli.Command {
	cmd := &cli.Command{
		Name: "import", Meant: importMeant, Summary: "make items of the export of a content management system", Purpose: purposeContent,
		Long: "Writes the documents of an export as items into content/ENV/imported-SYSTEM.ndjson. Importing again replaces that file and no other. After an error nothing is written.",
	}
	for _, s := range systems {
		cmd.Commands = append(cmd.Commands, systemCommand(s, c))
	}
	cmd.Commands = append(cmd.Commands, markdownCommand(c))
	return cmd
}

// importMeant returns the command that imports from a system which is an argument or a mapping, not a command.
func importMeant(word string) string {
	word = strings.ToLower(word)
	if slices.Contains(markdownsite.Systems(), word) {
		return "run " + sites.Command(word, "DIR", "")
	}
	for _, s := range systems {
		if s.Mappings != nil && slices.Contains(imports.SystemNames(s.Mappings), word) {
			return "run generator import " + s.Name + " EXPORT --env ENV --mapping " + word
		}
	}
	return ""
}

func systemCommand(s importable, c console) *cli.Command {
	o, out, mapping := imports.Options{}, output{}, ""
	cmd := &cli.Command{
		Name: s.Name, Args: "EXPORT", Summary: "import " + s.title + ": " + s.exports,
		Long: "Writes the documents of an export of " + s.title + " as items into content/ENV/imported-" + s.Name + ".ndjson. Importing again replaces that file and no other. After an error nothing is written.\n\n" +
			"EXPORT is " + s.exports + ". A file or an archive may be compressed with gzip.",
		Examples: []cli.Example{{Line: "generator import " + s.Name + " EXPORT --env site --dry-run", Text: "what becomes of what"}},
	}
	addPlace(cmd, &o)
	g := cmd.Group("Items")
	system := s.add(g, &o)
	addDate(g, &o)
	g.Strings(&o.Types, "type", "NAME", "take this type too, although it is people's data").CommandLineOnly()
	addMapping(g, &mapping, s.Mappings)
	addDryRun(cmd, &o.DryRun)
	out.addJSON(cmd)
	out.addQuiet(cmd)
	cmd.Run = func(ctx context.Context, args []string) error {
		o.Path = args[0]
		report, err := c.runImport(ctx, system(), o, mapping)
		return show(c, out, report, ofOtherSystem(err, s.Name, o.Path), describeImport)
	}
	return cmd
}

// addPlace adds where the items go.
func addPlace(cmd *cli.Command, o *imports.Options) {
	g := cmd.Group(groupContent)
	addContent(g, &o.Content)
	g.String(&o.Env, "env", "ENV", "environment of the items; required").Offer(environments(&o.Content)).CommandLineOnly()
	g.String(&o.File, "file", "NAME", "name of the file in content/ENV; needed to import two exports of a system into one environment").Default("imported-SYSTEM.ndjson").CommandLineOnly()
}

func addDate(g *cli.Group, o *imports.Options) {
	g.Func("date", "DATE", "CreatedAt of items without a date, for example 2024-01-31 (default: they are an error)", readDate(&o.Date))
}

func addMapping(g *cli.Group, name *string, systems fs.FS) {
	g.String(name, "mapping", "FILE", mappingHelp(systems))
}

// runImport imports, and prints warnings.
func (c console) runImport(ctx context.Context, system imports.System, o imports.Options, mapping string) (report *imports.Report, err error) {
	if mapping != "" {
		if o.Mapping, err = imports.ReadMapping(mapping, system.Mappings); err != nil {
			return nil, err
		}
	}
	if report, err = imports.Run(ctx, system, o); err != nil {
		return report, err
	}
	for _, w := range report.Warnings {
		c.warn(w.String())
	}
	return report, nil
}

// mappingHelp describes --mapping.
func mappingHelp(systems fs.FS) string {
	const text = "what to do differently, by type: JSON or YAML"
	if systems == nil {
		return text
	}
	return text + "; or a system: " + strings.Join(imports.SystemNames(systems), ", ")
}

// ofOtherSystem replaces an error about an export by the name of the system that it is an export of, if
// that is another one than the arguments name.
func ofOtherSystem(err error, system, name string) error {
	if _, ok := errors.AsType[*export.Fault](err); !ok {
		return err
	}
	f, openError := os.Open(name)
	if openError != nil {
		return err
	}
	defer f.Close()
	start, _ := io.ReadAll(io.LimitReader(f, exports.Peek)) // of a folder it is empty
	if e := exports.Of(start); e != nil && e.System != system {
		return &export.Fault{File: name, Message: "this is an export of " + e.Title, Hint: "write " + e.System + " in place of " + system}
	}
	return err
}

// readTimezone reads the name of a time zone.
func readTimezone(to **time.Location) func(string) error {
	return func(s string) error {
		zone, err := timezone.Load(s)
		if err != nil || s == "" || s == "Local" {
			return errors.New("must be the name of a time zone, as Europe/Berlin or UTC")
		}
		*to = zone
		return nil
	}
}

// readURL reads an address to which paths are added.
func readURL(to *string) func(string) error {
	return func(s string) error {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return errors.New("must be an address as https://www.example.org")
		}
		*to = s
		return nil
	}
}

// readDate reads a day or a timestamp.
func readDate(to *time.Time) func(string) error {
	return func(s string) (err error) {
		if *to, err = time.Parse(time.DateOnly, s); err != nil {
			*to, err = time.Parse(time.RFC3339, s)
		}
		if err != nil {
			return errors.New("must be a date as 2024-01-31 or 2024-01-31T09:00:00Z")
		}
		return nil
	}
}

// maxImportRows bounds the table: real exports have a hundred types, hostile ones have millions.
const maxImportRows = 500

func describeImport(r *imports.Report) string {
	t := newTable("type", "read", "becomes")
	for _, row := range r.Rows[:min(len(r.Rows), maxImportRows)] {
		t.row(row.Kind, row.Count, describeRow(row))
	}
	text := t.String()
	if more := len(r.Rows) - maxImportRows; more > 0 {
		text += fmt.Sprintf("and %d more rows; --json has them all\n", more)
	}
	text += r.Account() + "\n"
	verb := "wrote"
	if r.DryRun {
		verb = "would write"
	}
	for _, f := range r.Files {
		text += fmt.Sprintf("%s %s: items %d, %s\n", verb, f.Name, f.Items, bytesize.Format(f.Bytes))
	}
	return text
}

func describeRow(r imports.Row) string {
	switch {
	case r.Items:
		return fmt.Sprintf("item: template %s, %s", r.Becomes, r.Status)
	case r.Merged:
		return "merged: " + r.Becomes
	}
	return "skipped: " + r.Becomes
}
