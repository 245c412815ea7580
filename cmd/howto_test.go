// This file compares the page on how to add something with the files and names that it tells of.

package cmd

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeNamesExist checks that each path in backquotes exists, and that each name in backquotes occurs
// in a file that its line names, or in the file named last before it.
func TestReadmeNamesExist(t *testing.T) {
	last := ""
	for line := range strings.Lines(pageOf(t, ".github/HOW-TO-ADD.md").text) {
		near := []string{last}
		var names []string
		for _, m := range code.FindAllString(line, -1) {
			text := strings.Trim(m, "`")
			switch {
			case strings.ContainsAny(text, "…- "):
			case filePath.MatchString(text):
				at := below(last, text)
				if at == "" {
					t.Errorf("there is no %s: %s", text, line)
					continue
				}
				last = at
				near = append(near, last)
			default:
				names = append(names, text[strings.LastIndex(text, ".")+1:])
			}
		}
		for _, name := range names {
			if !occursIn(t, near, name) {
				t.Errorf("%s does not occur in %v: %s", name, near, line)
			}
		}
	}
}

var filePath = regexp.MustCompile(`/|\.(go|js|md|txt)$`)

// below is a path from the top of the repository, or a file beside or below the path named last; "" if
// there is neither.
func below(last, name string) string {
	for _, at := range []string{name, path.Join(last, name), path.Join(path.Dir(last), name)} {
		if exists(filepath.Join("..", at)) {
			return at
		}
	}
	return ""
}

// occursIn reports whether a word stands in one of some files, or in a file of one of some directories.
func occursIn(t *testing.T, paths []string, word string) bool {
	t.Helper()
	find := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`)
	for _, at := range paths {
		files, _ := filepath.Glob(filepath.Join("..", at, "*.*"))
		for _, file := range append(files, filepath.Join("..", at)) {
			if text, err := os.ReadFile(file); err == nil && find.Match(text) {
				return true
			}
		}
	}
	return false
}
