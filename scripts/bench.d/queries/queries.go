// Package queries draws the queries of the search benchmark from a corpus. A corpus
// always yields the same queries, so all engines run the same ones.
package queries

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// Kind defines the meaning of Args.
type Kind string

// The kinds and their arguments.
const (
	Word      Kind = "word"      // field, word
	And       Kind = "and"       // field, word, word
	Or        Kind = "or"        // field, word, word
	Mixed     Kind = "mixed"     // field, a, b, c: (a OR b) AND c
	Not       Kind = "not"       // field, a, b: a but not b
	Phrase    Kind = "phrase"    // field, word, word
	Prefix    Kind = "prefix"    // field, prefix
	Contains  Kind = "contains"  // field, part of a value, ignoring case
	Filter    Kind = "filter"    // field, word, template's name
	Range     Kind = "range"     // field, from, to (inclusive, Unix ms), field to sort by, descending
	Deep      Kind = "deep"      // field to sort by, ascending; index of the first hit
	Aggregate Kind = "aggregate" // field, word, field whose ten most frequent values are counted
	ID        Kind = "id"        // ContentID
	Anywhere  Kind = "anywhere"  // word, in any field; the best field determines the score
	BothAny   Kind = "both"      // a, b: each in any field
)

// The kinds of constructs beyond other engines' languages: Lucene answers them, and
// Elasticsearch. The arguments of each begin with a field and a word in the field.
const (
	FuzzyWord   Kind = "fuzzy"       // field, misspelled word
	Regexp      Kind = "regexp"      // field, pattern
	BestFields  Kind = "best"        // two words, then fields: the best field counts
	CrossFields Kind = "cross"       // two words, then fields: each word in any field
	BoolPrefix  Kind = "boolprefix"  // field, word, prefix
	DisMax      Kind = "dismax"      // field, word, other field
	Boosting    Kind = "boosting"    // field, word, word that demotes
	Decay       Kind = "decay"       // field, word, field of dates, origin (Unix ms)
	Factor      Kind = "factor"      // field, word, field of numbers
	MoreLike    Kind = "morelike"    // field, text
	SpanNear    Kind = "span"        // field, word, word
	Intervals   Kind = "intervals"   // field, word, word
	Highlight   Kind = "highlight"   // field, word
	After       Kind = "after"       // field, word, field of dates, date (Unix ms), field of names, name
	Collapse    Kind = "collapse"    // field, word, field of names
	Histogram   Kind = "histogram"   // field, word, field of numbers, interval
	Months      Kind = "months"      // field, word, field of dates
	Ranges      Kind = "ranges"      // field, word, field of numbers, three bounds
	TwoLevels   Kind = "twolevels"   // field, word, field of names, field of names
	Composite   Kind = "composite"   // field, word, field of names, field of names
	Percentiles Kind = "percents"    // field, word, field of numbers
	TopHits     Kind = "tophits"     // field, word, field of names
	Significant Kind = "significant" // field, word, field of names
)

// Common reports whether all engines have a kind of query.
func (k Kind) Common() bool {
	switch k {
	case Word, And, Or, Mixed, Not, Phrase, Prefix, Contains, Filter, Range, Deep, Aggregate, ID, Anywhere, BothAny:
		return true
	}
	return false
}

// Query is one query. Body is the same query for the search endpoint.
type Query struct {
	Family string
	Kind   Kind
	Body   string
	Args   []string
}

// Hits is the number of items every query returns.
const Hits = 10

// Save writes one query per line, tab-separated.
func Save(path string, qs []Query) error {
	var b strings.Builder
	for _, q := range qs {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", q.Family, q.Kind, q.Body, strings.Join(q.Args, "\t"))
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// Load reads the format of Save.
func Load(path string) ([]Query, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var qs []Query
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) < 4 {
			return nil, fmt.Errorf("%s: line %d has %d cells", path, len(qs)+1, len(cells))
		}
		qs = append(qs, Query{cells[0], Kind(cells[1]), cells[2], cells[3:]})
	}
	return qs, lines.Err()
}

// Families groups queries by family, in order.
func Families(qs []Query) (names []string, groups [][]Query) {
	for _, q := range qs {
		if len(names) == 0 || names[len(names)-1] != q.Family {
			names, groups = append(names, q.Family), append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], q)
	}
	return names, groups
}
