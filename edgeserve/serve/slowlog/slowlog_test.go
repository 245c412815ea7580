package slowlog

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSlowLog keeps the slowest of many searches, from many goroutines, and compares them with a
// list of all.
func TestSlowLog(t *testing.T) {
	const most = 20
	l := New(most)
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(2, uint64(g)))
			for range 2000 {
				took := time.Duration(rnd.Int64N(int64(time.Second))) >> rnd.IntN(20)
				mu.Lock()
				all = append(all, took)
				mu.Unlock()
				if l.Wants(took) {
					l.Add(Entry{Took: took}, []byte("/t"), []byte("{}"))
				}
			}
		})
	}
	wg.Wait()
	slices.Sort(all)
	slices.Reverse(all)
	got := l.Entries()
	if len(got) != most {
		t.Fatalf("%d entries", len(got))
	}
	for i, e := range got {
		if e.Took != all[i] {
			t.Errorf("entry %d took %s, want %s", i, e.Took, all[i])
		}
	}
	if l.Wants(all[most-1]) || !l.Wants(all[most-1]+1) {
		t.Error("the least time is not that of the last entry")
	}
}

func TestShortSearchesAreNotSlow(t *testing.T) {
	if l := New(5); l.Wants(Floor) || !l.Wants(Floor+1) {
		t.Error("the floor does not count")
	}
}

func TestNoLog(t *testing.T) {
	if l := New(0); l.Wants(time.Hour) || l.Entries() != nil {
		t.Error("a log of none remembers")
	}
}

// Long texts are cut, at the end of a character; others keep each byte.
func TestTextsAreCut(t *testing.T) {
	l := New(3)
	long := strings.Repeat("a", MaxText-1) + "é and more"
	l.Add(Entry{Took: 3}, []byte(long), []byte(strings.Repeat("\xff", 5*MaxText)))
	l.Add(Entry{Took: 2}, []byte("/short\xff"), nil)
	e := l.Entries()
	if e[0].Target != long[:MaxText-1] || len(e[0].Body) > MaxText || len(e[0].Body) < MaxText-4 || e[0].BodyBytes != 5*MaxText {
		t.Errorf("%d and %d bytes of %d", len(e[0].Target), len(e[0].Body), e[0].BodyBytes)
	}
	if e[1].Target != "/short\xff" || e[1].Body != "" {
		t.Errorf("%+v", e[1])
	}
}

// A search that is not slow costs a comparison.
func BenchmarkWants(b *testing.B) {
	l := New(20)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if l.Wants(50 * time.Microsecond) {
				b.Fatal("wanted")
			}
		}
	})
}
