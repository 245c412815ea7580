// This file looks up items of the last good build.

package generator

import (
	"bytes"
	"reflect"
	"slices"
	"sync"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/mapping"
	"contentedge/generator/model"
	"contentedge/generator/spill"
)

// state is the last good build. It does not change.
type state struct {
	site     *model.Site
	manifest *release.Manifest
	file     *spill.File // the fragments of the site
	changes  Changes

	once sync.Once
	byID []map[string]int32 // by environment: the positions of items by id; nil until needed
}

func (s *state) memory() (n int64) {
	size := int64(reflect.TypeFor[model.Item]().Size())
	for i := range s.site.Envs {
		n += int64(len(s.site.Envs[i].Items)) * size
	}
	return n
}

// env finds an environment in the last good build. ok is false before that, too.
func (s *Session) env(id string) (last *state, i int, ok bool) {
	if last = s.last.Load(); last == nil {
		return nil, 0, false
	}
	i, ok = last.site.Index(id)
	return last, i, ok
}

// ItemInfo describes an item.
type ItemInfo struct {
	ID, Name, Template, Status string

	File string // as the user would type it
	Line int

	References      []Reference // to items of its environment
	ReferredBy      []Reference // the first of the items that refer to it, with the path there
	ReferredByTotal int         // of items that refer to it
}

// Reference is a field of an item that refers to an item.
type Reference struct {
	Path               string // of the field, e.g. Data.author
	ID, Name, Template string // of the other item; a missing item has neither Name nor Template
	Exists             bool   // the release has it
}

const maxReferrers = 100 // described of an item

// Item describes an item of the last good build.
func (s *Session) Item(env, id string) (ItemInfo, bool) {
	last := s.last.Load()
	if last == nil {
		return ItemInfo{}, false
	}
	i, it := last.find(env, id)
	if it == nil {
		return ItemInfo{}, false
	}
	info := ItemInfo{ID: it.ContentID, Name: it.Name, Template: it.TemplateName, Status: it.Status, File: it.File.Name, Line: int(it.Line)}
	for _, r := range last.references(it) {
		_, to := last.find(env, r.ID)
		info.References = append(info.References, describe(r, to))
	}
	last.site.Referrers(i, id, func(from string) {
		info.ReferredByTotal++
		_, it := last.find(env, from)
		if info.ReferredByTotal > maxReferrers || it == nil {
			return
		}
		for _, r := range last.references(it) {
			if r.ID == id {
				info.ReferredBy = append(info.ReferredBy, describe(model.Reference{Path: r.Path, ID: from}, it))
				break
			}
		}
	})
	return info, true
}

func describe(r model.Reference, to *model.Item) Reference {
	if to == nil {
		return Reference{Path: r.Path, ID: r.ID}
	}
	return Reference{Path: r.Path, ID: r.ID, Name: to.Name, Template: to.TemplateName, Exists: true}
}

// references reads the references of an item. It returns none if the text cannot be read.
func (s *state) references(it *model.Item) []model.Reference {
	text, err := s.text(nil, it)
	if err != nil {
		return nil
	}
	return model.References(text)
}

func (s *state) text(dst []byte, it *model.Item) ([]byte, error) {
	dst = append(dst, make([]byte, it.Text.Size)...)
	_, err := s.file.ReadAt(dst[len(dst)-it.Text.Size:], it.Text.Offset)
	return dst, err
}

// Text returns the JSON of an item of the last good build.
func (s *Session) Text(env, id string) ([]byte, bool) {
	last := s.last.Load()
	if last == nil {
		return nil, false
	}
	_, it := last.find(env, id)
	if it == nil {
		return nil, false
	}
	text, err := last.text(nil, it)
	return text, err == nil
}

// find returns the position of an environment, and the item with an id, or nil.
func (s *state) find(env, id string) (int, *model.Item) {
	i, ok := s.site.Index(env)
	if !ok {
		return i, nil
	}
	s.once.Do(func() {
		for i := range s.site.Envs {
			s.byID = append(s.byID, positions(s.site.Envs[i].Items))
		}
	})
	at, ok := s.byID[i][id]
	if !ok {
		return i, nil
	}
	return i, &s.site.Envs[i].Items[at]
}

func positions(items []model.Item) map[string]int32 {
	byID := make(map[string]int32, len(items))
	for i := range items {
		byID[items[i].ContentID] = int32(i)
	}
	return byID
}

// FieldInfo describes a path of an environment's items.
type FieldInfo struct {
	Path      string
	Kind      string   // text, long, float, boolean or date
	SubFields []string // that have values
	Items     int      // how many items have a value

	Mixed []MixedKind // if the values are of several kinds, the most frequent first
}

// MixedKind is the values of one kind, with the place of the first.
type MixedKind struct {
	Kind   string // string, number or boolean
	Values int

	File         string
	Line, Column int
	ID           string // of the item
}

// Fields describes the paths of the last good build, in their order.
func (s *Session) Fields(env string) []FieldInfo {
	last, i, ok := s.env(env)
	if !ok {
		return nil
	}
	e, subs := &last.site.Envs[i], last.subFields(i)
	out := make([]FieldInfo, 0, len(e.Fields))
	for _, f := range e.Fields {
		info := FieldInfo{Path: f.Path, Kind: f.Type.String(), SubFields: subs[f.Path], Items: f.Items, Mixed: mixedKinds(e, f.Path)}
		if _, scalar := mapping.Scalars[f.Path]; scalar {
			info.Items = len(e.Items)
		}
		out = append(out, info)
	}
	return out
}

// LeftOut returns the rules of the paths that have no field, in the last good build.
func (s *Session) LeftOut(env string) leftout.Rules {
	last, i, ok := s.env(env)
	if !ok {
		return leftout.Rules{}
	}
	return last.site.Envs[i].LeftOut
}

func (s *state) subFields(env int) map[string][]string {
	subs := map[string][]string{}
	for _, f := range s.manifest.Environments[env].Fields {
		subs[f.Path] = f.SubFields
	}
	return subs
}

func mixedKinds(env *model.Env, path string) (out []MixedKind) {
	i := slices.IndexFunc(env.Mixed, func(m model.MixedPath) bool { return m.Path == path })
	if i < 0 {
		return nil
	}
	for _, k := range env.Mixed[i].Kinds {
		out = append(out, MixedKind{Kind: k.Kind.String(), Values: k.Count, File: k.File, Line: k.Line, Column: k.Col, ID: env.ItemAt(k.File, k.Line)})
	}
	return out
}

// The kinds of an ItemChange.
const (
	Added   = "added"
	Changed = "changed"
	Removed = "removed"
)

// Changes are the changes of a build.
type Changes struct{ Environments []EnvChanges }

// EnvChanges are the changes of a build in one environment.
type EnvChanges struct {
	ID    string
	Items []ItemChange // in the order of the sources, removed ones last
	Lists bool         // some list or saved search has other items, or shows an item that changed
	// Related are items that did not change, but include an item that did, or have another list of items that refer to
	// them.
	Related []string
}

// ItemChange is an item that a build changed.
type ItemChange struct {
	ID, Name string
	Change   string // Added, Changed or Removed
}

// Changes returns what the last good build changed; nothing for the first.
func (s *Session) Changes() Changes {
	if last := s.last.Load(); last != nil {
		return last.changes
	}
	return Changes{}
}

// changes compares two builds; before may be nil.
func changes(before, after *state) (c Changes, err error) {
	if before == nil {
		return c, nil
	}
	old := map[string]*model.Env{}
	for i := range before.site.Envs {
		old[before.site.Envs[i].ID] = &before.site.Envs[i]
	}
	for i := range after.site.Envs {
		env := &after.site.Envs[i]
		was := old[env.ID]
		if was == nil {
			was = &model.Env{}
		}
		delete(old, env.ID)
		d := differ{before: before, after: after, was: was.Items, is: env.Items}
		if err := d.compare(); err != nil {
			return c, err
		}
		c.add(env.ID, d.found)
	}
	for i := range before.site.Envs {
		if env := &before.site.Envs[i]; old[env.ID] != nil {
			d := differ{was: env.Items}
			d.byID()
			c.add(env.ID, d.found)
		}
	}
	return c, nil
}

func (c *Changes) add(env string, items []ItemChange) {
	if len(items) > 0 {
		c.Environments = append(c.Environments, EnvChanges{ID: env, Items: items, Lists: true})
	}
}

// addSearches adds the environments of which only saved searches changed.
func (c *Changes) addSearches(before, after *release.Manifest) {
	old := map[string][]release.Search{}
	for _, e := range before.Environments {
		old[e.ID] = e.Searches
	}
	same := func(a, b release.Search) bool {
		return a.Name == b.Name && bytes.Equal(a.Body, b.Body) && a.Files == b.Files
	}
	for _, e := range after.Environments {
		listed := slices.ContainsFunc(c.Environments, func(o EnvChanges) bool { return o.ID == e.ID })
		if was, ok := old[e.ID]; ok && !listed && !slices.EqualFunc(was, e.Searches, same) {
			c.Environments = append(c.Environments, EnvChanges{ID: e.ID, Lists: true})
		}
	}
}

type differ struct {
	before, after *state
	was, is       []model.Item
	texts         [2][]byte
	found         []ItemChange
}

// compare finds the changes. It is fast in the common case: the same ids in the same order.
func (d *differ) compare() error {
	if len(d.was) != len(d.is) {
		return d.byID()
	}
	for i := range d.is {
		if d.is[i].ContentID != d.was[i].ContentID {
			d.found = nil
			return d.byID()
		}
		if err := d.pair(&d.was[i], &d.is[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) byID() error {
	old := positions(d.was)
	for i := range d.is {
		at, ok := old[d.is[i].ContentID]
		if !ok {
			d.found = append(d.found, ItemChange{d.is[i].ContentID, d.is[i].Name, Added})
			continue
		}
		delete(old, d.is[i].ContentID)
		if err := d.pair(&d.was[at], &d.is[i]); err != nil {
			return err
		}
	}
	for i := range d.was {
		if _, gone := old[d.was[i].ContentID]; gone {
			d.found = append(d.found, ItemChange{d.was[i].ContentID, d.was[i].Name, Removed})
		}
	}
	return nil
}

// pair compares two states of an item. A text that was not read again has the same place in the file.
func (d *differ) pair(was, is *model.Item) (err error) {
	if d.before.file == d.after.file && was.Text == is.Text {
		return nil
	}
	if d.texts[0], err = d.before.text(d.texts[0][:0], was); err != nil {
		return err
	}
	if d.texts[1], err = d.after.text(d.texts[1][:0], is); err != nil {
		return err
	}
	if !bytes.Equal(d.texts[0], d.texts[1]) {
		d.found = append(d.found, ItemChange{is.ContentID, is.Name, Changed})
	}
	return nil
}
