// This file writes the mapping as regular expressions (PCRE and RE2) on the target as it was
// sent. An invalid part becomes "!", which no file's name has.

package hosts

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// table gives a variable the value of the first row that matches the source, or other.
type table struct {
	Name   string
	Source string // a variable; "" is the target
	Rows   []row
	Other  string
}

// row is a pattern and a value, which may hold the pattern's only group as "$1".
type row struct{ Pattern, Value string }

const (
	missing = "!"
	first   = "$1"

	pathEnd = `(?:\?|$)`
	// emptyPattern matches the empty text.
	emptyPattern = `^$`
	// plainQuery is rules Q1 and Q2. The class is 0x21 to 0x7E without ; # and %.
	plainQuery = `(?:[!\x22$&-:<-~]|%(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e]|[89A-Fa-f][0-9A-Fa-f]))*`
	// pairStart leads to the beginning of any pair of the query.
	pairStart = `^[^?]*\?(?:[^&]*&)*`
)

// The variables of file names: file for items and files by name, the others for lists.
const (
	varFile  = "ce_file"
	varList  = "ce_list"
	varBad   = "ce_bad"
	varSort  = "ce_sort"
	varDir   = "ce_dir"
	varSize  = "ce_size"
	varPage  = "ce_page"
	varCache = "ce_cache"
	varNamed = "ce_named"
	varMedia = "ce_media"
	varType  = "ce_type"
	varSelf  = "ce_self" // the field Link of a list by a path of Data
)

// The variables of the fields that only media have; empty for other files.
const (
	varPolicy   = "ce_policy"
	varDownload = "ce_download"
)

// topFiles are the files of the release's root that are served: the manifest, and the signed pointer that a
// publication leaves.
var topFiles = []string{release.ManifestName, release.PointerName}

// Patterns of paths.
var (
	listsPath    = address.Contents.Path(address.EnvPattern)
	itemPath     = address.Item.Path(address.EnvPattern, address.IDPattern)
	listFilePath = address.ListFile.Path(address.EnvPattern, address.ListPattern)
	savedPath    = address.SavedSearch.Path(address.EnvPattern, address.SavedPattern)
	usedInPath   = strings.ReplaceAll(address.UsedIn.Path(address.EnvPattern, address.IDPattern), ".json", `\.json`)
	mediaPath    = address.Media.Path(address.EnvPattern, address.MediaPattern)
	topPath      = `/(?:` + strings.ReplaceAll(strings.Join(topFiles, "|"), ".", `\.`) + `)`
	filePath     = topPath + `|` + itemPath + `\.json|` + listFilePath + `|` + savedPath + `|` + usedInPath
	// mediaRoot begins the paths of media of any environment.
	mediaRoot = address.Media.Path(`[^/]*`, "")
	// itemsPath begins the paths of items of any environment.
	itemsPath = address.Item.Path(`[^/]*`, "")
)

// listNames are the parameters of lists that are part of the names of files, the filters first.
var listNames = func() (names []string) {
	for _, p := range address.Parameters(address.Contents) {
		if p.InFiles && !p.Below {
			names = append(names, p.Name)
		}
	}
	return names
}()

// unmapped is a pattern of the parameters of a kind that are not part of the names of files. A request with such a
// parameter is for the edge server: the file would be another response.
func unmapped(kind address.Kind) string { return unmappedNames(kind, regexp.QuoteMeta) }

// unmappedSpelled is unmapped for names in any spelling.
func unmappedSpelled(kind address.Kind) string { return unmappedNames(kind, spellings) }

func unmappedNames(kind address.Kind, pattern func(name string) string) string {
	var names []string
	for _, p := range address.Parameters(kind) {
		if p.InFiles {
			continue
		}
		name := pattern(p.Name)
		if p.Below {
			name += `[^=&]*`
		}
		names = append(names, name)
	}
	return strings.Join(names, "|")
}

// filter is a filter as requests, file names and manifests call it.
type filter struct{ param, key string }

var filters = func() (all []filter) {
	for i, key := range address.Filters {
		all = append(all, filter{listNames[i], key})
	}
	return all
}()

// ListFile is the name of a list's file. Its variables stand between open and a brace.
func (s *site) ListFile(open string) string {
	var b strings.Builder
	write := func(text, variable string) { b.WriteString(text + open + variable + "}") }
	write("", varList)
	write("", varBad)
	for _, f := range filters {
		write("", "ce_"+f.key)
	}
	for i := range s.paths() {
		write("", pathVariable(i))
	}
	write("sort-", varSort)
	write("-", varDir)
	write("-", varSize)
	write("/page-", varPage)
	return b.String() + ".json"
}

// Tables returns all variables, each after the variables that it uses.
func (s *site) Tables() []table {
	d := s.manifest.Defaults
	out := []table{
		{Name: varFile, Other: "/" + missing, Rows: []row{
			{`^` + itemPath + `\?(?:[^&]*&)*(?:` + unmappedSpelled(address.Item) + `)(?:[=&]|$)`, "/" + missing},
			{`^(` + itemPath + `)` + pathEnd, first + ".json"},
			{`^(` + filePath + `)` + pathEnd, first},
		}},
		{Name: varMedia, Other: "/" + missing, Rows: []row{{`^(` + mediaPath + `)` + pathEnd, first}}},
		{Name: varType, Other: release.ContentType, Rows: mediaTypeRows()},
		{Name: varPolicy, Rows: []row{{`^` + mediaPath + pathEnd, release.MediaPolicy}}},
		{Name: varDownload, Rows: []row{{`^` + mediaRoot + `[^?]*\.(?:` + strings.Join(release.DownloadExtensions(), "|") + `)` + pathEnd, release.MediaDownload}}},
		{Name: varList, Other: "/" + missing + "/", Rows: []row{{`^(` + listsPath + `)(?:\?` + plainQuery + `)?$`, first + address.ListsDir}}},
		{Name: varBad, Rows: s.badRows()},
		{Name: varSelf, Rows: s.selfRows()},
		{Name: varPage, Other: "1", Rows: []row{valueRow(address.ParamPage, `(`+address.PagePattern+`)`, first), presentRow(address.ParamPage, missing)}},
		{Name: varSize, Other: fmt.Sprint(d.PageSize), Rows: []row{valueRow(address.ParamPageSize, `(`+address.SizePattern+`)`, first), presentRow(address.ParamPageSize, missing)}},
		{Name: varSort, Other: sortName(d.Sort), Rows: sortRows()},
		{Name: varDir, Other: direction(d.Asc), Rows: []row{valueRow(address.ParamSortAsc, "true", "asc"), valueRow(address.ParamSortAsc, "false", "desc"),
			presentRow(address.ParamSortAsc, missing), presentRow(address.ParamSort, "desc")}},
		{Name: varCache, Other: release.CacheControl(release.ClassList), Rows: []row{
			{`^` + topPath, release.CacheControl(release.ClassManifest)},
			{`^` + itemsPath, release.CacheControl(release.ClassItem)},
			{`^` + mediaRoot, release.CacheControl(release.ClassMedia)},
		}},
	}
	for i, path := range s.paths() {
		text := pathVariable(i) + "_text"
		out = append(out, table{Name: text, Rows: []row{valueRow(spelledOnce(path), `([^&]+)`, first)}},
			table{Name: pathVariable(i), Source: text, Other: missing + "/", Rows: s.pathRows(path)})
	}
	for _, f := range filters {
		text := "ce_" + f.key + "_text"
		out = append(out, table{Name: text, Rows: []row{valueRow(f.param, `([^&]+)`, first)}},
			table{Name: "ce_" + f.key, Source: text, Other: missing + "/", Rows: s.filterRows(f)})
	}
	return out
}

// askedHeaderTables give a preflight's requested headers as a list's end, nothing if one is wrong.
func askedHeaderTables(asked string) []table {
	const name, text = `[0-9A-Za-z!#\x24%&\x27*+.^_\x60|~-]+`, varNamed + "_text"
	return []table{
		{Name: text, Source: asked, Rows: []row{{fmt.Sprintf(`^(.{1,%d})$`, release.MaxRequestHeaders), first}}},
		{Name: varNamed, Source: text, Rows: []row{{`^(` + name + `(?:[ \x09]*,[ \x09]*` + name + `)*)$`, ", " + first}}},
	}
}

// mediaTypeRows have a row for each content type of media.
func mediaTypeRows() (rows []row) {
	extensions := mediaTypes()
	for _, t := range slices.Sorted(maps.Keys(extensions)) {
		rows = append(rows, row{`^` + mediaRoot + `[^?]*\.(?:` + strings.Join(extensions[t], "|") + `)` + pathEnd, t})
	}
	return rows
}

func direction(asc bool) string {
	if asc {
		return "asc"
	}
	return "desc"
}

func valueRow(param, value, result string) row {
	return row{pairStart + param + `=` + value + `(?:&|$)`, result}
}

func presentRow(param, result string) row { return row{pairStart + param + `=[^&]`, result} }

// badRows are rules Q3, Q4 and Q7. The last rows leave the paths of Data that no list of the release has to the edge
// server.
func (s *site) badRows() []row {
	rows := []row{{pairStart + `[^=&]*%`, missing + "/"}, {pairStart + `(?:` + unmapped(address.Contents) + `)(?:[=&]|$)`, missing + "/"}}
	for _, p := range listNames {
		rows = append(rows, row{pairStart + p + `(?:=[^&]*)?&(?:[^&]*&)*` + p + `(?:[=&]|$)`, missing + "/"})
	}
	data := regexp.QuoteMeta(address.DataPrefix)
	rows = append(rows, row{pairStart + data + `[^&]*&(?:[^&]*&)*` + data, missing + "/"})
	rows = append(rows, row{pairStart + data + `[^=&]*=?(?:&|$)`, ""}) // an empty value counts as absent
	for _, path := range s.paths() {
		rows = append(rows, row{pairStart + spelledOnce(path) + `=`, ""})
	}
	return append(rows, row{pairStart + data, missing + "/"})
}

// sortName is a default order in file names; by a path of Data no list has a file.
func sortName(field string) string {
	if !address.IsScalar(field) {
		return missing
	}
	return strings.ToLower(field)
}

func sortRows() []row {
	var rows []row
	for _, field := range address.ScalarFields() {
		rows = append(rows, valueRow(address.ParamSort, field, strings.ToLower(field)))
	}
	return append(rows, presentRow(address.ParamSort, missing))
}

// filterRows have a row for each value of a filter that some list of the release has.
func (s *site) filterRows(f filter) []row {
	rows := []row{{emptyPattern, ""}}
	for _, v := range s.values(f.key) {
		if token, ok := address.Token(v); ok {
			rows = append(rows, row{`^` + spellings(v) + `$`, f.key + "-" + token + "/"})
		}
	}
	return rows
}

// paths are the paths of Data that lists of the release have as filters. A path that no name of a parameter spells
// without escapes is not among them: names with escapes are for the edge server.
func (s *site) paths() []string {
	seen := map[string]bool{}
	for _, e := range s.manifest.Environments {
		for i := range e.Lists {
			if path := e.Lists[i].Path(); plainPath.MatchString(path) {
				seen[path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// plainPath matches paths whose characters mean themselves in queries and in patterns of every host, or are spaces.
var plainPath = regexp.MustCompile(`^` + regexp.QuoteMeta(address.DataPrefix) + `[0-9A-Za-z._~ -]+$`)

// spelledOnce is a pattern of a path as the name of a parameter spells it.
func spelledOnce(path string) string {
	return strings.NewReplacer(".", `\.`, " ", `\x2b`).Replace(path)
}

// pathVariable is the variable of the file name's components of the path number i.
func pathVariable(i int) string { return fmt.Sprintf("ce_data%d", i) }

// selfRows name the parameter of a list by a path of Data, as the edge server does, so that clients know that it counts.
func (s *site) selfRows() (rows []row) {
	for _, path := range s.paths() {
		name := strings.ReplaceAll(path, " ", "+")
		rows = append(rows, row{`^` + listsPath + `\?(?:[^&]*&)*` + spelledOnce(path) + `=([0-9A-Za-z._~%+-]+)(?:&|$)`, `<?` + name + `=` + first + `>; rel="self"`})
	}
	return rows
}

// pathRows have a row for each value of a path that some list of the release has.
func (s *site) pathRows(path string) []row {
	rows := []row{{emptyPattern, ""}}
	for _, v := range s.values(path) {
		if components, ok := address.PathComponents(path, v); ok {
			rows = append(rows, row{`^` + spellings(v) + `$`, components})
		}
	}
	return rows
}

func (s *site) values(key string) []string {
	seen := map[string]bool{}
	for _, e := range s.manifest.Environments {
		for _, family := range e.Lists {
			if !slices.Contains(family.Filters, key) {
				continue
			}
			for _, v := range family.Values {
				seen[v.Filters[key]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// spellings is a pattern of all spellings of a text in a query: each byte escaped in either
// case, or as it is where a query allows that.
func spellings(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		escaped := "%" + hexDigit(c>>4) + hexDigit(c&15)
		switch {
		case c == ' ':
			fmt.Fprintf(&b, `(?:\x2b|%s)`, escaped)
		case c == '+' || c == '&' || c == ';' || c == '#' || c == '%' || c < '!' || c > '~':
			b.WriteString(escaped)
		case '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			fmt.Fprintf(&b, `(?:%c|%s)`, c, escaped)
		default:
			fmt.Fprintf(&b, `(?:\x%02x|%s)`, c, escaped)
		}
	}
	return b.String()
}

func hexDigit(n byte) string {
	if n < 10 {
		return string('0' + n)
	}
	return fmt.Sprintf("[%c%c]", 'a'+n-10, 'A'+n-10)
}

// numbersOver is a pattern of the numbers above n, which has no leading zeros.
func numbersOver(n int) string {
	digits := fmt.Sprint(n)
	more := fmt.Sprintf("[1-9][0-9]{%d,}", len(digits))
	for i, c := range digits {
		if c < '9' {
			more += "|" + digits[:i] + fmt.Sprintf("[%c-9][0-9]{%d}", c+1, len(digits)-1-i)
		}
	}
	return more
}
