package ship

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/provenance"
	"contentedge/generator/removal"
	"contentedge/generator/signing"
)

// kindConfigs are the kinds of stores that a rollback knows.
var kindConfigs = map[string]PublishConfig{
	"complete": {},
	"nodes":    {Kind: release.KindNodes},
}

// publishAll publishes releases with so many changed items, and returns their builds.
func (w *world) publishAll(c PublishConfig, changed ...int) (builds []string) {
	w.t.Helper()
	for _, n := range changed {
		if c.Store, c.Public = w.s, build(w.t, n); len(c.Sign.Keys) > 0 {
			c.Public = ownBuild(w.t, n) // which gets the signed pointer
		}
		r, err := Publish(w.t.Context(), c)
		if err != nil {
			w.t.Fatal(err)
		}
		builds = append(builds, r.Build)
	}
	return builds
}

// withdrawn returns the builds that the list of releases shows as withdrawn.
func (w *world) withdrawn() (builds []string) {
	w.t.Helper()
	all, err := List(w.t.Context(), w.s)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range all {
		if r.Withdrawn != nil {
			builds = append(builds, r.Build)
		}
	}
	slices.Sort(builds)
	return builds
}

// expectWithdrawn fails unless exactly these builds are withdrawn.
func (w *world) expectWithdrawn(want ...string) {
	w.t.Helper()
	want = slices.Sorted(slices.Values(want))
	if got := w.withdrawn(); !slices.Equal(got, want) {
		w.t.Errorf("withdrawn: %v, want %v", got, want)
	}
}

// TestRollbackIsRemembered rolls back again and again, and publishes what was withdrawn.
func TestRollbackIsRemembered(t *testing.T) {
	for name, c := range kindConfigs {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.publishAll(c, 0, 1, 2, 3)
			c.Store = w.s
			for i := 2; i >= 0; i-- {
				m, err := Rollback(t.Context(), c)
				if err != nil || m.Build != b[i] || m.Withdrawn != b[i+1] {
					t.Fatalf("to release %d: %+v, %v", i, m, err)
				}
				w.expectWithdrawn(b[i+1:]...)
			}
			if m, err := Rollback(t.Context(), c); !errors.Is(err, ErrNoRelease) || !strings.Contains(err.Error(), "releases promote") {
				t.Errorf("beyond the first release: %+v, %v", m, err)
			}
			w.expectWithdrawn(b[1:]...)
			c.Public = build(t, 2)
			if _, err := Publish(t.Context(), c); !errors.Is(err, ErrWithdrawn) || !strings.Contains(err.Error(), "--again") {
				t.Errorf("a withdrawn release: %v", err)
			}
			c.Again = true
			if r, err := Publish(t.Context(), c); err != nil || r.Build != b[2] {
				t.Fatalf("again: %+v, %v", r, err)
			}
			w.expectWithdrawn(b[1], b[3])
			c.Again = false
			if r, err := Publish(t.Context(), c); err != nil || r.Changed {
				t.Errorf("after that: %+v, %v", r, err)
			}
			if m, err := Rollback(t.Context(), c); err != nil || m.Build != b[0] {
				t.Errorf("past a withdrawn release: %+v, %v", m, err)
			}
		})
	}
}

// TestRollbackOrder follows the order in which releases became current, not that in which they were sent.
func TestRollbackOrder(t *testing.T) {
	w := newWorld(t)
	b := w.publishAll(PublishConfig{}, 0, 1, 2)
	c := PublishConfig{Store: w.s}
	if _, err := Promote(t.Context(), c, b[0]); err != nil {
		t.Fatal(err)
	}
	b = append(b, w.publishAll(PublishConfig{}, 3)...)
	for _, want := range []int{0, 2, 1} {
		if m, err := Rollback(t.Context(), c); err != nil || m.Build != b[want] {
			t.Fatalf("to release %d: %+v, %v", want, m, err)
		}
	}
	// A caller who promotes a release by name takes its withdrawal back.
	if _, err := Promote(t.Context(), c, b[3]); err != nil {
		t.Fatal(err)
	}
	w.expectWithdrawn(b[0], b[2])
}

// TestRollbackSkips does not go to a release that was never current, or that the store has lost.
func TestRollbackSkips(t *testing.T) {
	w := newWorld(t)
	b := w.publishAll(PublishConfig{}, 0, 1, 2, 3)
	c := PublishConfig{Store: w.s}
	for _, key := range []string{root(b[1]) + release.PointerName, root(b[0]) + release.ManifestName} {
		if err := remove(t.Context(), w.s, key); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := Rollback(t.Context(), c); err != nil || m.Build != b[2] {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err := Rollback(t.Context(), c); !errors.Is(err, ErrNoRelease) {
		t.Errorf("went to %+v, %v", m, err)
	}
}

// TestRollbackDryRun says where a rollback goes and writes nothing.
func TestRollbackDryRun(t *testing.T) {
	w := newWorld(t)
	b := w.publishAll(PublishConfig{}, 0, 1)
	w.requests("")
	m, err := Rollback(t.Context(), PublishConfig{Store: w.s, DryRun: true})
	if err != nil || m.Build != b[0] || m.Withdrawn != b[1] || len(w.requests("PUT")) > 0 {
		t.Errorf("%+v, %v", m, err)
	}
	w.expectWithdrawn()
}

// TestInPlaceRefusesWithdrawn refuses a withdrawn release in a store in place too.
func TestInPlaceRefusesWithdrawn(t *testing.T) {
	w := newWorld(t)
	w.publishAll(PublishConfig{}, 0, 1)
	if _, err := Rollback(t.Context(), PublishConfig{Store: w.s}); err != nil {
		t.Fatal(err)
	}
	c := PublishConfig{Store: w.s, Public: build(t, 1), Kind: release.KindInPlace, Removal: removal.Limit{Allow: true}}
	if _, err := Publish(t.Context(), c); !errors.Is(err, ErrWithdrawn) {
		t.Errorf("got %v", err)
	}
	c.Again = true
	if _, err := Publish(t.Context(), c); err != nil {
		t.Error(err)
	}
	w.expectWithdrawn()
}

// TestRollbackAgainstPublisher lets another publisher move the pointer in the middle of a rollback, which then fails and
// withdraws nothing.
func TestRollbackAgainstPublisher(t *testing.T) {
	w := newWorld(t)
	w.publishAll(PublishConfig{}, 0, 1)
	var other error
	w.at(func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/live/"+release.PointerName)
	}, func() {
		_, other = Publish(context.Background(), PublishConfig{Store: w.s, Public: build(t, 2)})
	})
	if _, err := Rollback(t.Context(), PublishConfig{Store: w.s}); !errors.Is(err, ErrLost) || other != nil {
		t.Fatalf("%v, %v", err, other)
	}
	w.expectWithdrawn()
}

// TestPublisherAgainstRollback lets a rollback run in the middle of a publication of the release that it withdraws.
func TestPublisherAgainstRollback(t *testing.T) {
	for _, at := range []string{release.PointerName, WithdrawnName} {
		t.Run("before the publisher reads "+at, func(t *testing.T) {
			w := newWorld(t)
			b := w.publishAll(PublishConfig{}, 0, 1)
			var other error
			w.at(func(r *http.Request) bool {
				return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/live/"+at)
			}, func() {
				_, other = Rollback(context.Background(), PublishConfig{Store: w.s})
			})
			_, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 1)})
			if p := mustRead(w); !errors.Is(err, ErrWithdrawn) || other != nil || p.Build != b[0] {
				t.Errorf("%v, %v, %s is current", err, other, p.Build)
			}
			w.expectWithdrawn(b[1])
		})
	}
}

// TestRollbacksAtOnce runs several rollbacks at the same moment: each goes one release back, or is told that another one
// was first.
func TestRollbacksAtOnce(t *testing.T) {
	w := newWorld(t)
	b := w.publishAll(PublishConfig{}, 0, 1, 2, 3)
	errs := make([]error, 3)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = Rollback(context.Background(), PublishConfig{Store: w.s}) })
	}
	all.Wait()
	moved := 0
	for _, err := range errs {
		if err == nil {
			moved++
		} else if !errors.Is(err, ErrLost) {
			t.Error(err)
		}
	}
	now := slices.Index(b, mustRead(w).Build) // rollbacks of the same second write the same pointer, once
	if now < 3-moved || now > 2 {
		t.Errorf("%d moved, and release %d is current", moved, now)
	}
	w.expectWithdrawn(b[now+1:]...)
}

// TestProposedRollbackCounts counts a proposed rollback when its pointer is the current one, not earlier.
func TestProposedRollbackCounts(t *testing.T) {
	w := newWorld(t)
	ci, anna := newKey(t, "news.example/ci"), newKey(t, "news.example/anna")
	both := PublishConfig{Store: w.s, Sign: Signing{Origin: origin, Trust: policy(t, 2, ci, anna), Keys: []*signing.Key{ci, anna}}}
	b := w.publishAll(both, 0, 1)
	one := both
	one.Sign.Keys, one.Sign.Propose = []*signing.Key{ci}, true
	if m, err := Rollback(t.Context(), one); err != nil || !m.Proposed {
		t.Fatalf("%+v, %v", m, err)
	}
	w.expectWithdrawn()
	other := both
	other.Sign.Keys = []*signing.Key{anna}
	if m, err := SignProposal(t.Context(), other, Meant{}); err != nil || m.Proposed || m.Build != b[0] {
		t.Fatalf("%+v, %v", m, err)
	}
	w.expectWithdrawn(b[1])
	w.publishAll(both, 2)
	w.expectWithdrawn(b[1])
	if all, err := List(t.Context(), w.s); err != nil || !slices.ContainsFunc(all, func(r Release) bool {
		return r.Build == b[1] && slices.Equal(r.Withdrawn.By, []string{"news.example/ci"}) && slices.Equal(r.Signed.SignedBy, []string{"news.example/ci", "news.example/anna"})
	}) {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestRollbackTrustsNoCopy does not sign a release that only an unsigned copy of a pointer names.
func TestRollbackTrustsNoCopy(t *testing.T) {
	w := newWorld(t)
	ci := newKey(t, "news.example/ci")
	c := w.signer(nil, ci)
	c.Sign.Origin = origin
	b := w.publishAll(c, 0, 1, 2)
	w.overwrite(root(b[0])+release.PointerName, mustRead(w).Next(b[0], w.object(root(b[0])+release.ManifestName), time.Now()).Encode())
	if m, err := Rollback(t.Context(), c); err != nil || m.Build != b[1] {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err := Rollback(t.Context(), c); !errors.Is(err, ErrNoRelease) {
		t.Errorf("signed %+v, %v", m, err)
	}
}

// TestDamagedWithdrawals refuses lists that it cannot read, and names what helps.
func TestDamagedWithdrawals(t *testing.T) {
	w := newWorld(t)
	w.publishAll(PublishConfig{}, 0)
	for text, want := range map[string]string{
		`{`: "remove that object", `[]`: "remove that object", `null`: "", ``: "remove that object",
		`{"format":2,"withdrawn":[]}`:                                      "newer version",
		`{"format":1,"withdrawn":[{"build":"../x","for":"y"}]}`:            "remove that object",
		`{"format":1,"withdrawn":[{"build":"` + strings.Repeat("x", 1<<20): "",
	} {
		t.Run(text[:min(len(text), 60)], func(t *testing.T) {
			w.overwrite(WithdrawnName, []byte(text))
			_, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 0)})
			if (err == nil) != (text == "null") || err != nil && (!strings.Contains(err.Error(), want) || len(err.Error()) > 500) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestWithdrawalsAreBounded keeps the newest entries.
func TestWithdrawalsAreBounded(t *testing.T) {
	w := newWorld(t)
	var all []Withdrawal
	for i := range maxWithdrawn + 5 {
		all = append(all, Withdrawal{ID: fmt.Sprint(i), Build: fmt.Sprintf("%016x", i), For: fmt.Sprintf("%016x", i+1), Sequence: int64(i + 2)})
	}
	if err := changeWithdrawals(t.Context(), w.s, func([]Withdrawal) []Withdrawal { return all }); err != nil {
		t.Fatal(err)
	}
	if l, _, err := readWithdrawals(t.Context(), w.s); err != nil || len(l.Withdrawn) != maxWithdrawn || l.Withdrawn[0].Build != all[5].Build {
		t.Errorf("%d entries, %v", len(l.Withdrawn), err)
	}
}

// TestUnsignedSource lists who built a release that nobody signed.
func TestUnsignedSource(t *testing.T) {
	w := newWorld(t)
	commit := strings.Repeat("ab", 20)
	c := PublishConfig{Sign: Signing{Attest: func(_ context.Context, sum string) ([]byte, error) {
		return (&provenance.Source{Commit: commit, Builder: "https://ci.example"}).Encode(release.ManifestName, sum)
	}}}
	b := w.publishAll(c, 0, 1)
	all, err := List(t.Context(), w.s)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, r := range all {
		if r.Source == nil || r.Source.Commit != commit || r.Items != 40 {
			t.Errorf("%+v", r)
		}
	}
	w.overwrite(root(b[0])+release.AttestationName, []byte("{}"))
	if shown, err := Show(t.Context(), w.s, b[0], nil); err != nil || shown[0].Source != nil || shown[0].NoSource == "" {
		t.Errorf("a damaged record: %+v, %v", shown, err)
	}
}

// TestStoredRelease opens a release of a store by its build id.
func TestStoredRelease(t *testing.T) {
	for name, c := range kindConfigs {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.publishAll(c, 0, 1, 2)
			for _, id := range b {
				l, err := StoredRelease(t.Context(), w.s, id, nil)
				if err != nil || l.Manifest.Build != id || l.BySnapshots() != (name == "nodes") {
					t.Errorf("%s: %v", id, err)
				}
			}
			if _, err := StoredRelease(t.Context(), w.s, strings.Repeat("0", 16), nil); !errors.Is(err, ErrNoRelease) {
				t.Errorf("a missing release: %v", err)
			}
			if _, err := StoredRelease(t.Context(), w.s, b[0], policy(t, 1, newKey(t, "news.example/ci"))); !errors.Is(err, trust.ErrUnsigned) {
				t.Errorf("nobody signed it: %v", err)
			}
		})
	}
	t.Run("in place", func(t *testing.T) {
		w := newWorld(t)
		old := w.publishLive(build(t, 0)).Build
		now := w.publishLive(build(t, 1)).Build
		if l, err := StoredRelease(t.Context(), w.s, now, nil); err != nil || l.Manifest.Build != now {
			t.Errorf("the current one: %v", err)
		}
		if _, err := StoredRelease(t.Context(), w.s, old, nil); !errors.Is(err, ErrNoRelease) || errors.Is(err, store.ErrNotFound) {
			t.Errorf("an earlier one: %v", err)
		}
	})
}
