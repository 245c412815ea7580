// These tests change what links lead to, and save on a disk that keeps whole seconds.

package watch

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/generator/watch/watchtest"
)

// relink turns a link to another name, in one step.
func (d disk) relink(to, name string) {
	d.t.Helper()
	d.link(to, name+"_tmp")
	d.mv(name+"_tmp", name)
}

// linkTrees make links, and each of their steps changes what a link reads.
var linkTrees = []struct {
	name  string
	make  func(d disk)
	steps []func(d disk)
}{
	{"a ConfigMap", func(d disk) {
		d.write("site/..one/a.json", "1")
		d.link("..one", "site/..data")
		d.link("..data/a.json", "site/a.json")
	}, []func(d disk){
		func(d disk) { d.write("site/..two/a.json", "2"); d.relink("..two", "site/..data"); d.rm("site/..one") },
		func(d disk) {
			d.write("site/..three/a.json", "3")
			d.relink("..three", "site/..data")
			d.rm("site/..two")
		},
	}},
	{"a hidden directory of shared files", func(d disk) {
		d.write(".shared/deep/a.json", "1")
		d.link("../.shared/deep/a.json", "site/a.json")
		d.link("../.shared/deep/a.json", "shop/a.json")
	}, []func(d disk){
		func(d disk) { d.write(".shared/deep/a.json", "2") },
		func(d disk) {
			d.write(".shared/deep/.a.json.new", "3")
			d.mv(".shared/deep/.a.json.new", ".shared/deep/a.json")
		},
		func(d disk) { d.rm(".shared/deep/a.json") },
		func(d disk) { d.write(".shared/deep/a.json", "4") },
		func(d disk) { d.write(".next/deep/a.json", "5"); d.mv(".shared", ".old"); d.mv(".next", ".shared") },
		func(d disk) { d.write(".shared/deep/a.json", "6") },
	}},
	{"git-annex", func(d disk) { d.link("../.git/annex/objects/xx/KEY/KEY", "site/a.json"); d.mkdir("site") }, []func(d disk){
		func(d disk) { d.write(".git/annex/objects/xx/KEY/KEY", "got") },
		func(d disk) { d.rm(".git/annex/objects/xx") },
		func(d disk) { d.write(".git/annex/objects/xx/KEY/KEY", "got again") },
	}},
	{"a link to a link, absolute", func(d disk) {
		d.write(".a", "1")
		d.link(".a", ".b")
		d.mkdir("site")
		d.link(d.path(".b"), "site/a.json")
	}, []func(d disk){
		func(d disk) { d.write(".a", "2") },
		func(d disk) { d.write(".c", "3"); d.relink(".c", ".b") },
		func(d disk) { d.write(".c", "4") },
	}},
	{"up and back", func(d disk) {
		d.write(".a", "1")
		d.mkdir("site")
		d.link("../../"+filepath.Base(d.dir)+"/.a", "site/a.json")
	}, []func(d disk){
		func(d disk) { d.write(".a", "2") },
	}},
	{"nowhere and in circles", func(d disk) {
		d.mkdir("site")
		d.link("a.json", "site/a.json")
		d.link("/", "site/all")
		d.link("/nowhere/at/all", "site/b.json")
		d.link(".x/y/z.json", "site/c.json")
	}, []func(d disk){
		func(d disk) { d.write("site/.x/y/z.json", "1") },
		func(d disk) { d.write("site/.x/y/z.json", "2") },
		func(d disk) { d.write("site/d.json", "3") },
	}},
}

// TestLinks: what a link leads to is watched, whatever its name and wherever below the root.
func TestLinks(t *testing.T) {
	for _, c := range linkTrees {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(t)
			d.mkdir("site")
			d.mkdir("shop")
			if c.name == "git-annex" {
				d.mkdir(".git/annex/objects")
			}
			c.make(d)
			m := follow(t, d.dir, Options{Skip: noDots}, brisk)
			for _, step := range c.steps {
				step(d)
				m.settle()
			}
		})
	}
}

// TestLinkNoise: other names in a hidden directory that a link leads into cause nothing.
func TestLinkNoise(t *testing.T) {
	d := newDisk(t)
	d.write(".shared/a.json", "1")
	d.mkdir("site")
	d.link("../.shared/a.json", "site/a.json")
	d.age()
	w := settled(t, d)
	d.write(".shared/other.json", "1")
	w.step(t.Context(), nil)
	if !w.first.IsZero() {
		t.Error("another file counts")
	}
	d.write(".shared/a.json", "2")
	for w.first.IsZero() {
		w.step(t.Context(), nil)
	}
}

// TestWholeSeconds saves again and again within a second, without changing the size.
func TestWholeSeconds(t *testing.T) {
	d := disk{t, filepath.Join(watchtest.WholeSeconds(t), "content")}
	d.seed()
	m := follow(t, d.dir, Options{Skip: noDots}, brisk)
	for i := range 10 {
		d.write("site/a.json", fmt.Sprint(i))
		m.settle()
	}
}

// TestWholeSecondsWithoutEvents: what no event tells is found when the state is not young any more.
func TestWholeSecondsWithoutEvents(t *testing.T) {
	d := disk{t, filepath.Join(watchtest.WholeSeconds(t), "content")}
	d.seed()
	var calls atomic.Int64
	w := &watcher{dir: d.dir, pace: brisk, skip: noDots, polling: true, changed: func() { calls.Add(1) }, done: make(chan struct{})}
	for i := range 3 {
		d.write("site/a.json", fmt.Sprint(i)) // the first is read by the call that follows, the others are not
		if w.look(); w.busy {
			<-w.done
			w.busy = false
		}
	}
	if w.again.IsZero() || time.Until(w.again) > 3*time.Second {
		t.Fatalf("the young state is looked at again at %s", w.again)
	}
	before := calls.Load()
	for calls.Load() == before || w.busy { // the call's goroutine ends only after a step has read its signal
		w.step(t.Context(), nil)
	}
	if !w.again.IsZero() {
		t.Error("the state is young for ever")
	}
}
