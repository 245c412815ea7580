// Package wordpress imports WXR, the format of WordPress' exports. It takes posts, pages and items of custom types,
// with their terms and files. Of people it takes only the names of authors.
package wordpress

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/source/exports"
)

// howto says how an export is made.
const howto = "export the site at Tools, Export"

// Options are the options for only WordPress' exports.
type Options struct {
	Timezone   *time.Location // of dates without a time in UTC; nil: UTC, with a warning
	Repair     bool           // drop characters that XML does not allow
	TermItems  bool           // categories, tags and other terms become items
	Menus      bool           // entries of menus become items
	Paragraphs bool           // put paragraphs of content into elements
}

// System returns the system.
func System(o Options) imports.System {
	return imports.System{
		Name: exports.WordPress,
		Read: func(ctx context.Context, j *imports.Job) error {
			im := &importer{Options: o, j: j, x: newIndex(), clock: clock{zone: o.Timezone}, met: map[postKey]bool{}, shortcodes: map[string]int{}}
			return im.run(ctx)
		},
	}
}

type importer struct {
	Options
	j     *imports.Job
	x     *index
	clock clock

	met        map[postKey]bool // posts of the second reading
	shortcodes map[string]int
	dropped    int // characters
}

// run reads the export twice: posts refer to what comes later.
func (im *importer) run(ctx context.Context) error {
	first := clock{zone: im.Timezone}
	err := im.read(ctx, func(in *input) visitor {
		return visitor{
			author: im.x.addAuthor, term: im.x.addTerm, private: im.x.addPrivate,
			post: func(p *post) error {
				if im.skips(p) != "" {
					return nil
				}
				im.x.addDate(first.time(p.dateGMT, p.date))
				im.x.link(p)
				return im.x.addPost(p, in)
			},
		}
	})
	if err != nil {
		return err
	}
	err = im.read(ctx, func(in *input) visitor {
		return visitor{author: im.author, term: im.term, post: im.post}
	})
	if err == nil && im.TermItems {
		err = im.otherTerms()
	}
	if err == nil {
		im.warn()
	}
	return err
}

// read reads the files of the export: one file, or the files of a folder with the extension .xml.
func (im *importer) read(ctx context.Context, visitorOf func(*input) visitor) error {
	files := 0
	im.dropped = 0
	err := im.j.Export.Files(ctx, func(f *export.File) error {
		if f.Show != im.j.Export.Path && !strings.EqualFold(path.Ext(f.Name), ".xml") {
			return nil
		}
		files++
		in := newInput(f, im.Repair)
		err := readWXR(in, visitorOf(in))
		im.dropped += in.dropped
		return err
	})
	if err == nil && files == 0 {
		return &export.Fault{File: im.j.Export.Path, Message: "no file here has the extension .xml", Hint: howto}
	}
	return err
}

func (im *importer) author(author) error {
	im.j.Read("author")
	im.j.Merged("author", "only their names")
	return nil
}

// term counts a term. As items, terms were written before: files of one site repeat them.
func (im *importer) term(t term) error {
	kind := "term " + t.domain
	im.j.Read(kind)
	switch known := im.x.terms[termKey(t.domain, t.slug)]; {
	case im.TermItems && notTerms[t.domain]:
		im.j.Skipped(kind, "of WordPress itself")
	case im.TermItems && known.line == t.line && known.file == t.file:
		return im.termItem(kind, known)
	default:
		im.j.Merged(kind, "into its posts")
	}
	return nil
}

// warn tells what a user may have to decide.
func (im *importer) warn() {
	if im.clock.local > 0 && im.Timezone == nil {
		im.j.WarnCount("items have no time in UTC; their times are taken as UTC, --timezone names the zone of the site", im.clock.local)
	}
	if im.dropped > 0 {
		im.j.WarnCount("characters that XML does not allow were dropped", im.dropped)
	}
	for _, name := range slices.Sorted(maps.Keys(im.shortcodes)) {
		im.j.WarnCount("short codes stay as they are in content: ["+name+"]", im.shortcodes[name])
	}
}
