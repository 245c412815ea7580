// Package sites recognises the folders of sites by the files that configure their generators.
package sites

import (
	"cmp"
	"io/fs"
	"slices"
)

// Site is a generator of sites.
type Site struct {
	Name     string   // on the command line
	Title    string   // for messages
	Settings []string // files and folders that configure it: a folder with one is a site
	Content  []string // folders that may have its content
}

// Table lists all generators.
var Table = []Site{
	{"hugo", "Hugo", []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml"}, []string{"content"}},
	{"jekyll", "Jekyll", []string{"_config.yml", "_config.yaml", "_config.toml"}, []string{"_posts"}},
	{"hexo", "Hexo", []string{"_config.yml"}, []string{"source"}},
	{"eleventy", "Eleventy", []string{".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs"}, []string{"."}},
	{"docusaurus", "Docusaurus", []string{"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"}, []string{"docs", "blog"}},
	{"vitepress", "VitePress", []string{".vitepress"}, []string{"."}},
	{"mkdocs", "MkDocs", []string{"mkdocs.yml", "mkdocs.yaml"}, []string{"docs"}},
	{"astro", "Astro", []string{"astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts"}, []string{"src"}},
	{"obsidian", "Obsidian", []string{".obsidian"}, []string{"."}},
}

// Command is the command that imports a site. dir is its folder as the user would type it. Without an environment ENV
// stands for one.
func Command(name, dir, env string) string {
	return "generator import markdown " + name + " " + dir + " --env " + cmp.Or(env, "ENV")
}

// Recognise returns the generator whose site a folder with some entries is, or nil.
func Recognise(entries []fs.DirEntry) *Site {
	has := func(name string) bool {
		return name == "." || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	for i := range Table {
		if s := &Table[i]; slices.ContainsFunc(s.Settings, has) && slices.ContainsFunc(s.Content, has) {
			return s
		}
	}
	return nil
}
