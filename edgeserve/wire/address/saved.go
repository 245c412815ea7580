// This file names saved searches. Their files are next to the items and lists of an environment.

package address

import (
	"strconv"
	"strings"
)

// ValidSearch reports whether s has the form of the name of a saved search.
func ValidSearch(s string) bool { return validName(s, maxEnv) }

// SavedFile is the path of a page of a saved search, below the release's root.
func SavedFile(env, name string, page int) string {
	return restRoot[1:] + env + savedDir + SavedPage(name, page)
}

// SavedPage is the last component of SavedFile: NAME.json, then NAME.2.json.
func SavedPage(name string, page int) string {
	if page == 1 {
		return name + fileSuffix
	}
	return name + "." + strconv.Itoa(page) + fileSuffix
}

// parseSaved parses the last component of SavedFile.
func parseSaved(file string) (name string, page int, ok bool) {
	name, ok = strings.CutSuffix(file, fileSuffix)
	name, number, paged := strings.Cut(name, ".")
	page = 1
	if paged {
		if page = fileNumber(number, MaxSavedPage); page < 2 {
			return "", 0, false
		}
	}
	return name, page, ok && ValidSearch(name)
}
