// This file has what is special about Hugo.

package markdownsite

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/items"
	"contentedge/generator/visibility"
)

// hugoSettings are the files of settings of Hugo, in the order in which it looks for them.
var hugoSettings = []string{
	"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json",
	"config/_default/hugo.toml", "config/_default/hugo.yaml", "config/_default/hugo.yml", "config/_default/hugo.json",
	"config/_default/config.toml", "config/_default/config.yaml", "config/_default/config.yml", "config/_default/config.json",
}

// hugo returns a setting, whose name may be in any case.
func (s *settings) hugo(name string) *jsontree.Value { return member(s.value, name) }

func hugoRoots(s *site) []contentRoot {
	s.readLanguages()
	content := orElse(strings.Trim(s.settings.hugo("contentDir").Text(), "/"), "content")
	members := languageMembers(s)
	own := func(m jsontree.Member) bool { return m.Value.Get("contentDir").Text() != "" }
	roots := []contentRoot{{dir: content, static: true, pageless: len(members) > 0 && !slices.ContainsFunc(members, func(m jsontree.Member) bool { return !own(m) })}}
	for _, m := range members {
		if dir := strings.Trim(m.Value.Get("contentDir").Text(), "/"); dir != "" && dir != content {
			roots = append(roots, contentRoot{dir: dir, language: m.Name, static: true})
		} else if dir == content {
			roots[0].language, roots[0].pageless = m.Name, false
		}
	}
	for _, dir := range []string{orElse(s.settings.hugo("staticDir").Text(), "static"), orElse(s.settings.hugo("assetDir").Text(), "assets")} {
		roots = append(roots, contentRoot{dir: dir, static: true, pageless: true})
	}
	return roots
}

// languagesFile is a file of languages, or of one language, in the folder of settings.
var languagesFile = regexp.MustCompile(`^config/_default/languages(?:\.([A-Za-z0-9-]+))?\.(?:toml|ya?ml|json)$`)

// readLanguages adds the languages of files of their own to the settings.
func (s *site) readLanguages() {
	all := s.settings.hugo("languages")
	for _, name := range s.names {
		found := languagesFile.FindStringSubmatch(name)
		if found == nil {
			continue
		}
		s.files[name].use = counted
		s.job.Read("settings")
		s.job.Merged("settings", takenSettings)
		v, fault := s.values(name)
		if fault != nil {
			s.fault(name, fault.Line, fault.Col, fault.Message, fault.Hint)
			continue
		}
		if found[1] != "" {
			v = jsontree.Object(jsontree.Member{Name: found[1], Value: v})
		}
		if !all.IsObject() {
			all = jsontree.Object()
		}
		for _, m := range membersOf(v) {
			all.Set(m.Name, m.Value)
		}
	}
	if all != nil {
		s.settings.value.Set("languages", all)
	}
}

// languageMembers are the languages of the settings, the main one first.
func languageMembers(s *site) []jsontree.Member {
	of := s.settings.value.Get("languages")
	if !of.IsObject() {
		return nil
	}
	main := orElse(s.settings.hugo("defaultContentLanguage").Text(), defaultLanguage)
	members := slices.Clone(of.Members)
	slices.SortStableFunc(members, func(a, b jsontree.Member) int {
		switch main {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return members
}

func hugoLanguages(s *site) (main string, all []string) {
	main = orElse(s.settings.hugo("defaultContentLanguage").Text(), defaultLanguage)
	all = []string{}
	for _, m := range languageMembers(s) {
		all = append(all, m.Name)
	}
	if len(all) == 1 && all[0] == main {
		all = all[:0] // a site in one language
	}
	return main, all
}

// datesFromNames reports whether the settings of Hugo take dates from names of files.
func (s *site) datesFromNames() bool {
	return slices.ContainsFunc(s.settings.hugo("frontmatter").Get("date").List(), func(v *jsontree.Value) bool { return strings.EqualFold(v.Str(), ":filename") })
}

// hugoTemplate is the type of the front matter, otherwise the section.
func hugoTemplate(p *page) string {
	if kind := p.front.Get("type").Str(); kind != "" {
		return kind
	}
	return firstFolderOf(p)
}

// hugoPath is the path of a page's address: in lower case, with hyphens for spaces, and with the slug as its last part.
func hugoPath(s *site, p *page) string {
	base := p.base()
	if pattern := s.hugoPermalink(p); pattern != "" {
		name, title := path.Base(base), p.front.Get("title").Text()
		slug := p.front.Get("slug").Str()
		return hugoAddress(s.permalink(p, pattern, map[string]string{
			"section": firstFolderOf(p), "sections": path.Dir(base), "filename": name, "contentbasename": name, "title": title,
			"slug": cmp.Or(slug, title, name), "slugorfilename": cmp.Or(slug, name), "slugorcontentbasename": cmp.Or(slug, name),
		}))
	}
	if slug := p.front.Get("slug").Str(); slug != "" && base != "" {
		base = path.Join(path.Dir(base), slug)
	} else if s.datesFromNames() {
		base = path.Join(path.Dir(base), s.nameOf(p))
	}
	return hugoAddress(base)
}

// hugoPermalink returns the pattern that the settings have for the pages of a section, or "". Pages of folders have no
// pattern.
func (s *site) hugoPermalink(p *page) string {
	stem := strings.TrimSuffix(path.Base(p.logical), path.Ext(p.logical))
	if stem == items.FolderPage || p.base() == "" {
		return ""
	}
	of, section := s.settings.hugo("permalinks"), firstFolderOf(p)
	return cmp.Or(of.Get("page", section).Str(), of.Get(section).Str())
}

// hugoAddress writes a path as Hugo does.
func hugoAddress(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune("./\\_#+~-@", r):
			return r
		}
		return -1
	}, strings.ToLower(text))
}

// cascades returns the values that pages of sections give to themselves and to the pages below them, the nearest first,
// and then the values that the settings give to all pages.
func cascades(s *site, p *page) (all []jsontree.Member) {
	if s.sections == nil {
		s.findSections()
	}
	for dir := p.base(); len(s.sections) > 0; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if of := s.sections[p.language+"/"+dir]; of != nil {
			all = append(all, s.cascade(of.front.Get(items.CascadeMember), of.file, p)...)
		}
		if dir == "" {
			break
		}
	}
	return append(all, s.cascade(s.settings.hugo(items.CascadeMember), s.settings.name, p)...)
}

// findSections finds the pages of folders that give values to the pages below them, including pages that are not
// Markdown.
func (s *site) findSections() {
	s.sections = map[string]*page{}
	add := func(p *page) {
		if p.front.Get(items.CascadeMember) != nil {
			s.sections[p.language+"/"+p.base()] = p
		}
	}
	for _, name := range s.names {
		root, below := s.rootOf(name)
		if !slices.Contains(templates, strings.ToLower(path.Ext(name))) || root == nil || root.pageless {
			continue
		}
		p := &page{file: name, root: root, front: jsontree.Object()}
		p.logical, p.language = languagePath(below, root.language, s.languages)
		if strings.TrimSuffix(path.Base(p.logical), path.Ext(p.logical)) == items.FolderPage {
			s.readFront(p)
			add(p)
		}
	}
	for _, p := range s.pages {
		add(p)
	}
}

// withoutCascade leaves out cascade, whose values the pages have.
func withoutCascade(m jsontree.Member) []jsontree.Member {
	if strings.EqualFold(m.Name, items.CascadeMember) {
		return []jsontree.Member{}
	}
	return nil
}

// cascade returns what the front matter of a section, or the settings in a file, give to a page. Values for some pages only
// are taken if a path says for which.
func (s *site) cascade(v *jsontree.Value, file string, p *page) (all []jsontree.Member) {
	list := v.List()
	if v.IsObject() {
		list = append(list, v)
	}
	for _, values := range list {
		target := cmp.Or(member(values, "target"), member(values, "_target"))
		if target != nil && !s.isTarget(target, p) {
			if member(target, "path") == nil || len(target.Members) > 1 {
				s.unreadTarget(values, file)
			}
			continue
		}
		all = append(all, given(values)...)
	}
	return all
}

// given are the values that an object of cascade has for pages, with its params.
func given(values *jsontree.Value) (all []jsontree.Member) {
	for _, m := range append(slices.Clone(membersOf(values)), membersOf(member(values, "params"))...) {
		if !slices.ContainsFunc([]string{"target", "_target", "params"}, func(name string) bool { return strings.EqualFold(name, m.Name) }) {
			all = append(all, m)
		}
	}
	return all
}

// unreadTarget reports values whose target is more than a path: a warning, or a fault if they may hide pages.
func (s *site) unreadTarget(values *jsontree.Value, file string) {
	for _, m := range given(values) {
		if visibility.IsMark(m.Name) || strings.EqualFold(m.Name, "build") || strings.EqualFold(m.Name, "_build") {
			s.fault(file, 0, 0, fmt.Sprintf("cascade gives the mark %s to some pages only, and its target is more than a path", documents.Quoted(m.Name)), "name the pages by a path, or give each page its mark")
			return
		}
	}
	s.warn("values of cascade for some pages only are left out: their target is more than a path", file, 0, 0)
}

// member returns a member of an object by its name in any case, or nil.
func member(v *jsontree.Value, name string) *jsontree.Value {
	for _, m := range membersOf(v) {
		if strings.EqualFold(m.Name, name) {
			return m.Value
		}
	}
	return nil
}

func membersOf(v *jsontree.Value) []jsontree.Member {
	if !v.IsObject() {
		return nil
	}
	return v.Members
}

// isTarget reports whether a path of a target matches a page.
func (s *site) isTarget(target *jsontree.Value, p *page) bool {
	pattern := member(target, "path").Str()
	if pattern == "" || len(target.Members) > 1 {
		return false
	}
	for _, m := range s.patterns(".", []string{pattern}) {
		if m.pattern.MatchString(p.base()) {
			return true
		}
	}
	return false
}
