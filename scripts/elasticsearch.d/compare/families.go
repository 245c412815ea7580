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
	{"explanations name queries in other words, and leave out parts that count nothing.",
		regexp.MustCompile(`"explain":true`), regexp.MustCompile(`^` + textDiffers + `|_explanation|^suggest\.explanation`)},
	{"`percentiles` and `percentile_ranks` are estimated by another algorithm.",
		regexp.MustCompile(`"percentiles"|"percentile_ranks"|"median_absolute_deviation"`), regexp.MustCompile(`^aggregations\.`)},
	{"`_type` is not a field.",
		regexp.MustCompile(`"_type"|_type:|"_type\^`), regexp.MustCompile(`(?s)^total|^status 400, theirs 200|^hit|^status 200, theirs 400.*_type`)},
	{"items without a boolean are sorted by another value, which `search_after` of Elasticsearch's values does not fit.",
		regexp.MustCompile(`"sort"`), regexp.MustCompile(`(?s)\.?sort\[\d+\]: -?(2147483648|2147483647|9223372036854775808|9223372036854775807), theirs -?(2147483648|2147483647|9223372036854775808|9223372036854775807)$|^status 400, theirs 200.*Failed to parse search_after value`)},
	{"`search_after` of null fails.",
		regexp.MustCompile(`"search_after":\[[^\]]*null`), regexp.MustCompile(`(?s)^status 500, theirs 200.*null_pointer`)},
	{"`terminate_after` counts other items.",
		regexp.MustCompile(`"terminate_after"`), regexp.MustCompile(`^total|^aggregations\.|^hit|hits, theirs`)},
	{"hits inside of hits that are collapsed have a greatest score.",
		regexp.MustCompile(`"inner_hits":.*"collapse"`), regexp.MustCompile(`\.inner_hits\..*\.max_score: .*, theirs null$`)},
	{"highlights fail for a value that its field does not hold, and for `_index`.",
		regexp.MustCompile(`"highlight"`), regexp.MustCompile(`(?s)^status (400|500), theirs 200.*(number_format_exception|out of range for|failed to parse date field|supports only finite values|Cannot fetch values for internal field)`)},
	{"highlights of `plain` show values as they are in the index.",
		regexp.MustCompile(`"highlight"`), regexp.MustCompile(`\.highlight\..*: "[-+].*T.*Z", theirs|\.highlight\..*: ".*\d\.0.*", theirs`)},
	{"highlights leave out words of clauses that exclude items.",
		regexp.MustCompile(`"highlight_query"`), regexp.MustCompile(`highlight`)},
	{"`terms` of one boolean has the score of a word.",
		regexp.MustCompile(`"terms":\{[^}]*\[((true|false|"true"|"false"),?)+\]`), regexp.MustCompile(`score|^hit|explanation`)},
	{"a `date_histogram` with one of two bounds fails.",
		regexp.MustCompile(`"hard_bounds"`), regexp.MustCompile(`(?s)^status 500, theirs 200.*LongBounds`)},
	{"`composite` by fixed intervals counts otherwise after `after`.",
		regexp.MustCompile(`"composite".*"fixed_interval"`), regexp.MustCompile(`^aggregations\.`)},
	{"suggestions for long words succeed.",
		regexp.MustCompile(`"suggest"`), regexp.MustCompile(`(?s)^status 200, theirs 500.*Term too complex`)},
	{"more clauses are allowed.",
		regexp.MustCompile(``), regexp.MustCompile(`(?s)^status 200, theirs 500.*too_many_clauses`)},
	{"`intervals` match more, or fail.",
		regexp.MustCompile(`"intervals"`), regexp.MustCompile(`(?s)^total|^hit|^aggregations|^status (400|500), theirs 200.*ConjunctionDISI`)},
	{"a regular expression on a boolean looks at the letter in its index. On a number or a date it finds nothing, where Elasticsearch refuses it.",
		regexp.MustCompile(`query_string|"regexp"`), regexp.MustCompile(`(?s)^total|^hit|^aggregations|^status 200, theirs 400.*Can only use regexp queries`)},
	{"queries are not looked at where nothing can match.",
		regexp.MustCompile(`"post_filter"|"filter"|"bool"`), regexp.MustCompile(`(?s)^status 200, theirs 400.*query_shard_exception`)},
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
