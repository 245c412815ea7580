// This file lists where OpenSearch 2.19 answers otherwise than Elasticsearch 7.10.2.

package compare

import "regexp"

// Family is a family of bodies that OpenSearch 2.19 answers otherwise than Elasticsearch 7.10.2.
type Family struct {
	Name             string
	body, difference *regexp.Regexp // in the body; in what differs, theirs being Elasticsearch's response
}

// families are in the order in which they are tried.
var families = []Family{
	{"`_type` is no field of OpenSearch.", regexp.MustCompile(`"_type"|_type:|"_type\^`), regexp.MustCompile(`total|status 400, theirs 200|hit`)},
	{"booleans are sorted with other values for items without one, which `search_after` of Elasticsearch's values does not fit.",
		regexp.MustCompile(`\.boolean"`), regexp.MustCompile(`\.sort\[\d+\]: -?\d+, theirs -?\d+$|Failed to parse search_after value|sort`)},
	{"`terminate_after` counts other items.", regexp.MustCompile(`"terminate_after"`), regexp.MustCompile(`^total|^aggregations\.|^hit|hits, theirs`)},
}

// FamilyOf returns the name of the family of a body whose responses from the two engines have this difference, or "".
func FamilyOf(body []byte, difference string) string {
	for _, f := range families {
		if f.body.Match(body) && f.difference.MatchString(difference) {
			return f.Name
		}
	}
	return ""
}
