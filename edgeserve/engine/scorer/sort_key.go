// This file reads the keys that documents are sorted by.

package scorer

import (
	"math"

	"contentedge/edgeserve/engine/snapshot"
)

// SortKey is a column, the number of a document or the score, and a direction.
type SortKey struct {
	Column   *snapshot.Column // nil means the score, unless Document or Of
	Document bool             // the number of a document
	Asc      bool
	Greatest bool                          // the greatest value of a document decides, otherwise the least
	Absent   uint32                        // the key of a document without a value
	Of       func(d snapshot.DocID) uint32 // another key of a document
}

// PlaceSpread is the distance between the keys of two values of a column that follow each other. It leaves room for the
// keys of values that no document has.
const PlaceSpread = 4

// PlaceKey returns the key of a place in a column: PlaceSpread for the first value, twice that for the
// next. Lower keys come first.
func PlaceKey(place uint32, asc bool) uint32 {
	if asc {
		return place
	}
	return math.MaxUint32 - place
}

// ScoreKey returns the sort key of a score.
func ScoreKey(score float32, asc bool) uint32 {
	if asc {
		return floatKey(score)
	}
	return scoreKey(score)
}

func (k SortKey) isScore() bool { return k.Column == nil && k.Of == nil && !k.Document }

// value returns a document's key.
func (k *SortKey) value(d docID, score float32) uint32 {
	switch {
	case k.Of != nil:
		return k.Of(d)
	case k.Document:
		return PlaceKey(d, k.Asc)
	case k.Column == nil:
		return ScoreKey(score, k.Asc)
	}
	return k.place(k.ordinal(d))
}

// ordinal returns the ordinal of the value that decides among a document's values, or Distinct.
func (k *SortKey) ordinal(d docID) int {
	if k.Greatest {
		return k.Column.Greatest(d)
	}
	return k.Column.Least(d)
}

func (k *SortKey) place(ord int) uint32 {
	if ord == k.Column.Distinct {
		return k.Absent
	}
	return PlaceKey(uint32(ord+1)*PlaceSpread, k.Asc)
}

// values stores the keys of a window's matches, which do not depend on scores.
func (k *SortKey) values(docs []docID, keys []uint32) {
	switch {
	case k.Of != nil:
		for i, d := range docs {
			keys[i] = k.Of(d)
		}
		return
	case k.Document:
		for i, d := range docs {
			keys[i] = PlaceKey(d, k.Asc)
		}
		return
	case k.Greatest:
		k.Column.GreatestOf(docs, keys)
	default:
		k.Column.LeastOf(docs, keys)
	}
	distinct := uint32(k.Column.Distinct)
	for i, ord := range keys {
		if ord == distinct {
			keys[i] = k.Absent
		} else {
			keys[i] = PlaceKey((ord+1)*PlaceSpread, k.Asc)
		}
	}
}
