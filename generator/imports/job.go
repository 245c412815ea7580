// This file is what an importer calls: it counts, and hands over items.

package imports

import (
	"cmp"
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

// Job is an import in progress.
type Job struct {
	Export  *export.Export
	Options Options

	system   System
	counts   counts
	warnings warnings
	spool    *spool
	files    []File
	types    map[string]*Type
	members  []string // locales that are members of localized fields
	undated  int      // items without a date
	first    string   // the first warning
}

func newJob(system System, o Options, e *export.Export) (*Job, error) {
	s, err := newSpool(system.Name)
	if err != nil {
		return nil, err
	}
	return &Job{Export: e, Options: o, system: system, counts: newCounts(), spool: s, types: map[string]*Type{}}, nil
}

// Read counts a thing that the export has, by its kind. It is called where the export is read, and
// exactly one of Item, Merged and Skipped follows for each.
func (j *Job) Read(kind string) { j.counts.read[documents.Bound(kind)]++ }

// Merged counts a thing that became a part of items: how.
func (j *Job) Merged(kind, how string) { j.counts.add(outcome{kind: kind, merged: true, text: how}) }

// Skipped counts a thing that is not taken: why.
func (j *Job) Skipped(kind, why string) { j.counts.add(outcome{kind: kind, text: why}) }

// Warn counts a warning. All warnings with the same message are one line with the first place.
func (j *Job) Warn(message, place string) { j.warnings.add(message, place) }

// WarnCount is Warn for n things at once, without a place.
func (j *Job) WarnCount(message string, n int) { j.warnings.addCount(message, "", n) }

// Item hands over the items that one thing of a kind became: one in each environment.
func (j *Job) Item(kind string, items ...*Item) error {
	j.Type(items[0].Type)
	of := j.Options.Mapping.of(items[0].Type)
	if of != nil && of.skip {
		j.Skipped(kind, skippedByMapping)
		return nil
	}
	for _, i := range items {
		if len(items) > 1 {
			i.Data = i.Data.Clone() // they may share values
		}
		j.private(i, of.keeps())
		of.apply(j, i)
		if err := j.finish(i); err != nil {
			return err
		}
	}
	j.counts.add(outcome{kind: kind, item: true, text: items[0].TemplateName, status: items[0].Status})
	return nil
}

// finish fills in what all systems share, and stores the item.
func (j *Job) finish(i *Item) error {
	i.Env = cmp.Or(i.Env, j.Options.Env)
	if !address.ValidEnv(i.Env) {
		return &UsageError{"--locales", fmt.Sprintf("%q is not an environment id", i.Env), "shorten --env, or use --locales " + LocalesAsMembers}
	}
	i.TemplateName = cmp.Or(i.TemplateName, i.Type, i.Class)
	if i.Name = cmp.Or(oneLine(i.Name), nameIn(i.Data)); i.Name == "" {
		i.Name = i.ID
		j.Warn("items without a title are named by their id", i.describe())
	}
	j.status(i)
	j.date(i)
	j.addTexts(i)
	text := i.json(j.system.Name)
	if len(text) > documents.MaxSize {
		return &export.Fault{File: j.Options.Path, Message: fmt.Sprintf("%s becomes an item of %d bytes; an item may have %d", i.describe(), len(text), documents.MaxSize), Hint: "skip its type, or the field, in a mapping file"}
	}
	return j.spool.add(i.Env, i.ContentID, i.describe(), text)
}

// status translates the word of a source.
func (j *Job) status(i *Item) {
	status, known := visibility.Status(i.Status)
	if !known {
		j.Warn(fmt.Sprintf("builds leave out unknown statuses by default: the status %s is passed on as it is", documents.Quoted(i.Status)), i.describe())
	}
	i.Status = visibility.Written(status, i.PublishedAt != "")
}

// date gives an item without a date the date of the options, and counts the item.
func (j *Job) date(i *Item) {
	if i.CreatedAt != "" || i.UpdatedAt != "" || i.PublishedAt != "" {
		return
	}
	if !j.Options.Date.IsZero() {
		i.CreatedAt = j.Options.Date.UTC().Format("2006-01-02T15:04:05Z")
		j.Warn("items without a date have the date of --date", i.describe())
		return
	}
	if j.undated++; j.undated == 1 {
		j.first = i.describe()
	}
}

// NameFields are the members of Data that name an item without a name of its own, in any case: the first that has a text.
var NameFields = []string{"title", "name", "label", "heading", "slug"}

func nameIn(data *jsontree.Value) string {
	for _, field := range NameFields {
		if text := TextOf(data.Get(field)); text != "" {
			return text
		}
		for _, m := range data.Members {
			if text := TextOf(m.Value); text != "" && strings.EqualFold(m.Name, field) {
				return text
			}
		}
	}
	return ""
}

// TextOf returns the text of a field: a string, or the first text of an object such as a slug or a
// field with locales.
func TextOf(v *jsontree.Value) string {
	if !v.IsObject() {
		return oneLine(v.Str())
	}
	for _, m := range v.Members {
		if text := oneLine(m.Value.Str()); text != "" && !strings.HasPrefix(m.Name, "_") {
			return text
		}
	}
	return ""
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
