// This file keeps prepared answers in memory, so that a file asked for often costs no
// system call. The memory is bounded; what is dropped is made again.

package edgeserve

import (
	"bytes"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/release"
)

// file is what is known of one file of the release, in the form that its list was asked
// for: links differ, so the two forms are two files here. What is built from the snapshot
// is kept as if there were a file.
type file struct {
	key   string // in the cache
	name  string // below the release's root
	class release.Class
	link  string // value of the Link header of answers from files, may be empty

	// unfiled tells that there is no file: answers are built from the snapshot.
	unfiled atomic.Bool

	// answers are the file's own and those of the coded files beside it: nil if nobody
	// has looked or built yet, absent if there is no such coding.
	answers [encoding.Count]atomic.Pointer[answer]

	size int64 // what it costs, guarded by the cache's mu
}

func (f *file) isUnfiled() bool { return f != nil && f.unfiled.Load() }

// absent stands for the answer in a coding that does not exist.
var absent = new(answer)

const (
	// fileOverhead is what a file costs beside its names and answers.
	fileOverhead = 256
	// aliasOverhead is what a second key costs beside its text.
	aliasOverhead = 96
	// maxAlias is the longest request target that is remembered.
	maxAlias = 512
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

// cache is two maps of nearly half the budget each. New and used entries go to young;
// when young is full it becomes old, and what was in old and not used since is gone.
// That is nearly least-recently-used at the price of a map lookup.
//
// A file is found under its key and under aliases, which are request targets as they
// were sent. An alias is in a map only together with its file, so that what a map keeps
// in memory is what it accounts for.
//
// What is built is kept when it is asked for again: the first time leaves the file
// without an answer, which costs little, so that a walk over everything that can be asked
// pushes nothing out that is in use.
type cache struct {
	half int64 // what a map may cost

	mu         sync.RWMutex
	young, old map[string]*file // guarded by mu, and so is size
	size       int64            // of young
}

func newCache(budget int64) *cache {
	// An answer may be a quarter of half, and is added before old gives way.
	return &cache{half: budget * 2 / 5, young: map[string]*file{}}
}

// get finds a file by its key.
func (c *cache) get(key string) *file {
	c.mu.RLock()
	f, fresh := c.young[key]
	if !fresh {
		f = c.old[key]
	}
	c.mu.RUnlock()
	if f != nil && !fresh {
		c.put(key, f)
	}
	return f
}

// getTarget finds a file by an alias. It is get without a string to be made.
func (c *cache) getTarget(target []byte) *file {
	if !bytes.HasPrefix(target, aliasRoot) {
		return nil
	}
	c.mu.RLock()
	f, fresh := c.young[string(target)]
	if !fresh {
		f = c.old[string(target)]
	}
	c.mu.RUnlock()
	if f != nil && !fresh {
		c.put(string(target), f)
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

// enterSearch makes the entry of a search that was asked for the first time.
func (c *cache) enterSearch(target, body []byte) {
	if key, ok := appendSearch(nil, target, body); ok {
		c.unfiled(string(key), release.ClassSearch)
	}
}

// alias lets a file be found by the target of a request that it answered.
func (c *cache) alias(target []byte, f *file) {
	if bytes.HasPrefix(target, aliasRoot) && len(target) <= maxAlias {
		c.put(string(target), f)
	}
}

// put enters a file under its key and under name, which may be the key.
func (c *cache) put(name string, f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young[name] != nil {
		return
	}
	if first := c.young[f.key]; first != nil {
		f = first // another request was faster
	}
	if f.size == 0 {
		f.size = int64(len(f.key)+len(f.name)+len(f.link)) + fileOverhead
	}
	if c.size+f.size+int64(len(name))+aliasOverhead > c.half {
		c.rotate()
	}
	if c.young[f.key] == nil {
		c.young[f.key] = f
		c.size += f.size
	}
	if name != f.key {
		c.young[name] = f
		c.size += int64(len(name)) + aliasOverhead
	}
}

func (c *cache) rotate() {
	c.old, c.young, c.size = c.young, make(map[string]*file, len(c.young)), 0
}

// unfiled returns the entry of what there is no file for, and whether it was there before;
// nil if its key is too long.
func (c *cache) unfiled(key string, class release.Class) (f *file, again bool) {
	if len(key) > maxUnfiled {
		return nil, false
	}
	if f := c.get(key); f != nil {
		return f, true
	}
	f = &file{key: key, class: class}
	f.unfiled.Store(true)
	c.put(key, f)
	return f, false
}

// keep adds an answer to a file, unless it is so large that it would push out most
// others, or another request was faster. It returns the answer that is to be sent.
func (c *cache) keep(f *file, a *answer) *answer {
	cost := a.cost()
	if cost > c.half/4 {
		return a
	}
	// Where a coded file was looked for and not found, the coded form may be built later.
	if p := &f.answers[a.coding]; !p.CompareAndSwap(nil, a) && !p.CompareAndSwap(absent, a) {
		return p.Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f.size += cost
	if c.young[f.key] != f {
		return a // it has been pushed out; whoever uses it still has it
	}
	c.size += cost
	if c.size > c.half {
		c.rotate()
		c.young[f.key], c.size = f, f.size
	}
	return a
}
