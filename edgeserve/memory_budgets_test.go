package edgeserve

import "testing"

// All that clients can make a process hold is below the limit of its heap.
func TestBudgetsFit(t *testing.T) {
	for limit := int64(MinMemory); limit <= 16<<30; limit *= 2 {
		c := Defaults().Budgets(limit)
		total := c.CacheBytes + c.ResponseBytes + c.RequestBytes + int64(c.MaxConns)*connMemory
		if total > HeapLimit(limit) || c.MaxSearches < 1 {
			t.Errorf("of %d MiB: %d MiB in all, %d searches", limit>>20, total>>20, c.MaxSearches)
		}
	}
}
