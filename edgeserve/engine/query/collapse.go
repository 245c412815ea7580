// This file defines collapse: a hit for each value of a field, with hits inside.

package query

// Collapse keeps the first match of each value of Field.
type Collapse struct {
	Field string
	Inner []InnerHits
}

// Visit implements Part.
func (c *Collapse) Visit(v *Visitor) {
	v.Field(c.Field)
	for i := range c.Inner {
		v.Part(c.Inner[i].Body)
	}
}

// InnerHits are the first of the matches that share the value of a hit.
type InnerHits struct {
	Name string
	Body *Body // its page, its sort and the members of its hits; it has no query
}
