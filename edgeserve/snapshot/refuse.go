// This file holds what the Writer refuses: input out of order would make a file whose
// lookups miss, and nobody would know.

package snapshot

import (
	"fmt"
	"math"
	"slices"
)

// refuse returns why a field cannot be encoded, or nil. Strings, what follows from
// them and terms are looked at as they come.
func (f *FieldData) refuse(items int) error {
	values, ascends := f.order()
	switch {
	case !ascends:
		return fmt.Errorf("snapshot writer: values of field %s out of order", f.Path)
	case values != len(f.Column.Docs):
		return fmt.Errorf("snapshot writer: field %s has %d values and documents of %d", f.Path, values, len(f.Column.Docs))
	case f.Type == Text && len(f.Norms) != items:
		return fmt.Errorf("snapshot writer: field %s has %d lengths for %d items", f.Path, len(f.Norms), items)
	}
	for d, n := range f.Norms {
		if n > math.MaxUint8 {
			return fmt.Errorf("snapshot writer: field %s: length %d of document %d is not a byte", f.Path, n, d)
		}
	}
	return f.refuseColumn(&f.Column, items)
}

// refuseColumn returns what is wrong with a column, or nil.
func (f *FieldData) refuseColumn(c *ColumnData, items int) error {
	for _, docs := range c.Docs {
		if err := f.refuseDocs(docs, items); err != nil {
			return err
		}
	}
	return nil
}

// refuseDocs tells whether a value has documents and all are below items. That they
// stand by ContentID only Check can prove: a column does not know the ids.
func (f *FieldData) refuseDocs(docs []DocID, items int) error {
	if len(docs) == 0 || slices.ContainsFunc(docs, func(d DocID) bool { return int(d) >= items }) {
		return fmt.Errorf("snapshot writer: field %s has a value without documents or beyond the last", f.Path)
	}
	return nil
}

// order returns the number of a field's numbers and whether they ascend.
func (f *FieldData) order() (n int, ascends bool) {
	switch f.Type {
	case Text:
		return 0, true
	case Float:
		for _, v := range f.Floats {
			if math.IsNaN(v) {
				return 0, false
			}
		}
		return len(f.Floats), ascending(len(f.Floats), func(i int) bool { return f.Floats[i-1] < f.Floats[i] })
	}
	return len(f.Ints), ascending(len(f.Ints), func(i int) bool { return f.Ints[i-1] < f.Ints[i] })
}

// ascending tells whether less holds for each of n entries and the one before.
func ascending(n int, less func(i int) bool) bool {
	for i := 1; i < n; i++ {
		if !less(i) {
			return false
		}
	}
	return true
}

// inOrder tells whether a list's documents ascend and stay below items, and each
// one's positions ascend.
func inOrder(list []Posting, items int) bool {
	for i, p := range list {
		if int(p.Doc) >= items || i > 0 && list[i-1].Doc >= p.Doc || len(p.Positions) == 0 {
			return false
		}
		for j := 1; j < len(p.Positions); j++ {
			if p.Positions[j-1] >= p.Positions[j] {
				return false
			}
		}
	}
	return len(list) > 0
}
