// This file defines rescore, which scores the first matches again.

package query

// Rescore scores the first matches of a search again.
type Rescore struct {
	Window      int
	Query       Node
	Weight      float32 // multiplies the first score
	QueryWeight float32 // multiplies the score of Query
	Mode        string  // how the two scores combine: total multiply avg max min
}
