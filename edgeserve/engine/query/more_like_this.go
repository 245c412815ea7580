// This file defines more_like_this, which searches for the characteristic terms of texts and items.

package query

import "slices"

// The values of absent options, as in Elasticsearch.
const (
	DefaultMinTermFreq          = 2
	DefaultMinDocFreq           = 5
	DefaultMaxTerms             = 25
	DefaultMoreLikeThisMinMatch = "30%"
)

// MoreLikeThis matches the items that share terms with Like.
type MoreLikeThis struct {
	Fields          []string // nil means all fields; if Like or Unlike has a text, it is not an empty list
	Like, Unlike    []Example
	MinTermFreq     int
	MaxTerms        int // of a field
	MinDocFreq      int
	MaxDocFreq      int
	MinWordLength   int
	MaxWordLength   int // 0 means no limit
	StopWords       []string
	MinShouldMatch  string
	BoostTerms      float64 // 0 means that terms have the same weight
	Include         bool    // match the items of Like, too
	SkipUnsupported bool    // ignore fields without text
	Boost           float64
}

// Type implements Node.
func (*MoreLikeThis) Type() string { return "more_like_this" }

func (n *MoreLikeThis) BoostOption() *float64 { return &n.Boost }

// Visit implements Part. The members of a document in Like are not fields of items.
func (n *MoreLikeThis) Visit(v *Visitor) {
	lists := [][]string{n.Fields}
	for _, e := range slices.Concat(n.Like, n.Unlike) {
		lists = append(lists, e.Fields)
	}
	for _, name := range slices.Concat(lists...) {
		v.Field(name)
	}
}

// Example is a text, an item by its ID, or the leaves of a document.
type Example struct {
	Text   *string
	ID     string
	Leaves []TextLeaf // of a document; nil for a text or an ID
	Fields []string   // the fields to read of an item or a document; nil means the fields of the query
}

// TextLeaf is a value of a document as text, and its path.
type TextLeaf struct{ Path, Text string }
