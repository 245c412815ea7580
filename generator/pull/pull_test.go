package pull_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
)

// bench is an origin with a puller of it.
type bench struct {
	t      *testing.T
	origin *pulltest.Origin
	config pull.Config
	puller *pull.Puller
}

// start runs a test in a bubble, where no wait takes time.
func start(t *testing.T, items int, change func(*pulltest.Origin, *pull.Config), test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))) // after the items were made
		b := &bench{t: t, origin: pulltest.New(items)}
		b.origin.Start()
		defer b.origin.Close()
		via := &http.Transport{DialContext: b.origin.Dial, DisableCompression: true}
		defer via.CloseIdleConnections()
		b.config = pull.Config{URL: pulltest.URL, Env: pulltest.Env, Content: t.TempDir(), PageSize: 4, Client: via}
		if change != nil {
			change(b.origin, &b.config)
		}
		b.restart()
		defer func() { b.puller.Close() }()
		test(b)
	})
}

// restart is another process.
func (b *bench) restart() {
	b.t.Helper()
	if b.puller != nil {
		b.puller.Close()
	}
	p, err := pull.New(b.config)
	if err != nil {
		b.t.Fatal(err)
	}
	b.puller = p
}

// pull must succeed, and the mirror must be the newest state.
func (b *bench) pull() *pull.Report {
	b.t.Helper()
	b.origin.Play()
	r, err := b.puller.Run(b.t.Context())
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.origin.Log())
	}
	if got, want := b.mirror(), b.origin.Newest().Mirror(); got != want {
		b.t.Errorf("the mirror is\n%s\nnot\n%s\nafter\n%s", got, want, b.origin.Log())
	}
	return r
}

func (b *bench) path(name string) string {
	return filepath.Join(b.config.Content, pulltest.Env, name)
}

// mirror is the text of the mirror; "" if there is none.
func (b *bench) mirror() string {
	text, err := os.ReadFile(b.path(pull.FileName))
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return string(text)
}

// TestPull shows what proves the items of a mirror, by what the origin offers, and what the next pull
// asks for: requests are counted.
func TestPull(t *testing.T) {
	edit := func(o *pulltest.Origin) { o.Edit(1, "edited") }
	for _, tt := range []struct {
		name            string
		items           int
		releases, index bool
		proof           pull.Proof
		first           int // requests of the first pull
		same            int // of a pull after which nothing changed
		changed         int // of a pull after an edit
	}{
		{"a page that has everything proves itself", 3, false, false, pull.OnePage, 1, 1, 1},
		{"a full page is followed by one more", 4, false, false, pull.OnePage, 2, 2, 2},
		{"one release, from an origin that refuses another", 9, true, true, pull.Pinned, 4, 1, 5},
		{"equal indexes", 9, false, true, pull.Indexed, 6, 1, 3},
		{"two equal walks", 9, false, false, pull.TwoWalks, 7, 2, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start(t, tt.items, func(o *pulltest.Origin, _ *pull.Config) { o.Releases, o.Index = tt.releases, tt.index }, func(b *bench) {
				r := b.pull()
				if r.Proof != tt.proof || r.Requests != tt.first || r.Added != tt.items || !r.Whole {
					t.Errorf("the first pull: %+v\n%s", r, b.origin.Log())
				}
				time.Sleep(time.Minute)
				b.restart() // a state on the disk is as good as one in memory
				if r = b.pull(); !r.Unchanged || r.Requests != tt.same {
					t.Errorf("nothing changed: %+v\n%s", r, b.origin.Log())
				}
				edit(b.origin)
				if r = b.pull(); r.Changed != 1 || r.Added+len(r.Removed) != 0 || r.Requests != tt.changed {
					t.Errorf("an edit: %+v\n%s", r, b.origin.Log())
				}
				time.Sleep(pull.DefaultFullEvery)
				if r = b.pull(); !r.Whole || !r.Unchanged {
					t.Errorf("much later: %+v\n%s", r, b.origin.Log())
				}
				if text, _ := os.ReadFile(b.path(pull.StateName)); !strings.Contains(string(text), pulltest.URL) {
					t.Errorf("the state is %s", text)
				}
			})
		})
	}
}
