// This file has what is special about Hexo: its languages, and the spellings of front matter that only Hexo knows.

package markdownsite

import (
	"bytes"
	"regexp"
)

// hexoLanguages are the languages of the settings, the main one first.
func hexoLanguages(s *site) (main string, all []string) {
	all = s.settings.texts("language")
	if len(all) < 2 {
		return "", nil
	}
	return all[0], all
}

var (
	// hexoMark is a line that ends front matter of Hexo, and may begin it: ;;; is for JSON without its braces.
	hexoMark = regexp.MustCompile(`(?m)^(-{3,}|;{3,})[ \t]*\r?$`)
	// hexoKey begins a text that is front matter although no mark is before it.
	hexoKey = regexp.MustCompile(`^"?[A-Za-z_][\w-]*"?[ \t]*:(?:\s|$)`)
)

// hexoFrontMatter writes the front matter of a text as all readers know it. added is how many lines are new at its beginning.
func hexoFrontMatter(text []byte) (out []byte, added int) {
	bare, mark := text, hexoMark.FindIndex(text)
	if mark == nil {
		return text, 0
	}
	head, rest := bare[:mark[0]], bare[mark[0]:mark[1]]
	added = 1
	if mark[0] == 0 {
		if bare[0] == '-' {
			return text, 0
		}
		after := bytes.TrimPrefix(bytes.TrimPrefix(bare[mark[1]:], []byte("\r")), []byte("\n"))
		end := hexoMark.FindIndex(after)
		if end == nil {
			return text, 0
		}
		head, rest, bare, mark, added = after[:end[0]], after[end[0]:end[1]], after, end, 0
	} else if !hexoKey.Match(bare) {
		return text, 0
	}
	body := bare[mark[1]:]
	if rest[0] == '-' {
		return join("---\n", head, "---", body), added
	}
	return join("---json\n{", bytes.TrimRight(head, " \t\r\n,"), "}\n---", body), added
}

func join(begin string, head []byte, end string, body []byte) []byte {
	return append(append(append([]byte(begin), head...), end...), body...)
}
