package admission

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"contentedge/edgeserve/serve/clientnet"
)

// A search that waits for other machines holds no lane: others are admitted meanwhile. It comes back in its turn.
func TestAway(t *testing.T) {
	c := New(1, time.Hour)
	client := clientnet.Of(netip.MustParseAddr("192.0.2.1"))
	detached := 0
	p := c.Enter(client, time.Now(), func() { detached++ })
	ctx := WithAway(t.Context(), client, func() error { p.Leave(); return nil }, p.Return)
	a := AwayOf(ctx)
	if err := errors.Join(a.Leave(), a.Leave()); err != nil || c.Running() != 0 || detached != 1 {
		t.Fatalf("away: %d running, detached %d times, %v", c.Running(), detached, err)
	}
	others := []*Permit{c.Enter(client, time.Now(), nil), c.Enter(client, time.Now(), nil)}
	if err := a.Return(); err != nil || c.Running() != 2 {
		t.Errorf("with one of two answers: %d running, %v", c.Running(), err)
	}
	back := make(chan error)
	go func() { back <- a.Return() }()
	for c.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	others[0].Release()
	if err := <-back; err != nil || c.Running() != 2 || p.Err() != nil {
		t.Errorf("back: %d running, %v", c.Running(), err)
	}
	others[1].Release()
	p.Release()
	if c.Running() != 0 {
		t.Errorf("%d running", c.Running())
	}
	if none := AwayOf(context.Background()); a.Client() != client || none.Client() != 0 || none.Leave() != nil || none.Return() != nil {
		t.Error("work without admission may not wait")
	}
}

// A search whose deadline passes while it waits for a lane ends.
func TestAwayTooLong(t *testing.T) {
	c := New(1, time.Hour)
	client := clientnet.Of(netip.MustParseAddr("192.0.2.1"))
	p := c.Enter(client, time.Now(), nil)
	p.Leave()
	p.deadline = time.Now()
	for range 2 {
		defer c.Enter(client, time.Now(), nil).Release()
	}
	if err := p.Return(); err == nil || !p.Shed() {
		t.Errorf("admitted: %v", err)
	}
	p.Release()
}
