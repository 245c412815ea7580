// This file estimates the cost of a walk in advance, to reject a too costly query before the work.

package scorer

// estimateCost returns approximate steps: half a step per posting in a window. Phrases charge more.
func estimateCost(s Scorer, items int) int {
	switch s := s.(type) {
	case nil:
		return 0
	case *conjunction:
		n := estimateCost(s.lead, items)
		for _, o := range s.others {
			n += costBeside(s.lead, o, items)
		}
		return n
	case *disjunction:
		return s.estimateCost(items)
	case *covering:
		return s.estimateCost(items) + min(s.cost(), items)*(mergedSteps+cursors(s.disjunction))
	case *optionalScore:
		return estimateCost(s.Scorer, items) + estimateCost(s.optional, items)
	case *exclusion:
		return estimateCost(s.Scorer, items) + costBeside(s.Scorer, s.not, items)
	case *demoted:
		return estimateCost(s.Scorer, items) + costBeside(s.Scorer, s.negative, items)
	case *constant:
		return estimateCost(s.Scorer, items)
	case *Explained:
		return estimateCost(s.Scorer, items)
	case *ordinalScorer:
		return 2*s.cost() + items/windowLen
	case estimator:
		return s.estimateCost(items)
	}
	return s.cost()/2 + items/windowLen*2
}

// estimator is a Scorer that estimates its own cost.
type estimator interface{ estimateCost(items int) int }

// costBeside returns the cost of testing a Scorer per match of lead, or per window with a match.
func costBeside(lead, s Scorer, items int) int {
	n := min(lead.cost(), items)
	if _, ok := s.(prober); ok {
		return n
	}
	return min(estimateCost(s, items), n*(seekSteps+cursors(s)))
}

// seekSteps is the cost of a seek that skips a block. A seek within one costs a quarter of a step.
const (
	seekSteps      = 8
	cursorsPerStep = 4
)

// mergedSteps is the cost of a document whose parts are merged one by one, without the step for each part.
const mergedSteps = 2

func cursors(s Scorer) int {
	switch s := s.(type) {
	case *conjunction:
		return 1 + len(s.others)
	case *disjunction:
		n := 0
		for _, sub := range s.subs {
			n += cursors(sub)
		}
		return n
	case *covering:
		return cursors(s.disjunction)
	case *constant:
		return cursors(s.Scorer)
	case *Explained:
		return cursors(s.Scorer)
	case *exclusion:
		return cursors(s.Scorer) + cursors(s.not)
	case *demoted:
		return cursors(s.Scorer) + cursors(s.negative)
	case *optionalScore:
		return cursors(s.Scorer) + cursors(s.optional)
	}
	return 1
}

// estimateCost adds up the parts. To count parts each document costs all parts; to compare their scores they are
// merged.
func (a *disjunction) estimateCost(items int) (n int) {
	for _, s := range a.subs {
		n += estimateCost(s, items)
	}
	switch {
	case a.max && a.tie != 0:
		n += min(a.cost(), items) * (mergedSteps + cursors(a))
	case a.need > 1:
		n += min(a.cost(), items) * cursors(a) / cursorsPerStep
	}
	return n
}
