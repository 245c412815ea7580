// This file explains why a build delivers an item or leaves it out.

package generator

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"contentedge/generator/model"
	"contentedge/generator/plan"
	"contentedge/generator/source"
	"contentedge/generator/source/media"
	"contentedge/generator/visibility"
)

// MaxExplained bounds the items of a file that Explain explains.
const MaxExplained = 10

// Explanation says where the content has an item, and whether a build delivers it.
type Explanation struct {
	ID, Name, Template, Status string

	File string // as the user would type it
	Line int

	Reason visibility.Reason // why it is left out
	At     time.Time         // the time that Reason is about
	From   time.Time         // its PublishedAt; zero if PublishedAt never hides it
	Until  time.Time         // its ExpiresAt, or zero

	Lists []string // the queries of the lists that have it; empty if it is left out

	Origins []Origin // of the fields that decide about it
}

// Origin is the member of a file that gives a field of an item.
type Origin struct {
	Field  string `json:"field"`  // of the item
	Member string `json:"member"` // as written
	Value  string `json:"value"`  // as written; a long one is cut
	File   string `json:"file"`   // the file of the item, or _environment.yaml, as the user would type it
	Line   int    `json:"line"`   // of the value
	Col    int    `json:"column"`
}

// Explained is the answer of Explain.
type Explained struct {
	Items    []Explanation // at most MaxExplained
	More     int           // further items of the file
	Problems []Diagnostic  // of the file; of the environment, if the item does not exist
}

// Explain reads an environment of the content, and explains the item with an id or the items of a file. It applies the
// rules of a build. It returns a *ContentError for invalid content.
func Explain(ctx context.Context, c BuildConfig, v View, env, idOrPath string) (*Explained, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	tree, err := c.folder().List(ctx, []string{env})
	if err != nil {
		return nil, err
	}
	found := &Explained{Problems: ignoring(tree, env, c.Content, idOrPath)}
	rules, at := v.rules(&c)
	site, diagnostics, err := model.Load(ctx, tree, model.Options{Rules: visibility.Everything(), At: at, Broken: model.BrokenPasses, ListPaths: o.Paths(), Media: media.NewResolver(c.Content)})
	if err != nil {
		return nil, err
	}
	if site == nil {
		return nil, &ContentError{diagnostics}
	}
	for _, d := range diagnostics {
		if isFile(d.File, c.Content, idOrPath) {
			found.Problems = append(found.Problems, d)
		}
	}
	if err := found.addOrigins(ctx, tree, env, found.add(site, env, c.Content, idOrPath, &rules, at, &o)); err != nil {
		return nil, err
	}
	if len(found.Items) == 0 && len(found.Problems) == 0 {
		found.Problems = diagnostics
	}
	return found, nil
}

// add explains the items of a site that an id or a path names. It returns their file, or nil if there are no items: an id
// has one item.
func (e *Explained) add(site *model.Site, env, content, idOrPath string, rules *visibility.Rules, at time.Time, o *plan.Options) (file *source.File) {
	i, ok := site.Index(env)
	if !ok {
		return nil
	}
	for j := range site.Envs[i].Items {
		it := &site.Envs[i].Items[j]
		switch {
		case it.ContentID != idOrPath && !isFile(it.File.Name, content, idOrPath):
		case len(e.Items) == MaxExplained:
			e.More++
		default:
			e.Items = append(e.Items, explain(env, it, rules, at, o))
			file = it.File
		}
	}
	return file
}

// addOrigins adds where the items of a file have the fields from that decide about them.
func (e *Explained) addOrigins(ctx context.Context, tree *source.Tree, env string, file *source.File) error {
	if file == nil {
		return nil
	}
	var ids []string
	for i := range e.Items {
		ids = append(ids, e.Items[i].ID)
	}
	origins, err := model.Origins(ctx, tree, file, ids)
	if err != nil {
		return err
	}
	for i := range e.Items {
		it := &e.Items[i]
		for _, o := range origins[it.ID] {
			from := Origin{Field: o.Field, Member: o.Member, Value: o.Value, File: it.File, Line: o.Line, Col: o.Col}
			if settings := tree.Settings[env]; o.Settings && settings != nil {
				from.File = settings.File
			}
			it.Origins = append(it.Origins, from)
		}
	}
	return nil
}

// isFile reports whether a path names a file of the content: as the user would type it, or below the content folder.
func isFile(name, content, path string) bool {
	path = filepath.Clean(path)
	return name != "" && (filepath.Clean(name) == path || filepath.Clean(name) == filepath.Join(content, path))
}

func explain(env string, it *model.Item, rules *visibility.Rules, at time.Time, o *plan.Options) Explanation {
	of := it.Visibility()
	e := Explanation{ID: it.ContentID, Name: it.Name, Template: it.TemplateName, Status: it.Status, File: it.File.Name, Line: int(it.Line),
		Reason: rules.Judge(of, at.UnixMilli()), At: at}
	if of.PublishedAt != visibility.Always {
		e.From = time.UnixMilli(of.PublishedAt).UTC()
	}
	if of.ExpiresAt != visibility.Never {
		e.Until = time.UnixMilli(of.ExpiresAt).UTC()
	}
	if e.Reason == visibility.Shown {
		e.Lists = plan.ListsWith(env, it, *o)
	}
	return e
}

// ignoring says which pattern of the settings leaves out the file of a path.
func ignoring(tree *source.Tree, env, content, path string) []Diagnostic {
	settings := tree.Settings[env]
	if settings == nil {
		return nil
	}
	for _, root := range []string{filepath.Join(content, env), env} {
		below, err := filepath.Rel(root, filepath.Clean(path))
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		if i := settings.Ignoring(filepath.ToSlash(below)); i >= 0 {
			pattern := settings.Ignore[i]
			return []Diagnostic{{File: settings.File, Line: pattern.Line, Col: pattern.Col, Message: "this pattern of ignore leaves out the file: " + source.Show(pattern.String()),
				Hint: "change the pattern to read the file"}}
		}
	}
	return nil
}

// Explain explains an item with the content as it is now and the rules of a view.
func (s *Session) Explain(ctx context.Context, v View, env, id string) (*Explained, error) {
	return Explain(ctx, s.c, v, env, id)
}

// HiddenBy returns the origin of the field that leaves the item out; nil if the item is delivered, or if no member gives
// the field.
func (e *Explanation) HiddenBy() *Origin {
	for i := range e.Origins {
		if e.Origins[i].Field == e.Reason.Field() {
			return &e.Origins[i]
		}
	}
	return nil
}

// Lines returns what decides about the item, for people, and its times.
func (e *Explanation) Lines() []string {
	when := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	var lines []string
	switch e.Reason {
	case visibility.Shown:
		lines = append(lines, "delivered at "+when(e.At))
	case visibility.OtherStatus:
		lines = append(lines, "left out by its Status "+ShowStatus(e.Status)+": --status "+visibility.AllStatuses+" delivers it")
	case visibility.NotYetVisible:
		lines = append(lines, "left out before its PublishedAt: --scheduled delivers it")
	case visibility.NoLongerShown:
		lines = append(lines, "left out after its "+visibility.FieldExpiresAt+": --expired delivers it")
	}
	if o := e.HiddenBy(); o != nil {
		lines = append(lines, fmt.Sprintf("its %s is from %s: %s, at %s:%d:%d", o.Field, o.Member, ShowStatus(o.Value), o.File, o.Line, o.Col))
	}
	if !e.From.IsZero() {
		lines = append(lines, "appears at its PublishedAt, "+when(e.From))
	}
	if !e.Until.IsZero() {
		lines = append(lines, "ends at its "+visibility.FieldExpiresAt+", "+when(e.Until))
	}
	return lines
}
