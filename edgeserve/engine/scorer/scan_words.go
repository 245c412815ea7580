// This file matches patterns on long texts. A match of *docker* has a word with docker in it, so that only the
// documents of such words are tested. The words of a path are fewer and shorter than its texts.

package scorer

import (
	"slices"
	"unicode/utf8"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/snapshot"
)

// minRun is the least number of code points by which words are selected: most words contain shorter ones.
const minRun = 3

// WordRun returns the longest part of a pattern's folded literals that no end of a word divides. It returns nil if no
// part has this property, or if the words of the field are as many as its texts.
func WordRun(f *snapshot.Field, literals [][]byte) (run []byte) {
	terms := f.Terms()
	if terms == nil || terms.Len() > f.Strings().Len()+f.Tokens/8 {
		return nil
	}
	for _, text := range literals {
		for start := 0; start < len(text); {
			n := runLen(text[start:])
			if n > len(run) && utf8.RuneCount(text[start:start+n]) >= minRun {
				run = text[start : start+n]
			}
			_, size := utf8.DecodeRune(text[start+n:])
			start += n + size
		}
	}
	return run
}

func runLen(text []byte) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError || !analysis.InWord(r) {
			break
		}
		n += size
	}
	return n
}

// WordMatches matches the documents with a string that matches a pattern as a whole. Every match contains run, of
// WordRun.
func (r *Request) WordMatches(f *snapshot.Field, run []byte, m pattern.Matcher, score float64) Scorer {
	matching, possible := r.union(f), r.union(f)
	infix := pattern.CompileWildcard("*"+pattern.Escape(string(run))+"*", pattern.FoldAll)
	sure := isInfixOf(m, run)
	cut := false // the term ends where its text continues
	test := func(term []byte, _ int) (bool, int) {
		cut = len(term) >= analysis.CutTerm
		return cut || infix.Match(term), 0
	}
	r.ScanTerms(f, nil, test, func(info snapshot.TermInfo) bool {
		if sure && !cut {
			return matching.add(info)
		}
		return possible.add(info)
	})
	ords := r.ordinalsOf(f.Column(), &possible.set)
	if len(ords) > f.Column().Distinct/2 {
		return r.PatternMatches(&f.Values, nil, m, score)
	}
	r.testOrdinals(f, ords, m, &matching.set)
	return matching.set.Scorer(score)
}

// isInfixOf reports whether a pattern matches all texts that have a word with run in it.
func isInfixOf(m pattern.Matcher, run []byte) bool {
	w, ok := m.(*pattern.Wildcard)
	return ok && w.IsInfix() && w.MinRunes() == utf8.RuneCount(run) && !slices.ContainsFunc([]rune(string(run)), analysis.IsLowerOfAnother)
}

// ordinalsOf returns all ordinals whose documents are in a set, and maybe others, in ascending order.
func (r *Request) ordinalsOf(c *snapshot.Column, docs *DocSet) (ords []uint32) {
	if docs.bits == nil && len(docs.list) == 0 {
		return nil
	}
	if docs.bits == nil && c.Single {
		r.Work.Charge(len(docs.list))
		for _, d := range docs.list {
			if ord := c.Least(d); ord < c.Distinct {
				ords = append(ords, uint32(ord))
			}
		}
		slices.Sort(ords)
		return slices.Compact(ords)
	}
	if docs.bits == nil {
		docs.spread()
	}
	for ord := range c.Distinct {
		if ord%ordinalsPerCharge == 0 && r.Work.Charge(ordinalsPerCharge/4) != nil {
			return nil
		}
		if docs.bits.Has(c.Doc(c.Start(ord))) {
			ords = append(ords, uint32(ord))
		}
	}
	return ords
}

const ordinalsPerCharge = 4096

// testOrdinals adds the documents of the strings that match a pattern.
func (r *Request) testOrdinals(f *snapshot.Field, ords []uint32, m pattern.Matcher, set *DocSet) {
	c, it, test := f.Column(), f.Strings().Iter(0), r.TestOf(m)
	for _, ord := range ords {
		it.Seek(int(ord))
		value := it.Value()
		if r.Work.Charge(valueSteps+len(value)/bytesPerStep) != nil {
			return
		}
		if ok, _ := test(value, 0); ok {
			set.addPairs(c, int(ord), int(ord)+1)
		}
	}
}
