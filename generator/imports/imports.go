// Package imports turns the export of a content management system into items: one file of lines in each
// environment. It has what all systems share. A system has a package of its own, which reads the
// export and hands over items.
//
// An importer names what it takes of an export, never what it leaves out: an export may hold password
// hashes, keys and addresses of people.
package imports

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/documents"
	"contentedge/generator/uuid"
	"contentedge/generator/visibility"
)

// System is a system whose exports can be imported. A build recognises them by package exports.
type System struct {
	Name string // on the command line and in Source
	// Read reads Job.Export and hands over items. It counts everything that it reads.
	Read func(ctx context.Context, j *Job) error
	// RichText are the forms of rich text in its exports. Items get the plain text next to each rich text.
	RichText []plaintext.Format
	// Rules says that it reads the member json of a mapping file.
	Rules bool
	// Files says that it hands over files, which have a folder of their own next to the items.
	Files bool
	// Mappings has the mapping files of systems that come with the program; nil means none.
	Mappings fs.FS
}

// Options says what to import, and how.
type Options struct {
	Path    string // the export
	Content string // the content directory
	Env     string // the environment; with Locales "environments" the beginning of their names
	File    string // of the items, in the environment's folder; "": imported-SYSTEM.ndjson
	DryRun  bool   // write nothing

	Locales       string    // a locale, LocalesAsEnvironments or LocalesAsMembers; "" if there is one only
	AssetItems    bool      // each asset becomes an item
	TemplateNames bool      // a template is named by the label of its type, not by its id
	MediaBase     string    // begins the addresses of files that an export names by paths
	Date          time.Time // of items whose export has no date; zero: they are an error
	Mapping       *Mapping  // may be nil
	Types         []string  // types of people's data that are taken all the same
}

// The values of Options.Locales that do not name a locale.
const (
	LocalesAsEnvironments = "environments"
	LocalesAsMembers      = "member"
)

// defaultFile is the name of the file that an import of a system writes.
func defaultFile(system string) string { return "imported-" + system + ".ndjson" }

// UsageError is an option that is wrong, or missing for this export.
type UsageError struct{ Option, Message, Hint string }

// Error returns the option, the message and, on its own line, the hint.
func (e *UsageError) Error() string {
	return e.Option + ": " + documents.Bound(e.Message) + "\n  hint: " + documents.Bound(e.Hint)
}

// ExitCode says that the command line or the settings are to blame.
func (*UsageError) ExitCode() int { return exitcode.Usage }

// Item is an item on its way into an environment.
type Item struct {
	Env    string // the environment; "" takes the environment of the options
	Class  string // of Source: "Entry", "Document": ids are unique in a class
	Type   string // the type in the source, which the mapping file names
	ID     string // the id in the source
	Locale string // "" means that the source has no locales, or that the item has all

	ContentID, Name, TemplateName     string
	Status                            string // a word that the source has, or a status of package visibility
	CreatedAt, PublishedAt, UpdatedAt string // RFC 3339; "" leaves the member out
	ExpiresAt                         string // the same
	CreatedBy, PublishedBy, UpdatedBy string // names; never addresses

	Data *jsontree.Value // an object
}

// FieldSource is the member of an item that says where it comes from.
const FieldSource = "Source"

// json returns the item's text, in one line.
func (i *Item) json(system string) []byte {
	v := jsontree.Object()
	set := func(name, text string) {
		if text != "" {
			v.Set(name, jsontree.String(text))
		}
	}
	v.Set(address.FieldContentID, jsontree.String(i.ContentID))
	v.Set(address.FieldName, jsontree.String(i.Name))
	v.Set(address.FieldTemplateName, jsontree.String(i.TemplateName))
	set(address.FieldStatus, i.Status)
	set(address.FieldCreatedAt, i.CreatedAt)
	set(address.FieldUpdatedAt, i.UpdatedAt)
	set(address.FieldPublishedAt, i.PublishedAt)
	set(address.FieldCreatedBy, i.CreatedBy)
	set(address.FieldUpdatedBy, i.UpdatedBy)
	set(address.FieldPublishedBy, i.PublishedBy)
	v.Set(address.FieldData, i.Data)
	set(visibility.FieldExpiresAt, i.ExpiresAt)
	v.Set(FieldSource, i.source(system))
	return v.Append(nil)
}

func (i *Item) source(system string) *jsontree.Value {
	s := jsontree.Object(jsontree.Member{Name: "System", Value: jsontree.String(system)}, jsontree.Member{Name: "Type", Value: jsontree.String(i.Class)},
		jsontree.Member{Name: "ID", Value: jsontree.String(i.ID)})
	if i.Locale != "" {
		s.Set("Locale", jsontree.String(i.Locale))
	}
	return s
}

// describe names the item for a message.
func (i *Item) describe() string {
	return documents.Cut(cmp.Or(i.Type, i.Class)) + " " + documents.Quoted(i.ID)
}

// Run imports an export. Its Report is complete also for Options.DryRun. After an error nothing is
// written.
func Run(ctx context.Context, system System, o Options) (*Report, error) {
	if err := o.check(system); err != nil {
		return nil, err
	}
	e, err := export.Open(o.Path)
	if err != nil {
		return nil, err
	}
	j, err := newJob(system, o, e)
	if err != nil {
		return nil, err
	}
	defer j.spool.Close()
	if err := system.Read(ctx, j); err != nil {
		return nil, err
	}
	if err := j.checkTypes(); err != nil {
		return nil, err
	}
	report := j.report()
	if err := report.check(); err != nil {
		return report, err
	}
	files, warnings, err := j.spool.write(ctx, &j.Options, j.sync(ctx))
	report.Files, report.Warnings = files, append(report.Warnings, warnings...)
	return report, err
}

// sync returns what puts the files of the import in their places; nil for a system without files.
func (j *Job) sync(ctx context.Context) *fileSync {
	if !j.system.Files {
		return nil
	}
	return &fileSync{ctx: ctx, o: &j.Options, files: j.files}
}

func (o *Options) check(system System) error {
	const hint = "name the environment of the items: 1 to 64 letters, digits, _ and -, the first a letter or a digit"
	if o.Env == "" {
		return &UsageError{"--env", "no environment is named", hint}
	}
	if !address.ValidEnv(o.Env) {
		return &UsageError{"--env", fmt.Sprintf("%q is not an environment id", o.Env), hint}
	}
	o.File = cmp.Or(o.File, defaultFile(system.Name))
	return checkFile(o.File)
}

// Reference returns a reference to items by their ContentIDs.
func Reference(ids ...string) *jsontree.Value {
	list := jsontree.Array()
	for _, id := range ids {
		list.Items = append(list.Items, jsontree.String(id))
	}
	return jsontree.Object(member("Type", "Reference"), member("ReferenceType", "Content"), jsontree.Member{Name: "ContentIDs", Value: list})
}

func member(name, text string) jsontree.Member {
	return jsontree.Member{Name: name, Value: jsontree.String(text)}
}

// Media is what an export knows of a file. Only ID is required.
type Media struct {
	ID, URL, AltText, Extension string
	Size, Width, Height         string // numbers as the export writes them; "" is unknown
}

// Reference returns a reference to the file.
func (m Media) Reference() *jsontree.Value {
	v := jsontree.Object(member("Type", "Reference"), member("ReferenceType", "Media"), member("Id", m.ID))
	for _, of := range []struct{ name, text string }{{"MediaUrl", m.URL}, {"AltText", m.AltText}, {"Extension", m.Extension}} {
		if of.text != "" {
			v.Members = append(v.Members, member(of.name, of.text))
		}
	}
	for _, of := range []struct{ name, text string }{{"Size", m.Size}, {"Width", m.Width}, {"Height", m.Height}} {
		if number, err := jsontree.Parse([]byte(of.text)); err == nil && number.IsNumber() {
			v.Set(of.name, number)
		}
	}
	return v
}

// ContentID returns the ContentID of an id in the source. Ids are unique in a class. A UUID is kept.
func (j *Job) ContentID(class, id string) string {
	if uuid.Valid(id) {
		return "Content_" + strings.ToLower(id)
	}
	return uuid.Content(j.system.Name + ":" + class + ":" + id)
}

// MediaID returns the id of a media file by its id in the source.
func (j *Job) MediaID(class, id string) string {
	if uuid.Valid(id) {
		return "Media_" + strings.ToLower(id)
	}
	return uuid.Media(j.system.Name + ":" + class + ":" + id)
}
