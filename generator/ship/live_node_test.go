package ship

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// node returns a node that follows the store over w's wire.
func (w *world) node() (*follow.Follower, func() string) {
	w.t.Helper()
	cfg := follow.Defaults()
	cfg.Store, cfg.Dir, cfg.Logger = w.s, filepath.Join(w.t.TempDir(), "node"), slog.New(slog.DiscardHandler)
	cfg.Check = func(dir string) error { _, err := os.Stat(filepath.Join(dir, release.ManifestName)); return err }
	f, err := follow.New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return f, func() string {
		to, _ := os.Readlink(filepath.Join(cfg.Dir, release.CurrentLink))
		return filepath.Base(to)
	}
}

// TestLiveNode follows a store in place. A snapshot stays there while one other publication ends. If two end, a node
// that fetches it keeps what it has, and reads the pointer again at its next poll.
func TestLiveNode(t *testing.T) {
	w := newWorld(t)
	node, current := w.node()
	releases := []string{build(t, 0), build(t, 3), build(t, 4)}
	first := w.publishLive(releases[0]).Build
	if err := node.Sync(t.Context()); err != nil || current() != first {
		t.Fatalf("%s, %v", current(), err)
	}
	fetches := func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/"+release.LiveKey(release.SnapshotDir)+"/")
	}
	meanwhile := func(publics ...string) {
		for _, public := range publics {
			if _, err := Publish(context.Background(), w.inPlace(public)); err != nil {
				t.Error(err)
			}
		}
	}
	second := w.publishLive(releases[1]).Build
	w.at(fetches, func() { meanwhile(releases[2]) })
	if err := node.Sync(t.Context()); err != nil || current() != second {
		t.Fatalf("one publication meanwhile: %s, %v", current(), err)
	}
	third := mustRead(w).Build
	w.at(fetches, func() { meanwhile(releases[0], releases[1]) })
	if err := node.Sync(t.Context()); !errors.Is(err, store.ErrNotFound) || current() != second {
		t.Fatalf("two publications meanwhile: %s, not %s: %v", current(), third, err)
	}
	meanwhile(releases[2])
	if err := node.Sync(t.Context()); err != nil || current() != third {
		t.Fatalf("at the next poll: %s, not %s: %v", current(), third, err)
	}
}
