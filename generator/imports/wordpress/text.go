// This file knows the texts of posts, which are not HTML yet: blank lines separate paragraphs, and short codes are in
// brackets.

package wordpress

import (
	"regexp"
	"strings"

	"contentedge/generator/plaintext"
)

// block begins with an element outside of paragraphs, or with a comment of the block editor.
var block = regexp.MustCompile(`(?i)^\s*(?:</?(?:address|article|aside|blockquote|canvas|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|math|menu|nav|noscript|object|ol|p|pre|script|section|style|svg|table|tbody|td|tfoot|th|thead|tr|ul|video)\b|<!--)`)

// blank is one or more empty lines.
var blank = regexp.MustCompile(`\n[ \t]*\n\s*`)

// paragraphs puts the paragraphs of a text into elements, and ends lines in them with <br>, as
// WordPress does when it shows a post. Blocks stay as they are.
func paragraphs(text string) string {
	var out []string
	for _, part := range blank.Split(strings.ReplaceAll(text, "\r\n", "\n"), -1) {
		part = strings.Trim(part, "\n")
		switch {
		case strings.TrimSpace(part) == "":
		case block.MatchString(part):
			out = append(out, part)
		default:
			out = append(out, "<p>"+strings.ReplaceAll(part, "\n", "<br>\n")+"</p>")
		}
	}
	return strings.Join(out, "\n")
}

// plain returns the text of a post without markup, a line a paragraph.
func plain(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return plaintext.FromHTML(shortcode.ReplaceAllStringFunc(paragraphs(text), func(code string) string {
		if isShortcode(code) {
			return " "
		}
		return code
	}))
}

// shortcode is what may be a short code: [gallery ids="1,2"], [caption …] or [/caption].
var shortcode = regexp.MustCompile(`\[/?[a-zA-Z][\w-]*(?:\s[^\[\]<>]*)?/?\]`)

// isShortcode reports whether brackets hold a short code and not words as [sic]: it closes one or has
// an attribute, or WordPress itself has one of that name.
func isShortcode(code string) bool {
	switch name := shortcodeName(code); {
	case strings.HasPrefix(code, "[/"), strings.ContainsAny(code, `="`):
		return true
	default:
		return builtIn[name]
	}
}

var builtIn = map[string]bool{"audio": true, "caption": true, "embed": true, "gallery": true, "playlist": true, "video": true}

func shortcodeName(code string) string {
	name, _, _ := strings.Cut(strings.Trim(code, "[]/"), " ")
	return name
}

// countShortcodes counts the short codes of a text by their names, each with its end once.
func countShortcodes(text string, into map[string]int) {
	for _, code := range shortcode.FindAllString(text, -1) {
		if isShortcode(code) && !strings.HasPrefix(code, "[/") {
			into[shortcodeName(code)]++
		}
	}
}
