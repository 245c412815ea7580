// This file is a priority queue with the steps of Lucene's, which decide which of several equal elements comes first.

package scorer

// Heap has the least element at the root.
type Heap[T any] struct {
	Items []T
	Less  func(a, b T) bool
}

// Push adds an element.
func (h *Heap[T]) Push(v T) {
	h.Items = append(h.Items, v)
	i := len(h.Items) - 1
	for i > 0 && h.Less(v, h.Items[(i-1)/2]) {
		h.Items[i] = h.Items[(i-1)/2]
		i = (i - 1) / 2
	}
	h.Items[i] = v
}

// Pop removes the least element.
func (h *Heap[T]) Pop() T {
	least, last := h.Items[0], len(h.Items)-1
	h.Items[0] = h.Items[last]
	if h.Items = h.Items[:last]; last > 0 {
		h.Fix()
	}
	return least
}

// Fix moves a root that has grown to its place.
func (h *Heap[T]) Fix() {
	v, i := h.Items[0], 0
	for {
		k := 2*i + 1
		if k >= len(h.Items) {
			break
		}
		if k+1 < len(h.Items) && h.Less(h.Items[k+1], h.Items[k]) {
			k++
		}
		if !h.Less(h.Items[k], v) {
			break
		}
		h.Items[i] = h.Items[k]
		i = k
	}
	h.Items[i] = v
}
