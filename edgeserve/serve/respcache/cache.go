// Package respcache caches responses that are ready to be sent, and bounds the memory of responses being sent. A cached
// response costs no system call but the write. Entries stand for files of a release and computed responses. Evicted
// responses are read or computed again.
package respcache

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
)

// Entry stands for a file of the release, or for a computed response. A list in two forms has two
// entries, with different Link fields. The members that a lookup reads come first: among 10,000
// entries each cache line is a miss, and a 304 costs little else.
type Entry struct {
	// Responses by coding: nil if not read or computed yet, Absent without precompressed file.
	Responses [contentcoding.Count]atomic.Pointer[Response]

	used     atomic.Bool // since the hand passed
	computed atomic.Bool // without a file: responses are computed from the snapshot
	Class    release.Class
	IsList   bool     // the file is one of a list
	first    Response // storage of the first of Responses, if it has a tag

	Key   string // in the cache
	Group *Group // nil means that the entry stays until it is evicted
	Name  string // below the release's root
	Link  []byte // value of the Link field of file responses; may be empty

	Tags [contentcoding.Count]atomic.Pointer[Tag] // of responses sent from the disk; nil if unknown

	// Guarded by the cache's mu:
	size         int64    // in bytes, with its aliases
	aliases      []string // oldest first
	older, newer *Entry

	beforeOfGroup, nextOfGroup *Entry
}

// IsComputed reports whether the entry has no file. An entry may be nil.
func (e *Entry) IsComputed() bool { return e != nil && e.computed.Load() }

// MarkComputed records that the entry has no file, and reports whether that is new. From now on, codings whose files
// were not found can be computed.
func (e *Entry) MarkComputed() bool {
	if e.computed.Swap(true) {
		return false
	}
	for i := range e.Responses {
		e.Responses[i].CompareAndSwap(Absent, nil)
	}
	return true
}

// Absent stands for a response in a coding that does not exist.
var Absent = new(Response)

// Tag is the entity tag of a file.
type Tag struct{ Value []byte }

const (
	entryOverhead = 360 // in addition to names and responses, in bytes
	aliasOverhead = 96  // in addition to its text, in bytes
	maxAlias      = 512 // in bytes
	maxAliases    = 8   // for one entry: a target has endless spellings
	// MaxComputedKey is the longest key of a computed response, in bytes: target and body, or a
	// list's canonical parameters. Each search has it on its stack. Longer keys are not cached.
	MaxComputedKey = 2048
)

// aliasRoot is the prefix of aliases and of the keys of searches. Other keys lack it.
var aliasRoot = []byte(address.Root)

// AppendSearchKey appends the key of a search to dst: target, space, body. No target has a space.
// It returns false for a search that is not cached.
func AppendSearchKey(dst, target, body []byte) ([]byte, bool) {
	if !bytes.HasPrefix(target, aliasRoot) || len(target)+1+len(body) > MaxComputedKey {
		return dst, false
	}
	return append(append(append(dst, target...), ' '), body...), true
}

// Cache finds entries by key and by alias. An alias is a request target as it was sent.
//
// Eviction follows SIEVE (Zhang and others, NSDI 2024). A hand moves over the entries from oldest to newest and starts
// again. It spares entries used since it passed and evicts the others, so a use costs one bit, and entries used once go
// first.
//
// Plain SIEVE can starve a loop: each entry is evicted just before its next use, and the hand never reaches unused
// entries. So an evicted entry leaves a ghost. If it returns while that is remembered, it counts as used, and the hand
// moves on.
//
// A computed response is cached at its second request. The first leaves only a hash, so a crawl
// over all possible requests evicts nothing.
type Cache struct {
	maxBytes int64
	memfiles *bodies.Memfiles

	mu      sync.RWMutex
	entries map[string]*Entry // by key and alias; nil once closed; guarded by mu, as is all below
	size    int64
	ends    Entry  // list head: its newer is the oldest entry, its older the newest
	hand    *Entry // &ends: it has passed all entries

	ghosts   ghostSet // keys of evicted entries
	seenOnce ghostSet // keys of computed responses that were requested once, or evicted
}

// New returns a cache of at most maxBytes.
func New(maxBytes int64) *Cache {
	c := &Cache{
		maxBytes: maxBytes, memfiles: bodies.NewMemfiles(), entries: map[string]*Entry{},
		ghosts: newGhostSet(maxBytes, bytesPerGhost), seenOnce: newGhostSet(maxBytes, bytesPerSeenOnce),
	}
	c.ends.older, c.ends.newer, c.hand = &c.ends, &c.ends, &c.ends
	return c
}

// Get finds an entry by its key.
func (c *Cache) Get(key string) *Entry { return c.get([]byte(key)) }

// get is Get for a key that is not a string.
func (c *Cache) get(key []byte) *Entry {
	c.mu.RLock()
	entry := c.entries[string(key)]
	c.mu.RUnlock()
	return entry.use()
}

// GetTarget finds an entry by an alias.
func (c *Cache) GetTarget(target []byte) *Entry {
	if !bytes.HasPrefix(target, aliasRoot) {
		return nil
	}
	return c.get(target)
}

// use marks an entry, which may be nil, as used. It writes only if that is new: all processors read
// the mark.
func (e *Entry) use() *Entry {
	if e != nil && !e.used.Load() {
		e.used.Store(true)
	}
	return e
}

// GetSearch finds the entry of a search.
func (c *Cache) GetSearch(target, body []byte) *Entry {
	var room [MaxComputedKey]byte
	key, ok := AppendSearchKey(room[:0], target, body)
	if !ok {
		return nil
	}
	return c.GetTarget(key)
}

// Alias lets an entry of the cache be found by a request target.
func (c *Cache) Alias(target []byte, entry *Entry) {
	if !bytes.HasPrefix(target, aliasRoot) || len(target) > maxAlias {
		return
	}
	name := string(target)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[name] != nil {
		return
	}
	if len(entry.aliases) == maxAliases {
		c.dropAlias(entry)
	}
	if c.makeRoom(entry, aliasCost(name)) {
		c.entries[name] = entry
		entry.aliases = append(entry.aliases, name)
		c.grow(entry, aliasCost(name))
	}
}

func aliasCost(name string) int64 { return int64(len(name)) + aliasOverhead }

// Put adds an entry, unless another request has added it, its group has ended or it does not fit.
func (c *Cache) Put(entry *Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[entry.Key] == nil && entry.Group.accepts() {
		c.enter(entry)
	}
}

// enter adds an entry that the cache lacks. mu is held.
func (c *Cache) enter(entry *Entry) {
	cost := int64(len(entry.Key)+len(entry.Name)+len(entry.Link)) + entryOverhead
	entry.used.Store(c.ghosts.has(xxhash.Sum64String(entry.Key)))
	if !c.makeRoom(nil, cost) {
		return
	}
	c.entries[entry.Key] = entry
	entry.join()
	entry.older, entry.newer = c.ends.older, &c.ends
	entry.older.newer, entry.newer.older = entry, entry
	c.grow(entry, cost)
}

func (c *Cache) grow(entry *Entry, cost int64) {
	entry.size += cost
	c.size += cost
}

// makeRoom evicts entries until cost more bytes fit. It returns false if they cannot fit, or if
// growing, which needs them, was evicted.
func (c *Cache) makeRoom(growing *Entry, cost int64) bool {
	for c.entries != nil && cost <= c.maxBytes && (growing == nil || c.entries[growing.Key] == growing) {
		if c.size <= c.maxBytes-cost {
			return true
		}
		c.evictOne()
	}
	return false
}

const maxSpared = 1000 // spared entries in a row; bounds the time for one eviction

// evictOne evicts the next unused entry. There must be an entry.
func (c *Cache) evictOne() {
	for spared := 0; ; spared++ {
		if c.hand == &c.ends {
			c.hand = c.ends.newer
		}
		entry := c.hand
		c.hand = entry.newer
		if !entry.used.Swap(false) || spared >= maxSpared {
			c.evict(entry)
			return
		}
	}
}

// evict drops an entry to make room, and remembers its key.
func (c *Cache) evict(entry *Entry) {
	h := xxhash.Sum64String(entry.Key)
	c.ghosts.add(h)
	if entry.IsComputed() {
		c.seenOnce.add(entry.Group.mark(h))
	}
	c.drop(entry)
}

func (c *Cache) drop(entry *Entry) {
	for len(entry.aliases) > 0 {
		c.dropAlias(entry)
	}
	if c.hand == entry {
		c.hand = entry.newer
	}
	entry.leave()
	delete(c.entries, entry.Key)
	entry.older.newer, entry.newer.older = entry.newer, entry.older
	entry.older, entry.newer = nil, nil
	c.size -= entry.size
	entry.release()
}

func (e *Entry) release() {
	for coding := range e.Responses {
		if response := e.Responses[coding].Load(); response != nil {
			response.Memfile.Release()
		}
	}
}

// Close empties the cache for good, so that a retired release's slow readers hold no descriptors.
func (c *Cache) Close() {
	c.mu.Lock()
	oldest := c.ends.newer
	c.ends.older, c.ends.newer, c.hand = &c.ends, &c.ends, &c.ends
	c.entries, c.size = nil, 0
	c.mu.Unlock()
	for entry := oldest; entry != &c.ends; entry = entry.newer {
		entry.release()
	}
}

func (c *Cache) dropAlias(entry *Entry) {
	name := entry.aliases[0]
	entry.aliases = slices.Delete(entry.aliases, 0, 1)
	delete(c.entries, name)
	c.grow(entry, -aliasCost(name))
}

// GetOrAddComputed returns the entry of a computed response, and whether the cache remembers an
// earlier request. At the first that is an entry outside the cache, or nil if the key is too long. So it is if the
// group has ended.
func (c *Cache) GetOrAddComputed(group *Group, key []byte, class release.Class) (entry *Entry, seenBefore bool) {
	if len(key) > MaxComputedKey {
		return nil, false
	}
	if entry := c.GetOf(group, key); entry != nil {
		return entry, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !group.accepts() {
		return seenOnceEntry, false
	}
	switch entry := c.entries[string(key)]; {
	case entry != nil && entry.Group == group:
		return entry.use(), true
	case entry != nil:
		return seenOnceEntry, false
	}
	if !c.seenOnce.add(group.mark(xxhash.Sum64(key))) {
		return seenOnceEntry, false
	}
	entry = &Entry{Key: string(key), Group: group, Class: class}
	entry.MarkComputed()
	c.enter(entry)
	return entry, true
}

// SeenBefore reports whether the cache remembers an earlier request for a response that it does not have.
func (c *Cache) SeenBefore(group *Group, key string) bool {
	h := group.mark(xxhash.Sum64String(key))
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seenOnce.add(h)
}

// seenOnceEntry stands for all computed responses that were requested once.
var seenOnceEntry = func() *Entry {
	f := new(Entry)
	f.MarkComputed()
	return f
}()

// Size returns the bytes that the cache holds.
func (c *Cache) Size() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.size
}

// Fits reports whether a response of a size is cached. A larger one would evict many others.
func (c *Cache) Fits(cost int64) bool { return cost <= c.maxBytes/10 }

// Store adds a response to an entry, if it fits and the entry has none. It returns the response to send.
func (c *Cache) Store(entry *Entry, response *Response) *Response {
	if !c.Fits(response.cost()) {
		return response
	}
	if !response.IsLarge() {
		response.Memfile = c.memfiles.New(response.Body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// A coding whose precompressed file is absent may be computed later.
	if stored := entry.Responses[response.Meta.Coding].Load(); stored != nil && stored != Absent {
		response.Memfile.Release()
		return stored
	}
	if cost := response.cost(); c.makeRoom(entry, cost) {
		c.grow(entry, cost)
	} else {
		response.Memfile.Release()
		response.Memfile = nil // the cache may be closed
	}
	if entry.first.Meta.ETag == nil && !response.IsLarge() { // a large one has one set of holders
		entry.first = *response
		response = &entry.first
	}
	entry.Responses[response.Meta.Coding].Store(response)
	return response
}

// Cached returns the best accepted response, not held; nil if it must be read or computed.
func (e *Entry) Cached(accept *contentcoding.Accept) *Response {
	for coding := range accept.Preferred(AllCodings) {
		if response := e.Responses[coding].Load(); response != Absent {
			return response
		}
	}
	return nil
}

// AllCodings are the codings of precompressed files.
var AllCodings = contentcoding.Set(0).With(contentcoding.Brotli).With(contentcoding.Zstd).With(contentcoding.Gzip)
