package respcache

import (
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestEndedGroup enters nothing for a group that has ended, so that its successor can enter the same key.
func TestEndedGroup(t *testing.T) {
	c := testCache(t, 1<<20)
	before, after := NewGroup(), NewGroup()
	key := []byte("k")
	for range 3 {
		c.GetOrAddComputed(before, key, release.ClassSearch)
	}
	if c.GetOf(before, key) == nil {
		t.Fatal("a response that is asked for again has no entry")
	}
	c.End(before)
	for range 3 { // requests that began earlier
		if entry, _ := c.GetOrAddComputed(before, key, release.ClassSearch); entry != seenOnceEntry {
			t.Errorf("an ended group gets the entry %+v", entry)
		}
	}
	for range 2 {
		c.GetOrAddComputed(after, key, release.ClassSearch)
	}
	if c.GetOf(after, key) == nil {
		t.Error("the next group cannot enter the key")
	}
}

// TestSeenBefore remembers each key by itself.
func TestSeenBefore(t *testing.T) {
	c, g := testCache(t, 1<<20), NewGroup()
	for _, step := range []struct {
		group *Group
		key   string
		want  bool
	}{{g, "a", false}, {g, "a", true}, {g, "b", false}, {NewGroup(), "a", false}, {g, "b", true}} {
		if got := c.SeenBefore(step.group, step.key); got != step.want {
			t.Errorf("%q: %v", step.key, got)
		}
	}
}
