// This file replaces tags by Markdown.

package shortcodes

import (
	"bytes"
	"strings"
)

// Site answers what tags ask of the site that their text belongs to.
type Site interface {
	// Page returns the URL of the page that a reference names; "" if there is none.
	Page(reference string) string
	// File returns the URL of a file that belongs to the page of the text.
	File(name string) string
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

// expression replaces an expression of Liquid: the base of the site, and texts with filters that make URLs.
func (r *replacer) expression(t *Tag) (string, bool) {
	parts := strings.Split(t.Text, "|")
	head := strings.TrimSpace(parts[0])
	if head == "site.baseurl" || head == "site.url" {
		return "", true
	}
	if len(head) < 2 || head[0] != '"' && head[0] != '\'' {
		return "", false
	}
	text, rest := value(head)
	if strings.TrimSpace(rest) != "" {
		return "", false
	}
	for _, filter := range parts[1:] {
		if name := strings.TrimSpace(filter); name != "relative_url" && name != "absolute_url" {
			return text, !strings.Contains(name, "url")
		}
		text = "/" + strings.TrimLeft(text, "/")
	}
	return text, true
}
