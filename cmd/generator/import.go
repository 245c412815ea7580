// This file is the import command.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/timezone"
	"contentedge/generator/imports"
	"contentedge/generator/imports/anyjson"
	"contentedge/generator/imports/contentful"
	"contentedge/generator/imports/export"
	"contentedge/generator/imports/ghost"
	"contentedge/generator/imports/sanity"
	"contentedge/generator/imports/strapi"
	"contentedge/generator/imports/wordpress"
	"contentedge/generator/source/exports"
)

// systems are the systems whose exports can be imported, in the order of the help.
var systems = []importable{
	{contentful.System, "a file of: contentful space export", nil},
	{sanity.System, "an archive of: sanity dataset export; or its data.ndjson", nil},
	{wordpress.System(wordpress.Options{}), "a file of Tools, Export (WXR), or a folder of several", func(o *importOptions) imports.System { return wordpress.System(o.wordpress) }},
	{ghost.System(ghost.Options{}), "a file of Settings, Export content", func(o *importOptions) imports.System { return ghost.System(o.ghost) }},
	{strapi.System, "an archive of: strapi export --no-encrypt, or its folder", nil},
	{anyjson.System(anyjson.Options{}), "any array of objects, or a stream of them", func(o *importOptions) imports.System { return anyjson.System(o.json) }},
}

type importable struct {
	imports.System
	exports string                              // for the help
	with    func(*importOptions) imports.System // the system with its own flags; nil: it has none
}

// importOptions are the flags of single systems.
type importOptions struct {
	wordpress wordpress.Options
	ghost     ghost.Options
	json      anyjson.Options
}

func (o *importOptions) register(set *flag.FlagSet) {
	set.Func("timezone", "", readTimezone(&o.wordpress.Timezone, &o.json.Timezone))
	set.Func("terms", "", readItems(&o.wordpress.TermItems))
	set.BoolVar(&o.wordpress.Menus, "menus", false, "")
	set.BoolVar(&o.wordpress.Paragraphs, "paragraphs", false, "")
	set.BoolVar(&o.wordpress.Repair, "repair", false, "")
	set.Func("site-url", "", readURL(&o.ghost.SiteURL))
	for name, to := range map[string]*string{
		"items": &o.json.Items, "id": &o.json.ID, "name": &o.json.Name, "template": &o.json.Template, "created": &o.json.Created,
		"updated": &o.json.Updated, "published": &o.json.Published, "status": &o.json.Status,
	} {
		set.StringVar(to, name, "", "")
	}
}

const importUsage = `Usage: generator import SYSTEM EXPORT --env ENV [flags]

Writes the documents of an export as items into content/ENV/imported-SYSTEM.ndjson. Importing
again replaces that file and no other. After an error nothing is written. EXPORT is a file, a
folder or a tar archive; a file or an archive may be compressed with gzip. SYSTEM is

%s
  --env ENV              environment of the items
  --content DIR          directory of the content (default content)
  --file NAME            name of the file in content/ENV (default imported-SYSTEM.ndjson);
                         needed to import two exports of a system into one environment
  --locales WHICH        contentful, sanity, strapi: a locale to import alone; environments
                         (one for each: ENV-de-DE); or member (localized fields become
                         objects by locale)
  --assets items         all but ghost and json: make an item of each asset too, also of
                         those nothing links to
  --template-names       contentful, strapi: name templates by the labels of types, not by
                         their ids
  --media-base URL       sanity, strapi: begins the addresses of files that the export names
                         by paths
  --date DATE            CreatedAt of items without a date, for example 2024-01-31
  --mapping FILE         what to do differently, by type: JSON or YAML
  --items PATH           json: where the items are, as .data.posts; . is the whole value
  --id PATH              json: the id of an item, as .slug
  --name PATH            json: the name (default the first of title, name, label, heading, slug)
  --template PATH        json: the template; or a word, as Article (default the name of the
                         array or the file)
  --created PATH         json: a date; also --updated and --published
  --updated PATH         json: a date
  --published PATH       json: a date
  --status PATH          json: the status; or a word, as Draft (default Published)
  --timezone ZONE        wordpress, json: of times without a zone, as Europe/Berlin (default UTC)
  --terms items          wordpress: make an item of each category, tag and other term
  --menus                wordpress: make an item of each entry of a menu
  --paragraphs           wordpress: put the paragraphs of content into <p>
  --repair               wordpress: drop characters that XML does not allow
  --site-url URL         ghost: the address of the site, which exports leave out
  --dry-run              print what becomes of what, and write nothing
  --json                 print one JSON object
  --quiet                print only problems
`

func importHelp() string {
	var rows strings.Builder
	for _, s := range systems {
		fmt.Fprintf(&rows, "  %-21s  %s\n", s.Name, s.exports)
	}
	return fmt.Sprintf(importUsage, rows.String())
}

func runImport(ctx context.Context, args []string, c console) error {
	o, own, out := imports.Options{}, importOptions{}, output{}
	set := flag.NewFlagSet("import", flag.ContinueOnError)
	mapping := set.String("mapping", "", "")
	set.StringVar(&o.Env, "env", "", "")
	set.StringVar(&o.Content, "content", "content", "")
	set.StringVar(&o.File, "file", "", "")
	set.StringVar(&o.Locales, "locales", "", "")
	set.Func("assets", "", readItems(&o.AssetItems))
	set.BoolVar(&o.TemplateNames, "template-names", false, "")
	set.StringVar(&o.MediaBase, "media-base", "", "")
	set.Func("date", "", readDate(&o.Date))
	set.BoolVar(&o.DryRun, "dry-run", false, "")
	own.register(set)
	out.register(set)
	rest, err := parse(set, importHelp(), args, 2, c.out)
	if err != nil {
		return err
	}
	system, err := systemOf(rest)
	if err != nil {
		return err
	}
	if err := refuseUnused(set, system.Name); err != nil {
		return err
	}
	o.Path = rest[1]
	if system.with != nil {
		system.System = system.with(&own)
	}
	var report *imports.Report
	if *mapping != "" {
		o.Mapping, err = imports.ReadMapping(*mapping)
	}
	if err == nil {
		report, err = imports.Run(ctx, system.System, o)
		err = ofOtherSystem(err, system.Name, o.Path)
	}
	if err == nil {
		for _, w := range report.Warnings {
			c.warn(w.String())
		}
	}
	return show(c, out, report, err, describeImport)
}

// ofOtherSystem replaces an error about an export by the name of the system that it is an export of, if
// that is another one than the arguments name.
func ofOtherSystem(err error, system, name string) error {
	if !is[*export.Fault](err) {
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

// systemOf returns the system that the arguments name, which must name an export too.
func systemOf(args []string) (importable, error) {
	const hint = "run generator import --help"
	if len(args) < 2 {
		return importable{}, wrongUsage("name a system and an export", hint)
	}
	var names []string
	for _, s := range systems {
		if s.Name == args[0] {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return importable{}, wrongUsage(fmt.Sprintf("unknown system %q", args[0]), "it is one of "+strings.Join(names, ", "))
}

// readItems reads the word that makes items of things.
func readItems(to *bool) func(string) error {
	return func(s string) error {
		if *to = s == "items"; !*to {
			return errors.New("must be items")
		}
		return nil
	}
}

// readTimezone reads the name of a time zone.
func readTimezone(to ...**time.Location) func(string) error {
	return func(s string) error {
		zone, err := timezone.Load(s)
		if err != nil || s == "" || s == "Local" {
			return errors.New("must be the name of a time zone, as Europe/Berlin or UTC")
		}
		for _, one := range to {
			*one = zone
		}
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
		t.row(printable(row.Kind), row.Count, printable(describeRow(row)))
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
