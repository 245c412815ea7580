// This file has the forms of names and numbers as regular expressions, for the configurations of
// other hosts. They mean the same in PCRE, RE2 and ECMAScript.

package address

import (
	"strconv"
	"strings"
)

// Patterns of the variable parts of paths and of the values of parameters.
var (
	EnvPattern = namePattern(maxEnv)
	IDPattern  = namePattern(maxID)
	// SavedPattern is the last component of SavedFile.
	SavedPattern = EnvPattern + `(?:\.` + numberPattern(MaxSavedPage) + `)?\.json`
	// ListPattern admits the names after the directory of lists, and some others, which have no files.
	ListPattern = `[a-z][0-9a-z._-]*(?:/[a-z][0-9a-z._-]*)*\.json`
	// MediaPattern is the part of the path of media after the environment.
	MediaPattern = `[0-9a-f]{` + strconv.Itoa(2*mediaDigest) + `}/[0-9a-z][0-9a-z_-]{0,` + strconv.Itoa(maxMediaName-1) + `}\.(?:` + strings.Join(MediaExtensions(), "|") + `)`
	PagePattern  = numberPattern(maxFilePage)
	// SizePattern admits some numbers above MaxSize, which have no files.
	SizePattern = numberPattern(MaxSize)
)

func namePattern(limit int) string {
	return `[0-9A-Za-z][0-9A-Za-z_-]{0,` + strconv.Itoa(limit-1) + `}`
}

// numberPattern is the form of numbers from 1 with at most as many digits as limit has.
func numberPattern(limit int) string {
	return `[1-9][0-9]{0,` + strconv.Itoa(len(strconv.Itoa(limit))-1) + `}`
}
