// This file holds what the Writer refuses: input out of order would make a file whose
// lookups miss, and nobody would know.

package snapshot

import (
	"bytes"
	"fmt"
	"math"
)

// refuse returns why a field cannot be encoded, or nil.
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
	for _, c := range []*ColumnData{&f.Column, f.Sort} {
		if c != nil && !c.fits(items) {
			return fmt.Errorf("snapshot writer: field %s has a value without documents or beyond the last", f.Path)
		}
	}
	return nil
}

// order returns the number of a field's values and whether they ascend.
func (f *FieldData) order() (n int, ascends bool) {
	switch f.Type {
	case Text:
		return len(f.Strings), ascending(len(f.Strings), func(i int) bool {
			return bytes.Compare(f.Strings[i-1].Text, f.Strings[i].Text) < 0
		}) && ascending(len(f.Grams), func(i int) bool { return f.Grams[i-1].Key < f.Grams[i].Key })
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

// fits tells whether every value has documents and all are below items. That they
// stand by ContentID only Check can prove: a column does not know the ids.
func (c *ColumnData) fits(items int) bool {
	for _, docs := range c.Docs {
		if len(docs) == 0 {
			return false
		}
		for _, d := range docs {
			if int(d) >= items {
				return false
			}
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
