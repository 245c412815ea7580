// This file makes up bodies of intervals.

package searchtest

import "strings"

// intervalsClause makes up a query intervals.
func (a *asker) intervalsClause() object {
	field := a.textField()
	a.near = field
	defer func() { a.near = "" }()
	o := a.intervalRule(3)
	a.boost(o)
	return object{"intervals": object{field: o}}
}

// textField is a path of text, seldom another field.
func (a *asker) textField() string {
	field := pick(a.Rand, a.fields)
	for range 10 {
		if a.kinds[field] == onText && a.own[field] != nil {
			break
		}
		field = pick(a.Rand, a.fields)
	}
	if a.oneIn(20) {
		field = a.field()
	}
	return field
}

func (a *asker) intervalRule(depth int) object {
	kind := pick(a.Rand, []string{"match", "match", "match", "prefix", "wildcard", "fuzzy", "all_of", "all_of", "all_of", "any_of", "any_of"})
	if depth == 0 && (kind == "all_of" || kind == "any_of") {
		kind = "match"
	}
	o := object{}
	rules := func() []any {
		return append(a.some(3, func() any { return a.intervalRule(depth - 1) }), a.intervalRule(depth-1))
	}
	word := []rune(a.word())
	if len(word) == 0 {
		word = []rune("-")
	}
	switch kind {
	case "match":
		words := []string{a.word()}
		for range a.IntN(3) {
			words = append(words, pick(a.Rand, []string{a.word(), words[0]}))
		}
		if o["query"] = strings.Join(words, " "); a.oneIn(30) {
			o["query"] = "-"
		}
	case "prefix":
		o["prefix"] = string(word[:min(len(word), 1+a.IntN(3))])
	case "wildcard":
		word[a.IntN(len(word))] = pick(a.Rand, []rune("?*"))
		o["pattern"] = string(word)
	case "fuzzy":
		o["term"] = a.mistype(string(word))
		option(a, o, 2, "fuzziness", any("AUTO"), 0, 1, 2)
		option(a, o, 3, "prefix_length", 0, 1, 2)
		option(a, o, 3, "transpositions", true, false)
	default:
		o["intervals"] = rules()
	}
	if kind == "match" || kind == "all_of" {
		option(a, o, 2, "max_gaps", 0, 0, 1, 2, 5, -1)
		option(a, o, 2, "ordered", true, true, false)
	}
	if depth > 0 && a.oneIn(3) && (kind == "match" || kind == "all_of" || kind == "any_of") {
		filter := pick(a.Rand, []string{"after", "before", "contained_by", "containing", "not_contained_by", "not_containing", "not_overlapping", "overlapping"})
		o["filter"] = object{filter: a.intervalRule(depth - 1)}
	}
	if kind != "all_of" && kind != "any_of" && a.oneIn(12) {
		o["use_field"] = a.textField()
	}
	return object{kind: o}
}
