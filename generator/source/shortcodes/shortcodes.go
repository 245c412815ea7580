// Package shortcodes finds the tags of template languages in Markdown: shortcodes of Hugo, tags and expressions of Liquid
// and Nunjucks. It knows what the usual ones stand for, and replaces them by Markdown. Code in fences and in code spans is
// never touched. The work is in proportion to the text.
package shortcodes

import (
	"bytes"
	"slices"
	"strings"
)

// Marks are kinds of tags, to be combined.
type Marks uint

// The marks.
const (
	Hugo        Marks = 1 << iota // {{< name >}} and {{% name %}}
	Tags                          // {% name %}
	Expressions                   // {{ expression }}
)

// maxTag bounds the bytes of a tag: a longer one is text.
const maxTag = 8 << 10

// Arg is an argument of a tag.
type Arg struct{ Name, Value string } // Name is "" if only its position gives its meaning

// Tag is a tag of a text.
type Tag struct {
	Start, End int    // offsets, with the marks
	Name       string // in lower case; "" of an expression
	Args       []Arg
	Text       string // what is between the marks, without the name
	Closing    bool   // it ends what a tag of the same name began
}

// Arg returns the argument with a name, otherwise the one at a position, otherwise "".
func (t *Tag) Arg(name string, position int) string {
	for _, a := range t.Args {
		if a.Name != "" && strings.EqualFold(a.Name, name) {
			return a.Value
		}
	}
	for _, a := range t.Args {
		if a.Name != "" {
			continue
		}
		if position == 0 {
			return a.Value
		}
		position--
	}
	return ""
}

// delimiter is how a kind of tags begins and ends.
type delimiter struct {
	marks      Marks
	open, end  string
	expression bool
}

// delimiters has the longer of two marks that begin alike first.
var delimiters = []delimiter{
	{Hugo, "{{<", ">}}", false},
	{Hugo, "{{%", "%}}", false},
	{Tags, "{%", "%}", false},
	{Expressions, "{{", "}}", true},
}

// Scan returns the tags of a text that has marks of some kinds, in their order.
func Scan(text []byte, marks Marks) (found []Tag) {
	if !bytes.Contains(text, []byte("{{")) && !bytes.Contains(text, []byte("{%")) {
		return nil
	}
	code := CodeOf(text)
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		at += next
		if end := code.EndAt(at); end > at {
			at = end
			continue
		}
		if tag, ok := tagAt(text, at, marks); ok {
			found = append(found, tag)
			at = tag.End
			continue
		}
		at++
	}
	return found
}

// tagAt reads the tag at an offset.
func tagAt(text []byte, at int, marks Marks) (Tag, bool) {
	for _, d := range delimiters {
		if marks&d.marks == 0 || !bytes.HasPrefix(text[at:], []byte(d.open)) {
			continue
		}
		start := at + len(d.open)
		inside := text[start:min(start+maxTag, len(text))]
		end := bytes.Index(inside, []byte(d.end))
		if again := bytes.Index(inside, []byte(d.open)); end < 0 || again >= 0 && again < end {
			return Tag{}, false
		}
		t, ok := read(string(inside[:end]), d)
		t.Start, t.End = at, start+end+len(d.end)
		return t, ok
	}
	return Tag{}, false
}

// read reads what is between the marks.
func read(inside string, d delimiter) (t Tag, ok bool) {
	if d.marks != Hugo {
		inside = strings.TrimSuffix(strings.TrimPrefix(inside, "-"), "-")
	}
	inside = strings.TrimSpace(inside)
	if d.expression {
		t.Text = inside
		return t, inside != ""
	}
	if d.marks == Hugo {
		inside, t.Closing = strings.CutPrefix(inside, "/")
		inside = strings.TrimSpace(strings.TrimSuffix(inside, "/"))
	}
	end := strings.IndexFunc(inside, func(r rune) bool { return !isName(r) })
	if end < 0 {
		end = len(inside)
	}
	if end == 0 || end < len(inside) && !strings.ContainsRune(" \t\r\n", rune(inside[end])) {
		return t, false // also an escaped shortcode, {{</* name */>}}
	}
	t.Name, t.Text = strings.ToLower(inside[:end]), strings.TrimSpace(inside[end:])
	if name, closes := strings.CutPrefix(t.Name, "end"); d.marks != Hugo && closes && name != "" {
		t.Name, t.Closing = name, true
	}
	t.Args = arguments(t.Text)
	return t, true
}

func isName(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./", r)
}

// arguments splits the text of a tag: words, quoted texts, and both with a name before "=" or ":".
func arguments(text string) (args []Arg) {
	for text = strings.TrimLeft(text, " \t\r\n,"); text != ""; text = strings.TrimLeft(text, " \t\r\n,") {
		var a Arg
		if end := strings.IndexAny(text, "=: \t\r\n,\"'`"); end > 0 && strings.ContainsRune("=:", rune(text[end])) && !strings.HasPrefix(text[end:], "://") {
			if rest := text[end+1:]; text[end] == '=' || rest == "" || strings.ContainsRune(" \"'`", rune(rest[0])) {
				a.Name, text = text[:end], strings.TrimLeft(rest, " \t\r\n")
			}
		}
		a.Value, text = value(text)
		args = append(args, a)
	}
	return args
}

// value cuts a word or a quoted text off.
func value(text string) (value, rest string) {
	if text == "" {
		return "", ""
	}
	quote := text[0]
	if quote != '"' && quote != '\'' && quote != '`' {
		end := strings.IndexAny(text, " \t\r\n,")
		if end < 0 {
			end = len(text)
		}
		return text[:max(end, 1)], text[max(end, 1):]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return b.String(), text[i+1:]
		case text[i] == '\\' && quote != '`' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}

// Use is a name of tags in a text.
type Use struct {
	Name  string
	First int // the offset of the first
}

// Uses returns the names of the tags of a text, without expressions, in the order of their first use.
func Uses(text []byte) (uses []Use) {
	for _, t := range Scan(text, Hugo|Tags) {
		if !slices.ContainsFunc(uses, func(u Use) bool { return u.Name == t.Name }) && len(uses) < maxUses {
			uses = append(uses, Use{t.Name, t.Start})
		}
	}
	return uses
}

// maxUses bounds the names of a text that are listed.
const maxUses = 20
