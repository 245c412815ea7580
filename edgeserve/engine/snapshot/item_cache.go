// This file holds the items of a search-only snapshot: the fetched items, and the items that a response lacks.

package snapshot

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
)

const (
	// MaxLacking is the number of items that one response may lack: each is a request of the caller.
	MaxLacking = 250
	// MaxItemBytes limits the items of one response: they are in memory together.
	MaxItemBytes = 8 << 20
	// cachedItemBytes limits the items that are kept for later responses, and at least holds the items of one response.
	cachedItemBytes = MaxItemBytes
)

// ItemCache supplies the items of a search-only snapshot. A response reads the items that the cache has. In the place
// of a missing item it reads an empty object, and the cache records the item: the response is then discarded, and made
// again once Put has added the missing items. An ItemCache, and the Reader with it, is not safe for concurrent use, but
// other responses may be made until the items arrive.
type ItemCache struct {
	r        *Reader
	sums     []byte // a u32 per item
	items    map[DocID]cachedItem
	bytes    int // of items
	response int // the number of the current response
	lacking  map[DocID]bool
	over     bool // the response needs more than the limits allow
	full     bool // an item was refused, because items are larger than the limits allow
}

// cachedItem is an item and the last response that read it.
type cachedItem struct {
	b        []byte
	response int
}

// ItemCache returns the cache of the items of a search-only snapshot, nil for other snapshots.
func (r *Reader) ItemCache() *ItemCache { return r.cache }

func newItemCache(r *Reader, sums []byte) *ItemCache {
	return &ItemCache{r: r, sums: sums, items: map[DocID]cachedItem{}, lacking: map[DocID]bool{}}
}

// Begin starts a response.
func (c *ItemCache) Begin() {
	c.response++
	c.evict()
	clear(c.lacking)
	c.over = false
}

// evict drops the items that were read longest ago.
func (c *ItemCache) evict() {
	if c.bytes <= cachedItemBytes {
		return
	}
	docs := slices.SortedFunc(maps.Keys(c.items), func(a, b DocID) int {
		return cmp.Or(cmp.Compare(c.items[a].response, c.items[b].response), cmp.Compare(a, b))
	})
	for _, d := range docs {
		if c.bytes <= cachedItemBytes {
			return
		}
		c.bytes -= len(c.items[d].b)
		delete(c.items, d)
	}
}

// emptyItem replaces a missing item.
var emptyItem = []byte("{}")

// item returns an item, and whether the cache has it.
func (c *ItemCache) item(d DocID) ([]byte, bool) {
	i, ok := c.items[d]
	switch {
	case !ok && int(d) >= c.r.meta.Items:
		panic(&CorruptError{"item sums", "an item after the last one"})
	case ok && i.response != c.response:
		i.response = c.response
		c.items[d] = i
		fallthrough
	case ok:
		return i.b, true
	case c.lacking[d]:
	case len(c.lacking) == MaxLacking:
		c.over = true
	default:
		c.lacking[d] = true
	}
	return emptyItem, false
}

// Lacking returns the items that the response lacks, ascending. ok is false if it needs more items than the
// limits allow.
func (c *ItemCache) Lacking() (docs []DocID, ok bool) {
	return slices.Sorted(maps.Keys(c.lacking)), !c.over
}

// Full reports whether an item was refused since the last call, because items are larger than the limits allow.
func (c *ItemCache) Full() bool {
	full := c.full
	c.full = false
	return full
}

// Put adds an item. It refuses bytes that differ from the item in the snapshot's release.
func (c *ItemCache) Put(id string, item []byte) error {
	d, ok := c.r.Lookup(id)
	if !ok {
		return fmt.Errorf("the snapshot has no item %.80q", id)
	}
	if crc32.Checksum(item, crcTable) != binary.LittleEndian.Uint32(c.sums[4*d:]) {
		return fmt.Errorf("the file of item %s is damaged or belongs to another release", id)
	}
	more := len(item) - len(c.items[d].b)
	if c.bytes+more > cachedItemBytes+MaxItemBytes {
		c.full = true
		return fmt.Errorf("the items of the responses that are being made have more than %d bytes", MaxItemBytes)
	}
	c.bytes += more
	c.items[d] = cachedItem{item, c.response}
	return nil
}

// ID returns the id of an item.
func (r *Reader) ID(d DocID) string {
	return string(r.ids.strings.At(r.ids.column.Least(d), nil))
}

// joined returns items joined by commas.
func (c *ItemCache) joined(from, to DocID) []byte {
	first, _ := c.item(from)
	if to == from+1 {
		return first
	}
	b := slices.Clone(first)
	for d := from + 1; d < to; d++ {
		item, _ := c.item(d)
		b = append(append(b, ','), item...)
	}
	return b
}
