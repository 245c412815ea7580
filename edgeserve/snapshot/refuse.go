// This file holds what the Writer refuses: input out of order would make a file whose
// lookups miss, and nobody would know.

package snapshot

import (
	"fmt"
	"math"
	"slices"
)

// refuseNorms returns what is wrong with the lengths of a field, or nil. Strings, what
// follows from them and terms are looked at as they come.
func (f *FieldData) refuseNorms(items int) error {
	if f.Type == Text && len(f.Norms) != items {
		return fmt.Errorf("snapshot writer: field %s has %d lengths for %d items", f.Path, len(f.Norms), items)
	}
	for d, n := range f.Norms {
		if n > math.MaxUint8 {
			return fmt.Errorf("snapshot writer: field %s: length %d of document %d is not a byte", f.Path, n, d)
		}
	}
	return nil
}

// refuseNumbers returns why a set of numbers, fractions or integers, cannot be encoded,
// or nil.
func (f *FieldData) refuseNumbers(n *NumberData, floats bool, items int) error {
	if floats && len(n.Ints) > 0 || !floats && len(n.Floats) > 0 {
		return fmt.Errorf("snapshot writer: field %s has integers for fractions, or fractions for integers", f.Path)
	}
	if !n.ascend() {
		return fmt.Errorf("snapshot writer: values of field %s out of order", f.Path)
	}
	if n.len() != len(n.Column.Docs) {
		return fmt.Errorf("snapshot writer: field %s has %d values and documents of %d", f.Path, n.len(), len(n.Column.Docs))
	}
	return f.refuseColumn(&n.Column, items)
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

// ascend tells whether each number is greater than the one before, and none is NaN.
func (n *NumberData) ascend() bool {
	return !slices.ContainsFunc(n.Floats, math.IsNaN) &&
		ascending(len(n.Floats), func(i int) bool { return n.Floats[i-1] < n.Floats[i] }) &&
		ascending(len(n.Ints), func(i int) bool { return n.Ints[i-1] < n.Ints[i] })
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
