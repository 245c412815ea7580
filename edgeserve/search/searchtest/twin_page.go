// This file is the twin of members that choose hits among matches: min_score, post_filter, collapse
// and rescore.

package searchtest

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"contentedge/edgeserve/query"
)

// chosen adds such members to a body.
func (a *asker) chosen(body object) object {
	b := maps.Clone(body)
	_, sorted := b["sort"]
	if a.oneIn(2) {
		b["post_filter"] = a.clause(1)
	}
	if a.oneIn(2) {
		b["min_score"] = pick(a.Rand, []float64{0, 0.3, 1, 1.5})
	}
	switch {
	case a.oneIn(2):
		b["collapse"] = object{"field": pick(a.Rand, []string{"Name.keyword", "Data.count", a.field()})}
	case !sorted:
		b["rescore"] = a.rescore()
	}
	b["aggs"] = object{"all": object{"value_count": object{"field": "_id"}}}
	return b
}

// nearScores tells that the precision of arithmetic may decide between two scores.
func nearScores(a, b float64) bool {
	return math.Abs(a-b) <= 1e-5*max(math.Abs(a), math.Abs(b)) && !(a == b && exactly(a))
}

// differChosen compares the answers to a body with such members.
func (e *env) differChosen(raw []byte, n *tally) string {
	n.asked++
	b, err := query.Parse(raw)
	if err != nil {
		n.malformed++
		return ""
	}
	got, err := e.eval(b, 0, whole)
	if err != nil {
		n.refused++
		if _, ok := err.(*query.Error); !ok {
			return err.Error()
		}
		return ""
	}
	n.answered++
	rank, _ := e.twin.ranking(b.Sort)
	want, wantErr := e.twin.search(b.Query)
	if wantErr != nil || rank == nil {
		return "no error"
	}
	for i, s := range want {
		if b.MinScore == nil || s < 0 {
			continue
		}
		if nearScores(s, float64(*b.MinScore)) {
			return "" // it may be on either side
		}
		if s < float64(*b.MinScore) {
			want[i] = miss
		}
	}
	if text := fmt.Sprintf(`{"all":{"value":%d}}`, len(want.docs())); string(got.Aggregations) != text {
		return fmt.Sprintf("aggregations %s, want %s", got.Aggregations, text)
	}
	if b.PostFilter != nil {
		keep, err := e.twin.search(b.PostFilter)
		if err != nil {
			return "no error of the post_filter"
		}
		for i := range want {
			if keep[i] < 0 {
				want[i] = miss
			}
		}
	}
	docs := want.docs()
	if got.Total != len(docs) {
		return fmt.Sprintf("total %d, want %d", got.Total, len(docs))
	}
	if b.Collapse != nil {
		return e.sameGroups(b, got.Docs, want, rank)
	}
	if len(b.Rescore) > 0 {
		return e.sameRescored(&b.Rescore[0], got.Docs, want, rank)
	}
	return e.sameHits(got, want, rank)
}

func (h hits) docs() (docs []int) {
	for i, s := range h {
		if s >= 0 {
			docs = append(docs, i)
		}
	}
	return docs
}

// sameGroups expects one document of each value, and none of its value before it.
func (e *env) sameGroups(b *query.Body, got []uint32, want hits, rank *ranking) string {
	to, ok := e.twin.resolve(b.Collapse.Field)
	if !ok {
		return "no error of the collapse"
	}
	value := func(i int) string {
		switch c := to.f.cells[i]; {
		case c == nil || to.kind == onNumber && len(c.numbers) == 0:
			return ""
		case to.kind == onNumber:
			return fmt.Sprint(c.numbers, c.longs)
		default:
			return fmt.Sprint(c.texts)
		}
	}
	best := map[string]int{}
	for _, d := range got {
		v := value(int(d))
		if _, twice := best[v]; twice {
			return fmt.Sprintf("the value %s has two hits in %v", v, got)
		}
		best[v] = int(d)
	}
	for _, i := range want.docs() {
		d, ok := best[value(i)]
		if !ok {
			return fmt.Sprintf("the value %s of %d has no hit in %v", value(i), i, got)
		}
		if sign, sure := rank.compare(want, d, i); sure && sign > 0 {
			return fmt.Sprintf("hit %d of the value %s comes behind %d", d, value(i), i)
		}
	}
	for i := 1; i < len(got); i++ {
		if sign, sure := rank.compare(want, int(got[i-1]), int(got[i])); sure && sign > 0 {
			return fmt.Sprintf("order %v: %d before %d", got, got[i-1], got[i])
		}
	}
	return ""
}

// sameRescored computes the scores of the window anew.
func (e *env) sameRescored(r *query.Rescore, got []uint32, want hits, rank *ranking) string {
	second, err := e.twin.search(r.Query)
	if err != nil {
		return "no error of the rescore"
	}
	docs := want.docs()
	for _, i := range docs {
		for _, j := range docs {
			if i != j && nearScores(want[i], want[j]) {
				return "" // either may be in the window
			}
		}
	}
	slices.SortFunc(docs, func(i, j int) int { sign, _ := rank.compare(want, i, j); return sign })
	scores := slices.Clone(want)
	for n, i := range docs {
		scores[i] *= float64(r.Weight)
		if s := second[i] * float64(r.QueryWeight); n < r.Window && second[i] >= 0 {
			scores[i] = map[string]float64{"total": scores[i] + s, "multiply": scores[i] * s, "avg": (scores[i] + s) / 2, "max": max(scores[i], s), "min": min(scores[i], s)}[r.Mode]
		}
	}
	if len(got) != len(docs) {
		return fmt.Sprintf("%d documents, want %d", len(got), len(docs))
	}
	for n := 1; n < len(got); n++ {
		i, j := got[n-1], got[n]
		if a, b := scores[i], scores[j]; a < b && !nearScores(a, b) || a == b && exactly(a) && i > j {
			return fmt.Sprintf("order %v: %d with %v before %d with %v", got, i, a, j, b)
		}
	}
	return ""
}
