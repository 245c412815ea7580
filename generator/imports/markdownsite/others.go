// This file has what is special about other generators.

package markdownsite

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/markdown"
	"contentedge/generator/visibility"
)

// maxPage bounds a Markdown file in bytes.
const maxPage = markdown.MaxFile

// placeholder is a part of a permalink that a value takes the place of.
var placeholder = regexp.MustCompile(`:[a-z_]+`)

// firstFolderOf is the first folder of a page, as in a build.
func firstFolderOf(p *page) string {
	if folder, _, nested := strings.Cut(p.logical, "/"); nested {
		return folder
	}
	return ""
}

// templateOfRoot is the template of the folder that the page is in.
func templateOfRoot(p *page) string {
	if p.root.template != "" {
		return p.root.template
	}
	return firstFolderOf(p)
}

// logicalPath is the path without extension and index.
func logicalPath(_ *site, p *page) string { return path.Join(p.root.at, p.base()) }

// eleventyPath is the logical path without the date of its last part. A file with the name of its folder is the page of
// the folder.
func eleventyPath(s *site, p *page) string {
	if p.base() == "" {
		return p.root.at
	}
	dir, name := path.Dir(p.base()), s.nameOf(p)
	if path.Base(dir) == name {
		return path.Join(p.root.at, dir)
	}
	return path.Join(p.root.at, dir, name)
}

// eleventyDefaults are the values of data files. A page without an address is not public.
func eleventyDefaults(s *site, p *page) []jsontree.Member {
	all := directoryData(s, p)
	if p.front.Get("permalink").Text() == "false" {
		all = append(all, isPrivate)
	}
	return all
}

// eleventyDates leaves out dates that are words of Eleventy, as git Created: the dates of git count then.
func eleventyDates(m jsontree.Member) []jsontree.Member {
	if m.Name == visibility.Date && slices.Contains([]string{"Last Modified", "Created", "git Last Modified", "git Created"}, m.Value.Str()) {
		return []jsontree.Member{}
	}
	return nil
}

// dynamicRoutes passes over templates of pages, as [name].md.
func dynamicRoutes(_ *site, _, below string) string {
	if strings.ContainsRune(below, '[') {
		return "they are templates of pages, which programs fill"
	}
	return ""
}

// vitepressMarks are a table of contents, and files that are included.
var vitepressMarks = regexp.MustCompile(`(?mi)^\[\[toc\]\][ \t\r]*$|<!--[ \t]*@include:[^\n]*?-->`)

// obsidianSettings are the settings of Obsidian's own templates, and of Templater, its usual replacement.
var obsidianSettings = []string{".obsidian/templates.json", ".obsidian/plugins/templater-obsidian/data.json"}

// templateFolders are the folders of templates that the settings name, as patterns.
func templateFolders(s *site) (all []string) {
	for _, name := range []string{"folder", "templates_folder"} {
		if folder := strings.Trim(s.settings.text(name), "/"); folder != "" {
			all = append(all, "/"+folder+"/")
		}
	}
	return all
}

// obsidianHides passes over folders of templates by their usual name, if no setting names one.
func obsidianHides(s *site, _, below string) string {
	if len(templateFolders(s)) == 0 && templatesFolder.MatchString(below) {
		return "their folder has the name of templates"
	}
	return ""
}

// templatesFolder is a path in a folder such as Templates, _templates or 99 - Templates.
var templatesFolder = regexp.MustCompile(`(?i)(?:^|/)\P{L}*templates?/`)

// noteName returns the name of a note of Obsidian, which is the name of its file.
func noteName(_ *site, p *page) string {
	return strings.TrimSuffix(path.Base(p.file), path.Ext(p.file))
}

// astroPath is the path of an entry of a collection, by its slug or as Astro makes its id, or of a page.
func astroPath(s *site, p *page) string {
	if p.root.template == pagesTemplate {
		return logicalPath(s, p)
	}
	if slug := p.front.Get("slug").Str(); slug != "" {
		collection := ""
		if p.root.template == "" {
			collection = firstFolderOf(p)
		}
		return path.Join(collection, slug)
	}
	return astroSlug(p.base())
}

// astroSlug writes a path in lower case, with hyphens for spaces, and without most other signs.
func astroSlug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r == '/' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// underscored passes over files and folders that begin with "_".
func underscored(_ *site, _, below string) string {
	if folder, _ := specialFolder(below); folder != "" || strings.HasPrefix(path.Base(below), "_") {
		return `their names, or the names of their folders, begin with "_"`
	}
	return ""
}

// The templates of pages that are in no collection, and of documents.
const (
	pagesTemplate = "page"
	docsTemplate  = "docs"
)

func eleventyRoots(s *site) []contentRoot {
	dir := strings.Trim(path.Clean("/"+s.settings.plain("input")), "/")
	return []contentRoot{{dir: orElse(dir, "."), static: true}, {dir: "public", static: true, pageless: true}}
}

// directoryData are the values that the data files of Eleventy give to a page: NAME.json and NAME.11tydata.json of the
// page and of its folders, the nearest first.
func directoryData(s *site, p *page) (all []jsontree.Member) {
	stem := strings.TrimSuffix(p.file, path.Ext(p.file))
	names := []string{stem + ".11tydata", stem}
	for dir := path.Dir(p.file); dir != "."; dir = path.Dir(dir) {
		names = append(names, path.Join(dir, path.Base(dir))+".11tydata", path.Join(dir, path.Base(dir)))
	}
	for _, name := range names {
		for _, extension := range []string{".js", ".cjs", ".mjs"} {
			if s.files[name+extension] != nil && strings.HasSuffix(name, ".11tydata") {
				s.warn("data files that are programs are not read", name+extension, 0, 0)
			}
		}
		all = append(all, s.dataFile(name+".json")...)
	}
	return all
}

// dataFile reads a file of values for pages, once.
func (s *site) dataFile(name string) []jsontree.Member {
	if known, ok := s.data[name]; ok {
		return known
	}
	f := s.files[name]
	if f == nil {
		return nil
	}
	if f.use == unused {
		f.use = counted
		s.job.Read("data files")
		s.job.Merged("data files", "values of pages in their folders")
	}
	v, fault := s.values(name)
	if fault != nil {
		s.fault(name, fault.Line, fault.Col, fault.Message, fault.Hint)
	}
	var members []jsontree.Member
	for _, m := range membersOf(v) {
		if !strings.HasPrefix(m.Name, "eleventy") && m.Name != "permalink" && m.Name != "layout" {
			members = append(members, m)
		}
	}
	if s.data == nil {
		s.data = map[string][]jsontree.Member{}
	}
	s.data[name] = members
	return members
}

// docusaurusContent is the folder of translations of a plugin's pages.
const docusaurusContent = "docusaurus-plugin-content-"

// docusaurusRoots are docs, blog, pages and versions, each also in translations.
func docusaurusRoots(s *site) []contentRoot {
	roots := []contentRoot{
		{dir: "docs", at: s.routeBase("docs"), template: docsTemplate, static: true}, {dir: "blog", at: s.routeBase("blog"), template: "blog", static: true},
		{dir: "src/pages", template: pagesTemplate, static: true}, {dir: "static", static: true, pageless: true},
	}
	seen := map[string]bool{}
	for _, name := range s.names {
		r, ok := s.docusaurusFolder(name)
		if ok && !seen[r.dir] {
			seen[r.dir] = true
			roots = append(roots, r)
		}
	}
	return roots
}

// routeBase is where the pages of a plugin of Docusaurus begin.
func (s *site) routeBase(plugin string) string {
	for _, members := range s.settings.plainObjects(plugin) {
		if at := plainText(members, "routeBasePath"); at != "" {
			return strings.Trim(at, "/")
		}
	}
	return plugin
}

// docusaurusFolder returns the root that a file of versions or of translations is in.
func (s *site) docusaurusFolder(name string) (r contentRoot, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) > 2 && parts[0] == "versioned_docs" {
		version := strings.TrimPrefix(parts[1], "version-")
		return contentRoot{dir: path.Join(parts[:2]...), at: path.Join(s.routeBase("docs"), version), template: docsTemplate, static: true}, true
	}
	if len(parts) < 4 || parts[0] != "i18n" {
		return r, false
	}
	kind := strings.TrimPrefix(parts[2], docusaurusContent)
	switch {
	case kind == "docs" && len(parts) > 4 && parts[3] == "current":
		return contentRoot{dir: path.Join(parts[:4]...), at: s.routeBase("docs"), template: docsTemplate, language: parts[1], static: true}, true
	case kind == "docs" && len(parts) > 4:
		return contentRoot{dir: path.Join(parts[:4]...), at: path.Join(s.routeBase("docs"), strings.TrimPrefix(parts[3], "version-")), template: docsTemplate, language: parts[1], static: true}, true
	case kind == "blog":
		return contentRoot{dir: path.Join(parts[:3]...), at: s.routeBase("blog"), template: "blog", language: parts[1], static: true}, true
	case kind == "pages":
		return contentRoot{dir: path.Join(parts[:3]...), template: pagesTemplate, language: parts[1], static: true}, true
	}
	return r, false
}

func docusaurusLanguages(s *site) (main string, all []string) {
	return orElse(s.settings.plain("defaultLocale"), defaultLanguage), []string{}
}

// numbered is the number that orders files and folders: 01-intro, 1. intro, 02_guide.
var numbered = regexp.MustCompile(`^\d+\s*[-_.]+\s*([^-_.\s].*)$`)

// withoutNumbers takes the numbers off the names of a path, but not dates.
func withoutNumbers(logical string) string {
	parts := strings.Split(logical, "/")
	for i, part := range parts {
		if found := numbered.FindStringSubmatch(part); found != nil && !dated.MatchString(part) {
			parts[i] = found[1]
		}
	}
	return strings.Join(parts, "/")
}

// dated is a name that begins with a date, or a version, whose numbers stay.
var dated = regexp.MustCompile(`^(\d{4}-\d{1,2}|\d+\.\d+)`)

// docusaurusPath is the path of a page: of a post by its day, of a document by its id. A document of the name of its folder
// is the page of the folder.
func docusaurusPath(s *site, p *page) string {
	if p.root.template == docsTemplate && p.base() != "" {
		dir, name := path.Split(p.base())
		if strings.EqualFold(path.Base(dir), name) {
			return path.Join(p.root.at, dir)
		}
		return path.Join(p.root.at, dir, orElse(p.front.Get("id").Str(), name))
	}
	if p.root.template != "blog" || p.base() == "" {
		return logicalPath(s, p)
	}
	year, month, day, err := s.dayOf(p)
	if err != nil {
		return logicalPath(s, p)
	}
	return path.Join(p.root.at, year, month, day, s.nameOf(p))
}

// vitepressSettings are the files of settings, of a site in the folder or in docs.
var vitepressSettings = func() (all []string) {
	for _, dir := range []string{"", "docs/"} {
		for _, extension := range []string{"mts", "ts", "mjs", "js"} {
			all = append(all, dir+".vitepress/config."+extension)
		}
	}
	return all
}()

// vitepressSource is the folder with the content.
func vitepressSource(s *site) string {
	top := "."
	if strings.HasPrefix(s.settings.name, "docs/") {
		top = "docs"
	}
	return path.Join(top, strings.TrimPrefix(path.Clean("/"+s.settings.plain("srcDir")), "/"))
}

func vitepressRoots(s *site) []contentRoot {
	source := vitepressSource(s)
	return []contentRoot{{dir: source, static: true}, {dir: path.Join(source, "public"), static: true, pageless: true}}
}

// astroRoots are the collections, each with its name as template, and the pages.
func astroRoots(s *site) []contentRoot {
	roots := []contentRoot{{dir: "src/content", static: true}, {dir: "src/pages", template: pagesTemplate, static: true}, {dir: "public", static: true, pageless: true}}
	if strings.Contains(s.settings.program, "starlight(") { // its pages begin at the top
		roots = append(roots, contentRoot{dir: "src/content/docs", template: docsTemplate, static: true})
	}
	return roots
}

// environmentSettings returns the settings of the environment that the items go into, if they can be read.
func (s *site) environmentSettings() *environment.Settings {
	text, err := os.ReadFile(filepath.Join(s.job.Options.Content, s.job.Options.Env, environment.Name))
	if err != nil || len(text) > environment.MaxSize {
		return environment.Default()
	}
	found, _ := environment.Parse(text)
	if found == nil {
		return environment.Default() // a build reports what is wrong with them
	}
	return found
}
