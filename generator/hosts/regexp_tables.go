// This file writes the mapping as regular expressions (PCRE and RE2) on the target as it was
// sent. An invalid part becomes "!", which no file's name has.

package hosts

import (
	"fmt"
	"maps"
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

	envPattern = `[0-9A-Za-z][0-9A-Za-z_-]{0,63}`
	idPattern  = `[0-9A-Za-z][0-9A-Za-z_-]{0,127}`
	// searchPattern is a saved search and the number of a page after the first.
	searchPattern = `[0-9A-Za-z][0-9A-Za-z_-]{0,63}(?:\.[1-9][0-9]{0,3})?`
	restPath      = `/cda/rest/v1/` + envPattern
	pathEnd       = `(?:\?|$)`
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
)

// filter is a filter as requests, file names and manifests call it.
type filter struct{ param, key string }

var filters = []filter{{"searchByName", "name"}, {"searchByTemplateName", "template"}, {"status", "status"}, {"searchByCreatedBy", "createdby"}}

var params = []string{"searchByName", "searchByTemplateName", "status", "searchByCreatedBy", "page", "pageSize", "sort", "sortAsc"}

// listFile is the name of a list's file. Its variables stand between open and a brace.
func listFile(open string) string {
	var b strings.Builder
	write := func(text, variable string) { b.WriteString(text + open + variable + "}") }
	write("", varList)
	write("", varBad)
	for _, f := range filters {
		write("", "ce_"+f.key)
	}
	write("sort-", varSort)
	write("-", varDir)
	write("-", varSize)
	write("/page-", varPage)
	return b.String() + ".json"
}

// Tables gives all variables, each after those it is made of.
func (s *site) Tables() []table {
	d := s.manifest.Defaults
	out := []table{
		{Name: varFile, Other: "/" + missing, Rows: []row{
			{`^(` + restPath + `/contents/` + idPattern + `)` + pathEnd, first + ".json"},
			{`^(/manifest\.json|` + restPath + `/contents/` + idPattern + `\.json|` + restPath + `/contents-list(?:/[a-z][0-9a-z._-]*)+\.json|` + restPath + `/searches/` + searchPattern + `\.json)` + pathEnd, first},
		}},
		{Name: varList, Other: "/" + missing + "/", Rows: []row{{`^(` + restPath + `/contents)(?:\?` + plainQuery + `)?$`, first + "-list/"}}},
		{Name: varBad, Rows: badRows()},
		{Name: varPage, Other: "1", Rows: []row{valueRow("page", `([1-9][0-9]{0,6})`, first), presentRow("page", missing)}},
		{Name: varSize, Other: fmt.Sprint(d.PageSize), Rows: []row{valueRow("pageSize", `([1-9][0-9]{0,4})`, first), presentRow("pageSize", missing)}},
		{Name: varSort, Other: sortName(d.Sort), Rows: sortRows()},
		{Name: varDir, Other: direction(d.Asc), Rows: []row{valueRow("sortAsc", "true", "asc"), valueRow("sortAsc", "false", "desc"),
			presentRow("sortAsc", missing), presentRow("sort", "desc")}},
		{Name: varCache, Other: release.CacheControl(release.ClassList), Rows: []row{
			{`^/manifest\.json`, release.CacheControl(release.ClassManifest)},
			{`^/cda/rest/v1/[^/]*/contents/`, release.CacheControl(release.ClassItem)},
		}},
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

// badRows are rules Q3 and Q4.
func badRows() []row {
	rows := []row{{pairStart + `[^=&]*%`, missing + "/"}}
	for _, p := range params {
		rows = append(rows, row{pairStart + p + `(?:=[^&]*)?&(?:[^&]*&)*` + p + `(?:[=&]|$)`, missing + "/"})
	}
	return rows
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
		rows = append(rows, valueRow("sort", field, strings.ToLower(field)))
	}
	return append(rows, presentRow("sort", missing))
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
