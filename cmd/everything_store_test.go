// This file changes the store beside everything else, and makes it fail.
package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

// Pauses between a publisher's commands, which also need processors.
const (
	publishPause = time.Second
	turnPause    = 300 * time.Millisecond
)

// lostRaces are the errors of publishers that lose a race.
var lostRaces = regexp.MustCompile(`another publication finished meanwhile|no such release|another one may have taken over|lacks \d+ files in the store`)

// publishes publishes the releases in turn.
func (e *everything) publishes(t *testing.T, ctx context.Context) {
	for n := 1; every(ctx, publishPause); n++ {
		e.race(t, "publish", storeURL, "--again", "--public", e.pool[n%len(e.pool)].public)
	}
}

// turns promotes, rolls back and collects releases.
func (e *everything) turns(t *testing.T, ctx context.Context) {
	for every(ctx, turnPause) {
		switch rand.IntN(3) {
		case 0:
			e.race(t, "releases", "promote", storeURL, e.pool[rand.IntN(len(e.pool))].build)
		case 1:
			e.race(t, "releases", "rollback", storeURL)
		case 2:
			e.race(t, "releases", "gc", storeURL, "--keep", "1")
		}
	}
}

// every waits, and returns false when the time is over.
func every(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// race runs a command that succeeds or loses a race.
func (e *everything) race(t *testing.T, args ...string) {
	name := args[0]
	if name == "releases" {
		name = args[1]
	}
	out, err := e.command(args...).CombinedOutput()
	noCanary(t, string(out))
	var exit *exec.ExitError
	switch {
	case err == nil:
		e.swapped.add(name)
	case errors.As(err, &exit) && exit.ExitCode() == 1 && lostRaces.Match(out):
		e.swapped.add(name + " (lost)")
	default:
		t.Errorf("generator %v: %v\n%s", args, err, out)
	}
}

// judgeStore checks that the store's current release is complete, and served by this
// node and a new one.
func (e *everything) judgeStore(t *testing.T) {
	current := e.currentRelease(t)
	storetest.WaitFor(t, "the store's release", func() bool { return strings.Contains(get(t, e.admin+"/readyz"), current.build) })
	if out := e.must("releases", "repair", storeURL, "--public", current.public); !strings.Contains(out, ", 0 repaired") {
		t.Errorf("the store's current release is not whole: %s", out)
	}
	e.must("verify", filepath.Join(e.storeDir(), "releases", current.build))
	e.must("verify", e.base, "--against", current.public)
	waitReady(t, e.follow(filepath.Join(t.TempDir(), "fresh")).base)
}

func (e *everything) currentRelease(t *testing.T) published {
	var list []struct {
		Build   string
		Current bool
	}
	if err := json.Unmarshal([]byte(e.must("releases", "list", storeURL, "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if at := slices.IndexFunc(e.pool, func(p published) bool { return r.Current && p.build == r.Build }); at >= 0 {
			return e.pool[at]
		}
	}
	t.Fatalf("no release of ours is current: %v", list)
	return published{}
}

// storeFault is a failure of the store.
type storeFault struct {
	name  string
	of    string // part of the path of requests that fail
	fault storetest.Fault
}

// storeFaults are the failures, one after the other. A damaged pointer is never a valid
// one, because nodes would trust it.
func (e *everything) storeFaults(t *testing.T) []storeFault {
	const pointer, files = "/current.json", "/releases/"
	older := readFile(t, filepath.Join(e.storeDir(), "current.json"))
	return []storeFault{
		{"no connection", "", storetest.Fault{Drop: true}},
		{"status 500", "", storetest.Fault{Status: http.StatusInternalServerError}},
		{"status 403", "", storetest.Fault{Status: http.StatusForbidden}},
		{"late", "", storetest.Fault{Wait: 300 * time.Millisecond}},
		{"older pointer", pointer, storetest.Fault{Body: []byte(older)}},
		{"cut", files, storetest.Fault{CutAt: 100}},
		{"cut late", files, storetest.Fault{CutAt: 50_000}},
		{"wrong bit", files, storetest.Fault{FlipAt: 200}},
		{"wrong bytes", "", storetest.Fault{Body: []byte(`{"build":"0123456789abcdef"}`)}},
		{"dripping", "", storetest.Fault{Drip: 10 * time.Millisecond}},
		{"endless", "", storetest.Fault{Endless: true}},
	}
}

// storeDir is the store's directory in the service.
func (e *everything) storeDir() string {
	return filepath.Join(e.service.Dir, storetest.Bucket, "site", "live")
}

// failStore makes every other request fail, one kind of failure after the other, with
// pauses between. A SIGHUP ends the node's backoff. A short run uses some of the kinds.
func (e *everything) failStore(ctx context.Context, kinds []storeFault, length time.Duration) {
	rand.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	phase := min(length/12, 5*time.Second)
	for n := 0; every(ctx, phase); n++ {
		kind, asked := kinds[n%len(kinds)], 0
		e.wire.Set(func(_ int, r *http.Request) storetest.Fault {
			if !strings.Contains(r.URL.Path, kind.of) {
				return storetest.Fault{}
			}
			if asked++; asked%2 == 0 {
				return storetest.Fault{}
			}
			e.faults.add(kind.name)
			return kind.fault
		})
		if !every(ctx, phase) {
			return
		}
		e.mendStore()
	}
}

// mendStore ends the failures.
func (e *everything) mendStore() {
	e.wire.Set(nil)
	_ = e.cmd.Process.Signal(syscall.SIGHUP)
}
