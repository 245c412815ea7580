package edgeserve

import "testing"

// The budgets and the connections together are within the limit of the heap.
func TestBudgetsFit(t *testing.T) {
	for limit := int64(MinMemory); limit <= 16<<30; limit *= 2 {
		c := Defaults().Budgets(limit)
		total := c.CacheBytes + c.ResponseBytes + c.RequestBytes + int64(c.MaxConns)*connMemory
		if total > HeapLimit(limit) || c.MaxSearches < 1 {
			t.Errorf("of %d MiB: %d MiB in all, %d searches", limit>>20, total>>20, c.MaxSearches)
		}
	}
}
