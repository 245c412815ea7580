package respcache

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/contentcoding"
)

// held is what a cache keeps in memory, counted from what it holds. Beside it there must be
// no file in memory.
func held(t *testing.T, c *Cache) (bytes int64) {
	t.Helper()
	files := 0
	for name, f := range c.entries {
		if name != f.Key {
			bytes += int64(len(name)) + aliasOverhead
			continue
		}
		bytes += int64(len(f.Key)+len(f.Name)) + entryOverhead
		for coding := range f.Responses {
			if a := f.Responses[coding].Load(); a != nil && a != Absent {
				bytes += a.cost()
				if a.Memfile != nil {
					files++
				}
			}
		}
	}
	if got := memfiles(t); got != files {
		t.Errorf("%d files in memory are open, %d in use", got, files)
	}
	return bytes
}

// testCache makes a cache that ends with the test.
func testCache(t *testing.T, budget int64) *Cache {
	c := New(budget)
	t.Cleanup(c.Close)
	return c
}

// fill enters a file as a request does.
func fill(c *Cache, name string, size int) *Entry {
	f := &Entry{Key: name, Name: name}
	c.Put(f)
	c.Store(f, newResponse(contentcoding.Identity, make([]byte, size)))
	c.Alias([]byte("/cda/"+name), f)
	return f
}

func TestCacheIsBounded(t *testing.T) {
	const budget = 1 << 20
	for _, size := range []int{0, 10, 1000, 20000, 100000} {
		c := testCache(t, budget)
		for i := range 10000 {
			f := fill(c, fmt.Sprint(i), size)
			if i%3 == 0 {
				c.Store(f, newResponse(contentcoding.Gzip, make([]byte, size/2)))
			}
			c.Get(fmt.Sprint(i / 2))
			c.GetTarget([]byte("/cda/" + fmt.Sprint(i/3)))
		}
		if got := held(t, c); got != c.size || got > budget || got < budget/5*4 {
			t.Errorf("files of %d bytes: holds %d bytes, counts %d, of a budget of %d", size, got, c.size, budget)
		}
		if got := memfiles(t); got*2*size > budget {
			t.Errorf("%d bodies of %d bytes are kept twice, of a budget of %d", got, size, budget)
		}
		if c.Get("9999") == nil || c.GetTarget([]byte("/cda/9999")) == nil {
			t.Errorf("files of %d bytes: the newest is gone", size)
		}
		if c.Get("5001") != nil {
			t.Errorf("files of %d bytes: one not used for long is still there", size)
		}
		if c.Close(); held(t, c) != 0 || c.size != 0 {
			t.Errorf("files of %d bytes: something is kept after the end", size)
		}
		if fill(c, "late", size); held(t, c) != 0 || c.size != 0 {
			t.Errorf("files of %d bytes: something is kept that came after the end", size)
		}
	}
}

// Names of files that do not exist are remembered within the same budget.
func TestCacheBoundsAbsentFiles(t *testing.T) {
	const budget = 1 << 20
	c := testCache(t, budget)
	for i := range 100000 {
		f := &Entry{Key: fmt.Sprint(i)}
		f.Responses[contentcoding.Identity].Store(Absent)
		c.Put(f)
	}
	if got := held(t, c); got != c.size || got > budget || got < budget/5*4 {
		t.Errorf("holds %d bytes, counts %d, of a budget of %d", got, c.size, budget)
	}
}

// TestRespCache: responses that are used stay beside thousands that are requested once.
func TestRespCache(t *testing.T) {
	c := testCache(t, 1<<20)
	fill(c, "used", 1000)
	fill(c, "aliased", 1000)
	for i := range 10000 {
		fill(c, fmt.Sprint(i), 1000)
		f, g := c.Get("used"), c.GetTarget([]byte("/cda/aliased"))
		if f == nil || g == nil || f.Responses[contentcoding.Identity].Load() == nil {
			t.Fatalf("gone after %d others", i)
		}
	}
}

func TestCacheLeavesOutWhatIsLarge(t *testing.T) {
	c := testCache(t, 1<<20)
	small := fill(c, "small", 100)
	for _, size := range []int{1 << 20 / 10, 1 << 18} {
		large := fill(c, fmt.Sprint(size), size)
		if large.Responses[contentcoding.Identity].Load() != nil || c.Get("small") != small {
			t.Errorf("a body of %d bytes is kept", size)
		}
	}
	fill(c, "engine's", bodies.Large)
	if memfiles(t) > 0 {
		t.Error("a body that is not sent on the wire is in a file")
	}
}

// A target that is not a path is never an alias, whatever files are called.
func TestCacheAliases(t *testing.T) {
	c := testCache(t, 1<<20)
	f := fill(c, "a.json", 10)
	for _, target := range []string{"", "cda/a.json", "*", "http://h/cda/a.json", "/livez"} {
		c.Alias([]byte(target), f)
		if c.GetTarget([]byte(target)) != nil {
			t.Errorf("%q is an alias", target)
		}
	}
	if c.GetTarget([]byte("/cda/a.json")) != f {
		t.Error("no alias")
	}
	long := "/cda/" + string(make([]byte, maxAlias))
	if c.Alias([]byte(long), f); c.GetTarget([]byte(long)) != nil {
		t.Error("a long target is an alias")
	}
}

// Of two requests that prepare the same answer, both send the same one.
func TestCacheKeepsOneAnswer(t *testing.T) {
	c := testCache(t, 1<<20)
	f := fill(c, "a", 10)
	var sent [8]*Response
	var wg sync.WaitGroup
	for i := range sent {
		wg.Go(func() {
			sent[i] = c.Store(f, newResponse(contentcoding.Brotli, make([]byte, 20000)))
		})
	}
	wg.Wait()
	for _, a := range sent {
		if a != sent[0] || a == nil {
			t.Errorf("answers %p and %p", a, sent[0])
		}
	}
	if got := held(t, c); got != c.size {
		t.Errorf("holds %d bytes, counts %d", got, c.size)
	}
}

// Of many who ask at once for what is not in the cache, one enters it.
func TestCacheEntersOnce(t *testing.T) {
	enter := map[string]func(c *Cache, key string){
		"files":         func(c *Cache, key string) { c.Put(&Entry{Key: key}) },
		"what is built": func(c *Cache, key string) { c.GetOrAddComputed(nil, []byte(key), 0) },
	}
	for kind, enter := range enter {
		c := testCache(t, 1<<20)
		for i := range 2000 {
			key := fmt.Sprint(i)
			c.GetOrAddComputed(nil, []byte(key), 0)
			var wg sync.WaitGroup
			start := make(chan struct{})
			for range 8 {
				wg.Go(func() {
					<-start
					enter(c, key)
				})
			}
			close(start)
			wg.Wait()
		}
		listed := 0
		for f := c.ends.newer; f != &c.ends; f = f.newer {
			listed++
		}
		if got := held(t, c); got != c.size || listed != 2000 || len(c.entries) != listed {
			t.Errorf("%s: %d files, lists %d; %d bytes, counts %d", kind, len(c.entries), listed, got, c.size)
		}
	}
}

// A cache without room remembers nothing: whoever asks there is the first.
func TestCacheWithoutRoom(t *testing.T) {
	c := testCache(t, 0)
	for range 3 {
		fill(c, "a", 10)
		if f, again := c.GetOrAddComputed(nil, []byte("b"), 0); f == nil || again || len(c.entries) > 0 {
			t.Errorf("asked for before: %t; %d files", again, len(c.entries))
		}
	}
}

// What is asked for once makes no garbage.
func TestAskedOnceAllocatesNothing(t *testing.T) {
	c := testCache(t, 1<<20)
	key, n := []byte("/cda/es/v1/e search      "), uint64(0)
	if allocs := testing.AllocsPerRun(1000, func() {
		n++
		binary.BigEndian.PutUint64(key[len(key)-8:], n)
		if f, again := c.GetOrAddComputed(nil, key, 0); f == nil || again {
			t.Fatalf("search %d was asked for before", n)
		}
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// A file that is used through an alias alone is kept, and counted, like any other.
func TestCacheCountsAliasedFiles(t *testing.T) {
	c := testCache(t, 1<<20)
	f := fill(c, "a", 1000)
	for i := range 10000 {
		fill(c, fmt.Sprint(i), 1000)
		again := c.GetTarget([]byte("/cda/a"))
		if again != f || c.entries["a"] != f {
			t.Fatalf("gone after %d others", i)
		}
	}
	if held(t, c) != c.size {
		t.Errorf("holds %d bytes, counts %d", held(t, c), c.size)
	}
}

// A target can be spelled in endless ways; a file that is in use all the time has no more
// than a few of them, the newest.
func TestCacheBoundsAliases(t *testing.T) {
	const spellings = 1000
	c := testCache(t, 1<<20)
	f := fill(c, "a", 100)
	for i := range spellings {
		c.Alias(fmt.Appendf(nil, "/cda/a?%d", i), f)
	}
	known := 0
	for i := range spellings {
		if c.GetTarget(fmt.Appendf(nil, "/cda/a?%d", i)) == f {
			known++
		}
	}
	if known != maxAliases || c.GetTarget(fmt.Appendf(nil, "/cda/a?%d", spellings-1)) != f {
		t.Errorf("%d aliases", known)
	}
	if got := held(t, c); got != c.size {
		t.Errorf("holds %d bytes, counts %d", got, c.size)
	}
}

// What fits into the whole budget stays, however it is used.
func TestCacheKeepsAllThatFits(t *testing.T) {
	const budget, most = 1 << 20, 4000
	c := testCache(t, budget)
	n := 0
	for ; c.size < budget-most; n++ {
		fill(c, fmt.Sprint(n), 1000)
	}
	for i := range 3 * n {
		if c.GetTarget(fmt.Appendf(nil, "/cda/%d", i%n)) == nil {
			t.Fatalf("%d of %d is gone", i%n, n)
		}
	}
}

// What has been dropped while its answer was being made is not counted.
func TestCacheForgetsWhatIsDropped(t *testing.T) {
	c := testCache(t, 1<<20)
	f := fill(c, "a", 1000)
	for i := 0; c.entries["a"] != nil; i++ {
		fill(c, fmt.Sprint(i), 1000)
	}
	c.Store(f, newResponse(contentcoding.Gzip, make([]byte, 20000)))
	c.Alias([]byte("/cda/other"), f)
	if got := held(t, c); got != c.size || c.entries["/cda/other"] != nil {
		t.Errorf("holds %d bytes, counts %d", got, c.size)
	}
}

// However many files are in use, making room for one more does not go through them all.
func TestCacheSparesNoMoreThanSome(t *testing.T) {
	c := testCache(t, 1<<30)
	for i := range 4 * maxSpared {
		c.Put(&Entry{Key: fmt.Sprint(i)})
	}
	for _, f := range c.entries {
		f.use()
	}
	c.maxBytes = c.size
	c.Put(&Entry{Key: "one"})
	unused := 0
	for _, f := range c.entries {
		if !f.used.Load() {
			unused++
		}
	}
	if c.entries["one"] == nil || unused > 2*maxSpared {
		t.Errorf("%d of %d files were passed", unused, len(c.entries))
	}
}

// sieve is a naive twin of a cache of files of one size: keys in the order they came in.
type sieve struct {
	room, hand int
	keys       []string
	used       map[string]bool
	dropped    ghostSet
}

func (s *sieve) put(key string) {
	again := s.dropped.has(xxhash.Sum64String(key))
	for len(s.keys) == s.room {
		if k := s.keys[s.hand]; s.used[k] {
			s.used[k] = false
			s.hand++
		} else {
			s.keys = slices.Delete(s.keys, s.hand, s.hand+1)
			s.dropped.add(xxhash.Sum64String(k))
		}
		if s.hand == len(s.keys) {
			s.hand = 0
		}
	}
	s.keys = append(s.keys, key)
	s.used[key] = again
}

func TestCacheDropsAsSieve(t *testing.T) {
	const room = 20
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	c := testCache(t, room*(entryOverhead+3))
	twin := sieve{room: room, used: map[string]bool{}, dropped: newGhostSet(room, 1)}
	for step := range 20000 {
		key := fmt.Sprintf("%03d", min(int(r.ExpFloat64()*30), 150)) // so few that all are remembered
		there := slices.Contains(twin.keys, key)
		if got := c.Get(key) != nil; got != there {
			t.Fatalf("seed %d, step %d: %s is there: %t, want %t", seed, step, key, got, there)
		}
		if there {
			twin.used[key] = true
		} else {
			c.Put(&Entry{Key: key})
			twin.put(key)
		}
	}
}

// When other things are asked for than before, in a loop that fits into the budget, they
// are soon all there, wherever the hand was: what is not used any more makes room.
func TestCacheFollowsWhatIsUsed(t *testing.T) {
	const budget, size, before, laps = 8 << 20, 1000, 10_000, 6
	ask := map[string]func(c *Cache, name string){
		"files": func(c *Cache, name string) { fill(c, name, size) },
		"what is built": func(c *Cache, name string) {
			if f, again := c.GetOrAddComputed(nil, []byte(name), 0); again {
				c.Store(f, newResponse(contentcoding.Identity, make([]byte, 10*size)))
			}
		},
	}
	for kind, ask := range ask {
		for _, now := range []int{30, 300, 600} {
			for _, asked := range []int{before, before + 1000, before + 2000, before + 4000} {
				c := testCache(t, budget)
				for i := range asked {
					fill(c, fmt.Sprint("before", i), size)
				}
				for _, f := range c.entries {
					f.use()
				}
				found := 0
				for i := range laps * now {
					name := fmt.Sprint("now", i%now)
					if f := c.Get(name); f == nil || f.Responses[contentcoding.Identity].Load() == nil {
						ask(c, name)
					} else if i >= (laps-1)*now {
						found++
					}
				}
				if found < now*9/10 {
					t.Errorf("%s after %d others: %d of %d are found after %d laps", kind, asked, found, now, laps-1)
				}
			}
		}
	}
}

// What is asked for once takes no memory, however much of it there is, and what is asked
// for again is known as long as there are not far more others than are remembered.
func TestCacheRemembersWhatWasAskedFor(t *testing.T) {
	const budget = 1 << 20
	const remembered = budget / bytesPerSeenOnce
	const others = remembered / 8
	c := testCache(t, budget)
	for i := range 10 * remembered {
		if f, again := c.GetOrAddComputed(nil, fmt.Append(nil, "once", i), 0); f == nil || again {
			t.Fatalf("%d was asked for before", i)
		}
	}
	if len(c.entries) > 0 || c.size > 0 {
		t.Errorf("%d files of %d bytes", len(c.entries), c.size)
	}
	known := 0
	for i := range 1000 {
		again := fmt.Sprint("again", i)
		c.GetOrAddComputed(nil, []byte(again), 0)
		for j := range others {
			c.GetOrAddComputed(nil, fmt.Append(nil, "other", i, j), 0)
		}
		if f, there := c.GetOrAddComputed(nil, []byte(again), 0); there && c.entries[again] == f {
			known++
		}
	}
	if known < 800 {
		t.Errorf("%d of 1000 are known", known)
	}
	// What was dropped was asked for, however long ago that was.
	f, _ := c.GetOrAddComputed(nil, []byte("again0"), 0)
	for i := range 100 * remembered {
		c.seenOnce.add(xxhash.Sum64String(fmt.Sprint("other", i)))
	}
	c.evict(f)
	if _, there := c.GetOrAddComputed(nil, []byte("again0"), 0); !there {
		t.Error("what was dropped is forgotten")
	}
	// Of a loop that is longer than that, some is known in each lap.
	known = 0
	for i := range 3 * 2 * remembered {
		if _, there := c.GetOrAddComputed(nil, fmt.Append(nil, "loop", i%(2*remembered)), 0); there {
			known++
		}
	}
	if known < remembered/4 {
		t.Errorf("%d of a loop are known", known)
	}
}

// Of files asked for in a loop that is a little longer than the budget, some stay.
func TestCacheKeepsSomeOfALongLoop(t *testing.T) {
	const budget, laps = 8 << 20, 8
	c, now, found := testCache(t, budget), 0, 0
	for ; c.size < budget*9/10; now++ {
		fill(c, fmt.Sprint(now), 1000)
	}
	now = now * 5 / 4
	for i := range laps * now {
		if name := fmt.Sprint(i % now); c.Get(name) == nil {
			fill(c, name, 1000)
		} else if i >= (laps-1)*now {
			found++
		}
	}
	if found < now/10 {
		t.Errorf("%d of %d are found", found, now)
	}
}

// memfiles is the number of files in memory that the process has open.
func memfiles(t *testing.T) (n int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, "/memfd:body") {
			n++
		}
	}
	return n
}
