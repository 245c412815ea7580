package edgeserve

import (
	"fmt"
	"sync"
	"testing"

	"contentedge/edgeserve/encoding"
)

// held is what a cache keeps in memory, counted from what it holds.
func held(c *cache) (bytes int64) {
	files := map[*file]bool{}
	for _, half := range []map[string]*file{c.young, c.old} {
		for key, f := range half {
			if key != f.key {
				bytes += int64(len(key)) + aliasOverhead
			}
			files[f] = true
		}
	}
	for f := range files {
		bytes += int64(len(f.key)+len(f.name)) + fileOverhead
		for coding := range f.answers {
			if a := f.answers[coding].Load(); a != nil && a != absent {
				bytes += a.cost()
			}
		}
	}
	return bytes
}

// fill enters a file as a request does.
func fill(c *cache, name string, size int) *file {
	f := &file{key: name, name: name}
	c.put(name, f)
	c.keep(f, newAnswer(nil, "", encoding.Identity, make([]byte, size), `"t"`))
	c.alias([]byte("/cda/"+name), f)
	return f
}

func TestCacheIsBounded(t *testing.T) {
	const budget = 1 << 20
	for _, size := range []int{0, 10, 1000, 100000} {
		c := newCache(budget)
		for i := range 10000 {
			f := fill(c, fmt.Sprint(i), size)
			if i%3 == 0 {
				c.keep(f, newAnswer(nil, "", encoding.Gzip, make([]byte, size/2), `"t"`))
			}
			c.get(fmt.Sprint(i / 2))
			c.getTarget([]byte("/cda/" + fmt.Sprint(i/3)))
		}
		if got := held(c); got > budget || got < budget/3 {
			t.Errorf("files of %d bytes: holds %d bytes of a budget of %d", size, got, budget)
		}
		if c.get("9999") == nil || c.getTarget([]byte("/cda/9999")) == nil {
			t.Errorf("files of %d bytes: the newest is gone", size)
		}
		if c.get("5001") != nil {
			t.Errorf("files of %d bytes: one not used for long is still there", size)
		}
	}
}

// Names of files that do not exist are remembered within the same budget.
func TestCacheBoundsAbsentFiles(t *testing.T) {
	const budget = 1 << 20
	c := newCache(budget)
	for i := range 100000 {
		f := &file{key: fmt.Sprint(i)}
		f.answers[encoding.Identity].Store(absent)
		c.put(f.key, f)
	}
	if got := held(c); got > budget || got < budget/3 {
		t.Errorf("holds %d bytes of a budget of %d", got, budget)
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c := newCache(1 << 20)
	fill(c, "used", 1000)
	fill(c, "aliased", 1000)
	for i := range 10000 {
		fill(c, fmt.Sprint(i), 1000)
		f, g := c.get("used"), c.getTarget([]byte("/cda/aliased"))
		if f == nil || g == nil || f.answers[encoding.Identity].Load() == nil {
			t.Fatalf("gone after %d others", i)
		}
	}
}

func TestCacheLeavesOutWhatIsLarge(t *testing.T) {
	c := newCache(1 << 20)
	small := fill(c, "small", 100)
	large := fill(c, "large", 1<<18)
	if large.answers[encoding.Identity].Load() != nil || c.get("small") != small {
		t.Error("a large body pushed a small one out")
	}
}

// A target that is not a path is never an alias, whatever files are called.
func TestCacheAliases(t *testing.T) {
	c := newCache(1 << 20)
	f := fill(c, "a.json", 10)
	for _, target := range []string{"", "cda/a.json", "*", "http://h/cda/a.json", "/livez"} {
		c.alias([]byte(target), f)
		if c.getTarget([]byte(target)) != nil {
			t.Errorf("%q is an alias", target)
		}
	}
	if c.getTarget([]byte("/cda/a.json")) != f {
		t.Error("no alias")
	}
	long := "/cda/" + string(make([]byte, maxAlias))
	if c.alias([]byte(long), f); c.getTarget([]byte(long)) != nil {
		t.Error("a long target is an alias")
	}
}

// Of two requests that prepare the same answer, both send the same one.
func TestCacheKeepsOneAnswer(t *testing.T) {
	c := newCache(1 << 20)
	f := fill(c, "a", 10)
	var sent [8]*answer
	var wg sync.WaitGroup
	for i := range sent {
		wg.Go(func() {
			sent[i] = c.keep(f, newAnswer(nil, "", encoding.Brotli, []byte("x"), `"t"`))
		})
	}
	wg.Wait()
	for _, a := range sent {
		if a != sent[0] || a == nil {
			t.Errorf("answers %p and %p", a, sent[0])
		}
	}
	if got := held(c); got != c.size {
		t.Errorf("holds %d bytes, counts %d", got, c.size)
	}
}

// A file that is used through an alias alone is kept, and counted, like any other.
func TestCacheCountsAliasedFiles(t *testing.T) {
	c := newCache(1 << 20)
	f := fill(c, "a", 1000)
	c.rotate()
	again := c.getTarget([]byte("/cda/a"))
	c.old = nil
	if again != f || c.young["a"] != f || held(c) != c.size {
		t.Errorf("holds %d bytes, counts %d", held(c), c.size)
	}
}
