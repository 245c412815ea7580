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
