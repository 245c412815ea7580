// This file verifies the order of documents, and of lists by a path whose values are dates.

package verify

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// dateOrders verifies the order of lists by each path of Data with only dates: by instant, in releases
// of older formats by text.
func (e *environment) dateOrders() {
	for _, f := range e.reader.Fields() {
		texts := f.Sub(snapshot.SubKeyword)
		if texts == nil || !analysis.IsDataPath(f.Path) {
			continue
		}
		groups, dates := e.instants(texts)
		switch {
		case !dates:
		case !e.v.m.OrdersByInstant():
			if f.SortColumn() != texts.Column() {
				e.v.problem(e.m.Snapshot.File, "the path %s is not ordered by text, as in releases of format %d", f.Path, e.v.m.Format)
			}
		case !sameColumn(f.SortColumn(), groups):
			e.v.problem(e.m.Snapshot.File, "the path %s holds only dates, but is not ordered by instant", f.Path)
		}
	}
}

// documentOrder verifies that the documents are in the default order: by the values of its field, documents without a
// value last, then by id.
func (e *environment) documentOrder() {
	name, asc := e.reader.DefaultOrder()
	f := e.reader.Field(name)
	key := func(d snapshot.DocID) (missing bool, ord int) {
		if f == nil {
			return true, 0
		}
		c := f.SortColumn()
		if ord = c.Least(d); !asc {
			ord = c.Greatest(d)
		}
		if ord == c.Distinct {
			return true, 0
		}
		if !asc {
			ord = -ord
		}
		return false, ord
	}
	lastMissing, last := false, math.MinInt
	for d := range snapshot.DocID(e.reader.Items()) {
		missing, ord := key(d)
		sorted := missing && !lastMissing || missing == lastMissing && (ord > last || ord == last && e.reader.IDRank(d) > e.reader.IDRank(d-1))
		if !sorted {
			e.v.problem(e.m.Snapshot.File, "document %d is not in the order by %s", d, name)
			return
		}
		lastMissing, last = missing, ord
	}
}

// instants returns the documents of each instant, in order. dates is false if a value is not a date.
func (e *environment) instants(texts *snapshot.Values) (groups [][]snapshot.DocID, dates bool) {
	column, it := texts.Column(), texts.Strings().Iter(0)
	at := map[int64][]snapshot.DocID{}
	for it.Next() {
		ms, ok := analysis.ListDate(string(it.Value()))
		if !ok {
			return nil, false
		}
		for pair, end := column.Start(it.Ord()), column.Start(it.Ord()+1); pair < end; pair++ {
			at[ms] = append(at[ms], column.Doc(pair))
		}
	}
	for _, ms := range slices.Sorted(maps.Keys(at)) {
		docs := at[ms]
		slices.SortFunc(docs, func(a, b snapshot.DocID) int { return cmp.Compare(e.reader.IDRank(a), e.reader.IDRank(b)) })
		groups = append(groups, slices.Compact(docs))
	}
	return groups, len(groups) > 0
}

func sameColumn(c *snapshot.Column, groups [][]snapshot.DocID) bool {
	if c.Distinct != len(groups) {
		return false
	}
	for ord, docs := range groups {
		if c.Count(ord) != len(docs) {
			return false
		}
		for i, d := range docs {
			if c.Doc(c.Start(ord)+i) != d {
				return false
			}
		}
	}
	return true
}
