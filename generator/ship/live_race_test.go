package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// watch reads the lists that are there, over and over, and says which of them names an item that is not there. A page
// that has changed meanwhile is read again.
func watch(ctx context.Context, s *store.Store, report func(string)) {
	for ctx.Err() == nil {
		for info, err := range s.List(ctx, release.LiveKey("cda/rest/v1/site/contents-list/")) {
			if err != nil || ctx.Err() != nil {
				break
			}
			if strings.HasSuffix(info.Key, ".json") {
				watchPage(ctx, s, info.Key, report)
			}
		}
	}
}

func watchPage(ctx context.Context, s *store.Store, key string, report func(string)) {
	page, _, err := s.ReadAll(ctx, key, store.GetOptions{Max: 1 << 20})
	if err != nil {
		return
	}
	for _, id := range idsOf(page) {
		item := release.LiveKey("cda/rest/v1/site/contents/" + id + ".json")
		if _, err := s.Stat(ctx, item); !errors.Is(err, store.ErrNotFound) {
			continue
		}
		if now, _, err := s.ReadAll(ctx, key, store.GetOptions{Max: 1 << 20}); err == nil && bytes.Equal(now, page) {
			report(fmt.Sprintf("%s names %s, which is not there", key, item))
		}
	}
}

// TestLiveRaces lets publications in place meet, some of which stand still or are killed, beside gc and a reader that
// watches. What lists name is there all the time, and the next publication ends whole.
func TestLiveRaces(t *testing.T) {
	rounds, seed := raceRounds(t, 3), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	setLease(t, time.Second)
	w := newWorld(t)
	rnd := rand.New(rand.NewPCG(seed, 4))
	releases := []string{buildOf(t, 3, 1), buildOf(t, 5, 2), buildOf(t, 4, 3), buildOf(t, 8, 4)}
	w.publishLive(releases[0])
	actors := []*world{w.another(), w.another(), w.another()}
	ended, lost, killed, strays := 0, 0, 0, 0
	for n := range rounds {
		ctx, stop := context.WithCancel(t.Context())
		var all, watcher sync.WaitGroup
		var mu sync.Mutex
		watcher.Go(func() {
			watch(ctx, w.s, func(what string) { t.Errorf("round %d: %s", n, what) })
		})
		for _, a := range actors[:1+rnd.IntN(len(actors))] {
			of, kill := context.WithCancel(ctx)
			a.disturb(rnd, kill)
			public := releases[rnd.IntN(len(releases))]
			all.Go(func() {
				defer kill()
				_, err := Publish(of, a.inPlace(public))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					ended++
				case of.Err() != nil:
					killed++
				case errors.Is(err, ErrLost), stoodStill(err):
					lost++
				case errors.Is(err, ErrForeign):
					strays++
				default:
					t.Errorf("round %d: %v", n, err)
				}
			})
		}
		if rnd.IntN(3) == 0 {
			all.Go(func() {
				if _, err := GC(ctx, PublishConfig{Store: w.s, Jobs: 2}, 1); err != nil && !stoodStill(err) {
					t.Errorf("round %d: gc: %v", n, err)
				}
			})
		}
		all.Wait()
		stop()
		watcher.Wait()
		w.nodesFind(t)
		if missing := w.readLive(); len(missing) > 0 {
			t.Errorf("round %d: %s", n, strings.Join(missing, "\n"))
		}
		w.leaseOver()
		public := releases[rnd.IntN(len(releases))]
		_, err := Publish(t.Context(), w.inPlace(public))
		for stoodStill(err) || errors.Is(err, ErrForeign) {
			if errors.Is(err, ErrForeign) {
				strays++
				w.repairCurrent(releases)
			}
			_, err = Publish(t.Context(), w.inPlace(public))
		}
		if err != nil {
			t.Fatal(err)
		}
		w.equalLive(public)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d publications ended, %d lost to others, %d were killed, %d met a request of a killed one", rounds, ended, lost, killed, strays)
}

// repairCurrent does what the error advises that a file is somebody else's. A request of a killed publication may arrive
// after its lease: the service works on it, though nobody waits for it.
func (w *world) repairCurrent(releases []string) {
	w.t.Helper()
	now := mustRead(w).Build
	for _, public := range releases {
		l, err := openLocal(public)
		if err != nil {
			w.t.Fatal(err)
		}
		l.close()
		if l.Manifest.Build != now {
			continue
		}
		if _, err := Repair(w.t.Context(), PublishConfig{Store: w.s, Public: public}); err != nil && !stoodStill(err) && !errors.Is(err, ErrForeign) {
			w.t.Fatal(err)
		}
	}
}

// stoodStill reports whether a command ended because the machine was too slow for a short lease.
func stoodStill(err error) bool {
	return errors.Is(err, errLeaseLost) || errors.Is(err, context.DeadlineExceeded)
}

// raceRounds is how many rounds a test of races has: few, where TEST_CONTENTEDGE_RACES does not say.
func raceRounds(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("TEST_CONTENTEDGE_RACES")
	if text == "" {
		return few
	}
	rounds, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return rounds
}

// another is the same store over a wire of its own.
func (w *world) another() *world {
	w.t.Helper()
	wire := storetest.NewProxy(w.t, w.wire.Target())
	storetest.Environment(w.t, wire.URL)
	s, err := store.Open(w.s.String(), store.Options{Stall: 5 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	return &world{t: w.t, wire: wire, s: s}
}

// disturb has some requests wait, for longer than a lease now and then, and may kill the process at one of them.
func (w *world) disturb(rnd *rand.Rand, kill context.CancelFunc) {
	own := rand.New(rand.NewPCG(rnd.Uint64(), 2))
	end := 0
	if own.IntN(3) > 0 {
		end = 1 + own.IntN(60)
	}
	w.wire.Set(func(n int, _ *http.Request) storetest.Fault {
		switch {
		case end > 0 && n >= end:
			kill()
			return storetest.Fault{Status: http.StatusForbidden}
		case own.IntN(300) == 0:
			return storetest.Fault{Wait: leaseTime * 3 / 2}
		case own.IntN(12) == 0:
			return storetest.Fault{Lost: true}
		}
		return storetest.Fault{}
	})
}
