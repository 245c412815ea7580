package edgeserve

import (
	"fmt"
	"testing"
)

func TestPageCacheIsBounded(t *testing.T) {
	const budget, size = 1 << 20, 1000
	c := newPageCache(budget)
	for i := range 10000 {
		c.put(fmt.Sprint(i), &page{body: make([]byte, size)})
	}
	held := int64(len(c.young)+len(c.old)) * (size + pageOverhead)
	if held > budget || held < budget/2 {
		t.Errorf("holds %d bytes of a budget of %d", held, budget)
	}
	if c.get("9999") == nil {
		t.Error("the newest page is gone")
	}
	if c.get("0") != nil {
		t.Error("the oldest page is still there")
	}
}

func TestPageCacheKeepsWhatIsUsed(t *testing.T) {
	c := newPageCache(1 << 20)
	c.put("used", &page{})
	for i := range 10000 {
		c.put(fmt.Sprint(i), &page{body: make([]byte, 1000)})
		if c.get("used") == nil {
			t.Fatalf("gone after %d other pages", i)
		}
	}
}

func TestPageCacheLeavesOutWhatIsLarge(t *testing.T) {
	c := newPageCache(1 << 20)
	c.put("small", &page{})
	c.put("large", &page{body: make([]byte, 1<<18)})
	if c.get("large") != nil || c.get("small") == nil {
		t.Error("a large page pushed a small one out")
	}
}
