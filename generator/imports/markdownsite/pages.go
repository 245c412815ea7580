// This file finds the pages of a site: which files they are, in which language, and what their front matter says about
// their addresses.

package markdownsite

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/dates"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/items"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// markdownFiles are Markdown files in the account.
const markdownFiles = "Markdown files"

// contentRoot is a folder with content.
type contentRoot struct {
	dir      string // below the site; "." is the site
	at       string // where its pages begin on the site; "" is the top
	template string // of its pages; "" leaves it to the profile
	language string // of all its pages; "" leaves it to their names
	static   bool   // its other files have their own paths as addresses
	pageless bool   // its Markdown files are not pages
}

// below returns the path of a file below the folder.
func (r *contentRoot) below(name string) (string, bool) {
	if r.dir == "." {
		return name, true
	}
	return strings.CutPrefix(name, r.dir+"/")
}

// page is a Markdown file that is a page of the site.
type page struct {
	file     string // below the site
	root     *contentRoot
	logical  string // the path below root, without language, with extension: the same for all translations
	language string
	foldered bool   // its language is a folder that the file is in
	path     string // of its address on the site, without slashes around it
	template string
	front    *jsontree.Value // members of the front matter that say where the page is; an object
	defaults []jsontree.Member

	identity items.Identity
	hidden   bool // it is not public
	links    []string
	media    []string // names of files, as the items know them
}

// input is the path by which package items knows the page.
func (p *page) input() string { return path.Join(p.root.at, p.logical) }

// base is the logical path without extension and index.
func (p *page) base() string {
	base := strings.TrimSuffix(p.logical, path.Ext(p.logical))
	if dir, name := path.Split(base); items.IsFolderPage(name) {
		return strings.TrimSuffix(dir, "/")
	}
	return base
}

// findPages finds the pages among the files.
func (s *site) findPages() error {
	s.languages = s.languagesOf()
	for _, name := range s.names {
		f := s.files[name]
		root, below := s.rootOf(name)
		if !isMarkdown(name) || f.use == counted || root == nil || root.pageless {
			continue
		}
		if why := s.notPage(name, below); why != "" {
			f.use = counted
			s.job.Read(markdownFiles)
			s.job.Skipped(markdownFiles, why)
			continue
		}
		f.use = aPage
		p := &page{file: name, root: root, front: jsontree.Object()}
		p.logical, p.language = languagePath(below, root.language, s.languages)
		p.foldered = below == p.language+"/"+p.logical
		if s.profile.logical != nil {
			p.logical = s.profile.logical(p.logical)
		}
		p.logical = s.asIndex(p.logical)
		s.pages = append(s.pages, p)
	}
	s.leaveResources()
	slices.SortStableFunc(s.pages, func(a, b *page) int { return cmp.Compare(a.input(), b.input()) })
	for _, p := range s.pages {
		s.readFront(p)
	}
	return s.ctx.Err()
}

// rootOf returns the root that a file is in: the deepest.
func (s *site) rootOf(name string) (found *contentRoot, below string) {
	for i := range s.roots {
		rest, ok := s.roots[i].below(name)
		if ok && (found == nil || len(s.roots[i].dir) > len(found.dir) || found.dir == ".") {
			found, below = &s.roots[i], rest
		}
	}
	return found, below
}

// notPage says why a Markdown file of a content folder is not a page; "" if it is one.
func (s *site) notPage(name, below string) string {
	if s.ignores(name) {
		return "the site ignores them"
	}
	if s.profile.hides != nil {
		return s.profile.hides(s, name, below)
	}
	return ""
}

// asIndex writes the name README of a page of a folder as index, for systems that read it so.
func (s *site) asIndex(logical string) string {
	dir, name := path.Split(logical)
	if s.profile.readme && strings.EqualFold(strings.TrimSuffix(name, path.Ext(name)), "readme") {
		return dir + "index" + path.Ext(name)
	}
	return logical
}

// languagePath cuts the language off the path of a page: one that its name ends in, or a first folder.
func languagePath(below, language string, found siteLanguages) (logical, code string) {
	stem, suffix := environment.CutLanguage(below, found.suffixes)
	if suffix != "" {
		return stem + path.Ext(below), suffix
	}
	if folder, rest, ok := strings.Cut(below, "/"); ok && slices.Contains(found.folders, folder) {
		return rest, folder
	}
	return below, cmp.Or(language, found.main)
}

// siteLanguages are the languages of a site.
type siteLanguages struct {
	suffixes []string // that names of files end in
	folders  []string // that are first folders
	main     string   // of all other pages; "" if the site has one language
}

// has reports whether a text is one of several languages.
func (l siteLanguages) has(code string) bool {
	return l.main != "" && (code == l.main || slices.Contains(l.suffixes, code))
}

// languagesOf finds the languages: the ones in the settings, otherwise the ones in which a page exists twice.
func (s *site) languagesOf() (l siteLanguages) {
	var below []string
	several := false
	for _, name := range s.names {
		if root, rest := s.rootOf(name); root != nil && !root.pageless && isMarkdown(name) {
			below = append(below, rest)
			several = several || root.language != ""
		}
	}
	main, named := "", []string(nil)
	if s.profile.languages != nil {
		main, named = s.profile.languages(s)
	}
	if named == nil {
		named = environment.FindLanguages(below, items.IsFolderPage)
		l.folders = twinFolders(below)
	} else {
		l.folders = named
	}
	l.suffixes = named
	if several || len(l.suffixes)+len(l.folders) > 0 {
		l.main = cmp.Or(main, defaultLanguage)
	}
	return l
}

// defaultLanguage is the language of pages that no setting and no name says.
const defaultLanguage = "en"

// twinFolders finds first folders that are languages: each has a page that exists outside as well, or in another such
// folder.
func twinFolders(below []string) (found []string) {
	count := map[string]int{} // of pages by their paths without a language
	eachTwin := func(do func(folder, rest string)) {
		for _, name := range below {
			folder, rest, _ := strings.Cut(name, "/")
			if environment.IsKnownLanguage(strings.ToLower(folder[:min(2, len(folder))]) + folder[min(2, len(folder)):]) {
				do(folder, rest)
			} else {
				do("", name)
			}
		}
	}
	eachTwin(func(_, rest string) { count[rest]++ })
	eachTwin(func(folder, rest string) {
		if folder != "" && count[rest] > 1 && !slices.Contains(found, folder) {
			found = append(found, folder)
		}
	})
	return found
}

// isLeaf reports whether a page is the page of its folder, and owns the files there.
func isLeaf(p *page) bool {
	return strings.TrimSuffix(path.Base(p.logical), path.Ext(p.logical)) == "index"
}

// leaveResources takes files out that belong to a page of the same folder, where the system has bundles.
func (s *site) leaveResources() {
	if !s.profile.bundles {
		return
	}
	leaf := map[string]bool{}
	for _, p := range s.pages {
		if isLeaf(p) {
			leaf[path.Dir(p.file)] = true
		}
	}
	s.pages = slices.DeleteFunc(s.pages, func(p *page) bool {
		if isLeaf(p) {
			return false
		}
		for dir := path.Dir(p.file); dir != "."; dir = path.Dir(dir) {
			if leaf[dir] {
				s.files[p.file].use = counted
				s.job.Read(markdownFiles)
				s.job.Skipped(markdownFiles, "they are parts of a page bundle")
				return true
			}
		}
		return false
	})
}

// whereMembers are the members of front matter that say where a page is, and what it gives to others.
var whereMembers = []string{"url", "slug", "permalink", "path", "aliases", "redirect_from", "type", items.CascadeMember, "date", "title", "categories", "category", "lang", "id"}

// readFront reads the front matter as far as other pages depend on it. Faults are reported when the item is made.
func (s *site) readFront(p *page) {
	text, ok := s.readPage(p)
	if !ok {
		return
	}
	found, _ := markdown.Split(text)
	front, err := jsontree.Parse(found.FrontMatter.JSON)
	if err != nil {
		return
	}
	for _, m := range front.Members {
		for _, name := range whereMembers {
			if strings.EqualFold(m.Name, name) {
				p.front.Set(name, m.Value)
			}
		}
	}
	if code := p.front.Get(s.profile.languageMember).Text(); s.languages.has(code) {
		p.language = code
	}
}

// dayOf returns the day of a page: of its front matter, or of its name.
func (s *site) dayOf(p *page) (year, month, day string, err error) {
	at, parseError := dates.Parse(p.front.Get("date").Text(), s.rules.Timezone)
	if parseError != nil || p.front.Get("date") == nil {
		var ok bool
		if at, _, ok = dates.OfName(path.Base(p.base()), s.rules.Timezone); !ok {
			return "", "", "", errNoDay
		}
	}
	at = at.In(s.rules.Timezone)
	return at.Format("2006"), at.Format("01"), at.Format("02"), nil
}

var errNoDay = errors.New("the page has no date")

// nameOf is the last part of the path of a page, without a date at its beginning.
func (s *site) nameOf(p *page) string {
	name := path.Base(p.base())
	if _, rest, ok := dates.OfName(name, s.rules.Timezone); ok && rest != "" {
		return rest
	}
	return name
}

// describePages finds the templates, addresses and defaults of all pages, and then their identities.
func (s *site) describePages() error {
	for _, p := range s.pages {
		p.template = cmp.Or(s.profile.template(p), "page")
		p.path = s.addressOf(p)
		s.addDefaults(p)
	}
	s.history.Begin(func(visit func(string)) {
		for _, p := range s.pages {
			visit(p.file)
		}
	})
	for _, p := range s.pages {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.identify(p)
	}
	s.index.build(s)
	return s.failed
}

// addressOf returns the path of a page's address: the one of its front matter, or by the profile.
func (s *site) addressOf(p *page) string {
	if s.profile.address != "" {
		written := p.front.Get(s.profile.address).Str()
		if written != "" && !strings.ContainsAny(written, "{}:") {
			if strings.HasPrefix(written, "/") || !s.profile.relativeAddress {
				return trimAddress(path.Join(p.root.at, written))
			}
			return trimAddress(path.Join(p.root.at, path.Dir(p.base()), written))
		}
	}
	return trimAddress(s.profile.path(s, p))
}

// trimAddress takes off an address what all have.
func trimAddress(text string) string {
	text = strings.Trim(path.Clean("/"+text), "/")
	text = strings.TrimSuffix(strings.TrimSuffix(text, ".html"), ".htm")
	if text == "index" {
		return ""
	}
	return strings.TrimSuffix(text, "/index")
}

// addDefaults adds what other files give to the front matter of a page.
func (s *site) addDefaults(p *page) {
	if matches(s.drafts, p.file) {
		p.defaults = append(p.defaults, isDraft)
	}
	if s.profile.defaults != nil {
		for _, m := range s.profile.defaults(s, p) {
			if !slices.ContainsFunc(p.defaults, func(other jsontree.Member) bool { return strings.EqualFold(other.Name, m.Name) }) {
				p.defaults = append(p.defaults, m)
			}
		}
	}
	if s.profile.titled == nil || p.front.Get("title") != nil {
		return
	}
	if title := s.profile.titled(s, p); title != "" {
		p.defaults = append(p.defaults, jsontree.Member{Name: "title", Value: jsontree.String(title)})
	}
}

// withDefaults returns front matter with the members of a page that others give, and with lists where the system reads
// a text as a list. Places still refer to the file.
func (s *site) withDefaults(p *page, front record.Record) record.Record {
	var b record.Builder
	b.Object(front.Start())
	given := map[string]bool{}
	eachMember(&front, func(name string, nameAt, at, end int) {
		given[strings.ToLower(name)] = true
		if s.replaced(&b, name, front.JSON[at:end], front.Place(at)) {
			return
		}
		b.Key(name, front.Place(nameAt))
		if list := s.asList(name, front.JSON[at:end]); list != nil {
			b.Value(&record.Record{JSON: list}, 0, len(list))
			return
		}
		b.Value(&front, at, end)
	})
	for _, m := range p.defaults {
		if given[strings.ToLower(m.Name)] {
			continue
		}
		b.Key(m.Name, front.Start())
		text := m.Value.Append(nil)
		b.Value(&record.Record{JSON: text}, 0, len(text))
	}
	b.EndObject()
	made, fault := b.Record()
	if fault != nil {
		s.fault(p.file, fault.Line, fault.Col, fault.Message, fault.Hint)
		return front
	}
	return made
}

// replaced writes what a member of front matter stands for, if the system reads it in a way of its own.
func (s *site) replaced(b *record.Builder, name string, value []byte, at record.Place) bool {
	if s.profile.member == nil {
		return false
	}
	v, err := jsontree.Parse(value)
	if err != nil {
		return false
	}
	members := s.profile.member(jsontree.Member{Name: name, Value: v})
	for _, m := range members {
		b.Key(m.Name, at)
		text := m.Value.Append(nil)
		b.Value(&record.Record{JSON: text}, 0, len(text))
	}
	return members != nil
}

// asList returns the list that a text means as the value of a member, or nil.
func (s *site) asList(name string, value []byte) []byte {
	if value[0] != '"' || !slices.Contains(s.profile.lists, strings.ToLower(name)) {
		return nil
	}
	v, err := jsontree.Parse(value)
	if err != nil {
		return nil
	}
	list := jsontree.Array()
	parts := []string{strings.TrimSpace(v.Str())}
	if s.profile.split {
		parts = strings.FieldsFunc(v.Str(), func(r rune) bool { return r == ' ' || r == ',' })
	}
	for _, part := range parts {
		if part != "" {
			list.Items = append(list.Items, jsontree.String(part))
		}
	}
	return list.Append(nil)
}
