// This file has what is special about Jekyll and Hexo: posts with dates in their names, and permalinks.

package markdownsite

import (
	"maps"
	"path"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/dates"
)

// wholeSite is the root of systems whose content is the whole folder.
func wholeSite(*site) []contentRoot { return []contentRoot{{dir: ".", static: true}} }

func hexoRoots(s *site) []contentRoot {
	return []contentRoot{{dir: s.settings.folder("source", "source_dir"), static: true}}
}

// The folders of Jekyll and Hexo.
const (
	postsFolder  = "_posts"
	draftsFolder = "_drafts"
)

// jekyllIgnored are the files that Jekyll never reads, and those of its settings.
func jekyllIgnored(s *site) []matcher {
	all := s.patterns(".", append([]string{"/vendor/", "/Gemfile*"}, s.settings.texts("exclude")...))
	for _, m := range s.patterns(".", s.settings.texts("include")) {
		m.keeps = true
		all = append(all, m)
	}
	return all
}

// specialFolder returns the first folder on a path that begins with "_", and what is in it.
func specialFolder(below string) (folder, above string) {
	parts := strings.Split(below, "/")
	for i, part := range parts[:len(parts)-1] {
		if strings.HasPrefix(part, "_") {
			return part, strings.Join(parts[:i], "/")
		}
	}
	return "", ""
}

// jekyllHides passes over files without front matter, which Jekyll copies, and folders that are not collections.
func jekyllHides(s *site, name, below string) string {
	folder, _ := specialFolder(below)
	kept := slices.ContainsFunc(s.settings.texts("include"), func(text string) bool { return strings.Trim(text, "/") == folder })
	switch {
	case folder != "" && folder != postsFolder && folder != draftsFolder && !kept && !slices.Contains(collections(s), folder[1:]):
		return "their folder is not a collection"
	case strings.HasPrefix(path.Base(below), "_"):
		return `their names begin with "_"`
	case folder == postsFolder && !isDated(below, s):
		return "posts without a date in their names, which Jekyll passes over"
	}
	text, ok := s.read(name, maxPage)
	if ok && !strings.HasPrefix(string(text[:min(3, len(text))]), "---") {
		return "files without front matter, which Jekyll copies"
	}
	return ""
}

func isDated(below string, s *site) bool {
	base := path.Base(below)
	_, _, ok := dates.OfName(strings.TrimSuffix(base, path.Ext(base)), s.rules.Timezone)
	return ok
}

// collections are the names of the collections of a site of Jekyll.
func collections(s *site) (names []string) {
	names = s.settings.texts("collections")
	for _, m := range membersOf(s.settings.value.Get("collections")) {
		names = append(names, m.Name)
	}
	return names
}

// draftsAndPosts passes over other folders of Hexo that begin with "_".
func draftsAndPosts(_ *site, _, below string) string {
	if folder, _ := specialFolder(below); folder != "" && folder != postsFolder && folder != draftsFolder || strings.HasPrefix(path.Base(below), "_") {
		return `their names, or those of their folders, begin with "_"`
	}
	return ""
}

// jekyllTemplate is post, the name of the collection, or page.
func jekyllTemplate(p *page) string {
	folder, _ := specialFolder(p.logical)
	switch folder {
	case postsFolder, draftsFolder:
		return "post"
	case "":
		return "page"
	}
	return folder[1:]
}

// jekyllStyles are the names that Jekyll has for permalinks.
var jekyllStyles = map[string]string{
	"":        "/:categories/:year/:month/:day/:title",
	"date":    "/:categories/:year/:month/:day/:title",
	"pretty":  "/:categories/:year/:month/:day/:title/",
	"none":    "/:categories/:title",
	"ordinal": "/:categories/:year/:y_day/:title",
}

const jekyllPermalink = ""

// permalinks returns the path of pages whose posts have a permalink by a setting.
func permalinks(setting, otherwise string) func(s *site, p *page) string {
	return func(s *site, p *page) string {
		folder, _ := specialFolder(p.logical)
		if folder == "" {
			return p.base()
		}
		if folder != postsFolder && folder != draftsFolder {
			return path.Join(folder[1:], strings.TrimPrefix(p.base(), folder+"/"))
		}
		pattern := orElse(s.settings.text(setting), otherwise)
		if style, ok := jekyllStyles[pattern]; ok {
			pattern = style
		}
		return s.permalink(p, pattern, nil)
	}
}

// permalink fills in a pattern. A part that is not known is left out. The system may have values of its own.
func (s *site) permalink(p *page, pattern string, own map[string]string) string {
	year, month, day, err := s.dayOf(p)
	if err != nil {
		year, month, day = "", "", ""
	}
	name := orElse(p.front.Get("slug").Str(), s.nameOf(p))
	categories := strings.Join(s.categoriesOf(p), "/")
	values := map[string]string{
		"year": year, "month": month, "day": day, "title": name, "slug": name, "name": name, "filename": name, "post_title": name,
		"i_month": strings.TrimPrefix(month, "0"), "i_day": strings.TrimPrefix(day, "0"), "short_year": year[min(2, len(year)):],
		"categories": strings.ToLower(categories), "category": categories, "output_ext": "",
	}
	maps.Copy(values, own)
	var parts []string
	for part := range strings.SplitSeq(pattern, "/") {
		parts = append(parts, placeholder.ReplaceAllStringFunc(part, func(found string) string { return values[found[1:]] }))
	}
	return strings.Join(parts, "/")
}

// categoriesOf are the categories of a post: the folders above its own folder, and those of its front matter.
func (s *site) categoriesOf(p *page) (all []string) {
	if _, above := specialFolder(p.logical); above != "" {
		all = strings.Split(above, "/")
	}
	for _, name := range []string{"categories", "category"} {
		v := p.front.Get(name)
		if v.IsString() {
			all = append(all, strings.Fields(v.Str())...)
		}
		for _, item := range v.List() {
			all = append(all, item.Text())
		}
	}
	return slices.Compact(all)
}

// folderDefaults are what the folder of a post says: that it is a draft.
func folderDefaults(_ *site, p *page) (all []jsontree.Member) {
	if folder, _ := specialFolder(p.logical); folder == draftsFolder {
		all = append(all, jsontree.Member{Name: "draft", Value: jsontree.Raw("true")})
	}
	return all
}

// jekyllDefaults are what the folder of a page and the defaults of the settings give it. Of two defaults the last one counts.
func jekyllDefaults(s *site, p *page) []jsontree.Member {
	all := folderDefaults(s, p)
	if _, above := specialFolder(p.logical); above != "" && p.front.Get("categories") == nil && p.front.Get("category") == nil {
		list := jsontree.Array()
		for part := range strings.SplitSeq(above, "/") {
			list.Items = append(list.Items, jsontree.String(part))
		}
		all = append(all, jsontree.Member{Name: "categories", Value: list})
	}
	for _, of := range slices.Backward(s.settings.value.Get("defaults").List()) {
		scope := of.Get("scope")
		within := strings.Trim(scope.Get("path").Text(), "/")
		if kind := scope.Get("type").Text(); kind != "" && kind != jekyllType(p) || !inScope(s, within, p.file) {
			continue
		}
		all = append(all, membersOf(of.Get("values"))...)
	}
	return all
}

// jekyllType is the type of a page in scopes of defaults.
func jekyllType(p *page) string {
	switch folder, _ := specialFolder(p.logical); folder {
	case "":
		return "pages"
	case postsFolder:
		return "posts"
	case draftsFolder:
		return "drafts"
	default:
		return folder[1:]
	}
}

func inScope(s *site, within, name string) bool {
	if strings.ContainsAny(within, "*?") {
		return slices.ContainsFunc(s.patterns(".", []string{"/" + within}), func(m matcher) bool { return m.pattern.MatchString(name) })
	}
	return within == "" || name == within || strings.HasPrefix(name, within+"/")
}
