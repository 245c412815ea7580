// This file makes up the values of clauses.

package searchtest

// fitting is a value that is likely to suit a field.
func (a *asker) fitting(field string) any {
	kind := a.kinds[field]
	own := a.whole[field]
	switch {
	case a.oneIn(12):
		return a.value()
	case kind == onText:
		return a.word()
	case kind == onKeyword:
		return a.text()
	case kind == onDate && a.oneIn(2):
		return a.date()
	case kind == onNumber && a.oneIn(2):
		return rawNumber(pick(a.Rand, numbers))
	case kind == onBool:
		return a.oneIn(2)
	}
	return pick(a.Rand, own)
}
