// This file plays random scripts of faults, pull after pull.

package pull_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
)

var (
	faultSeed    = flag.Uint64("faults-seed", 0, "play the random scripts of one seed")
	faultScripts = flag.Int("faults-scripts", 60, "how many random scripts to play for each kind of origin")
)

// TestRandomFaults plays random scripts, pull after pull. Its failures print a seed and the steps that
// matter.
func TestRandomFaults(t *testing.T) {
	seed := cmp.Or(*faultSeed, rand.Uint64())
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			for n := range uint64(*faultScripts) {
				script := pulltest.Random(rand.New(rand.NewPCG(seed, n)), itemCount)
				fails := func(s pulltest.Script) (why string) { return playScript(t, v, s) }
				if why := fails(script); why != "" {
					script = pulltest.Shrink(script, func(s pulltest.Script) bool { return fails(s) != "" })
					t.Fatalf("-faults-seed %d, script %d:\n%s%s", seed, n, script, cmp.Or(fails(script), why))
				}
				if *faultSeed == 0 && testing.Short() && n > 20 {
					return
				}
			}
		})
	}
}

// playScript plays a script over some pulls, and returns what went wrong.
func playScript(t *testing.T, v variant, s pulltest.Script) (why string) {
	synctest.Test(t, func(t *testing.T) {
		m := open(t, v, manyMayGo)
		defer m.close()
		m.o.Play(slices.Clone(s)...)
		note := func(format string, args ...any) {
			if why == "" {
				why = fmt.Sprintf(format, args...) + "\n" + m.o.Log()
			}
		}
		for n := range 5 {
			before := m.text()
			if n == 4 {
				m.o.Play()
			}
			_, err := m.p.Run(t.Context())
			after := m.text()
			switch {
			case err != nil && after != before:
				note("pull %d: the mirror changed, and the pull ended with %v", n, err)
			case err == nil && m.o.Had(after) < 0:
				note("pull %d: the mirror is no state of the origin:\n%s", n, after)
			case n == 4 && (err != nil || after != m.o.Newest().Mirror()):
				note("pull %d: the origin is well, and the mirror is not the newest state: %v", n, err)
			}
			time.Sleep(pull.DefaultFullEvery / 2)
		}
	})
	return why
}

// The index of an origin has the limit of searches, so that large origins are read by other proofs.
func TestManyItems(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 10,001 items")
	}
	synctest.Test(t, func(t *testing.T) {
		m := open(t, variants[1], func(c *pull.Config) { c.PageSize = 2000 })
		defer m.close()
		items := make([]pulltest.Item, address.MaxSize+1)
		for k := range items {
			items[k] = pulltest.NewItem(fmt.Sprintf("Content_%06d", k), pulltest.Sample(0).CreatedAt.Add(time.Duration(k)*time.Second), pulltest.Sample(0).CreatedAt, "x")
		}
		m.o.Set(items...)
		if r, err := m.pull(t.Context()); err != nil || m.text() != m.o.Newest().Mirror() {
			t.Errorf("%v %+v", err, r)
		}
	})
}
