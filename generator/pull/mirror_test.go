// These tests look at the folder of a mirror: what a pull writes, what it leaves alone, and what it makes
// of what others did there.

package pull_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
	"contentedge/generator/removal"
)

// fails must fail with an error that contains a text, and leave the folder as it is.
func (b *bench) fails(want string) error {
	b.t.Helper()
	before := b.folder()
	_, err := b.puller.Run(b.t.Context())
	if err == nil || !strings.Contains(err.Error(), want) {
		b.t.Errorf("got %v, want %q\n%s", err, want, b.origin.Log())
	}
	if after := b.folder(); after != before {
		b.t.Errorf("the folder was\n%s\nand is\n%s", before, after)
	}
	return err
}

// folder is what the content folder has: names, modes and bytes.
func (b *bench) folder() string {
	var out strings.Builder
	_ = filepath.WalkDir(b.config.Content, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			b.t.Fatal(err)
		}
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&out, "%s %s %q\n", d.Type(), path, text)
		return nil
	})
	return out.String()
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.path(name)), 0o755), os.WriteFile(b.path(name), []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Error(err)
	}
	return string(text)
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	start(t, 9, nil, func(b *bench) {
		others := map[string]string{"own.json": "[]", "_searches/a.json": "{}", "_environment.yaml": "x: 1", ".hidden": "x", "posts/a.md": "x", "pulled.ndjson.bak": "x"}
		for name, text := range others {
			b.write(name, text)
		}
		b.write(".pull-4711/site/pulled.ndjson", "of a pull that was killed")
		b.write(".pull-state", "too")
		b.pull()
		for name, text := range others {
			if got := b.read(name); got != text {
				t.Errorf("%s is %q", name, got)
			}
		}
		names, _ := os.ReadDir(filepath.Join(b.config.Content, pulltest.Env))
		if len(names) != len(others)+2 {
			t.Errorf("the folder has %v", names)
		}
	})
}

func TestStateFile(t *testing.T) {
	start(t, 9, func(_ *pulltest.Origin, c *pull.Config) { c.Key, c.URL = "", pulltest.URL+"/" }, func(b *bench) {
		b.pull()
		var state map[string]any
		if err := json.Unmarshal([]byte(b.read(pull.StateName)), &state); err != nil {
			b.t.Fatal(err)
		}
		for name, want := range map[string]any{"url": pulltest.URL, "env": "site", "items": 9.0, "bytes": float64(len(b.mirror())), "proof": "one release",
			"release": b.origin.Newest().Release, "pulled": "2026-03-01T12:00:00.6Z"} {
			if state[name] != want {
				t.Errorf("%s is %v, not %v", name, state[name], want)
			}
		}
	})
}

// What others did to the files of a pull is made good by the next one.
func TestEditedMirrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(b *bench)
		changed int
		warns   string
	}{
		{"the mirror is removed", func(b *bench) { _ = os.Remove(b.path(pull.FileName)) }, 0, ""},
		{"an item is edited", func(b *bench) { b.write(pull.FileName, strings.Replace(b.mirror(), "first", "other", 1)) }, 1, ""},
		{"an item is edited, and nothing else tells", func(b *bench) {
			info, _ := os.Stat(b.path(pull.FileName))
			b.write(pull.FileName, strings.Replace(b.mirror(), "first", "other", 1))
			_ = os.Chtimes(b.path(pull.FileName), info.ModTime(), info.ModTime())
			b.restart()
		}, 1, ""},
		{"the last line end is missing", func(b *bench) { b.write(pull.FileName, strings.TrimSuffix(b.mirror(), "\n")) }, 0, ""},
		{"lines have another order", func(b *bench) {
			lines := strings.SplitAfter(b.mirror(), "\n")
			slices.Reverse(lines)
			b.write(pull.FileName, strings.Join(lines, ""))
		}, 0, ""},
		{"a line is no item", func(b *bench) { b.write(pull.FileName, "<html>\n"+b.mirror()) }, 0, ""},
		{"half of it is there", func(b *bench) { b.write(pull.FileName, b.mirror()[:len(b.mirror())/2]) }, 0, ""},
		{"the state is removed", func(b *bench) { _ = os.Remove(b.path(pull.StateName)) }, 0, ""},
		{"the state is empty", func(b *bench) { b.write(pull.StateName, "") }, 0, "cannot be read"},
		{"the state is of a later version", func(b *bench) { b.write(pull.StateName, `{"format":9}`) }, 0, "cannot be read"},
		{"the state is that of another mirror", func(b *bench) {
			old := b.read(pull.StateName)
			b.origin.Edit(1, "later")
			b.pull()
			b.write(pull.StateName, old)
		}, 0, ""},
		{"the clock goes back", func(b *bench) {
			b.config.Now = func() time.Time { return time.Now().AddDate(-1, 0, 0) }
			b.restart()
		}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start(t, 9, nil, func(b *bench) {
				b.pull()
				tt.edit(b)
				r := b.pull()
				if !r.Whole || r.Changed != tt.changed || len(r.Removed) > 0 {
					t.Errorf("%+v", r)
				}
				if said := strings.Join(r.Warnings, "\n"); said != "" && tt.warns == "" || !strings.Contains(said, tt.warns) {
					t.Errorf("it warns: %s", said)
				}
				if r = b.pull(); !r.Unchanged {
					t.Errorf("then %+v", r)
				}
			})
		})
	}
}

func TestAnotherOriginIsRefused(t *testing.T) {
	start(t, 9, nil, func(b *bench) {
		b.pull()
		b.config.URL = "http://other.example"
		b.restart()
		err := b.fails("mirrors site of http://origin.example, not site of http://other.example")
		if _, ok := errors.AsType[*pull.UsageError](err); !ok {
			t.Errorf("it is a %T", err)
		}
		if len(b.origin.Foreign()) > 0 {
			t.Error("the other origin was asked")
		}
	})
}

func TestAsAnotherEnvironment(t *testing.T) {
	start(t, 9, func(_ *pulltest.Origin, c *pull.Config) { c.As = "live" }, func(b *bench) {
		if _, err := b.puller.Run(b.t.Context()); err != nil {
			b.t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(b.config.Content, "live", pull.FileName))
		if err != nil || string(text) != b.origin.Newest().Mirror() || exists(b.path("")) {
			t.Errorf("%s, %v", text, err)
		}
	})
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestStatuses(t *testing.T) {
	start(t, 9, func(o *pulltest.Origin, c *pull.Config) {
		o.Put(pulltest.Sample(3).WithStatus("Draft"))
		c.Statuses = []string{"Published"}
	}, func(b *bench) {
		run := func() *pull.Report {
			t.Helper()
			r, err := b.puller.Run(b.t.Context())
			if err != nil {
				b.t.Fatal(err)
			}
			return r
		}
		r := run()
		if r.Items != 8 || r.Statuses["Published"] != 8 || r.LeftOut["Draft"] != 1 || strings.Contains(b.mirror(), "Draft") {
			t.Errorf("%+v", r)
		}
		if r = run(); !r.Unchanged || r.Whole || r.LeftOut["Draft"] != 1 {
			t.Errorf("unchanged: %+v", r)
		}
		b.origin.Put(pulltest.Sample(3))
		if r = run(); r.Items != 9 || r.Added != 1 || r.LeftOut != nil && r.LeftOut["Draft"] != 0 {
			t.Errorf("published: %+v", r)
		}
		b.config.Statuses = nil
		b.restart()
		if r = run(); !r.Whole || len(r.Warnings) > 0 {
			t.Errorf("all statuses: %+v", r)
		}
		b.origin.Put(pulltest.Sample(4).WithStatus("InReview"))
		if r = run(); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `1 item with the status "InReview"`) {
			t.Errorf("a new status: %+v", r)
		}
		b.origin.Put(pulltest.Sample(5).WithStatus("InReview"))
		if r = run(); len(r.Warnings) != 0 {
			t.Errorf("a known status: %+v", r)
		}
		b.config.Statuses = []string{"published"}
		b.restart()
		b.fails("--allow-removal")
		_ = os.RemoveAll(b.path(""))
		b.fails(`none of the origin's 9 items has a status that is wanted: they are "InReview", "Published"`)
		if exists(b.path("")) {
			t.Error("an empty folder is left")
		}
	})
}

func TestRemovals(t *testing.T) {
	start(t, 9, nil, func(b *bench) {
		b.pull()
		b.origin.Set(pulltest.Sample(1), pulltest.Sample(2), pulltest.Sample(3))
		err := b.fails("REFUSED: this removes content of the mirror; nothing was changed\n  site: 9 items now, 3 in the origin, which lacks 6 of the current items: 66.7% (at most 50% may go)")
		if _, ok := errors.AsType[*removal.Error](err); !ok {
			t.Errorf("it is a %T", err)
		}
		percent := 70
		b.config.Removal.Max = &percent
		b.restart()
		if r := b.pull(); r.Items != 3 || len(r.Removed) != 6 || r.Removed[0] != pulltest.Sample(0).ID {
			t.Errorf("%+v", r)
		}
		b.origin.Set()
		b.fails("site: 3 items now, none in the origin")
		b.config.Removal.Allow = true
		b.restart()
		if r := b.pull(); r.Items != 0 || len(r.Removed) != 3 || exists(b.path(pull.FileName)) {
			t.Errorf("%+v", r)
		}
		if r := b.pull(); !r.Unchanged {
			t.Errorf("still empty: %+v", r)
		}
		b.config.Removal = removal.Limit{}
		b.restart()
		b.fails("the origin has no items")
		b.origin.Set(pulltest.Sample(1))
		if r := b.pull(); r.Added != 1 {
			t.Errorf("%+v", r)
		}
	})
}

func TestDryRunsWriteNothing(t *testing.T) {
	start(t, 9, func(_ *pulltest.Origin, c *pull.Config) { c.DryRun = true }, func(b *bench) {
		run := func() *pull.Report {
			t.Helper()
			before := b.folder()
			r, err := b.puller.Run(b.t.Context())
			if err != nil || b.folder() != before {
				b.t.Fatalf("%v\n%s", err, b.folder())
			}
			return r
		}
		if r := run(); r.Added != 9 || r.Items != 9 {
			t.Errorf("%+v", r)
		}
		b.config.DryRun = false
		b.restart()
		b.pull()
		b.config.DryRun = true
		b.restart()
		b.origin.Edit(1, "x")
		b.origin.Remove(pulltest.Sample(2).ID)
		if r := run(); r.Changed != 1 || len(r.Removed) != 1 {
			t.Errorf("%+v", r)
		}
		b.origin.Put(pulltest.Sample(3).WithData("[1,"))
		b.fails("the response is no JSON from byte")
		b.origin.Put(pulltest.Sample(3).WithData(`{"a":1,"a":2}`))
		b.fails(pulltest.Sample(3).ID)
	})
}

// What a build refuses is refused by a pull, with the id.
func TestItemsThatBuildsRefuse(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"a time that is none", `T12:00:00.000Z","Data"`, `","Data"`, `-01-04" is not an RFC 3339 timestamp`},
		{"no name", `"Name":"name of Content_0003",`, ``, "Content_0003: Name is missing"},
		{"half of a surrogate pair", `"first"`, `"\ud800"`, "Content_0003: this escape is half of a surrogate pair"},
		{"a key twice", `"text"`, `"a":1,"a":2,"text"`, `Content_0003: the key "a" is given twice`},
		{"deep nesting", `"first"`, strings.Repeat("[", 600) + strings.Repeat("]", 600), "Content_0003: brackets are nested more than 500 deep"},
		{"a status that is null", `"Status":"Published"`, `"Status":null`, "Content_0003: "},
		{"a byte that is not UTF-8", `first`, "\xff", "Content_0003: the byte 0xff is not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start(t, 9, nil, func(b *bench) {
				b.pull()
				i := pulltest.Sample(3)
				if i.Raw = strings.Replace(i.Raw, tt.old, tt.new, 1); i.Raw == pulltest.Sample(3).Raw {
					b.t.Fatal("nothing is wrong")
				}
				b.origin.Put(i)
				err := b.fails(tt.want)
				if _, ok := errors.AsType[*pull.RefusedError](err); !ok {
					t.Errorf("it is a %T", err)
				}
			})
		})
	}
	start(t, 60, func(o *pulltest.Origin, _ *pull.Config) {
		o.Change(func(items []pulltest.Item) []pulltest.Item {
			for n := range items {
				items[n].Raw = strings.Replace(items[n].Raw, `"Name"`, `"name"`, 1)
			}
			return items
		})
	}, func(b *bench) {
		if err := b.fails("Content_0000: "); strings.Count(err.Error(), "\n") > 50 || !strings.HasSuffix(err.Error(), " more") {
			t.Errorf("it says %s", err)
		}
	})
}

func TestTwoPullsAtOnce(t *testing.T) {
	start(t, 9, nil, func(b *bench) {
		b.pull()
		dir, err := os.Open(b.path(""))
		if err != nil {
			b.t.Fatal(err)
		}
		defer dir.Close()
		if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
			t.Skip(err)
		}
		b.origin.Edit(1, "x")
		if _, ok := errors.AsType[*pull.LockedError](b.fails("another pull writes to")); !ok {
			t.Error("it is no LockedError")
		}
		dir.Close()
		b.pull()
	})
}

// An origin that changes items in silence is found out by a whole walk, and never asked for changes
// again.
func TestUnstampedChanges(t *testing.T) {
	for _, releases := range []bool{false, true} {
		start(t, 9, func(o *pulltest.Origin, _ *pull.Config) { o.Releases = releases }, func(b *bench) {
			b.pull()
			silent := func(text string) {
				i := pulltest.Sample(3)
				b.origin.Put(i.WithData(`{"text":"` + text + `"}`))
			}
			silent("one")
			time.Sleep(pull.DefaultFullEvery)
			r := b.pull()
			if (len(r.Warnings) == 1 && strings.Contains(r.Warnings[0], "1 item changed, but not their times")) == releases {
				t.Errorf("releases %t: it warns %q", releases, r.Warnings)
			}
			b.restart()
			silent("two")
			if r = b.pull(); !r.Whole || r.Changed != 1 || len(r.Warnings) > 0 {
				t.Errorf("releases %t: %+v", releases, r)
			}
		})
	}
}

func TestOldResponses(t *testing.T) {
	for age, warns := range map[string]bool{"60": false, "61": true, "99999999999999999999": false, "x": false, "9999999999": true} {
		start(t, 9, nil, func(b *bench) {
			b.origin.Play(pulltest.Always(pulltest.Fault{Name: "Age", Do: func(x *pulltest.Exchange) { x.Header.Set("Age", age) }}))
			r, err := b.puller.Run(b.t.Context())
			if err != nil || (len(r.Warnings) == 1 && strings.Contains(r.Warnings[0], "old: a cache")) != warns {
				t.Errorf("Age %s: %v %+v", age, err, r)
			}
		})
	}
}

// The key goes to the origin, and nowhere else.
func TestKey(t *testing.T) {
	const key = "c4n4ry"
	for _, tt := range []struct{ field, want string }{{"", "Bearer " + key}, {"Authorization", key}, {"X-Api-Key", key}} {
		start(t, 9, func(_ *pulltest.Origin, c *pull.Config) {
			c.URL, c.Key, c.KeyHeader, c.Client = "https://"+pulltest.Host, key, tt.field, plain{c.Client}
		}, func(b *bench) {
			got := map[string]bool{}
			b.origin.Play(pulltest.Always(pulltest.Fault{Name: "look", Do: func(x *pulltest.Exchange) {
				field := tt.field
				if field == "" {
					field = "Authorization"
				}
				got[x.Request.Header.Get(field)] = true
			}}))
			r, err := b.puller.Run(b.t.Context())
			if err != nil || len(got) != 1 || !got[tt.want] {
				t.Errorf("%q: %v %v", tt.field, got, err)
			}
			said, _ := json.Marshal(r)
			if strings.Contains(b.folder(), key) || strings.Contains(string(said), key) {
				t.Error("the key is written down")
			}
			b.origin.Play(pulltest.Always(pulltest.Fault{Name: "echo", Do: func(x *pulltest.Exchange) {
				x.Status, x.Body = 403, []byte("no entry with "+strings.Repeat(".", 60)+x.Request.Header.Get("Authorization")+x.Request.Header.Get("X-Api-Key"))
			}}))
			if err := b.fails("403 Forbidden"); strings.Contains(err.Error(), key) || strings.Contains(err.Error(), key[:3]) {
				t.Errorf("the error has the key: %v", err)
			}
		})
	}
}

// plain sends https requests over connections without TLS, to which the double listens.
type plain struct{ via http.RoundTripper }

func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme = "http"
	return p.via.RoundTrip(r)
}

func TestInterruptedPulls(t *testing.T) {
	start(t, 9, nil, func(b *bench) {
		b.pull()
		b.origin.Edit(1, "x")
		stop := errors.New("stop")
		for n := 1; n <= 5; n++ {
			ctx, cancel := context.WithCancelCause(b.t.Context())
			b.origin.Play(pulltest.At(n, pulltest.Fault{Name: "interrupt", Before: func(*pulltest.Origin) { cancel(stop) }}))
			before := b.folder()
			if _, err := b.puller.Run(ctx); !errors.Is(err, stop) || b.folder() != before {
				t.Errorf("at request %d: %v", n, err)
			}
		}
		b.pull()
	})
}
