package delivery

import (
	"net/netip"
	"testing"
	"time"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// A body whose writing fails or faults gives its memory back.
func TestWriteGivesBack(t *testing.T) {
	const free = 10 << 20
	v := &Served{resources: &Resources{Memory: bodies.NewBudget(free), Counters: NewCounters()}}
	r := Request{served: v, Buffer: new([]byte)}
	for name, write := range map[string]func([]byte) ([]byte, error){
		"error": func(b []byte) ([]byte, error) { return b, scorer.ErrTimeout },
		"panic": func([]byte) ([]byte, error) { panic("fault") },
	} {
		func() {
			defer func() { _ = recover() }()
			a := answer.New(1<<20, write)
			_, _ = r.compute(&answer.Content{Class: release.ClassList}, &a, nil)
		}()
		if v.resources.Memory.Left() != free {
			t.Errorf("%s: %d bytes of %d are free", name, v.resources.Memory.Left(), free)
		}
	}
}

// Compressing a response is work of a search: it yields, and a search ends in time.
func TestResponseYields(t *testing.T) {
	controller := admission.New(2, time.Minute)
	yielded := false
	permit := controller.Enter(0, time.Now(), func() { yielded = true })
	t.Cleanup(permit.Release)
	for start := time.Now(); time.Since(start) < time.Millisecond; {
	}
	r := &Request{permit: permit, work: scorer.NewWorkLimit(limit{permit: permit})}
	r.compress(nil, contentcoding.Gzip, make([]byte, 1<<20))
	if !yielded {
		t.Error("a long response is compressed without a yield")
	}
}

// What a search holds is taken from the memory of responses, and given back when the request ends.
func TestSearchHoldsMemory(t *testing.T) {
	const free = 8 << 20
	v := &Served{resources: &Resources{Memory: bodies.NewBudget(free), Searches: admission.New(2, time.Minute), Counters: NewCounters()}}
	r := Request{served: v, Client: clientnet.Of(netip.MustParseAddr("192.0.2.1")), Since: time.Now()}
	if p := r.admit(); p != nil {
		t.Fatal(p)
	}
	if err := r.work.Hold(scorer.OwnMemory/2 + 3<<20); err != nil || v.resources.Memory.Left() != free-3<<20 {
		t.Errorf("%v, %d bytes are left", err, v.resources.Memory.Left())
	}
	if err := r.work.Hold(free); r.refuse(new(answer.Content), err) != problem.Of(problem.Overloaded) {
		t.Errorf("without memory: %v", err)
	}
	if r.end(); v.resources.Memory.Left() != free {
		t.Errorf("%d bytes are left in the end", v.resources.Memory.Left())
	}
}
