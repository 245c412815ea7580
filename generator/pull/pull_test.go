package pull_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
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

// An X-Release that is not the release of the content proves nothing.
func TestReleaseOfAProxy(t *testing.T) {
	constant := pulltest.Fault{Name: "a constant X-Release", Do: func(x *pulltest.Exchange) { x.Header.Set("X-Release", "v1.2.3") }}
	for _, index := range []bool{true, false} {
		start(t, 9, func(o *pulltest.Origin, _ *pull.Config) { o.Releases, o.Index = false, index }, func(b *bench) {
			b.origin.Play(pulltest.Always(constant), pulltest.At(5, pulltest.Then("a removal and a creation", func(o *pulltest.Origin) {
				o.Remove(pulltest.Sample(0).ID)
				pulltest.Create(100).After(o)
			})))
			r, err := b.puller.Run(b.t.Context())
			if err != nil || b.mirror() != b.origin.Newest().Mirror() || r.Restarts == 0 || r.Release != "" || index != (r.Proof == pull.Indexed) {
				t.Errorf("index %t: %v %+v\n%s", index, err, r, b.origin.Log())
			}
		})
	}
}

// An origin may have pages of a size of its own, whatever is asked for.
func TestPageSizesOfOrigins(t *testing.T) {
	for _, size := range []int{1, 3, 7, 9, 100} {
		own := pulltest.Fault{Name: "own page size", Do: func(x *pulltest.Exchange) {
			if x.Kind == pulltest.Page && x.Status == http.StatusOK {
				items := x.Origin.Newest().Items
				from := min((x.Number-1)*size, len(items))
				x.Page(items[from:min(from+size, len(items))], len(items))
			}
		}}
		start(t, 9, nil, func(b *bench) {
			b.origin.Play(pulltest.Always(own))
			if r, err := b.puller.Run(b.t.Context()); err != nil || b.mirror() != b.origin.Newest().Mirror() || r.Restarts > 0 {
				t.Errorf("size %d: %v %+v\n%s", size, err, r, b.origin.Log())
			}
		})
	}
}

// A failure that passes costs time, not smaller pages.
func TestSlowMoments(t *testing.T) {
	start(t, 9, nil, func(b *bench) {
		b.origin.Play(pulltest.At(3, pulltest.Stall()), pulltest.At(5, pulltest.Stall()))
		r, err := b.puller.Run(b.t.Context())
		if err != nil || r.Requests != 6 || r.Waited < time.Minute || r.Waited > 2*time.Minute {
			t.Errorf("%v %+v\n%s", err, r, b.origin.Log())
		}
	})
}

// cache answers pages of some URLs from earlier responses, for some time, as a CDN does.
func cache(keep time.Duration, only func(*pulltest.Exchange) bool) pulltest.Fault {
	type stored struct {
		x  pulltest.Exchange
		at time.Time
	}
	responses := map[string]stored{}
	return pulltest.Fault{Name: "a cache", Do: func(x *pulltest.Exchange) {
		url := x.Request.URL.String()
		old, ok := responses[url]
		switch {
		case x.Kind != pulltest.Page || !only(x):
		case ok && time.Since(old.at) < keep:
			x.Status, x.Header, x.Body = old.x.Status, old.x.Header.Clone(), old.x.Body
			x.Header.Set("Age", strconv.Itoa(int(time.Since(old.at)/time.Second)))
		default:
			responses[url] = stored{*x, time.Now()}
		}
	}}
}

// A cache that mixes old pages with new ones is found out by releases and by indexes. Of two walks, the
// second one has to read what the first one left behind.
func TestCaches(t *testing.T) {
	second := func(x *pulltest.Exchange) bool { return x.Number == 2 }
	all := func(*pulltest.Exchange) bool { return true }
	for _, tt := range []struct {
		name            string
		releases, index bool
		keep            time.Duration
		only            func(*pulltest.Exchange) bool
		proof           pull.Proof // "": no mirror is possible
	}{
		{"one page of a release", true, true, time.Hour, second, ""},
		{"one page, beside an index", false, true, time.Hour, second, ""},
		{"one page, for long", false, false, time.Hour, second, ""},
		{"one page, not for long", false, false, 30 * time.Second, second, pull.TwoWalks},
		{"all pages, not for long", false, false, 30 * time.Second, all, pull.TwoWalks},
		{"all pages of a release", true, true, 10 * time.Second, all, pull.Pinned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start(t, 9, func(o *pulltest.Origin, c *pull.Config) {
				o.Releases, o.Index = tt.releases, tt.index
				c.Full = true
			}, func(b *bench) {
				step := pulltest.Always(cache(tt.keep, tt.only))
				b.origin.Play(step)
				before := ""
				if _, err := b.puller.Run(b.t.Context()); err == nil {
					before = b.mirror()
				}
				b.origin.Change(func(items []pulltest.Item) []pulltest.Item { // one edit on each page
					for _, k := range []int{1, 5, 8} {
						items[k] = pulltest.NewItem(items[k].ID, items[k].CreatedAt, time.Now(), "edited")
					}
					return items
				})
				time.Sleep(2 * time.Second)
				r, err := b.puller.Run(b.t.Context())
				switch got := b.mirror(); {
				case tt.proof == "" && (err == nil || got != before):
					t.Errorf("%+v\n%s\n%s", r, got, b.origin.Log())
				case tt.proof != "" && (err != nil || r.Proof != tt.proof || b.origin.Had(got) < 0):
					t.Errorf("%v %+v\n%s\n%s", err, r, got, b.origin.Log())
				}
			})
		})
	}
}
