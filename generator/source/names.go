// This file decides by names alone: which are content, which are passed over,
// which may be an environment, and how a name is shown without harm.

package source

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEnvLength is the longest id of an environment: it is a path segment of
// every address, and of file names on hosts that allow 255 bytes.
const maxEnvLength = 64

// leftovers are the endings of what editors and tools leave beside a file.
var leftovers = []string{"~", ".swp", ".swo", ".swx", ".tmp", ".bak"}

// hidden tells names that are passed over for files and folders alike.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// leftover tells the names of editors' files: vim tests a folder with 4913,
// emacs saves x as #x#.
func leftover(name string) bool {
	if name == "4913" || len(name) > 1 && strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") {
		return true
	}
	for _, ending := range leftovers {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// kindOf returns the kind that a name's extension asks for, 0 for none.
func kindOf(name string) Kind {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return Document
	case ".ndjson", ".jsonl":
		return Lines
	}
	return 0
}

// validEnv tells whether a name can be the id of an environment:
// [A-Za-z0-9][A-Za-z0-9_-]{0,63}.
func validEnv(name string) bool {
	if name == "" || len(name) > maxEnvLength {
		return false
	}
	for i := range len(name) {
		c := name[i]
		alnum := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !alnum && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return true
}

// Show returns a path as a message can print it: as it is when all of it is
// printable UTF-8, otherwise quoted, so that no file name breaks a line, turns
// the text around or colours a terminal.
func Show(path string) string {
	if !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	for _, r := range path {
		if !unicode.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}
