// This file renders Markdown that is a string of an item.

package richtext

import (
	"errors"
	"strings"

	"contentedge/generator/plaintext"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// Markdown is the format of a string that looks like Markdown.
const Markdown plaintext.Format = "Markdown"

// maxLook bounds the beginning of a string that is looked at, in bytes.
const maxLook = 16 << 10

// looksLikeMarkdown reports whether a text of several lines has a heading, a list, a fence or a link of Markdown.
// It may be wrong: Markdown is rendered only on a user's request.
func looksLikeMarkdown(text string) bool {
	text = text[:min(len(text), maxLook)]
	if !strings.Contains(text, "\n") {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		heading := strings.TrimLeft(line, "#")
		level := len(line) - len(heading)
		switch {
		case level > 0 && level <= 6 && strings.HasPrefix(heading, " "),
			strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "), strings.HasPrefix(line, "1. "), strings.HasPrefix(line, "> "),
			strings.HasPrefix(line, "```"), strings.Contains(line, "]("), strings.Contains(line, "**"):
			return true
		}
	}
	return false
}

func fromMarkdown(text string) (string, error) {
	out, faults := markdown.NewRenderer(markdown.Options{}).Render([]byte(text), record.Place{Line: 1, Col: 1}, nil)
	for _, f := range faults {
		if !f.Warning {
			return "", errors.New("the text cannot be shown: " + f.Message)
		}
	}
	return string(out.Text), nil
}
