// This file keeps prepared answers in memory, so that a file asked for often costs no
// system call. The memory is bounded; what is dropped is made again.

package edgeserve

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/wire"
)

// file is what is known of one file of the release, in the form that its list was asked
// for: links differ, so the two forms are two files here. What is built from the snapshot
// is kept as if there were a file.
//
// What a plain answer needs comes first and lies together: among 10,000 files every place
// in memory to be looked at is a miss of all caches, and a 304 is little else.
type file struct {
	// answers are the file's own and those of the coded files beside it: nil if nobody
	// has looked or built yet, absent if there is no such coding.
	answers [encoding.Count]atomic.Pointer[answer]

	used    atomic.Bool // since the cache's hand came by
	unfiled atomic.Bool // there is no file: answers are built from the snapshot
	class   release.Class
	first   answer // one of answers, if it has a tag

	key  string // in the cache
	name string // below the release's root
	link []byte // value of the Link header of answers from files, may be empty

	// The cache's, and guarded by its mu:
	size         int64    // what it costs, with its aliases
	aliases      []string // the oldest first
	older, newer *file
}

func (f *file) isUnfiled() bool { return f != nil && f.unfiled.Load() }

// absent stands for the answer in a coding that does not exist.
var absent = new(answer)

const (
	// fileOverhead is what a file costs beside its names and answers, with the room for
	// the first of these.
	fileOverhead = 320
	// aliasOverhead is what a second key costs beside its text.
	aliasOverhead = 96
	// maxAlias is the longest request target that is remembered.
	maxAlias = 512
	// maxAliases is how many of them a file has: targets can be spelled in endless ways.
	maxAliases = 8
	// maxUnfiled is the longest key of what there is no file for.
	maxUnfiled = 2048
)

// aliasRoot is what aliases begin with and keys do not, but for those of searches.
var aliasRoot = []byte("/cda/")

// appendSearch appends the key of a search to dst: its target and its body, with a space
// between them, which no target has. False means that it is not to be kept.
func appendSearch(dst, target, body []byte) ([]byte, bool) {
	if !bytes.HasPrefix(target, aliasRoot) || len(target)+1+len(body) > maxUnfiled {
		return dst, false
	}
	return append(append(append(dst, target...), ' '), body...), true
}

// cache finds files by their keys and by their aliases, which are request targets as they
// were sent.
//
// Which files have to go is decided as in SIEVE (Zhang and others, NSDI 2024): they stand
// in the order in which they came, and a hand goes from the oldest to the newest and round
// again. It spares what has been used since it came by last, and drops the rest. So being
// used costs a file no more than a bit, and what is asked for once goes first. But files
// that are asked for in a loop could for ever be dropped just before they are asked for
// again, while the hand never comes to others that nobody wants any more. So what was
// dropped lately counts as used when it comes back: the hand spares it and goes on.
//
// What is built is kept when it is asked for again: the first time is only remembered, so
// that a walk over everything that can be asked pushes nothing out that is in use.
type cache struct {
	budget   int64
	memfiles *wire.Memfiles

	mu    sync.RWMutex
	files map[string]*file // by key and alias, nil: ended; guarded by mu, and so are the others
	size  int64
	ends  file  // newer of it is the oldest file, older of it the newest
	hand  *file // ends: all that there are have been passed

	dropped past // keys of files that were dropped lately
	asked   past // keys of what there is no file for that were asked for, or dropped, lately
}

func newCache(budget int64) *cache {
	c := &cache{
		budget: budget, memfiles: wire.NewMemfiles(), files: map[string]*file{},
		dropped: newPast(budget, perDropped), asked: newPast(budget, perAsked),
	}
	c.ends.older, c.ends.newer, c.hand = &c.ends, &c.ends, &c.ends
	return c
}

// get finds a file by its key.
func (c *cache) get(key string) *file { return c.getBytes([]byte(key)) }

// getBytes is get without a string to be made.
func (c *cache) getBytes(key []byte) *file {
	c.mu.RLock()
	f := c.files[string(key)]
	c.mu.RUnlock()
	return f.use()
}

// getTarget finds a file by an alias.
func (c *cache) getTarget(target []byte) *file {
	if !bytes.HasPrefix(target, aliasRoot) {
		return nil
	}
	return c.getBytes(target)
}

// use notes that a file, which may be nil, is used. It writes only if that is news: all
// processors read it.
func (f *file) use() *file {
	if f != nil && !f.used.Load() {
		f.used.Store(true)
	}
	return f
}

// getSearch finds what is kept of a search.
func (c *cache) getSearch(target, body []byte) *file {
	var room [maxUnfiled]byte
	key, ok := appendSearch(room[:0], target, body)
	if !ok {
		return nil
	}
	return c.getTarget(key)
}

// alias lets a file that is in the cache be found by the target of a request that it
// answered.
func (c *cache) alias(target []byte, f *file) {
	if !bytes.HasPrefix(target, aliasRoot) || len(target) > maxAlias {
		return
	}
	name := string(target)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[name] != nil {
		return
	}
	if len(f.aliases) == maxAliases {
		c.dropAlias(f)
	}
	if c.makeRoom(f, aliasCost(name)) {
		c.files[name] = f
		f.aliases = append(f.aliases, name)
		c.grow(f, aliasCost(name))
	}
}

func aliasCost(name string) int64 { return int64(len(name)) + aliasOverhead }

// put enters a file, unless another request was faster or it costs more than the budget.
func (c *cache) put(f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[f.key] == nil {
		c.enter(f)
	}
}

// enter is put, with mu held, for a file that is not there.
func (c *cache) enter(f *file) {
	cost := int64(len(f.key)+len(f.name)+len(f.link)) + fileOverhead
	f.used.Store(c.dropped.has(xxhash.Sum64String(f.key)))
	if !c.makeRoom(nil, cost) {
		return
	}
	c.files[f.key] = f
	f.older, f.newer = c.ends.older, &c.ends
	f.older.newer, f.newer.older = f, f
	c.grow(f, cost)
}

// grow counts what a file costs more.
func (c *cache) grow(f *file, cost int64) {
	f.size += cost
	c.size += cost
}

// makeRoom drops files until there is room for cost more. False: there is no such room, or
// growing, the file that it is for, is not in the cache any more.
func (c *cache) makeRoom(growing *file, cost int64) bool {
	for c.files != nil && cost <= c.budget && (growing == nil || c.files[growing.key] == growing) {
		if c.size <= c.budget-cost {
			return true
		}
		c.dropOne()
	}
	return false
}

// maxSpared is how many files are spared in a row: nobody must wait for long.
const maxSpared = 1000

// dropOne drops the next file that has not been used. There must be a file.
func (c *cache) dropOne() {
	for spared := 0; ; spared++ {
		if c.hand == &c.ends {
			c.hand = c.ends.newer
		}
		f := c.hand
		c.hand = f.newer
		if !f.used.Swap(false) || spared >= maxSpared {
			c.drop(f)
			return
		}
	}
}

func (c *cache) drop(f *file) {
	for len(f.aliases) > 0 {
		c.dropAlias(f)
	}
	delete(c.files, f.key)
	f.older.newer, f.newer.older = f.newer, f.older
	f.older, f.newer = nil, nil
	h := xxhash.Sum64String(f.key)
	c.dropped.add(h)
	if f.isUnfiled() {
		c.asked.add(h)
	}
	c.size -= f.size
	f.release()
}

// release lets go of the answers' files in memory.
func (f *file) release() {
	for coding := range f.answers {
		if a := f.answers[coding].Load(); a != nil {
			a.memfile.Release()
		}
	}
}

// end empties the cache for good: a release that is not served any more must not hold
// descriptors for as long as its slowest reader stays.
func (c *cache) end() {
	c.mu.Lock()
	oldest := c.ends.newer
	c.ends.older, c.ends.newer, c.hand = &c.ends, &c.ends, &c.ends
	c.files, c.size = nil, 0
	c.mu.Unlock()
	for f := oldest; f != &c.ends; f = f.newer {
		f.release()
	}
}

// dropAlias drops the oldest alias of a file.
func (c *cache) dropAlias(f *file) {
	name := f.aliases[0]
	f.aliases = slices.Delete(f.aliases, 0, 1)
	delete(c.files, name)
	c.grow(f, -aliasCost(name))
}

// unfiled returns what is known of what there is no file for, and whether it was asked for
// before, as far as that is remembered; only then it is entered. If it was not, it is
// askedOnce, or nil if its key is too long.
func (c *cache) unfiled(key []byte, class release.Class) (f *file, again bool) {
	if len(key) > maxUnfiled {
		return nil, false
	}
	if f := c.getBytes(key); f != nil {
		return f, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[string(key)]; f != nil {
		return f.use(), true
	}
	if !c.asked.add(xxhash.Sum64(key)) {
		return askedOnce, false
	}
	f = &file{key: string(key), class: class}
	f.unfiled.Store(true)
	c.enter(f)
	return f, true
}

// askedOnce stands for what there is no file for and that is in no cache.
var askedOnce = func() *file {
	f := new(file)
	f.unfiled.Store(true)
	return f
}()

// keep adds an answer to a file, unless it is so large that it would push out many
// others, or another request was faster. It returns the answer that is to be sent.
func (c *cache) keep(f *file, a *answer) *answer {
	if a.cost() > c.budget/10 {
		return a
	}
	if !a.large() {
		a.memfile = c.memfiles.New(a.body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// Where a coded file was looked for and not found, the coded form may be built later.
	if kept := f.answers[a.coding].Load(); kept != nil && kept != absent {
		a.memfile.Release()
		return kept
	}
	if cost := a.cost(); c.makeRoom(f, cost) {
		c.grow(f, cost)
	} else {
		a.memfile.Release()
		a.memfile = nil // f may be in a cache that has ended
	}
	if f.first.etag == nil && !a.large() { // those who hold a large one know it by its address
		f.first = *a
		a = &f.first
	}
	f.answers[a.coding].Store(a)
	return a
}
