// This file defines which fields of hits are marked up, and how.

package query

// Highlight is the highlight member of a body: its fields in order, with all options resolved.
type Highlight []HighlightField

// HighlightField says how one field is marked up. Sizes are in UTF-16 units.
type HighlightField struct {
	Name string // a name, or a pattern with stars

	Plain             bool // the plain highlighter instead of the unified one
	PreTag, PostTag   string
	FragmentSize      int
	Fragments         int // 0 means the whole value
	NoMatchSize       int
	ByScore           bool
	RequireFieldMatch bool
	Query             Node // nil means the query of the body
	HTML              bool // text is encoded as HTML
	Words             bool // unified: fragments end with words instead of sentences
	Simple            bool // plain: fragments may end within a phrase
}
