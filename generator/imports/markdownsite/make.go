// This file makes the items of pages, by the code that reads Markdown in a build.

package markdownsite

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"contentedge/edgeserve/timezone"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/githistory"
	"contentedge/generator/source/items"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
	"contentedge/generator/visibility"
)

// addresses is the pattern of the addresses that links get, unless the environment has one.
const addresses = "/{path}/"

// itemSettings returns the settings by which items are made: the environment's settings about addresses and people, and
// the site's time zone.
func (s *site) itemSettings() *environment.Settings {
	found := s.environmentSettings()
	if found.Links == (environment.Links{}) {
		pattern, _ := environment.Parse([]byte("links: " + addresses + "\n"))
		found.Links = pattern.Links
	}
	found.Languages = nil
	if s.profile.timezone != "" {
		if name := s.settings.text(s.profile.timezone); name != "" {
			zone, err := timezone.Load(name)
			if err != nil {
				s.warn("the time zone "+documents.Quoted(name)+" of the site is unknown, so times without a zone are in UTC", s.settings.name, 0, 0)
			} else {
				found.Timezone = zone
			}
		}
	}
	return found
}

// makerKey is what Readers differ in.
type makerKey struct {
	template, extension string
}

// ruleOf returns the rule of a page.
func (s *site) ruleOf(p *page) *environment.Rule {
	rule := *s.rules.DefaultRule()
	rule.Template = environment.Template{Name: p.template}
	if !s.profile.dateInName && !s.datesFromNames() {
		rule.Dates = []environment.DateSource{{Kind: environment.DateFrontMatter}, {Kind: environment.DateGit}}
	}
	return &rule
}

// rulesOf returns how the item of a page is made. Only for an identity, the text does not matter.
func (s *site) rulesOf(p *page, identity bool) items.Rules {
	return items.Rules{Settings: s.rules, Rule: s.ruleOf(p), Undated: true, OwnSite: true, Prepare: func(t markdown.Text) markdown.Text {
		t.FrontMatter = s.withDefaults(s.current, t.FrontMatter)
		if identity {
			t.Body = nil
		} else {
			t.Body = s.prepare(s.current, t)
		}
		return t
	}}
}

// identify finds out which item a page is, and whether it is public.
func (s *site) identify(p *page) {
	text, ok := s.readPage(p)
	if !ok {
		return
	}
	s.current = p
	found := items.FormatOf(p.file).Identities(s.rulesOf(p, true), s.input(p, text))
	if len(found) == 0 {
		return
	}
	p.identity = found[0]
	p.identity.Target.Path, p.identity.Target.Language = p.path, p.language
	p.hidden = p.identity.Visible.Status != visibility.Published
}

func (s *site) input(p *page, text []byte) documents.Input {
	return documents.Input{Text: text, Env: s.job.Options.Env, Path: p.input(), Ask: s.answer}
}

// answer answers what the item of the current page asks.
func (s *site) answer(q documents.Question) string {
	switch q.Kind {
	case items.GitQuestion:
		return s.datesOf(s.current)
	case documents.MediaQuestion:
		target, ok := s.fileFor(s.current, q.Key)
		if !ok {
			return " this file does not exist"
		}
		return target
	case documents.LinkQuestion:
		_, target := documents.CutLinkKey(q.Key)
		return s.targetOf(s.current, target).Answer()
	}
	return ""
}

// datesOf asks git for the dates of a page.
func (s *site) datesOf(p *page) string {
	found, ok, err := s.history.Dates(s.ctx, p.file)
	none, unavailable := errors.AsType[*githistory.Unavailable](err)
	if unavailable {
		s.noHistory = none
	} else if err != nil && s.failed == nil {
		s.failed = err
	}
	return items.GitAnswer(found, ok, none)
}

// reader returns the Reader of the items of a page. It is used again for pages of the same template.
func (s *site) reader(p *page) documents.Reader {
	key := makerKey{template: p.template, extension: path.Ext(p.file)}
	r := s.makers[key]
	if r == nil {
		r = items.FormatOf(p.file).NewReader(s.rulesOf(p, false))
		s.makers[key] = r
	}
	return r
}

// made is the item of a page, as its Reader gives it.
type made struct {
	site   *site
	page   *page
	reader documents.Reader
	item   *imports.Item // nil after a fault
}

// make makes the item of a page; nil after a fault.
func (s *site) make(p *page) *imports.Item {
	text, ok := s.readPage(p)
	if !ok {
		return nil
	}
	s.current = p
	p.links, p.media = nil, nil
	m := made{site: s, page: p, reader: s.reader(p)}
	m.reader.Load(s.input(p, text))
	m.reader.Documents(&m)
	return m.item
}

// Document takes the item.
func (m *made) Document(d documents.Document) {
	v, err := jsontree.Parse(bytes.Clone(m.reader.JSON()[d.Start:d.End])) // the Reader uses its memory again
	if err != nil {
		m.site.fault(m.page.file, d.Line, 1, err.Error(), "")
		return
	}
	i := &imports.Item{Class: m.site.profile.name, Type: m.page.template, ID: m.page.file, Locale: m.page.language, Status: visibility.Published, Data: v.Get(address.FieldData)}
	for _, f := range []struct {
		name string
		to   *string
	}{
		{address.FieldContentID, &i.ContentID}, {address.FieldName, &i.Name}, {address.FieldTemplateName, &i.TemplateName}, {address.FieldStatus, &i.Status},
		{address.FieldCreatedAt, &i.CreatedAt}, {address.FieldUpdatedAt, &i.UpdatedAt}, {address.FieldPublishedAt, &i.PublishedAt}, {visibility.FieldExpiresAt, &i.ExpiresAt},
		{address.FieldCreatedBy, &i.CreatedBy}, {address.FieldUpdatedBy, &i.UpdatedBy}, {address.FieldPublishedBy, &i.PublishedBy},
	} {
		value := v.Get(f.name)
		switch {
		case value == nil:
		case !value.IsString():
			m.site.fault(m.page.file, d.Line, 1, fmt.Sprintf("%s must be a text, not %s", f.name, value.Kind()), "")
			return
		default:
			*f.to = value.Str()
		}
	}
	m.item = i
	m.site.complete(m.page, i)
}

// complete adds what only the site knows: the path, the language, the pages and files that the item names.
func (s *site) complete(p *page, i *imports.Item) {
	i.Data.Set(items.PathMember, jsontree.String(p.path))
	if p.language != "" {
		i.Data.Set(items.LanguageMember, jsontree.String(p.language))
	}
	if i.CreatedAt == "" && i.UpdatedAt == "" && i.PublishedAt == "" {
		if s.undated++; s.undated == 1 {
			s.first = s.shown(p.file)
		}
	}
	s.filesInFrontMatter(p, i.Data, 0)
	s.takeResources(p)
	if len(p.links) > 0 {
		i.Data.Set("links", imports.Reference(p.links...))
	}
	if len(p.media) > 0 {
		i.Data.Set("media", s.mediaReferences(p))
	}
}

// Fault takes an error of the text.
func (m *made) Fault(at int, message, hint string) {
	line, col := m.reader.Place(at)
	m.site.fault(m.page.file, line, col, message, hint)
}

// Repeat takes a finding of a kind.
func (m *made) Repeat(at int, kind *documents.Kind, value string) {
	line, col := m.reader.Place(at)
	if kind.Error {
		m.site.fault(m.page.file, line, col, spell(kind, value), kind.Hint)
		return
	}
	m.site.count(kind, value, fmt.Sprintf("%s:%d:%d", m.site.shown(m.page.file), line, col))
}

// spell returns the message about one finding.
func spell(kind *documents.Kind, value string) string {
	return strings.NewReplacer("%s", documents.Quoted(value), "%v", cut(value)).Replace(kind.One)
}

// kindCount is how often there is a finding of a kind.
type kindCount struct {
	kind         *documents.Kind
	n            int
	value, place string // of the first
}

func (s *site) count(kind *documents.Kind, value, place string) {
	i := slices.IndexFunc(s.kinds, func(k kindCount) bool { return k.kind == kind })
	if i < 0 {
		i = len(s.kinds)
		s.kinds = append(s.kinds, kindCount{kind: kind, value: value, place: place})
	}
	s.kinds[i].n++
}

// warnKinds reports the findings that were counted.
func (s *site) warnKinds() {
	for _, k := range s.kinds {
		message := spell(k.kind, k.value)
		if k.n > 1 {
			message = fmt.Sprintf(k.kind.Many, k.n)
		}
		s.job.WarnCount(message+" (first "+k.place+")", 0)
	}
}

// Media takes the URL of a media file, which is a warning if the site lacks the file.
func (m *made) Media(at int, url string) {
	if _, ok := m.site.fileFor(m.page, url); ok {
		return
	}
	line, col := m.reader.Place(at)
	m.site.warn("images and other files that do not exist", m.page.file, line, col)
}

// Link takes a link to a page that does not exist, or that is not public.
func (m *made) Link(at int, _ string, to documents.Target) {
	line, col := m.reader.Place(at)
	if to.Hidden {
		m.site.warn("links to pages that are not Published are left out, and their texts stay", m.page.file, line, col)
		return
	}
	m.site.warn("links to pages that do not exist", m.page.file, line, col)
}

// IsField reports whether a member shows that an object is an item.
func (m *made) IsField(name []byte) bool { return slices.Contains(address.Fields[:], string(name)) }

// Stopped reports whether the import has ended.
func (m *made) Stopped() bool { return m.site.ctx.Err() != nil }

// eachMember calls do with the members of a record, with their offsets.
func eachMember(r *record.Record, do func(name string, nameAt, at, end int)) {
	jsoncursor.Children(r.JSON, 0, func(quoted []byte, at int) int {
		end := jsoncursor.ValueEnd(r.JSON, at)
		do(string(jsoncursor.Unquote(bytes.Clone(quoted))), at-1-len(quoted), at, end)
		return end
	})
}
