// This file replaces tags by Markdown.

package shortcodes

import (
	"bytes"
	"slices"
	"strings"
)

// Site answers what tags ask of the site that their text belongs to.
type Site interface {
	// Page returns the URL of the page that a reference names, or "".
	Page(reference string) string
	// File returns the URL of a file that belongs to the page of the text.
	File(name string) string
	// Value returns the text of a variable, such as page.title; false if the site does not know it, or if it is not a text.
	Value(variable string) (string, bool)
}

// Replaced is a text without tags.
type Replaced struct {
	Text  []byte
	Left  []Use // names of tags without an equivalent in Markdown: they are left out, and what they enclose stays
	Links []Use // references to pages that do not exist
}

// Replace replaces the tags of a text by Markdown. It keeps the number of lines, so that places stay right.
func Replace(text []byte, marks Marks, site Site) Replaced {
	tags := Scan(text, marks)
	if len(tags) == 0 {
		return Replaced{Text: unescaped(text, marks)}
	}
	r := replacer{text: text, tags: tags, closing: pairs(tags), site: site}
	var out bytes.Buffer
	at := 0
	for i := range tags {
		t := &tags[i]
		if t.Start < at {
			continue // in raw text
		}
		out.Write(text[at:t.Start])
		replacement, end := r.replace(i)
		out.WriteString(replacement)
		span := text[t.Start:end]
		out.WriteString(strings.Repeat("\n", max(0, bytes.Count(span, []byte{'\n'})-strings.Count(replacement, "\n"))))
		at = end
	}
	out.Write(text[at:])
	return Replaced{unescaped(out.Bytes(), marks), r.left, r.links}
}

// unescaped writes {{</* name */>}}, by which a text shows a shortcode, as the shortcode.
func unescaped(text []byte, marks Marks) []byte {
	if marks&Hugo == 0 || !bytes.Contains(text, []byte("/*")) {
		return text
	}
	for _, pair := range [][2]string{{"{{</*", "{{<"}, {"*/>}}", ">}}"}, {"{{%/*", "{{%"}, {"*/%}}", "%}}"}} {
		text = bytes.ReplaceAll(text, []byte(pair[0]), []byte(pair[1]))
	}
	return text
}

// pairs returns the closing tag of each tag that has one.
func pairs(tags []Tag) map[int]int {
	closing, open := map[int]int{}, map[string][]int{}
	for i := range tags {
		name := tags[i].Name
		if !tags[i].Closing {
			open[name] = append(open[name], i)
			continue
		}
		if last := len(open[name]) - 1; last >= 0 {
			closing[open[name][last]] = i
			open[name] = open[name][:last]
		}
	}
	return closing
}

type replacer struct {
	text    []byte
	tags    []Tag
	closing map[int]int
	site    Site
	left    []Use
	links   []Use
	asked   int // variables of the site
}

// replace returns what takes the place of a tag, and where what it replaces ends.
func (r *replacer) replace(i int) (string, int) {
	t := &r.tags[i]
	if t.Closing {
		return "", t.End
	}
	end, paired := r.closing[i]
	inner := ""
	if paired {
		inner = string(r.text[t.End:r.tags[end].Start])
	}
	if t.Name == "" {
		text, ok := r.expression(t)
		if !ok {
			r.note(&r.left, Use{"{{ }}", t.Start})
		}
		return text, t.End
	}
	of := equivalents[t.Name]
	if of == nil {
		r.note(&r.left, Use{t.Name, t.Start})
		return "", t.End
	}
	text, whole := of(r, t, inner)
	if whole && paired {
		return text, r.tags[end].End
	}
	return text, t.End
}

// note adds a use of a name, once.
func (r *replacer) note(to *[]Use, u Use) {
	for _, known := range *to {
		if known.Name == u.Name {
			return
		}
	}
	if len(*to) < maxUses {
		*to = append(*to, u)
	}
}

// maxVariables bounds the variables of a text: others are left out.
const maxVariables = 2000

// sameText are filters that leave a text as Markdown needs it.
var sameText = []string{"escape", "escape_once", "h", "safe", "strip", "xml_escape"}

// expression replaces an expression of Liquid: the base of the site, variables, and texts, with filters that make URLs.
func (r *replacer) expression(t *Tag) (string, bool) {
	parts := strings.Split(t.Text, "|")
	head := strings.TrimSpace(parts[0])
	if head == "site.baseurl" || head == "site.url" {
		return "", true
	}
	text, quoted, ok := r.operand(head)
	if !ok {
		return "", false
	}
	for _, filter := range parts[1:] {
		switch name := strings.TrimSpace(filter); {
		case name == "relative_url", name == "absolute_url":
			text = "/" + strings.TrimLeft(text, "/")
		case slices.Contains(sameText, name):
		case quoted:
			return text, !strings.Contains(name, "url")
		default:
			return "", false
		}
	}
	return text, true
}

// operand returns a quoted text, or the value of a variable.
func (r *replacer) operand(head string) (text string, quoted, ok bool) {
	if head != "" && (head[0] == '"' || head[0] == '\'') {
		text, rest := value(head)
		return text, true, strings.TrimSpace(rest) == ""
	}
	text, ok = r.variable(head)
	return text, false, ok
}

// variable returns the value of a variable of the site, as one line.
func (r *replacer) variable(name string) (string, bool) {
	if r.asked++; r.asked > maxVariables {
		return "", false
	}
	text, ok := r.site.Value(name)
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' }), " "), ok
}
