package edgeserve

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
)

// A server asks before it serves a release, also at its start: what nobody vouches for is not served for a moment.
func TestTrusted(t *testing.T) {
	dir, log := t.TempDir(), &logBuffer{}
	publish(t, dir, "1", site)
	var allowed atomic.Pointer[string]
	allow := func() {
		d, err := releasedir.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		allowed.Store(&d.ManifestSHA256)
	}
	s, public := startServer(t, func(c *ServerConfig) {
		c.Public, c.Admin, c.PollInterval = dir, "127.0.0.1:0", time.Millisecond
		c.Logger = slog.New(slog.NewJSONHandler(log, nil))
		c.Trusted = func(manifest string) error {
			if want := allowed.Load(); want == nil || *want != manifest {
				return errors.New("nobody has signed it")
			}
			return nil
		}
	})
	admin := log.waitFor(t, `"admin listening","address":"([^"]+)"`)
	log.waitFor(t, "nobody has signed it")
	if a, body := ask(t, admin, "GET", "/readyz", "", ""); a.StatusCode != 503 || !strings.Contains(body, "nobody has signed it") {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	if a, body := ask(t, public, "GET", "/cda/rest/v1/site/contents", "", ""); a.StatusCode != 503 {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	if err := s.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "nobody has signed it") {
		t.Errorf("a reload: %v", err)
	}
	allow()
	if err := s.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	first := s.servedBuild()
	second := site
	second.note = "<later>"
	publish(t, dir, "2", second)
	waitFor(t, "the second release to be refused", func() bool { return s.refusal.Load() != nil })
	if got := s.servedBuild(); got != first {
		t.Errorf("it serves %s", got)
	}
	if a, body := ask(t, admin, "GET", "/readyz", "", ""); a.StatusCode != 200 || !strings.Contains(body, "nobody has signed it") {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	allow()
	if err := s.Reload(t.Context()); err != nil || s.servedBuild() == first {
		t.Errorf("%v, serves %s", err, s.servedBuild())
	}
}
