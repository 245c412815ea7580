// This file tests that the items are as large as tests of costs assume.

package snaptest_test

import (
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

func TestWideItems(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: snaptest.WideItems()})
	types := map[snapshot.Type]int{}
	for _, f := range r.Fields() {
		types[f.Type]++
	}
	if n := len(r.Fields()); n != 5030 || len(types) != 5 {
		t.Errorf("%d paths of %d types, want 5030 of 5", n, len(types))
	}
	if n := len(r.Fragment(0)); n < 100<<10 {
		t.Errorf("an item has %d bytes", n)
	}
}

func TestLongItems(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: snaptest.LongItems()})
	values := r.Field("Data.body").Strings()
	long := 0
	for ord := range r.Field("Data.body").Column().Distinct {
		if len(values.At(ord, nil)) > snaptest.LongValue*9/10 {
			long++
		}
	}
	if long != 6 {
		t.Errorf("%d values of a megabyte, want 6", long)
	}
}
