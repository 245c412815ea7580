// This file validates the Writer's input. Unsorted input would make lookups miss silently.

package snapshot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// validateNorms validates lengths. Strings and terms are validated as they arrive.
func (f *FieldData) validateNorms(items int) error {
	for i, n := range f.Norms {
		if int(n.Doc) >= items || n.Length == 0 || i > 0 && f.Norms[i-1].Doc >= n.Doc {
			return fmt.Errorf("snapshot writer: field %s: length %d of document %d is 0, out of order, or of no item", f.Path, n.Length, n.Doc)
		}
	}
	return nil
}

func (f *FieldData) validateNumbers(n *NumberData, floats bool, items int) error {
	if floats && len(n.Ints) > 0 || !floats && len(n.Floats) > 0 {
		return fmt.Errorf("snapshot writer: field %s has integers for fractions, or fractions for integers", f.Path)
	}
	if !n.ascend() {
		return fmt.Errorf("snapshot writer: values of field %s out of order", f.Path)
	}
	if n.len() != len(n.Column.Docs) {
		return fmt.Errorf("snapshot writer: field %s has %d values and documents of %d", f.Path, n.len(), len(n.Column.Docs))
	}
	return f.validateColumn(&n.Column, items)
}

func (f *FieldData) validateColumn(c *ColumnData, items int) error {
	for _, docs := range c.Docs {
		if err := f.validateDocs(docs, items); err != nil {
			return err
		}
	}
	return nil
}

// validateDocs validates the documents of a value: at least one, all below items. Only
// Check can prove their order by ContentID: a column does not know the ids.
func (f *FieldData) validateDocs(docs []DocID, items int) error {
	if len(docs) == 0 || slices.ContainsFunc(docs, func(d DocID) bool { return int(d) >= items }) {
		return fmt.Errorf("snapshot writer: field %s has a value without documents or beyond the last", f.Path)
	}
	return nil
}

// ascend reports whether the numbers ascend strictly and none is NaN.
func (n *NumberData) ascend() bool {
	return !slices.ContainsFunc(n.Floats, math.IsNaN) && ascend(n.Floats) && ascend(n.Ints)
}

func ascend[T cmp.Ordered](vs []T) bool {
	for i := 1; i < len(vs); i++ {
		if !(vs[i-1] < vs[i]) {
			return false
		}
	}
	return true
}

// inOrder reports whether documents ascend below items, and positions in each document ascend.
func inOrder(list []Posting, items int) bool {
	for i, p := range list {
		if int(p.Doc) >= items || i > 0 && list[i-1].Doc >= p.Doc || len(p.Positions) == 0 || !ascend(p.Positions) {
			return false
		}
	}
	return len(list) > 0
}
