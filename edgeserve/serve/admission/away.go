// This file lets searches wait for other machines without a lane or a slot: both are for the processors of this
// machine.

package admission

import (
	"context"
	"sync"

	"contentedge/edgeserve/serve/clientnet"
)

// Away is a search that may wait for other machines. Its methods are called in pairs, also by several goroutines: the
// search is away while a goroutine waits.
type Away struct {
	client          clientnet.Client
	leave, comeBack func() error

	mu      sync.Mutex
	waiting int // guarded by mu
}

type awayKey struct{}

// WithAway returns a context of the search of a client, which calls leave before it waits for other machines, and comeBack before it
// works again. If leave fails, the search does not wait.
func WithAway(ctx context.Context, client clientnet.Client, leave, comeBack func() error) context.Context {
	return context.WithValue(ctx, awayKey{}, &Away{client: client, leave: leave, comeBack: comeBack})
}

// AwayOf returns the search of a context. It is nil, and its methods do nothing, for work that needs no admission.
func AwayOf(ctx context.Context) *Away {
	a, _ := ctx.Value(awayKey{}).(*Away)
	return a
}

// Client is whose search it is; zero without a client.
func (a *Away) Client() clientnet.Client {
	if a == nil {
		return 0
	}
	return a.client
}

// Leave is called before the search waits for another machine.
func (a *Away) Leave() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == 0 {
		if err := a.leave(); err != nil {
			return err
		}
	}
	a.waiting++
	return nil
}

// Return is called after Leave, once the other machine has answered.
func (a *Away) Return() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting--
	if a.waiting > 0 {
		return nil
	}
	return a.comeBack()
}
