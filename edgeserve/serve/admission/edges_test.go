package admission

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlotsWhileUsed: the counts of slots are read while searches take and release them, and are right after each step.
func TestSlotsWhileUsed(t *testing.T) {
	const slots = 3
	c := New(slots, time.Minute)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			if taken, all := c.Slots(); taken < 0 || taken > slots || all != slots {
				t.Errorf("%d of %d slots are taken", taken, all)
			}
		}
	}()
	for range 100 {
		var permits []*Permit
		for i := range slots {
			p := c.Enter(0, time.Now(), nil)
			permits = append(permits, p)
			if err := p.NeedSlot(); err != nil {
				t.Fatal(err)
			}
			if taken, _ := c.Slots(); taken != i+1 {
				t.Errorf("%d slots are taken, want %d", taken, i+1)
			}
		}
		for _, p := range permits {
			p.Release()
		}
	}
	<-done
	if taken, _ := c.Slots(); taken != 0 {
		t.Errorf("%d slots stay taken", taken)
	}
}

// TestShedSearchIsOver: a search that got no slot in time gets none later, and does not wait again.
func TestShedSearchIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(1, 2*time.Second)
		first, second := c.Enter(0, time.Now(), nil), c.Enter(0, time.Now(), nil)
		if err := first.NeedSlot(); err != nil {
			t.Fatal(err)
		}
		if err := second.NeedSlot(); !errors.Is(err, errShed) || !second.Shed() {
			t.Fatalf("without a slot: %v", err)
		}
		first.Release()
		begin := time.Now()
		for range 3 {
			if err := second.NeedSlot(); !errors.Is(err, errShed) || time.Since(begin) != 0 {
				t.Errorf("once more: %v after %s", err, time.Since(begin))
			}
		}
		second.Release()
		third := c.Enter(0, time.Now(), nil)
		if err := third.NeedSlot(); err != nil {
			t.Errorf("the next search: %v", err)
		}
		third.Release()
	})
}

// TestYieldingReader passes bytes and errors on until its context ends, and reads nothing then.
func TestYieldingReader(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := &YieldingReader{Ctx: ctx, Reader: strings.NewReader("abcdef")}
	var b [4]byte
	if n, err := r.Read(b[:]); n != 4 || err != nil || string(b[:]) != "abcd" {
		t.Errorf("%d, %v", n, err)
	}
	cancel(errors.New("over"))
	if n, err := r.Read(b[:]); n != 0 || !errors.Is(err, context.Canceled) || string(b[:]) != "abcd" {
		t.Errorf("after the end: %d, %v, %q", n, err, b)
	}
	rest, err := io.ReadAll(r.Reader)
	if err != nil || string(rest) != "ef" {
		t.Errorf("the rest is %q, %v", rest, err)
	}
	whole, err := io.ReadAll(&YieldingReader{Ctx: t.Context(), Reader: strings.NewReader(strings.Repeat("x", 100_000))})
	if len(whole) != 100_000 || err != nil {
		t.Errorf("%d bytes, %v", len(whole), err)
	}
}

// TestYieldPipeIsMadeOnce: yields share a pipe, whichever goroutine comes first.
func TestYieldPipeIsMadeOnce(t *testing.T) {
	Yield()
	yieldPipe.mu.Lock()
	first := yieldPipe.in
	yieldPipe.mu.Unlock()
	for range 100 {
		Yield()
	}
	yieldPipe.mu.Lock()
	defer yieldPipe.mu.Unlock()
	if first == nil || yieldPipe.in != first || yieldPipe.out == nil {
		t.Error("yields open pipe after pipe")
	}
}
