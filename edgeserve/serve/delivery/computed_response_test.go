package delivery

import (
	"net/netip"
	"testing"
	"time"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// A body whose building fails or faults gives its memory back.
func TestBuildGivesBack(t *testing.T) {
	const free = 10 << 20
	v := &Served{resources: &Resources{Memory: bodies.NewBudget(free), Counters: NewCounters()}}
	r := Request{served: v, Buffer: new([]byte)}
	for name, write := range map[string]func([]byte) ([]byte, error){
		"error": func(b []byte) ([]byte, error) { return b, search.ErrTimeout },
		"panic": func([]byte) ([]byte, error) { panic("fault") },
	} {
		func() {
			defer func() { _ = recover() }()
			_, _ = r.compute(computedSpec{class: release.ClassList}, 1<<20, write)
		}()
		if v.resources.Memory.Left() != free {
			t.Errorf("%s: %d bytes of %d are free", name, v.resources.Memory.Left(), free)
		}
	}
}

// Copying hits and compressing a response are work of a search: it yields, and ends in time.
func TestResponseYields(t *testing.T) {
	reader := snaptest.Open(t, snaptest.Env{Items: []string{`{"ContentID":"a"}`, `{"ContentID":"b"}`, `{"ContentID":"c"}`}})
	controller := admission.New(2, time.Minute)
	docs := []snapshot.DocID{0, 2}
	// working returns a request that has worked for a quantum, and whether it has yielded.
	working := func() (*Request, *bool) {
		yielded := new(bool)
		permit := controller.Enter(netip.Addr{}, time.Now(), func() { *yielded = true })
		t.Cleanup(permit.Release)
		for start := time.Now(); time.Since(start) < time.Millisecond; {
		}
		return &Request{reader: reader, permit: permit, work: search.NewWorkLimit(permit)}, yielded
	}
	for _, source := range []*query.Source{nil, {Includes: []string{"Name"}}} {
		r, yielded := working()
		if _, err := r.appendHits(nil, docs, source); err != nil || !*yielded {
			t.Errorf("%v: yielded: %t, %v", source, *yielded, err)
		}
		const timeout = 20 * time.Millisecond
		r.work = search.NewWorkLimit(admission.New(1, timeout).Enter(netip.Addr{}, time.Now(), nil))
		time.Sleep(timeout)
		if _, err := r.appendHits(nil, docs, source); err == nil {
			t.Errorf("%v: goes on when its time is over", source)
		}
	}
	r, yielded := working()
	r.compress(nil, contentcoding.Gzip, make([]byte, 1<<20))
	if !*yielded {
		t.Error("a long response is compressed without a yield")
	}
}

// What a search holds is taken from the memory of responses, and given back when the request ends.
func TestSearchHoldsMemory(t *testing.T) {
	const free = 8 << 20
	v := &Served{resources: &Resources{Memory: bodies.NewBudget(free), Searches: admission.New(2, time.Minute), Counters: NewCounters()}}
	r := Request{served: v, Client: netip.MustParseAddr("192.0.2.1"), Since: time.Now()}
	if p := r.admit(); p != nil {
		t.Fatal(p)
	}
	if err := r.work.Hold(search.OwnMemory/2 + 3<<20); err != nil || v.resources.Memory.Left() != free-3<<20 {
		t.Errorf("%v, %d bytes are left", err, v.resources.Memory.Left())
	}
	if err := r.work.Hold(free); r.searchProblem(err) != problem.Of(problem.Overloaded) {
		t.Errorf("without memory: %v", err)
	}
	if r.end(); v.resources.Memory.Left() != free {
		t.Errorf("%d bytes are left in the end", v.resources.Memory.Left())
	}
}
