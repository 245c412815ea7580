package respcache

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestEntryAsLargeAsTheCache: an entry that fills the cache is kept, and a larger one leaves the others.
func TestEntryAsLargeAsTheCache(t *testing.T) {
	const name = "as long as it is"
	for _, tt := range []struct {
		room int64
		kept bool
	}{{-1, false}, {0, true}, {1, true}} {
		c := testCache(t, int64(entryOverhead+len(name))+tt.room)
		if c.Put(&Entry{Key: name}); (c.Get(name) != nil) != tt.kept {
			t.Errorf("with room for %d bytes more: kept %v, want %v", tt.room, !tt.kept, tt.kept)
		}
		if got := held(t, c); got != c.size {
			t.Errorf("holds %d bytes, counts %d", got, c.size)
		}
	}
}

// TestLongSearches: a search whose target and body are too long together is not cached, and none is found for it.
func TestLongSearches(t *testing.T) {
	const target = "/cda/es/v1/shop"
	for _, tt := range []struct {
		name, target string
		body         int // bytes
		ok           bool
	}{
		{"short", target, 2, true},
		{"no body", target, 0, true},
		{"the longest", target, MaxComputedKey - len(target) - 1, true},
		{"one byte more", target, MaxComputedKey - len(target), false},
		{"far longer", target, 1 << 20, false},
		{"a long target", target + strings.Repeat("/", MaxComputedKey), 0, false},
		{"another root", "/livez", 2, false},
		{"no target", "", 2, false},
	} {
		c := testCache(t, 1<<20)
		body := []byte(strings.Repeat("x", tt.body))
		key, ok := AppendSearchKey(nil, []byte(tt.target), body)
		if ok != tt.ok || !ok && len(key) > 0 {
			t.Errorf("%s: %v, a key of %d bytes", tt.name, ok, len(key))
		}
		for range 2 {
			c.GetOrAddComputed(nil, key, release.ClassSearch)
		}
		if got := c.GetSearch([]byte(tt.target), body); (got != nil) != tt.ok {
			t.Errorf("%s: found %v, want %v", tt.name, got != nil, tt.ok)
		}
	}
}

// TestEndWhereTheHandIs ends a group whose entries the eviction has come to: eviction goes on with the others.
func TestEndWhereTheHandIs(t *testing.T) {
	const entries = 6
	for pattern := range 1 << entries { // a bit for each entry of the group that ends
		for at := range entries {
			c := testCache(t, (entries+1)*(entryOverhead+3))
			groups := [2]*Group{NewGroup(), NewGroup()}
			for i := range entries {
				c.Put(&Entry{Key: fmt.Sprintf("%03d", i), Group: groups[pattern>>i&1]})
			}
			c.hand = c.Get(fmt.Sprintf("%03d", at))
			c.End(groups[1])
			for i := range 2 * entries {
				key := fmt.Sprintf("%03d", 100+i)
				c.Put(&Entry{Key: key, Group: groups[0]})
				if c.Get(key) == nil {
					t.Fatalf("pattern %b, hand at %d: %s has no room", pattern, at, key)
				}
			}
			if got := held(t, c); got != c.size || got > c.maxBytes {
				t.Errorf("pattern %b, hand at %d: holds %d bytes, counts %d of %d", pattern, at, got, c.size, c.maxBytes)
			}
			if c.Put(&Entry{Key: "late", Group: groups[1]}); c.Get("late") != nil {
				t.Errorf("pattern %b, hand at %d: an ended group has an entry", pattern, at)
			}
		}
	}
}
