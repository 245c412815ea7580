// This file finds the code of Markdown: fences and code spans.

package shortcodes

import (
	"bytes"
	"sort"
)

// span is a part of a text.
type span struct{ start, end int }

// Code are the parts of a text that are code, in their order.
type Code []span

// EndAt returns where the code at an offset ends, or 0.
func (c Code) EndAt(at int) int {
	i := sort.Search(len(c), func(i int) bool { return c[i].end > at })
	if i < len(c) && c[i].start <= at {
		return c[i].end
	}
	return 0
}

// CodeOf finds the code of a text.
func CodeOf(text []byte) (found Code) {
	paragraph := 0 // where the current paragraph begins
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		fence := fenceOf(text[at:end])
		if fence == nil && len(bytes.TrimSpace(text[at:end])) > 0 {
			at = end
			continue
		}
		found = append(found, codeIn(text, paragraph, at)...)
		if fence != nil {
			start := at
			end = closeOf(text, end, fence)
			found = append(found, span{start, end})
		}
		at, paragraph = end, end
	}
	return append(found, codeIn(text, paragraph, len(text))...)
}

func lineEnd(text []byte, at int) int {
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(text)
}

// least is the length of the shortest fence.
const least = 3

// fenceOf returns the marks with which a line begins a fence, or nil.
func fenceOf(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t>")
	if len(line) < least || line[0] != '`' && line[0] != '~' {
		return nil
	}
	rest := bytes.TrimLeft(line, string(line[:1]))
	marks := line[:len(line)-len(rest)]
	if len(marks) < least || marks[0] == '`' && bytes.IndexByte(rest, '`') >= 0 {
		return nil
	}
	return marks
}

// closeOf returns where the fence ends whose first line ends at an offset: at the end of the text if nothing closes it.
func closeOf(text []byte, at int, fence []byte) int {
	for at < len(text) {
		end := lineEnd(text, at)
		line := bytes.TrimSpace(bytes.TrimLeft(text[at:end], " \t>"))
		if len(line) >= len(fence) && len(bytes.Trim(line, string(fence[:1]))) == 0 {
			return end
		}
		at = end
	}
	return at
}

// codeIn finds the code spans of a paragraph: between two runs of as many backticks.
func codeIn(text []byte, start, end int) (found Code) {
	var runs []span
	byLength := map[int][]int{} // the runs of a length that are still to come
	for at := start; at < end; at++ {
		if text[at] != '`' {
			continue
		}
		first := at
		for at < end && text[at] == '`' {
			at++
		}
		byLength[at-first] = append(byLength[at-first], len(runs))
		runs = append(runs, span{first, at})
	}
	for i := 0; i < len(runs); i++ {
		r := runs[i]
		if r.start > start && text[r.start-1] == '\\' {
			continue
		}
		same := byLength[r.end-r.start]
		for len(same) > 0 && same[0] <= i {
			same = same[1:]
		}
		if byLength[r.end-r.start] = same; len(same) > 0 {
			found = append(found, span{r.start, runs[same[0]].end})
			i = same[0]
		}
	}
	return found
}
