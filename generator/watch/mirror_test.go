// This file is what the tests watch with: a consumer that copies the tree at each call,
// and waits until its copy is the disk's.

package watch

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// brisk is standard without sweeps, so that what is noticed was noticed by events.
var brisk = pace{quiet: 20 * time.Millisecond, most: 200 * time.Millisecond, beat: 20 * time.Millisecond, sweep: time.Hour, poll: 20 * time.Millisecond}

// patience is how long a test waits for what takes milliseconds.
const patience = time.Minute

// TestMain looks for goroutines left behind.
func TestMain(m *testing.M) {
	if err := takeLimit(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// noDots skips what preview skips.
func noDots(name string) bool { return strings.HasPrefix(name, ".") }

// mirror is a consumer: at each call it reads all of the tree.
type mirror struct {
	t        *testing.T
	dir      string
	calls    atomic.Int64
	warnings atomic.Int64
	fired    chan struct{} // holds one token after a call

	mu   sync.Mutex
	seen map[string]string // guarded by mu
}

// follow starts a Run that keeps a mirror of dir until the test ends.
func follow(t *testing.T, dir string, o Options, p pace) *mirror {
	m := &mirror{t: t, dir: dir, fired: make(chan struct{}, 1)}
	warned := make(chan struct{}, 100)
	o.Warn = func(string) { m.warnings.Add(1); warned <- struct{}{} }
	start(t, dir, o, p, m.read)
	m.settle()
	t.Cleanup(func() {
		for range expectedWarnings { // a scan after the last call may warn
			select {
			case <-warned:
			case <-time.After(patience):
			}
		}
		if n := m.warnings.Load(); n != expectedWarnings {
			t.Errorf("%d warnings, want %d", n, expectedWarnings)
		}
	})
	return m
}

// start runs until the test ends.
func start(t *testing.T, dir string, o Options, p pace, changed func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		run(ctx, dir, o, p, changed)
		close(ended)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

func (m *mirror) read() {
	seen := tree(m.dir)
	m.mu.Lock()
	m.seen = seen
	m.calls.Add(1)
	m.mu.Unlock()
	select {
	case m.fired <- struct{}{}:
	default:
	}
}

// tree is the content of every file below dir, and every directory.
func tree(dir string) map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(dir+"/.", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case noDots(d.Name()) && d.Name() != ".":
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			found[path] = "/"
		default:
			b, _ := os.ReadFile(path)
			found[path] = string(b)
		}
		return nil
	})
	return found
}

// settle waits until the mirror shows what is on disk.
func (m *mirror) settle() {
	m.t.Helper()
	deadline := time.After(patience)
	for {
		want := tree(m.dir)
		m.mu.Lock()
		same := m.seen != nil && maps.Equal(m.seen, want)
		m.mu.Unlock()
		if same {
			return
		}
		select {
		case <-m.fired:
		case <-deadline:
			m.t.Fatalf("after %d calls the mirror differs from the disk\n mirror: %v\n disk: %v", m.calls.Load(), m.seen, want)
		}
	}
}

// disk changes files and fails the test if it cannot.
type disk struct {
	t   testing.TB
	dir string
}

func (d disk) path(name string) string { return filepath.Join(d.dir, name) }

func (d disk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) write(name, text string) {
	d.t.Helper()
	d.must(os.MkdirAll(filepath.Dir(d.path(name)), 0o755))
	d.must(os.WriteFile(d.path(name), []byte(text), 0o644))
}

func (d disk) mkdir(name string)    { d.t.Helper(); d.must(os.MkdirAll(d.path(name), 0o755)) }
func (d disk) mv(from, to string)   { d.t.Helper(); d.must(os.Rename(d.path(from), d.path(to))) }
func (d disk) rm(name string)       { d.t.Helper(); d.must(os.RemoveAll(d.path(name))) }
func (d disk) link(to, name string) { d.t.Helper(); d.must(os.Symlink(to, d.path(name))) }

// seed is the tree that scenarios begin with.
func (d disk) seed() {
	for _, name := range []string{"site/a.json", "site/pages/b.json", "site/pages/deep/c.json", "shop/d.json", "shop/e.json"} {
		d.write(name, name)
	}
}
