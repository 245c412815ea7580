// This file plays each fault that origins were seen to have, alone and in random scripts. The mirror must
// be one state that the origin had, or the last good one; and once the origin is well, the newest state.

package pull_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
	"contentedge/generator/removal"
)

// outcome is what a pull may leave behind.
type outcome int

const (
	newest outcome = iota // the newest state, without an error
	kept                  // the mirror of before, with an error
	either                // one of both
	state                 // any state that the origin had, without an error
)

// variant is what an origin offers to prove a walk with.
type variant struct {
	name            string
	releases, index bool
	version         string // a field X-Release of another meaning
}

const pinned = "releases and an index"

var variants = []variant{{pinned, true, true, ""}, {"an index", false, true, ""}, {"neither", false, false, ""}, {"a release that says nothing", false, false, "42"}}

// The tests' pages are small, so that a walk has several.
const pageSize, itemCount = 4, 18

// mirror is an origin, and a mirror of it.
type mirror struct {
	t      *testing.T
	o      *pulltest.Origin
	config pull.Config
	p      *pull.Puller
}

// open starts an origin and pulls once.
func open(t *testing.T, v variant, config func(*pull.Config)) *mirror {
	o := pulltest.New(itemCount)
	o.Releases, o.Index, o.Version = v.releases, v.index, v.version
	o.Start()
	c := pull.Config{URL: pulltest.URL, Env: pulltest.Env, Content: t.TempDir(), PageSize: pageSize, Client: &http.Transport{DialContext: o.Dial, DisableCompression: true}}
	if config != nil {
		config(&c)
	}
	p, err := pull.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &mirror{t, o, c, p}
}

func (m *mirror) close() {
	m.p.Close()
	m.o.Close()
}

// text is what the mirror has; "" if there is none.
func (m *mirror) text() string {
	b, err := os.ReadFile(filepath.Join(m.config.Content, pulltest.Env, pull.FileName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.t.Fatal(err)
	}
	return string(b)
}

// pull pulls once and checks what must hold after every pull.
func (m *mirror) pull(ctx context.Context) (*pull.Report, error) {
	m.t.Helper()
	before := m.text()
	r, err := m.p.Run(ctx)
	after := m.text()
	switch {
	case err != nil && after != before:
		m.t.Errorf("the mirror changed, and the pull ended with %v\n%s", err, m.o.Log())
	case err == nil && m.o.Had(after) < 0 && after != before:
		m.t.Errorf("the mirror is no state of the origin:\n%s\nlog:\n%s", after, m.o.Log())
	case err == nil && r == nil:
		m.t.Error("neither report nor error")
	}
	files, _ := os.ReadDir(filepath.Join(m.config.Content, pulltest.Env))
	for _, f := range files {
		if f.Name() != pull.FileName && !strings.HasPrefix(f.Name(), "_") {
			m.t.Errorf("%s is left over", f.Name())
		}
	}
	return r, err
}

// faultRow is a fault and what a pull makes of it.
type faultRow struct {
	name   string // what the origin does
	setup  func(o *pulltest.Origin)
	config func(*pull.Config)
	change func(o *pulltest.Origin) // between the first pull and the fault; nil: an edit and a creation
	script pulltest.Script
	down   error // of each new connection

	only     string // the variant; "": all
	whole    bool   // whole walks alone, since a pull of changes does not meet the fault
	want     outcome
	says     string        // in the error, or in a warning
	exits    int           // of the error: 1 for the machine or the origin, 2 for refused content
	within   time.Duration // 0: ten minutes
	allow    bool          // the pull after the fault has to be allowed to remove
	blind    bool          // without whole walks only a release, or an index of times, shows it
	heavy    bool          // hundreds of megabytes: not with -short
	repaired bool          // the origin mends its content after the fault
	then     func(t *testing.T, m *mirror)
}

func play(steps ...pulltest.Step) pulltest.Script { return steps }

var always = pulltest.Always

// onPage is a fault of one page of each walk.
func onPage(n int, f pulltest.Fault) pulltest.Step { return always(f.On(n)) }

const html = "<!doctype html><html><head><title>Log in</title></head><body>Please log in to go on with your work on this fine site.</body></html>"

var faultRows = []faultRow{
	{name: "500 on page 3", script: play(onPage(3, pulltest.Status(500))), whole: true, want: kept, says: `500 Internal Server Error`, exits: 1},
	{name: "503 on page 3, twice", script: play(pulltest.Step{From: 3, To: 4, Fault: pulltest.Status(503)}), want: newest},
	{name: "an empty list everywhere", script: play(always(pulltest.Empty().Only(pulltest.Page))), whole: true, want: kept, exits: 2},
	{name: "an empty list on page 2", script: play(onPage(2, pulltest.Empty())), whole: true, want: kept, exits: 1},
	{name: "no items on page 2, with the total", script: play(onPage(2, pulltest.EmptyPage())), whole: true, want: kept, exits: 1},
	{name: "HTML instead of a list", script: play(always(pulltest.Body("html", "text/html; charset=utf-8", html))), want: kept, says: `<!doctype html>`, exits: 1},
	{name: "HTML that calls itself JSON", script: play(always(pulltest.Body("html", "application/json", html))), want: kept, says: `<!doctype html>`, exits: 1},
	{name: "JSON of another shape", script: play(always(pulltest.Body("shape", "application/json", `{"items":[],"count":0}`))), want: kept, says: `\{."?items`, exits: 1},
	{name: "a body short of its length, once", script: play(pulltest.At(2, pulltest.Cut(false))), want: newest},
	{name: "a body short of its length, always", script: play(onPage(2, pulltest.Cut(false))), whole: true, want: kept, exits: 1},
	{name: "chunks without end, once", script: play(pulltest.At(2, pulltest.Cut(true))), want: newest},
	{name: "half of the JSON, cut after an item, once", script: play(pulltest.At(2, pulltest.CutAtToken())), want: newest},
	{name: "half of the JSON, cut after an item, always", script: play(onPage(2, pulltest.CutAtToken())), whole: true, want: kept, exits: 1},
	{name: "429 and two seconds", script: play(pulltest.At(2, pulltest.Busy("2"))), want: newest, within: time.Minute},
	{name: "429 and a date", script: play(pulltest.At(2, pulltest.BusyUntil(20*time.Second))), want: newest, within: time.Minute},
	{name: "429 without a time", script: play(pulltest.At(2, pulltest.Busy(""))), want: newest, within: time.Minute},
	{name: "429 and a day", script: play(onPage(2, pulltest.Busy("86400"))), whole: true, want: kept, says: `--max-wait`, exits: 1, within: 6 * time.Minute},
	{name: "429 and a time of the past", script: play(pulltest.At(2, pulltest.Busy("-1"))), want: newest, within: time.Minute},
	{name: "429 and no time", script: play(pulltest.At(2, pulltest.Busy("abc"))), want: newest, within: time.Minute},
	{name: "429 without end", script: play(always(pulltest.Busy("1"))), want: kept, says: `429 Too Many Requests`, exits: 1, within: 6 * time.Minute},
	{name: "an edit between pages", script: play(pulltest.At(3, pulltest.Edit(1, "between"))), want: newest},
	{name: "an edit after every request", script: play(always(pulltest.Then("an edit", func(o *pulltest.Origin) {
		o.Edit(rand.IntN(itemCount), fmt.Sprint("edit ", rand.Uint64()))
	}))), whole: true, want: kept, exits: 1},
	{name: "a removal between pages", script: play(pulltest.At(3, pulltest.Remove(1))), want: newest},
	{name: "a removal behind the reader and a creation ahead", script: play(pulltest.At(3, pulltest.Remove(1)), pulltest.At(3, pulltest.Create(100))), want: newest},
	{name: "a removal and a creation after every request", config: manyMayGo, script: play(always(pulltest.Then("a removal and a creation", func(o *pulltest.Origin) {
		items := o.Newest().Items
		o.Remove(items[0].ID)
		pulltest.Create(1000 + o.Requests()).After(o)
	}))), whole: true, want: kept, exits: 1},
	{name: "a creation at the front", script: play(pulltest.At(2, pulltest.Then("a creation", func(o *pulltest.Origin) {
		old := pulltest.Sample(0).CreatedAt.AddDate(-1, 0, 0)
		o.Put(pulltest.NewItem("Content_old", old, old, "at the front"))
	}))), want: either},
	{name: "an unstable order of equal times", setup: equalTimes, script: play(always(pulltest.Unstable())), want: either},
	{name: "the last page is short by one", script: play(always(pulltest.ShortLast())), whole: true, want: kept, says: `1[89]|19|20`, exits: 1},
	{name: "a total that is one too large", script: play(always(pulltest.Total("too large", func(string) string { return "20" }).Only(pulltest.Page))), whole: true, want: kept, says: `20`, exits: 1},
	{name: "a total that is one too small", script: play(always(pulltest.Total("too small", func(string) string { return "18" }).Only(pulltest.Page))), whole: true, want: kept, says: `18`, exits: 1},
	{name: "a total that is a string", script: play(always(pulltest.Total("a string", func(n string) string { return `"` + n + `"` }))), want: kept, exits: 1},
	{name: "no total", script: play(always(pulltest.Replace(`"totalItems"`, `"total"`))), want: kept, exits: 1},
	{name: "a negative total", script: play(always(pulltest.Total("negative", func(string) string { return "-1" }))), want: kept, exits: 1},
	{name: "a total without end", script: play(always(pulltest.Total("long", func(n string) string { return strings.Repeat("9", 40) }))), want: kept, exits: 1},
	{name: "at most three items a page, in silence", setup: func(o *pulltest.Origin) { o.MaxSize = 3 }, want: newest},
	{name: "400 for pages above two items", script: play(always(pulltest.TooBig(2, 400))), want: newest},
	{name: "413 for pages above one item", script: play(always(pulltest.TooBig(1, 413))), want: newest},
	{name: "413 for every page", script: play(always(pulltest.TooBig(0, 413))), whole: true, want: kept, exits: 1},
	{name: "pages above two items stall", script: play(always(pulltest.SlowAbove(2))), want: newest},
	{name: "removes three items", change: func(o *pulltest.Origin) {
		o.Remove(pulltest.Sample(1).ID, pulltest.Sample(7).ID, pulltest.Sample(17).ID)
	}, want: newest,
		then: func(t *testing.T, m *mirror) {
			if strings.Contains(m.text(), "Content_0007") {
				t.Error("an item that was removed is there")
			}
		}},
	{name: "removes most items", change: func(o *pulltest.Origin) { o.Set(pulltest.Sample(1), pulltest.Sample(2)) }, want: kept, says: `--allow-removal`, exits: 2, allow: true},
	{name: "becomes empty on purpose", change: func(o *pulltest.Origin) { o.Set() }, want: kept, says: `--allow-removal`, exits: 2, allow: true},
	{name: "replaces all items", change: func(o *pulltest.Origin) {
		o.Change(func(items []pulltest.Item) []pulltest.Item {
			for n := range items {
				items[n] = pulltest.Sample(500 + n)
			}
			return items
		})
	}, want: kept, says: `--allow-removal`, exits: 2, allow: true},
	{name: "sends drafts, which it did not before", change: func(o *pulltest.Origin) { o.Put(pulltest.Sample(3).WithStatus("Draft"), pulltest.Sample(50)) }, want: newest, says: `Draft`},
	{name: "a new release between pages", only: pinned, script: play(pulltest.At(3, pulltest.Edit(2, "released"))), want: newest},
	{name: "a new release after every page", only: pinned, whole: true, script: play(always(pulltest.Then("a release", func(o *pulltest.Origin) {
		o.Edit(2, fmt.Sprint("release ", o.Requests()))
	}))), want: kept, exits: 1},
	{name: "another node answers page 2, once", script: play(pulltest.At(2, pulltest.OtherNode())), want: either},
	{name: "another node answers every other request", script: func() (s pulltest.Script) {
		for n := 2; n < 400; n += 2 {
			s = append(s, pulltest.At(n, pulltest.OtherNode()))
		}
		return s
	}(), want: either},
	{name: "a CDN answers page 2 with yesterday's", script: play(onPage(2, pulltest.Stale())), whole: true, want: either},
	{name: "a CDN answers page 2 with yesterday's, which has as many items", change: editOnTwoPages, script: play(onPage(2, pulltest.Stale())), whole: true, want: kept, exits: 1},
	{name: "a CDN answers everything with yesterday's", only: "releases and an index", script: play(always(pulltest.Stale())), want: state, says: `old`},
	{name: "a CDN answers everything with yesterday's", only: "an index", script: play(always(pulltest.Stale())), want: state, says: `old`},
	{name: "a CDN answers everything with yesterday's", only: "neither", script: play(always(pulltest.Stale())), whole: true, want: kept, exits: 1, says: `old`},
	{name: "an endless body", only: pinned, heavy: true, script: play(onPage(1, pulltest.Endless())), whole: true, want: kept, exits: 1},
	{name: "a gzip bomb", only: pinned, heavy: true, script: play(onPage(1, pulltest.Bomb(300<<20))), whole: true, want: kept, exits: 1},
	{name: "an item of 17 MiB", only: pinned, change: func(o *pulltest.Origin) { o.Put(edited(3, `"`+strings.Repeat("x", 17<<20)+`"`)) }, want: kept, says: `Content_0003`, exits: 2},
	{name: "a byte each 10 seconds", script: play(always(pulltest.Drip(10 * time.Second).Only(pulltest.Page))), whole: true, want: kept, exits: 1, within: time.Hour},
	{name: "stops in the middle of a body, once", script: play(pulltest.At(2, pulltest.Stall())), want: newest},
	{name: "stops in the middle of every body", script: play(always(pulltest.Stall())), want: kept, exits: 1, within: time.Hour},
	{name: "a redirect to another host", config: withKey, script: play(always(pulltest.Redirect("https://other.example{path}"))), want: kept, says: `redirect`, exits: 1},
	{name: "a redirect to a port of the same host", config: withKey, script: play(always(pulltest.Redirect("https://" + pulltest.Host + ":8443{path}"))), want: kept, exits: 1},
	{name: "a redirect from https to http", config: withKey, script: play(always(pulltest.Redirect("http://" + pulltest.Host + "{path}"))), want: kept, exits: 1},
	{name: "a redirect to a file", config: withKey, script: play(always(pulltest.Redirect("file:///etc/passwd"))), want: kept, exits: 1},
	{name: "a redirect in a circle", script: play(always(pulltest.Redirect("{path}"))), want: kept, exits: 1},
	{name: "the same id twice, with other content", change: func(o *pulltest.Origin) {
		o.Change(func(items []pulltest.Item) []pulltest.Item {
			twin := pulltest.Sample(5)
			return append(items, pulltest.NewItem(twin.ID, twin.CreatedAt.AddDate(1, 0, 0), twin.UpdatedAt, "the other"))
		})
	}, whole: true, want: kept, says: `Content_0005`, repaired: true},
	{name: "the same id in another case", change: func(o *pulltest.Origin) {
		o.Put(pulltest.NewItem("CONTENT_0005", time.Now(), time.Now(), "twin"))
	}, want: kept, says: `(?i)Content_0005`, exits: 2},
	{name: "an id that cannot be one", change: func(o *pulltest.Origin) { o.Put(pulltest.NewItem("../../etc", time.Now(), time.Now(), "x")) }, want: kept, says: `\.\./\.\./etc`, exits: 2},
	{name: "an item without an id", change: func(o *pulltest.Origin) {
		i := pulltest.NewItem("Content_none", time.Now(), time.Now(), "x")
		i.Raw = strings.Replace(i.Raw, `"ContentID"`, `"id"`, 1)
		o.Put(i)
	}, want: kept, exits: 2},
	{name: "an item with a key twice", change: func(o *pulltest.Origin) { o.Put(edited(5, `{"a":1,"a":2}`)) }, whole: true, want: kept, says: `Content_0005`, exits: 2},
	{name: "odd numbers, key order and separators", change: func(o *pulltest.Origin) { o.Put(edited(5, oddData)) }, want: newest, then: func(t *testing.T, m *mirror) {
		if !strings.Contains(m.text(), oddData) {
			t.Error("its bytes changed")
		}
	}},
	{name: "half of a surrogate pair", change: func(o *pulltest.Origin) { o.Put(edited(5, `"\ud800"`)) }, want: kept, says: `Content_0005`, exits: 2},
	{name: "an edit without another UpdatedAt", change: func(o *pulltest.Origin) {
		o.Put(pulltest.NewItem(pulltest.Sample(5).ID, pulltest.Sample(5).CreatedAt, pulltest.Sample(5).UpdatedAt, "in silence"))
	}, blind: true, want: newest},
	{name: "a clock that goes back", change: func(o *pulltest.Origin) {
		o.Put(pulltest.NewItem(pulltest.Sample(17).ID, pulltest.Sample(17).CreatedAt, pulltest.Sample(2).UpdatedAt, "from the past"))
	}, blind: true, want: newest},
	{name: "times of the future", change: func(o *pulltest.Origin) {
		o.Put(pulltest.NewItem(pulltest.Sample(2).ID, pulltest.Sample(2).CreatedAt, time.Now().AddDate(100, 0, 0), "from the future"))
	}, want: newest},
	{name: "an edit in the second of the pull", change: func(o *pulltest.Origin) { o.Edit(3, "now"); o.Edit(4, "now") }, want: newest},
	{name: "no such host", down: &net.DNSError{Err: "no such host", Name: pulltest.Host, IsNotFound: true}, want: kept, says: `no such host`, exits: 1},
	{name: "a DNS server that does not answer", down: &net.DNSError{Err: "server misbehaving", Name: pulltest.Host, IsTemporary: true}, want: kept, says: `misbehaving`, exits: 1},
	{name: "connections are refused", down: errors.New("connection refused"), want: kept, says: `refused`, exits: 1},
	{name: "each connection ends", script: play(always(pulltest.Drop())), want: kept, exits: 1},
	{name: "the environment is gone", script: play(always(pulltest.Status(404))), want: kept, says: `--env`, exits: 1},
	{name: "a key is wanted", script: play(always(pulltest.Status(401))), want: kept, says: pull.KeyVariable, exits: 1},
}

// editOnTwoPages edits an item of page 2 and one of page 3, at once.
func editOnTwoPages(o *pulltest.Origin) {
	five, nine := pulltest.Sample(5), pulltest.Sample(9)
	o.Put(pulltest.NewItem(five.ID, five.CreatedAt, time.Now(), "second"), pulltest.NewItem(nine.ID, nine.CreatedAt, time.Now(), "second"))
}

// equalTimes gives all items the same times.
func equalTimes(o *pulltest.Origin) {
	o.Change(func(items []pulltest.Item) []pulltest.Item {
		at := pulltest.Sample(0).CreatedAt
		for n := range items {
			items[n] = pulltest.NewItem(items[n].ID, at, at, "equal")
		}
		return items
	})
}

// oddData must arrive as it is.
const oddData = "{\"b\":1.0,\"a\":12345678901234567890,\"c\":1E+2,\"d\":-0,\"e\":\"\u2028\u2029\",\"g\":\"\\u00e9é\\/\",\"h\":0.10}"

// edited is an item with other Data, edited now.
func edited(k int, data string) pulltest.Item {
	s := pulltest.Sample(k)
	return pulltest.NewItem(s.ID, s.CreatedAt, time.Now(), "").WithData(data)
}

func manyMayGo(c *pull.Config) { c.Removal.Max = new(100) }

const testKey = "CANARY-KEY"

func withKey(c *pull.Config) {
	c.URL, c.Key = strings.Replace(c.URL, "http:", "https:", 1), testKey
	c.Client = secure{c.Client}
}

// secure sends https requests as http ones, and leaves all others as they are.
type secure struct{ via http.RoundTripper }

func (s secure) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" {
		r = r.Clone(r.Context())
		r.URL.Scheme = "http"
		return s.via.RoundTrip(r)
	}
	return s.via.RoundTrip(r)
}

// exitOf is the exit code of the command for an error.
func exitOf(err error) int {
	switch {
	case err == nil:
		return 0
	}
	_, content := errors.AsType[*pull.RefusedError](err)
	_, guard := errors.AsType[*removal.Error](err)
	if content || guard {
		return 2
	}
	return 1
}

// TestFaults plays each fault for each kind of origin, for pulls of everything and of changes.
func TestFaults(t *testing.T) {
	for _, row := range faultRows {
		for _, v := range variants {
			for _, whole := range []bool{true, false} {
				if row.heavy && testing.Short() || row.only != "" && row.only != v.name || (row.whole || v.version != "") && !whole {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/whole %t", row.name, v.name, whole), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { row.run(t, v, whole) })
				})
			}
		}
	}
}

func (row faultRow) run(t *testing.T, v variant, whole bool) {
	if row.blind && !whole && v.name != pinned {
		row.want = either
	}
	m := open(t, v, func(c *pull.Config) {
		c.Full = whole
		if row.config != nil {
			row.config(c)
		}
	})
	defer m.close()
	if row.setup != nil {
		row.setup(m.o)
	}
	if _, err := m.pull(t.Context()); err != nil || m.text() != m.o.Newest().Mirror() {
		t.Fatalf("the first pull: %v\n%s", err, m.o.Log())
	}
	before := m.text()
	time.Sleep(time.Minute)
	if row.change != nil {
		row.change(m.o)
	} else {
		m.o.Edit(9, "second")
		pulltest.Create(itemCount).After(m.o)
	}
	m.o.Play(row.script...)
	m.o.Down(row.down)
	if row.down != nil {
		m.p.Close()
	}
	began := time.Now()
	r, err := m.pull(t.Context())
	row.judge(t, m, before, r, err)
	if took := time.Since(began); took > cmp.Or(row.within, 10*time.Minute) {
		t.Errorf("it took %s", took)
	}
	log := m.o.Log()
	for _, f := range m.o.Foreign() {
		t.Errorf("another host was asked: %s", f)
	}
	m.o.Play()
	m.o.Down(nil)
	time.Sleep(pull.DefaultFullEvery)
	row.recover(t, m, log)
}

// judge compares the pull during the fault with the row.
func (row faultRow) judge(t *testing.T, m *mirror, before string, r *pull.Report, err error) {
	t.Helper()
	text, log := m.text(), m.o.Log()
	switch {
	case row.want == newest && (err != nil || text != m.o.Newest().Mirror()):
		t.Errorf("not the newest state: %v\n%s", err, log)
	case row.want == kept && (err == nil || text != before):
		t.Errorf("no error: %+v\n%s", r, log)
	case row.want == either && err == nil && text != m.o.Newest().Mirror() && text != before:
		t.Errorf("neither the newest state nor the old one\n%s", log)
	case row.want == state && (err != nil || m.o.Had(text) < 0):
		t.Errorf("no state of the origin: %v\n%s", err, log)
	}
	if err != nil && row.exits > 0 && exitOf(err) != row.exits {
		t.Errorf("exit %d, want %d: %v", exitOf(err), row.exits, err)
	}
	said := ""
	if r != nil {
		said = strings.Join(r.Warnings, "\n")
	}
	if err != nil {
		said += err.Error()
	}
	if row.says != "" && !regexp.MustCompile(row.says).MatchString(said) {
		t.Errorf("it says nothing of %s: %q\n%s", row.says, said, log)
	}
	if strings.Contains(said, testKey) {
		t.Errorf("the key is shown: %s", said)
	}
	if len(said) > 4000 {
		t.Errorf("it says %d bytes", len(said))
	}
	if row.then != nil {
		row.then(t, m)
	}
}

// recover pulls from the origin, which is well again.
func (row faultRow) recover(t *testing.T, m *mirror, log string) {
	t.Helper()
	if (row.exits == 2 || row.repaired) && !row.allow {
		m.o.Set(pulltest.New(itemCount + 1).Newest().Items...)
	}
	r, err := m.pull(t.Context())
	if row.allow {
		if err == nil {
			t.Error("the removal is allowed without a word")
		}
		m.p.Close()
		c := m.config
		c.Removal.Allow = true
		p, e := pull.New(c)
		if e != nil {
			t.Fatal(e)
		}
		m.p = p
		r, err = m.pull(t.Context())
	}
	if err != nil || m.text() != m.o.Newest().Mirror() {
		t.Errorf("the pull after the fault: %v, %+v\n%s\nduring the fault:\n%s", err, r, m.o.Log(), log)
	}
}
