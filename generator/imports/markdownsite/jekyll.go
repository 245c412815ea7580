// This file has what is special about Jekyll and Hexo: posts with dates in their names, and permalinks.

package markdownsite

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// jekyllIgnored returns the files that Jekyll never reads, and the files that its settings exclude.
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
	_, _, ok := dates.OfName(paddedDate(strings.TrimSuffix(base, path.Ext(base))), s.rules.Timezone)
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
		return `their names, or the names of their folders, begin with "_"`
	}
	return ""
}

const postTemplate = "post"

// jekyllTemplate is post, the name of the collection, or page.
func jekyllTemplate(p *page) string {
	folder, _ := specialFolder(p.logical)
	switch folder {
	case postsFolder, draftsFolder:
		return postTemplate
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
	if _, within, ok := strings.Cut(path.Dir(p.logical)+"/", postsFolder+"/"); ok && s.profile.nested {
		name = path.Join(within, name)
	}
	name = slugged(name)
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

// categoriesOf returns the categories of a post: the folders above its own folder, and the categories in its front
// matter.
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

// isDraft marks a draft, and isPrivate a page that has no address.
var (
	isDraft   = jsontree.Member{Name: "draft", Value: jsontree.Raw("true")}
	isPrivate = jsontree.Member{Name: "private", Value: jsontree.Raw("true")}
)

// slugged writes a name as Jekyll does in addresses.
func slugged(name string) string { return strings.Trim(noAddress.ReplaceAllString(name, "-"), "-") }

// noAddress is what a name has that addresses do not.
var noAddress = regexp.MustCompile(`[^\p{L}\p{M}\p{N}._~!$&'()+,;=@/]+`)

// paddedDate writes the date of a name with two digits for months and days, as 2024-1-5-name has not.
func paddedDate(logical string) string {
	dir, name := path.Split(logical)
	found := shortDate.FindStringSubmatch(name)
	if found == nil {
		return logical
	}
	two := func(digits string) string { return strings.Repeat("0", 2-len(digits)) + digits }
	return dir + found[1] + "-" + two(found[2]) + "-" + two(found[3]) + found[4]
}

var shortDate = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(\D.*)$`)

// postName returns the name of a post, which is also the title of a post without a title.
func postName(s *site, p *page) string {
	if p.template != postTemplate {
		return ""
	}
	return s.nameOf(p)
}

// jekyllTitle is the title that Jekyll makes of the name of a post.
func jekyllTitle(s *site, p *page) string {
	words := strings.FieldsFunc(postName(s, p), func(r rune) bool { return r == '-' || r == ' ' })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = string(unicode.ToUpper(first)) + word[size:]
	}
	return strings.Join(words, " ")
}

// kramdown writes the attributes of headings as all readers know them, and leaves other attributes out.
func kramdown(text []byte) []byte {
	text = replacing(text, kramdownHeading, func(m []int) (start, end int, other string) {
		return m[2], m[1], " {" + string(text[m[4]:m[5]]) + "}\n"
	})
	return dropping(kramdownMarks)(text)
}

// kramdownHeading is a heading with an id in the line after it.
var kramdownHeading = regexp.MustCompile(`(?m)^#{1,6} [^\n]*?([ \t\r]*)\n\{:[ \t]*(#[^}\n]*)\}[ \t\r]*$`)

// kramdownMarks are a table of contents, and attributes.
var kramdownMarks = regexp.MustCompile(`(?m)^(?:[-*+]|\d+\.) [^\n]*\n\{:[ \t]*toc[^}\n]*\}[ \t\r]*$|^\{:[^}\n]*\}[ \t\r]*$|\)(\{:[^}\n]*\})`)

// folderDefaults are what the folder of a post says: that it is a draft.
func folderDefaults(_ *site, p *page) (all []jsontree.Member) {
	if folder, _ := specialFolder(p.logical); folder == draftsFolder {
		all = append(all, isDraft)
	}
	return all
}

// jekyllDefaults are what the folder of a page and the defaults of the settings give it.
func jekyllDefaults(s *site, p *page) []jsontree.Member {
	all := folderDefaults(s, p)
	if _, above := specialFolder(p.logical); above != "" && p.front.Get("categories") == nil && p.front.Get("category") == nil {
		list := jsontree.Array()
		for part := range strings.SplitSeq(above, "/") {
			list.Items = append(list.Items, jsontree.String(part))
		}
		all = append(all, jsontree.Member{Name: "categories", Value: list})
	}
	if folder, _ := specialFolder(p.logical); folder != "" && slices.Contains(collections(s), folder[1:]) && s.settings.text("collections", folder[1:], "output") != "true" {
		all = append(all, isPrivate)
	}
	return append(all, s.settingsDefaults(p)...)
}

// settingsDefaults returns what the defaults of the settings give to a page: first the ones of the longest path, of
// equal paths the ones that name a type, then the last ones.
func (s *site) settingsDefaults(p *page) (all []jsontree.Member) {
	type scoped struct {
		path, kind string
		values     []jsontree.Member
	}
	var found []scoped
	for _, of := range slices.Backward(s.settings.value.Get("defaults").List()) {
		d := scoped{strings.Trim(of.Get("scope", "path").Text(), "/"), of.Get("scope", "type").Text(), membersOf(of.Get("values"))}
		if (d.kind == "" || d.kind == jekyllType(p)) && inScope(s, d.path, p.file) {
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(a, b scoped) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(min(len(b.kind), 1), min(len(a.kind), 1)))
	})
	for _, d := range found {
		all = append(all, d.values...)
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
