// This file has what is special about other generators.

package markdownsite

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/markdown"
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

// nameWithoutDate is the logical path without the date of its last part.
func nameWithoutDate(s *site, p *page) string {
	if p.base() == "" {
		return p.root.at
	}
	return path.Join(p.root.at, path.Dir(p.base()), s.nameOf(p))
}

// underscored passes over files and folders that begin with "_".
func underscored(_ *site, _, below string) string {
	if folder, _ := specialFolder(below); folder != "" || strings.HasPrefix(path.Base(below), "_") {
		return `their names, or those of their folders, begin with "_"`
	}
	return ""
}

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
		{dir: "docs", at: "docs", template: "docs", static: true}, {dir: "blog", at: "blog", template: "blog", static: true},
		{dir: "src/pages", template: "page", static: true}, {dir: "static", static: true, pageless: true},
	}
	seen := map[string]bool{}
	for _, name := range s.names {
		r, ok := docusaurusFolder(name)
		if ok && !seen[r.dir] {
			seen[r.dir] = true
			roots = append(roots, r)
		}
	}
	return roots
}

// docusaurusFolder returns the root that a file of versions or of translations is in.
func docusaurusFolder(name string) (r contentRoot, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) > 2 && parts[0] == "versioned_docs" {
		version := strings.TrimPrefix(parts[1], "version-")
		return contentRoot{dir: path.Join(parts[:2]...), at: "docs/" + version, template: "docs", static: true}, true
	}
	if len(parts) < 4 || parts[0] != "i18n" {
		return r, false
	}
	kind := strings.TrimPrefix(parts[2], docusaurusContent)
	switch {
	case kind == "docs" && len(parts) > 4 && parts[3] == "current":
		return contentRoot{dir: path.Join(parts[:4]...), at: "docs", template: "docs", language: parts[1], static: true}, true
	case kind == "docs" && len(parts) > 4:
		return contentRoot{dir: path.Join(parts[:4]...), at: "docs/" + strings.TrimPrefix(parts[3], "version-"), template: "docs", language: parts[1], static: true}, true
	case kind == "blog":
		return contentRoot{dir: path.Join(parts[:3]...), at: "blog", template: "blog", language: parts[1], static: true}, true
	case kind == "pages":
		return contentRoot{dir: path.Join(parts[:3]...), template: "page", language: parts[1], static: true}, true
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

// docusaurusPath is the path of a page: of a post by its day.
func docusaurusPath(s *site, p *page) string {
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
	return []contentRoot{{dir: "src/content", static: true}, {dir: "src/pages", template: "page", static: true}, {dir: "public", static: true, pageless: true}}
}

// environmentSettings are those of the environment that the items go into, if it has any that can be read.
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
