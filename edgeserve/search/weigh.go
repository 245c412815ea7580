// This file weighs what walking a scorer takes, before it is walked: a query that is too
// costly is refused before its work is done, and nothing in the walk need count steps.

package search

// Steps that lookups cost: of a value or a word in its dictionary, of each document that
// comes out of a dictionary's entry and of each byte that a pattern is tried on.
const (
	lookupSteps  = 32
	entrySteps   = 8
	valueSteps   = 8
	bytesPerStep = 4
)

// weigh is about how many steps it takes to walk all matches of a scorer, at half a step
// a posting put into a window. Phrases count more by themselves.
func weigh(s scorer, items int) int {
	switch s := s.(type) {
	case nil:
		return 0
	case *allOf:
		n := weigh(s.lead, items)
		for _, o := range s.others {
			n += weighBeside(s.lead, o, items)
		}
		return n
	case *anyOf:
		return s.weigh(items)
	case *withOptional:
		return weigh(s.scorer, items) + weigh(s.optional, items)
	case *butNot:
		return weigh(s.scorer, items) + weighBeside(s.scorer, s.not, items)
	case *constant:
		return weigh(s.scorer, items)
	case *ordinalScorer:
		return 2*s.cost() + items/windowLen
	}
	return s.cost()/2 + items/windowLen*2
}

// weighBeside is for a scorer that is asked about the matches of another: about each, or
// in each window that has one.
func weighBeside(lead, s scorer, items int) int {
	n := min(lead.cost(), items)
	if _, ok := s.(prober); ok {
		return n
	}
	return min(weigh(s, items), n*(seekSteps+cursors(s)))
}

// seekSteps is what a seek costs that passes over a block; one that stays in it costs a
// quarter of a step.
const (
	seekSteps      = 8
	cursorsPerStep = 4
)

// cursors is how many cursors a seek has to move.
func cursors(s scorer) int {
	switch s := s.(type) {
	case *allOf:
		return 1 + len(s.others)
	case *anyOf:
		n := 0
		for _, sub := range s.subs {
			n += cursors(sub)
		}
		return n
	case *constant:
		return cursors(s.scorer)
	case *butNot:
		return cursors(s.scorer) + cursors(s.not)
	case *withOptional:
		return cursors(s.scorer) + cursors(s.optional)
	}
	return 1
}

// weigh of alternatives: each in turn, or, where they have to be counted or their scores
// compared, all of them for each document.
func (a *anyOf) weigh(items int) (n int) {
	for _, s := range a.subs {
		n += weigh(s, items)
	}
	if a.need > 1 || a.max && a.tie != 0 {
		n += min(a.cost(), items) * cursors(a) / cursorsPerStep
	}
	return n
}
