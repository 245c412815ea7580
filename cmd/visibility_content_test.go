// This file writes content with every mark of what is public and what is not, in every form that is read.

package cmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/visibility"
)

// cell is an item with a mark. Each has a word of its own in everything that it has: text, names, paths and media.
type cell struct {
	member, value, form string
	hidden              bool
	word                string
}

func (c cell) String() string { return fmt.Sprintf("%s: %q in %s", c.member, c.value, c.form) }

// marked is content with a cell for each value of each mark in each form, hidden ones and their opposites.
type marked struct {
	t     *testing.T
	bin   map[string]string
	dir   string // the content directory
	cells []cell
	files map[string]string // of the content
	ids   []string          // of the items of the environment "site"
}

// The environments of the content.
const (
	markedSite      = "site"
	markedImported  = "imported"
	markedWordPress = "wordpress"
)

var markedEnvironments = []string{markedSite, markedImported, markedWordPress}

// hiddenWord and shownWord begin the words of cells.
const hiddenWord, shownWord = "zqhidden", "zqshown"

// The identifiers of public items, which other items refer to, or which refer to all others.
const hubID, referredID = "Content_10000000-0000-4000-8000-000000000001", "Content_10000000-0000-4000-8000-000000000002"

// forms are the forms in which a reader knows its marks.
var forms = map[visibility.Reader][]string{
	visibility.Markdown: {"md", "toml.md", "json.md", "mdx"},
	visibility.Members:  {"md", "toml.md", "json.md", "mdx", "yaml", "toml", "csv"},
	visibility.JSON:     {"import json"},
}

// newMarked writes the content.
func newMarked(t *testing.T) *marked {
	t.Helper()
	m := &marked{t: t, bin: binaries(t, "generator", "edgeserve", "preview"), dir: filepath.Join(t.TempDir(), "content"), files: map[string]string{}}
	var imports []string
	for _, mark := range visibility.Marks() {
		for _, reader := range mark.Readers {
			for _, form := range forms[reader] {
				for _, v := range valuesOf(&mark) {
					c := m.cell(mark.Member, v.text, form, v.hidden)
					if reader == visibility.JSON {
						imports = append(imports, fmt.Sprintf(`{"slug":%q,"kind":%[1]q,"title":%[1]q,"created":"2019-01-01","text":"of %[1]s",%[2]q:%[3]s}`, c.word, c.member, scalar("json", c.value)))
						continue
					}
					m.file(c)
				}
			}
		}
	}
	m.settings()
	writeAll(t, m.dir, m.files)
	m.importJSON(imports)
	m.importWordPress()
	return m
}

// value is a value of a mark.
type value struct {
	text   string
	hidden bool
}

// valuesOf returns the values of a mark that hide an item, and those that do not.
func valuesOf(m *visibility.Mark) (values []value) {
	switch {
	case m.IsWord() && m.Gives == address.FieldStatus:
		values = append(values, value{"Accepted", true}) // a word that nobody knows
		for _, row := range visibility.Words() {
			for _, word := range row.Words {
				values = append(values, value{word, row.Status != visibility.Published})
			}
		}
	case m.IsWord():
		expires := m.Gives == visibility.FieldExpiresAt
		values = []value{{"2020-01-01", expires}, {"2999-01-01", !expires}}
	default:
		for _, v := range m.Values {
			values = append(values, value{v.Text, v.Status != ""})
		}
	}
	return values
}

func (m *marked) cell(member, text, form string, hidden bool) cell {
	c := cell{member, text, form, hidden, fmt.Sprintf("%s%04d", map[bool]string{true: hiddenWord, false: shownWord}[hidden], len(m.cells))}
	m.cells = append(m.cells, c)
	return c
}

// scalar writes a value of a mark.
func scalar(form, text string) string {
	isDate := strings.HasSuffix(text, "-01-01")
	if text == "true" || text == "false" || isDate && strings.HasPrefix(form, "toml") || form == "csv" {
		return text
	}
	return fmt.Sprintf("%q", text)
}

// file writes the file of a cell.
func (m *marked) file(c cell) {
	id := fmt.Sprintf("Content_00000000-0000-4000-8000-%012d", len(m.ids))
	m.ids = append(m.ids, id)
	members := [][2]string{{"ContentID", id}, {"Name", "Name " + c.word}, {"TemplateName", "Template " + c.word}, {"CreatedBy", "Person " + c.word}, {"CreatedAt", "2019-01-01T00:00:00Z"}, {"word", c.word}, {c.word + "path", "x"}}
	for i, member := range members {
		members[i][1] = scalar(c.form, member[1])
	}
	members = append(members, [2]string{c.member, scalar(c.form, c.value)})
	name := fmt.Sprintf("%s/cells/%d.%s", markedSite, len(m.files), c.form)
	if c.form == "csv" {
		var names, values []string
		for _, member := range members {
			names, values = append(names, member[0]), append(values, member[1])
		}
		m.files[name] = strings.Join(names, ",") + "\n" + strings.Join(values, ",") + "\n"
		return
	}
	picture := c.word + ".png"
	m.files[markedSite+"/cells/"+picture] = "picture of " + c.word
	members = append(members, [2]string{"to", reference(c.form, "Content", "ContentIDs", `["`+referredID+`"]`)}, [2]string{"picture", reference(c.form, "Media", "MediaUrl", `"./`+picture+`"`)})
	m.files[name] = frame(c.form, members) + map[bool]string{true: "Body of " + c.word + ".\n"}[strings.Contains(c.form, "md")]
}

// reference writes a reference in the notation of a form.
func reference(form, kind, member, to string) string {
	text := fmt.Sprintf(`{"Type": "Reference", "ReferenceType": %q, %q: %s}`, kind, member, to)
	if strings.HasPrefix(form, "toml") {
		text = strings.ReplaceAll(text, ":", " =")
	}
	return text
}

// frame writes members in the notation of a form.
func frame(form string, members [][2]string) string {
	separator, begin, end := ": ", "", ""
	switch form {
	case "md", "mdx":
		begin, end = "---\n", "---\n"
	case "toml.md":
		separator, begin, end = " = ", "+++\n", "+++\n"
	case "toml":
		separator = " = "
	case "json.md":
		return jsonFrame(members)
	}
	text := begin
	for _, member := range members {
		name, value := member[0], member[1]
		if above, below, nested := strings.Cut(name, "."); nested && separator == ": " {
			name, value = above, "\n  "+below+": "+value
		}
		text += name + separator + value + "\n"
	}
	return text + end
}

func jsonFrame(members [][2]string) string {
	var texts []string
	for _, member := range members {
		name, value := member[0], member[1]
		if above, below, nested := strings.Cut(name, "."); nested {
			name, value = above, fmt.Sprintf("{%q: %s}", below, value)
		}
		texts = append(texts, fmt.Sprintf("%q: %s", name, value))
	}
	return "{" + strings.Join(texts, ",\n") + "}\n"
}

// settings writes what of an environment is not an item with a mark: settings, searches, an item that refers to all
// others, and one that they refer to.
func (m *marked) settings() {
	m.files[markedSite+"/_environment.yaml"] = "sources:\n  - files: \"**/*.{md,mdx,yaml,toml,csv}\"\ninclude: {Hub: 3}\nused-in: true\n"
	m.files[markedSite+"/hub.json"] = hub(m.ids)
	m.files[markedSite+"/referred.json"] = `{"ContentID":"` + referredID + `","Name":"Referred","TemplateName":"Page","CreatedAt":"2019-01-01T00:00:00Z","Data":{"word":"bread"}}`
	for name, body := range searchBodies {
		m.files[markedSite+"/_searches/"+name+".json"] = body
	}
}

// hub is a public item that refers to items.
func hub(ids []string) string {
	list, _ := json.Marshal(ids)
	return fmt.Sprintf(`{"ContentID":%q,"Name":"Hub","TemplateName":"Hub","CreatedAt":"2019-01-01T00:00:00Z","Data":{"to":{"Type":"Reference","ReferenceType":"Content","ContentIDs":%s}}}`, hubID, list)
}

// importJSON imports objects, and adds an item that refers to them.
func (m *marked) importJSON(objects []string) {
	export := writeFile(m.t, m.t.TempDir(), "objects.json", "["+strings.Join(objects, ",\n")+"]")
	outputOf(m.t, m.bin["generator"], "import", "json", export, "--content", m.dir, "--env", markedImported, "--id", ".slug", "--template", ".kind", "--created", ".created", "--quiet")
	m.refer(markedImported, "imported-json.ndjson")
}

// refer adds an item that refers to the items of a file of lines.
func (m *marked) refer(env, file string) {
	var ids []string
	for line := range strings.Lines(readFile(m.t, filepath.Join(m.dir, env, file))) {
		var item struct{ ContentID string }
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			m.t.Fatal(err)
		}
		ids = append(ids, item.ContentID)
	}
	writeFile(m.t, filepath.Join(m.dir, env), "hub.json", hub(ids))
	writeFile(m.t, filepath.Join(m.dir, env), "_environment.yaml", "include: {Hub: 3}\nused-in: true\n")
}

// wordPressMarks are the marks of posts: elements of their item, and whether they hide it.
var wordPressMarks = []struct {
	elements string
	hidden   bool
}{
	{"<wp:status>publish</wp:status>", false},
	{"<wp:status>private</wp:status>", true},
	{"<wp:status>draft</wp:status>", true},
	{"<wp:status>pending</wp:status>", true},
	{"<wp:status>future</wp:status>", true}, // of 2999
	{"<wp:status>publish</wp:status><wp:post_password>hunter2</wp:post_password>", true},
}

func (m *marked) importWordPress() {
	text := `<?xml version="1.0" encoding="UTF-8" ?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Site</title><wp:wxr_version>1.2</wp:wxr_version>`
	for i, mark := range wordPressMarks {
		c := m.cell("wp:status", mark.elements, markedWordPress, mark.hidden)
		year := map[bool]string{true: "2999", false: "2019"}[strings.Contains(mark.elements, "future")]
		text += fmt.Sprintf(`<item><title>%[1]s</title><dc:creator>%[1]s</dc:creator><wp:post_id>%d</wp:post_id><wp:post_type>post</wp:post_type><wp:post_date_gmt>%s-05-06 07:08:09</wp:post_date_gmt>`+
			`<category domain="category" nicename="%[1]s">%[1]s</category><content:encoded>of %[1]s</content:encoded>%[4]s</item>`, c.word, i+1, year, mark.elements)
	}
	export := writeFile(m.t, m.t.TempDir(), "export.xml", text+"</channel></rss>")
	outputOf(m.t, m.bin["generator"], "import", "wordpress", export, "--content", m.dir, "--env", markedWordPress, "--quiet")
	m.refer(markedWordPress, "imported-wordpress.ndjson")
}

// words returns the words of cells, hidden ones or shown ones, by cell.
func (m *marked) words(hidden bool) map[string]cell {
	words := map[string]cell{}
	for _, c := range m.cells {
		if c.hidden == hidden {
			words[c.word] = c
		}
	}
	return words
}
