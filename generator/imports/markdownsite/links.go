// This file finds the pages that links lead to.

package markdownsite

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
)

// index finds pages and files by what links may say.
type index struct {
	byFile    map[string]*page   // by the path of the file
	byInput   map[string][]*page // by the logical path without extension and index: all translations
	byAddress map[string][]*page // by the path of the address, and by its other addresses
	byName    map[string][]*page // by the last name of the path, in lower case
	files     map[string]*file   // media by their last name, in lower case

	installed map[string]string // paths in the folder of the import, by file
	taken     map[string]bool   // these paths in lower case
}

func (x *index) build(s *site) {
	*x = index{map[string]*page{}, map[string][]*page{}, map[string][]*page{}, map[string][]*page{}, map[string]*file{}, map[string]string{}, map[string]bool{}}
	for _, p := range s.pages {
		x.byFile[p.file] = p
		input := path.Join(p.root.at, p.base())
		x.byInput[input] = append(x.byInput[input], p)
		for _, at := range append([]string{p.path}, s.otherAddresses(p)...) {
			x.byAddress[at] = append(x.byAddress[at], p)
		}
		name := strings.ToLower(path.Base(strings.TrimSuffix(p.file, path.Ext(p.file))))
		x.byName[name] = append(x.byName[name], p)
	}
	for name := range x.byName { // the one with the shortest path first
		slices.SortFunc(x.byName[name], func(a, b *page) int {
			return cmp.Or(cmp.Compare(len(a.file), len(b.file)), cmp.Compare(a.file, b.file))
		})
	}
	for _, name := range slices.Backward(s.names) {
		x.files[strings.ToLower(path.Base(name))] = s.files[name]
	}
}

func (x *index) attachment(name string) *file { return x.files[strings.ToLower(name)] }

// otherAddresses are the addresses that lead to a page too.
func (s *site) otherAddresses(p *page) (all []string) {
	for _, name := range []string{"aliases", "redirect_from"} {
		v := p.front.Get(name)
		list := v.List()
		if v.IsString() {
			list = append(list, v)
		}
		for _, of := range list {
			if text := of.Str(); strings.HasPrefix(text, "/") {
				all = append(all, trimAddress(text))
			}
		}
	}
	return all
}

// inLanguage returns the page in the language of another one. With one environment for each language, no other will do.
func (s *site) inLanguage(all []*page, from *page) *page {
	for _, p := range all {
		if p.language == from.language {
			return p
		}
	}
	if len(all) == 0 || s.locales != nil && !s.locales.Members {
		return nil
	}
	return all[0]
}

// translated returns the translation of a page in the language of another one.
func (s *site) translated(p, from *page) *page {
	if p.language == from.language {
		return p
	}
	return s.inLanguage(s.index.byInput[path.Join(p.root.at, p.base())], from)
}

// targetOf returns what a link of a page leads to. target is the path in which package items has joined the link with the
// path of the page.
func (s *site) targetOf(from *page, target string) documents.Target {
	to := s.pageAt(from, target)
	if to == nil || to.identity.ID == "" {
		return documents.Target{}
	}
	found := to.identity.Target
	if found.Hidden = to.hidden; !to.hidden && to != from && !slices.Contains(from.links, found.ID) {
		from.links = append(from.links, found.ID)
	}
	return found
}

// pageAt returns the page that a path leads to, as a file or as an address, or nil.
func (s *site) pageAt(from *page, target string) *page {
	if target = strings.Trim(target, "/"); target == "." {
		target = "" // the first page of the site
	}
	relative := relativePath(path.Dir(from.input()), target)
	files := []string{path.Join(path.Dir(from.file), relative), path.Join(from.root.dir, target)}
	if _, below, ok := strings.Cut("/"+target, siteAlias); ok {
		files = []string{below}
	}
	for _, name := range files {
		if p := s.fileOfPage(name); p != nil {
			return s.fromFile(p, from)
		}
	}
	if p := s.inLanguage(s.index.byInput[strings.TrimSuffix(target, path.Ext(target))], from); p != nil {
		return p
	}
	at := target
	if base := strings.Trim(s.base(), "/"); base != "" {
		at = strings.TrimPrefix(at, base+"/")
	}
	if from.language != "" {
		if rest, ok := strings.CutPrefix(at+"/", from.language+"/"); ok {
			at = strings.Trim(rest, "/")
		}
	}
	for _, address := range []string{trimAddress(at), trimAddress(path.Join(from.path, relative))} {
		if p := s.inLanguage(s.index.byAddress[address], from); p != nil {
			return p
		}
	}
	return nil
}

// siteAlias begins the path of a file below the folder of the site, in links of Docusaurus.
const siteAlias = "/@site/"

// pageOfFile returns the page that a file is for another page, or nil.
func (s *site) pageOfFile(from *page, name string) *page {
	if p := s.fileOfPage(name); p != nil {
		return s.fromFile(p, from)
	}
	return nil
}

// fromFile returns the page that a link to a file means: where folders are languages, the path of the file says which.
func (s *site) fromFile(p, from *page) *page {
	if !p.foldered && !from.foldered {
		return s.translated(p, from)
	}
	return s.inLanguage([]*page{p}, from)
}

// fileOfPage returns the page of a file by its path, perhaps without its extension, or by its folder.
func (s *site) fileOfPage(name string) *page {
	if p := s.index.byFile[name]; p != nil {
		return p
	}
	for _, end := range []string{".md", ".mdx", ".markdown", "/index.md", "/_index.md", "/README.md", "/index.mdx"} {
		if p := s.index.byFile[strings.TrimPrefix(name+end, "/")]; p != nil {
			return p
		}
	}
	return nil
}

// relativePath returns the path that leads from a folder to a target; both are below the same folder.
func relativePath(folder, target string) string {
	if folder == "." {
		return target
	}
	from, to := strings.Split(folder, "/"), strings.Split(target, "/")
	same := 0
	for same < len(from) && same < len(to) && from[same] == to[same] {
		same++
	}
	return strings.Repeat("../", len(from)-same) + strings.Join(to[same:], "/")
}

// Page returns the path by which links of the current page lead to another: package shortcodes asks it.
func (s *site) Page(reference string) string {
	name, fragment, found := strings.Cut(reference, "#")
	if found {
		fragment = "#" + fragment
	}
	if name == "" {
		return fragment
	}
	p := s.named(s.current, strings.TrimSuffix(name, path.Ext(extensionOfPage(name))))
	if p == nil {
		return ""
	}
	return "/" + p.input() + fragment
}

// extensionOfPage returns the extension of a name if it is an extension of Markdown; otherwise "", as a dot may be a
// part of the name.
func extensionOfPage(name string) string {
	if isMarkdown(name) {
		return name
	}
	return ""
}

// named returns the page that a reference of the system means: a path from the page or from the top of the content, or a
// name that is somewhere.
func (s *site) named(from *page, name string) *page {
	bare, absolute := strings.CutPrefix(name, "/")
	if !absolute {
		if p := s.pageOfFile(from, path.Join(path.Dir(from.file), name)); p != nil {
			return p
		}
	}
	bare = strings.Trim(bare, "/")
	for i := range s.roots {
		if p := s.pageOfFile(from, path.Join(s.roots[i].dir, bare)); p != nil {
			return p
		}
	}
	if p := s.inLanguage(s.index.byAddress[trimAddress(bare)], from); p != nil {
		return p
	}
	if all := s.index.byName[strings.ToLower(path.Base(bare))]; len(all) > 0 && (s.profile.attachments || !strings.Contains(bare, "/") || s.profile.postsByName) {
		return s.translated(all[0], from)
	}
	return nil
}

// File returns the URL of a file that belongs to the current page: package shortcodes asks it.
func (s *site) File(name string) string { return name }
