// This file is the twin of members that choose hits among matches: min_score, post_filter, collapse
// with its inner hits, and rescore.

package searchtest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	hitwriter "contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
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
		field := func() string {
			return pick(a.Rand, []string{"Name.keyword", "TemplateName.keyword", "Data.count", a.field()})
		}
		collapse := object{"field": field()}
		if b["collapse"] = collapse; a.oneIn(2) {
			inner := object{"name": "i", "size": a.IntN(5)}
			option(a, inner, 3, "from", 1, 2)
			if a.oneIn(2) {
				inner["sort"] = a.sort()
			}
			if a.oneIn(3) {
				inner["collapse"] = object{"field": field()}
			}
			collapse["inner_hits"] = inner
		}
	case !sorted:
		b["rescore"] = a.rescore()
	}
	b["aggs"] = object{"all": object{"value_count": object{"field": "_id"}}}
	return b
}

// nearScores reports whether the precision of arithmetic may decide between two scores.
func nearScores(a, b float64) bool {
	return math.Abs(a-b) <= 1e-5*max(math.Abs(a), math.Abs(b)) && !(a == b && exactly(a))
}

// differChosen compares the answers to a body with such members.
func (e *env) differChosen(raw []byte, n *tally) string {
	n.asked++
	b, err := body.Parse(raw)
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
	rank, _ := e.twin.ranking(b.Order.Keys)
	want, wantErr := e.twin.search(b.Query)
	if wantErr != nil || rank == nil {
		return "no error"
	}
	grouped := slices.Clone(want) // inner hits have no least score
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
				want[i], grouped[i] = miss, miss
			}
		}
	}
	docs := want.docs()
	if got.Total != len(docs) {
		return fmt.Sprintf("total %d, want %d", got.Total, len(docs))
	}
	if b.Collapse != nil {
		return cmp.Or(e.sameGroups(b, got.Docs, want, rank), e.sameInner(b, got, grouped))
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

// members returns the values of each item by a field, or nil if no item has it.
func (e *env) members(field string) func(i int) []string {
	to, ok := e.twin.resolve(field)
	if !ok {
		return nil
	}
	return func(i int) (values []string) {
		c := to.f.cells[i]
		switch {
		case c == nil:
		case to.kind == onNumber:
			for k, n := range c.numbers {
				text := fmt.Sprint(n)
				if len(c.longs) == len(c.numbers) {
					text = fmt.Sprint(n, c.longs[k])
				}
				values = append(values, text)
			}
		default:
			values = c.texts
		}
		return values
	}
}

// groups returns the group of each item by a field, or nil if no item has it.
func (e *env) groups(field string) func(i int) string {
	values := e.members(field)
	if values == nil {
		return nil
	}
	return func(i int) string { return fmt.Sprintf("%q", values(i)) }
}

// sameGroups expects one document of each value, and none of its value before it.
func (e *env) sameGroups(b *query.Body, got []uint32, want hits, rank *ranking) string {
	value := e.groups(b.Collapse.Field)
	if value == nil {
		return "no error of the collapse"
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
			return fmt.Sprintf("hit %d of the value %s comes after %d", d, value(i), i)
		}
	}
	for i := 1; i < len(got); i++ {
		if sign, sure := rank.compare(want, int(got[i-1]), int(got[i])); sure && sign > 0 {
			return fmt.Sprintf("order %v: %d before %d", got, got[i-1], got[i])
		}
	}
	return ""
}

// sameInner expects the first matches of the group of each hit, or of each group of hits.
func (e *env) sameInner(b *query.Body, got *search.Result, all hits) string {
	values := e.members(b.Collapse.Field)
	for n, lists := range got.Inner {
		own := slices.Clone(all)
		group := values(int(got.Docs[n])) // one value or none
		for i := range own {
			if has := values(i); len(group) == 0 && len(has) > 0 || len(group) > 0 && !slices.Contains(has, group[0]) {
				own[i] = miss
			}
		}
		for k, list := range lists {
			in := b.Collapse.Inner[k].Body
			rank, ok := e.twin.ranking(in.Order.Keys)
			if !ok || rank == nil {
				return "no error of the sort of inner hits"
			}
			docs := documentsOf(&list.Page)
			if diff := e.sameList(in, docs, own, rank); diff != "" || list.Total != len(own.docs()) {
				return fmt.Sprintf("inner hits %v of %v, of %d: %d, want %d of %v: %s", docs, got.Docs, got.Docs[n], list.Total, len(own.docs()), own.docs(), diff)
			}
		}
	}
	return ""
}

// sameList expects a page of inner hits.
func (e *env) sameList(in *query.Body, got []uint32, own hits, rank *ranking) string {
	left := own.docs()
	if in.Collapse != nil {
		value := e.groups(in.Collapse.Field)
		if value == nil {
			return "no error of the collapse of inner hits"
		}
		first := map[string]int{}
		for _, i := range left {
			if d, ok := first[value(i)]; ok {
				if sign, sure := rank.compare(own, d, i); !sure {
					return "" // either may be the first
				} else if sign < 0 {
					continue
				}
			}
			first[value(i)] = i
		}
		left = slices.Sorted(maps.Values(first))
	}
	if n := min(in.Window.Size, max(0, len(left)-in.Window.From)); len(got) != n {
		return fmt.Sprintf("want %d", n)
	}
	for n, d := range got {
		if !slices.Contains(left, int(d)) || slices.Contains(got[:n], d) {
			return fmt.Sprintf("%d is none, or a second time", d)
		}
		before, behind := 0, 0
		for _, i := range left {
			switch sign, sure := rank.compare(own, i, int(d)); {
			case !sure:
			case sign < 0:
				before++
			case sign > 0:
				behind++
			}
		}
		if before > in.Window.From+n || behind > len(left)-1-in.Window.From-n {
			return fmt.Sprintf("%d come before %d, %d after it", before, d, behind)
		}
	}
	return ""
}

// sameRescored computes the scores of the window again.
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
		scores[i] = float64(scores[i] * float64(r.Weight))
		if s := float64(second[i] * float64(r.QueryWeight)); n < r.Window && second[i] >= 0 {
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

// documentsOf returns the documents of a page: their numbers follow their order.
func documentsOf(p *hitwriter.Page) (docs []uint32) {
	for place := range p.Len() {
		docs = append(docs, uint32(p.Matches.Hit(place).SeqNo))
	}
	return docs
}
