package ship

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/removal"
)

// races is how many rounds TestRaces has where TEST_CONTENTEDGE_RACES does not say: scripts/soak stores has more.
const races = 16

// An actor is a process at a store, on a wire of its own.
type actor struct {
	wire *storetest.Proxy
	s    *store.Store
}

// arena is a store that several processes change at once.
type arena struct {
	t       *testing.T
	rnd     *rand.Rand
	direct  *store.Store
	actors  []actor
	publics map[string]string // by build
	builds  []string
	kinds   []release.StoreKind // of publications
	node    *follow.Follower
}

func newArena(t *testing.T, seed uint64, kinds ...release.StoreKind) *arena {
	setLease(t, 300*time.Millisecond)
	addr := storetest.Start(t).Addr
	a := &arena{t: t, rnd: rand.New(rand.NewPCG(seed, 1)), publics: map[string]string{}, kinds: kinds}
	open := func() *store.Store {
		s, err := store.Open("s3://"+storetest.Bucket+"/live", store.Options{Stall: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a.direct = open()
	for range 4 {
		wire := storetest.NewProxy(t, addr)
		storetest.Environment(t, wire.URL)
		a.actors = append(a.actors, actor{wire, open()})
	}
	for i := range 5 {
		public := buildOf(t, 8, i)
		r, err := Publish(t.Context(), PublishConfig{Store: a.direct, Public: public, Kind: kinds[0], Removal: removal.Limit{Allow: true}})
		if err != nil {
			t.Fatal(err)
		}
		a.publics[r.Build], a.builds = public, append(a.builds, r.Build)
	}
	cfg := follow.Defaults()
	cfg.Store, cfg.Dir, cfg.Logger = a.direct, filepath.Join(t.TempDir(), "node"), slog.New(slog.DiscardHandler)
	cfg.Check = func(dir string) error { _, err := os.Stat(filepath.Join(dir, release.ManifestName)); return err }
	var err error
	if a.node, err = follow.New(cfg); err != nil {
		t.Fatal(err)
	}
	return a
}

// command chooses what an actor does.
func (a *arena) command(s *store.Store) (string, func(ctx context.Context) error) {
	build, kind := a.builds[a.rnd.IntN(len(a.builds))], a.kinds[a.rnd.IntN(len(a.kinds))]
	limit := removal.Limit{Allow: true}
	switch n := a.rnd.IntN(10); {
	case n < 4:
		return fmt.Sprintf("publish %s (%s)", build, kind), func(ctx context.Context) error {
			_, err := Publish(ctx, PublishConfig{Store: s, Public: a.publics[build], Kind: kind, Complete: kind == release.KindComplete, Jobs: 4, Removal: limit})
			return err
		}
	case n < 5:
		return "promote " + build, func(ctx context.Context) error {
			_, err := Promote(ctx, PublishConfig{Store: s, Removal: limit}, build)
			return err
		}
	case n < 6:
		return "rollback", func(ctx context.Context) error {
			_, err := Rollback(ctx, PublishConfig{Store: s})
			return err
		}
	}
	return "gc", func(ctx context.Context) error {
		_, err := GC(ctx, PublishConfig{Store: s, Jobs: 4}, 1)
		return err
	}
}

// disturb has some of an actor's requests wait, for longer than a lease now and then, and
// may kill it at one of them: nothing that it sends afterwards arrives.
func (a *arena) disturb(w *storetest.Proxy, kill context.CancelFunc) {
	rnd := rand.New(rand.NewPCG(a.rnd.Uint64(), 2))
	end := 0
	if rnd.IntN(4) == 0 {
		end = 1 + rnd.IntN(80)
	}
	w.Set(func(n int, _ *http.Request) storetest.Fault {
		switch {
		case end > 0 && n >= end:
			kill()
			return storetest.Fault{Status: http.StatusForbidden}
		case rnd.IntN(400) == 0:
			return storetest.Fault{Wait: leaseTime * 3 / 2}
		case rnd.IntN(4) == 0:
			return storetest.Fault{Wait: time.Duration(rnd.IntN(8)) * time.Millisecond}
		}
		return storetest.Fault{}
	})
}

// round lets some actors act at once. It tells what they did, and whether one of them said
// that the current release is not whole.
func (a *arena) round() (told bool, what []string) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, who := range a.actors[:2+a.rnd.IntN(len(a.actors)-1)] {
		name, do := a.command(who.s)
		ctx, kill := context.WithCancel(a.t.Context())
		a.disturb(who.wire, kill)
		late := time.Duration(a.rnd.IntN(30)) * time.Millisecond
		all.Go(func() {
			defer kill()
			select {
			case <-ctx.Done():
			case <-time.After(late):
			}
			err := do(ctx)
			mu.Lock()
			defer mu.Unlock()
			told = told || err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "generator releases repair")
			what = append(what, fmt.Sprintf("%s: %v", name, err))
		})
	}
	all.Go(func() { _ = a.node.Sync(a.t.Context()) })
	all.Wait()
	return told, what
}

// planMissing reads every object of the current release, and gives what is not as it should be.
func (a *arena) planMissing() (build string, wrong []string) {
	a.t.Helper()
	ctx := a.t.Context()
	p, _, err := currentPointer(ctx, a.direct)
	if err != nil {
		a.t.Fatal(err)
	}
	if p.Kind == release.KindNodes {
		return p.Build, a.missingForNodes(p)
	}
	files, damaged, err := contents(ctx, a.direct, p.Build)
	if err != nil {
		a.t.Fatal(err)
	}
	if damaged != "" {
		wrong = append(wrong, damaged)
	}
	bad, err := findDamaged(ctx, PublishConfig{Store: a.direct, Jobs: 8}, p.Kind, p.Build, files)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, f := range bad {
		wrong = append(wrong, f.name)
	}
	return p.Build, wrong
}

// missingForNodes is planMissing in a store for nodes.
func (a *arena) missingForNodes(p *release.Pointer) (wrong []string) {
	r, err := repairNodes(a.t.Context(), PublishConfig{Store: a.direct, Jobs: 8, DryRun: true}, p)
	switch {
	case errors.Is(err, ErrNotWhole):
		return []string{err.Error()}
	case err != nil:
		a.t.Fatal(err)
	case r.Sent > 0:
		return []string{"an object that another release has"}
	}
	return nil
}

// TestRaces lets publish, promote, rollback, gc and a node meet in random orders, with
// requests that wait and processes that are killed. After each round the current release
// is whole, or a command has said that it is not and repair mends it; and the node follows.
// It does so in stores of each kind, and in one that changes its kind.
func TestRaces(t *testing.T) {
	rounds, seed := raceRounds(t, races), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, c := range []struct {
		name  string
		share int // of the rounds
		kinds []release.StoreKind
	}{
		{"complete", 2, []release.StoreKind{release.KindComplete}},
		{"nodes", 2, []release.StoreKind{release.KindNodes}},
		{"both", 4, []release.StoreKind{release.KindNodes, release.KindComplete}},
	} {
		t.Run(c.name, func(t *testing.T) { newArena(t, seed, c.kinds...).run(max(1, rounds/c.share)) })
	}
}

// run lets commands meet for some rounds.
func (a *arena) run(rounds int) {
	t := a.t
	told, gone := 0, 0
	for n := range rounds {
		said, what := a.round()
		build, wrong := a.planMissing()
		if said {
			told++
		}
		if len(wrong) > 0 {
			gone++
			if !said {
				t.Fatalf("round %d: release %s lacks %d files, and nobody said so: %s\n%s", n, build, len(wrong), wrong[0], strings.Join(what, "\n"))
			}
			if _, err := Repair(t.Context(), PublishConfig{Store: a.direct, Public: a.publics[build]}); err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
			if _, wrong = a.planMissing(); len(wrong) > 0 {
				t.Fatalf("round %d: repaired, but %v is wrong", n, wrong)
			}
		}
		if err := a.node.Sync(t.Context()); err != nil && !errors.Is(err, store.ErrNotModified) {
			t.Fatalf("round %d: the node: %v\n%s", n, err, strings.Join(what, "\n"))
		}
	}
	t.Logf("%d rounds: %d times a command said that the release may not be whole, %d times it was not", rounds, told, gone)
}
