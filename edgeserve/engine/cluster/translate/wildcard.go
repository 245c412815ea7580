// This file writes wildcards that ignore the case of all letters. Elasticsearch's option ignores
// the case of A to Z only.

package translate

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// foldedWildcard returns a wildcard on one of the fields as a regular expression, if it has letters
// beyond A to Z and ignores case.
func foldedWildcard(of object, folded []string) object {
	for field, value := range of {
		options, _ := value.(object)
		text, _ := options["value"].(string)
		if options["case_insensitive"] != true || !slices.Contains(folded, field) || !strings.ContainsFunc(text, beyondASCII) {
			continue
		}
		same := maps.Clone(options)
		delete(same, "case_insensitive")
		same["value"], same["flags"] = expression(text), "NONE"
		return object{field: same}
	}
	return nil
}

func beyondASCII(r rune) bool { return r > unicode.MaxASCII && unicode.SimpleFold(r) != r }

// expression is a wildcard as a regular expression with all cases of letters.
func expression(wildcard string) string {
	var b strings.Builder
	quoted := false
	for _, r := range wildcard {
		switch {
		case r == '\\' && !quoted:
			quoted = true
			continue
		case r == '*' && !quoted:
			b.WriteString(".*")
		case r == '?' && !quoted:
			b.WriteString(".")
		case unicode.SimpleFold(r) != r:
			b.WriteString("(" + string(r))
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				b.WriteString("|" + string(other))
			}
			b.WriteString(")")
		default:
			b.WriteString(regexpSpecial.ReplaceAllString(string(r), `\$0`))
		}
		quoted = false
	}
	if quoted {
		b.WriteString(`\\`)
	}
	return b.String()
}

var regexpSpecial = regexp.MustCompile(`[.?+*|{}\[\]()"\\#@&<>~^$-]`)
