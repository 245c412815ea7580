// This file keeps the bodies of files in memory, so that a file asked for often costs
// no system call. The memory is bounded; what is dropped is read again.

package edgeserve

import "sync"

// page is a file's body, ready to be sent. It is never changed, so that it may be
// read while it is being sent, whatever the cache does.
type page struct {
	body []byte
	etag string
}

// pageOverhead is what an entry costs beside its body: name, tag, map cells.
const pageOverhead = 256

// pageCache is two maps of half the budget each. New and used entries go to young;
// when young is full it becomes old, and what was in old and not used since is gone.
// That is nearly least-recently-used at the price of a map lookup.
type pageCache struct {
	half int64 // bytes a map may hold

	mu         sync.RWMutex
	young, old map[string]*page // guarded by mu, and so is size
	size       int64            // of young
}

func newPageCache(budget int64) *pageCache {
	return &pageCache{half: budget / 2, young: map[string]*page{}}
}

func (c *pageCache) get(name string) *page {
	c.mu.RLock()
	p, fresh := c.young[name]
	if !fresh {
		p = c.old[name]
	}
	c.mu.RUnlock()
	if p != nil && !fresh {
		c.put(name, p)
	}
	return p
}

// put keeps a page, unless it is so large that it would push out most others.
func (c *pageCache) put(name string, p *page) {
	cost := int64(len(p.body)) + pageOverhead
	if cost > c.half/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[name] != nil {
		return
	}
	if c.size+cost > c.half {
		c.old, c.young, c.size = c.young, make(map[string]*page, len(c.young)), 0
	}
	c.young[name] = p
	c.size += cost
}
