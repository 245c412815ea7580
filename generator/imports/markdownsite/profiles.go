// This file is the table of generators: where each has its content, and what its names and settings mean.

package markdownsite

import (
	"contentedge/generator/jsontree"
	"contentedge/generator/source/shortcodes"
	"contentedge/generator/source/sites"
)

// tree is the name of the profile of Markdown files that no generator reads.
const tree = "tree"

// profile is what is different about the sites of a generator.
type profile struct {
	name     string
	settings []string // files of settings, the first ones win
	tagged   bool     // settings may have tags of YAML that only the system knows: they are left out
	open     []string // folders that are read although their names begin with a dot
	output   []string // folders that the generator writes

	divisible bool // a folder of a site is read as a site

	roots          func(s *site) []contentRoot
	ignore         func(s *site) []matcher
	drafts         func(s *site) []matcher
	hides          func(s *site, name, below string) (why string) // Markdown files that are not pages
	languages      func(s *site) (main string, all []string)      // of the settings; nil names are found by twins of pages
	languageMember string                                         // of front matter
	mainAtTop      bool                                           // pages in the main language are not in a folder of the language

	opened     func(text []byte) (out []byte, added int) // the text with front matter as all readers know it, and how many lines are new before it
	logical    func(path string) string                  // the path without what orders files
	readme     bool                                      // README is the page of its folder
	bundles    bool                                      // a folder with index.md is one page with its files
	dateInName bool                                      // a name may begin with a date
	nested     bool                                      // the name of a post has the folders that it is in
	timezone   string                                    // the setting with the time zone
	base       string                                    // the setting with the address of the site

	template        func(p *page) string
	path            func(s *site, p *page) string
	address         string                        // the member of front matter with the address
	relativeAddress bool                          // which may be relative to the folder of the page
	titled          func(s *site, p *page) string // of a page without a title in its front matter; "" leaves it to the text
	defaults        func(s *site, p *page) []jsontree.Member
	member          func(m jsontree.Member) []jsontree.Member // what a member of front matter stands for; nil: for itself
	lists           []string                                  // members whose text is a list
	split           bool                                      // of words

	marks          shortcodes.Marks
	variable       func(s *site, names []string) *jsontree.Value // that texts name; nil without variables
	containers     bool                                          // ::: note
	admonitions    bool                                          // !!! note
	tidy           func(text []byte) []byte                      // without what says nothing without the generator
	wikilinks      bool                                          // [[Page]]
	attachments    bool                                          // files are found by their names, wherever they are
	staticRelative bool                                          // relative URLs lead to static files too
	postsByName    bool                                          // tags name pages by their files
}

func (p *profile) title() string {
	for _, s := range sites.Table {
		if s.Name == p.name {
			return s.Title
		}
	}
	return "Markdown files"
}

var profiles = []profile{
	{
		name: "hugo", settings: hugoSettings, roots: hugoRoots, output: []string{"public", "resources"},
		ignore:    func(s *site) []matcher { return s.expressions(".", s.settings.texts("ignoreFiles")) },
		languages: hugoLanguages, bundles: true, timezone: "timeZone", base: "baseURL",
		template: hugoTemplate, path: hugoPath, address: "url", defaults: cascades, member: withoutCascade, marks: shortcodes.Hugo, variable: hugoVariable,
	},
	{
		name: "jekyll", settings: []string{"_config.yml", "_config.yaml", "_config.toml"}, roots: wholeSite, output: []string{"_site"},
		ignore: jekyllIgnored, hides: jekyllHides, logical: paddedDate, dateInName: true, timezone: "timezone", base: "baseurl",
		template: jekyllTemplate, path: permalinks("permalink", jekyllPermalink), address: "permalink", titled: jekyllTitle, defaults: jekyllDefaults,
		lists: []string{"tags", "categories"}, split: true, marks: shortcodes.Tags | shortcodes.Expressions, variable: jekyllVariable, postsByName: true, tidy: kramdown,
	},
	{
		name: "hexo", settings: []string{"_config.yml", "_config.yaml"}, roots: hexoRoots, output: []string{"public"},
		hides: draftsAndPosts, opened: hexoFrontMatter, languages: hexoLanguages, mainAtTop: true, languageMember: "lang", dateInName: true, nested: true, timezone: "timezone", base: "root",
		template: jekyllTemplate, path: permalinks("permalink", ":year/:month/:day/:title/"), address: "permalink", titled: postName, defaults: folderDefaults,
		lists: []string{"tags", "categories"}, marks: shortcodes.Tags, postsByName: true,
	},
	{
		name: "eleventy", settings: []string{".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs"}, roots: eleventyRoots, output: []string{"_site"},
		ignore: func(s *site) []matcher { return s.patterns(".", s.lines(".eleventyignore")) }, hides: underscored, dateInName: true,
		template: firstFolderOf, path: eleventyPath, address: "permalink", defaults: eleventyDefaults, member: eleventyDates, lists: []string{"tags"}, marks: shortcodes.Tags | shortcodes.Expressions, variable: eleventyVariable,
	},
	{
		name: "docusaurus", settings: []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"}, roots: docusaurusRoots, output: []string{"build", ".docusaurus"},
		hides: underscored, languages: docusaurusLanguages, logical: withoutNumbers, readme: true, dateInName: true,
		template: templateOfRoot, path: docusaurusPath, address: "slug", relativeAddress: true, lists: []string{"tags"}, containers: true,
	},
	{
		name: "vitepress", settings: vitepressSettings, roots: vitepressRoots, open: []string{".vitepress"}, output: []string{".vitepress/dist", ".vitepress/cache", "docs/.vitepress/dist", "docs/.vitepress/cache"},
		ignore: func(s *site) []matcher {
			return s.patterns(vitepressSource(s), append(s.settings.plainList("srcExclude"), ".vitepress/"))
		},
		hides: dynamicRoutes, languages: plainLocales, mainAtTop: true,
		template: firstFolderOf, path: logicalPath, containers: true, staticRelative: true, marks: shortcodes.Expressions, variable: vitepressVariable, tidy: dropping(vitepressMarks),
	},
	{
		name: "mkdocs", settings: []string{"mkdocs.yml", "mkdocs.yaml"}, tagged: true, output: []string{"site"},
		roots: func(s *site) []contentRoot {
			return []contentRoot{{dir: s.settings.folder("docs", "docs_dir"), static: true}}
		},
		ignore: func(s *site) []matcher { return s.mkdocsPatterns("exclude_docs") },
		drafts: func(s *site) []matcher { return s.mkdocsPatterns("draft_docs") },
		readme: true, template: firstFolderOf, path: logicalPath, member: mkdocsDates, admonitions: true, tidy: dropping(mkdocsMarks), lists: []string{"tags"},
	},
	{
		name: "astro", settings: []string{"astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts"}, output: []string{"dist"},
		roots: astroRoots, languages: plainLocales, mainAtTop: true, hides: underscored, template: templateOfRoot, path: astroPath, lists: []string{"tags"},
	},
	{
		name: "obsidian", divisible: true, settings: obsidianSettings, hides: obsidianHides, roots: wholeSite, open: []string{".obsidian"},
		ignore:   func(s *site) []matcher { return s.patterns(".", append(templateFolders(s), ".obsidian/")) },
		template: firstFolderOf, path: logicalPath, address: "permalink", titled: noteName, dateInName: true, wikilinks: true, attachments: true, lists: []string{"tags", "aliases"}, split: true,
	},
	{name: tree, divisible: true, roots: wholeSite, template: firstFolderOf, path: logicalPath, dateInName: true},
}
