// Package ghost imports the exports of Ghost, from version 0.x on. It takes posts, pages and tags, and of
// users their names, biographies and images: exports hold their password hashes and addresses too.
package ghost

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/exports"
	"contentedge/generator/uuid"
)

// Options are the options for only Ghost's exports.
type Options struct {
	SiteURL string // stands for the placeholder of the site's address; "": it stays
}

// System returns the system.
func System(o Options) imports.System {
	return imports.System{
		Name: exports.Ghost,
		Read: func(ctx context.Context, j *imports.Job) error {
			return j.Export.Files(ctx, func(f *export.File) error {
				d, err := open(f)
				if err != nil {
					return err
				}
				g := &importer{Options: o, j: j, d: d}
				return g.run(ctx)
			})
		},
	}
}

// placeholder stands for the site's address in exports since version 4.
const placeholder = "__GHOST_URL__"

// The classes of ids, which are the templates too.
const (
	post   = "post"
	page   = "page"
	tag    = "tag"
	author = "author"
)

// importer imports one file.
type importer struct {
	Options
	j *imports.Job
	d *database

	names   map[string]string          // of users, by id
	ids     map[string]string          // ContentIDs of authors and tags, by class and id
	writers map[string]bool            // users who wrote a post
	meta    map[string]*jsontree.Value // posts_meta by post
	tags    map[string][]string        // ids of a post's tags, in order
	authors map[string][]string
}

func (g *importer) run(ctx context.Context) error {
	if err := g.index(); err != nil {
		return err
	}
	for _, table := range []struct {
		name string
		do   func(*jsontree.Value) error
	}{{"users", g.user}, {"tags", g.tag}, {"posts", g.post}} {
		err := g.d.rows(table.name, func(row *jsontree.Value) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return table.do(row)
		})
		if err != nil {
			return err
		}
	}
	g.account()
	return nil
}

// index reads the tables that others refer to.
func (g *importer) index() error {
	g.names, g.ids, g.writers = map[string]string{}, map[string]string{}, map[string]bool{}
	g.meta = map[string]*jsontree.Value{}
	var err error
	if g.tags, err = g.joined("posts_tags", "tag_id"); err != nil {
		return err
	}
	if g.authors, err = g.joined("posts_authors", "author_id"); err != nil {
		return err
	}
	for _, table := range []struct {
		name string
		do   func(*jsontree.Value) error
	}{
		{"users", g.indexUser}, {"tags", g.indexTag}, {"posts", g.indexPost},
		{"posts_meta", func(row *jsontree.Value) error { g.meta[row.Get("post_id").Text()] = row; return nil }},
	} {
		if err := g.d.rows(table.name, table.do); err != nil {
			return err
		}
	}
	return nil
}

// joined reads a table that joins posts with others, in the order of the editors.
func (g *importer) joined(table, column string) (map[string][]string, error) {
	type row struct {
		id    string
		order int
	}
	rows := map[string][]row{}
	err := g.d.rows(table, func(v *jsontree.Value) error {
		order, _ := strconv.Atoi(v.Get("sort_order").Text())
		id := v.Get("post_id").Text()
		rows[id] = append(rows[id], row{v.Get(column).Text(), order})
		return nil
	})
	ids := make(map[string][]string, len(rows))
	for post, list := range rows {
		slices.SortStableFunc(list, func(a, b row) int { return cmp.Compare(a.order, b.order) })
		seen := map[string]bool{}
		for _, r := range list {
			if !seen[r.id] {
				seen[r.id] = true
				ids[post] = append(ids[post], r.id)
			}
		}
	}
	return ids, err
}

func (g *importer) indexUser(row *jsontree.Value) error {
	id := row.Get("id").Text()
	g.names[id] = person(row)
	g.ids[author+id] = g.j.ContentID(author, sourceID(row))
	return nil
}

func (g *importer) indexTag(row *jsontree.Value) error {
	g.ids[tag+row.Get("id").Text()] = g.j.ContentID(tag, sourceID(row))
	return nil
}

func (g *importer) indexPost(row *jsontree.Value) error {
	for _, id := range g.writersOf(row, row.Get("id").Text()) {
		g.writers[id] = true
	}
	return nil
}

// sourceID returns the id that a row keeps in other databases too, if it has one.
func sourceID(row *jsontree.Value) string {
	if id := row.Get("uuid").Str(); uuid.Valid(id) {
		return strings.ToLower(id)
	}
	return row.Get("id").Text()
}

// person returns the name of a user. One that is an address is not taken.
func person(row *jsontree.Value) string {
	for _, field := range []string{"name", "slug"} {
		if name := strings.TrimSpace(row.Get(field).Str()); name != "" && !imports.IsAddress(name) {
			return name
		}
	}
	return ""
}

// account counts the tables that are not read, and the tables with parts of posts.
func (g *importer) account() {
	for _, table := range g.d.names {
		for range g.d.count(table) {
			switch table {
			case "posts", "tags", "users":
			case "posts_meta", "posts_tags", "posts_authors":
				g.j.Read(table)
				g.j.Merged(table, "into their posts")
			default:
				g.j.Read(table)
				g.j.Skipped(table, "not content")
			}
		}
	}
}
