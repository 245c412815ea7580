// This file has the lease of publications in place: one at a time changes the files that readers see. Its object also
// says what the next publication has to know.

package ship

import (
	"context"
	"time"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/store"
)

// liveLeaseName is the object of the lease. Its builds are the one that is being written, or none.
const liveLeaseName = "locks/live.json"

func liveLease(s *store.Store) leaseObject {
	return leaseObject{s, liveLeaseName, "publication"}
}

// liveState is what a publication in place leaves to the next one.
type liveState struct {
	// Unfinished is the build whose publication stopped: the files are of several releases, and only a listing tells
	// which ones are there.
	Unfinished string `json:"unfinished,omitempty"`
	// Foreign is a file that somebody else changed while Unfinished was being written.
	Foreign string `json:"foreign,omitempty"`
	// Retired are the files that the release before the current one had, and whose names no release changes. The
	// next publication removes them.
	Retired []string `json:"retired,omitempty"`
}

// during does something while it renews the lease. The context of do ends before others may count the lease as lost.
func (l *lease) during(ctx context.Context, do func(context.Context) error) error {
	group, ctx := parallel.NewGroup(ctx)
	ended := make(chan struct{})
	group.Start(func() error { return l.keep(ctx, ended) })
	group.Start(func() error {
		defer close(ended)
		return do(ctx)
	})
	return group.Wait()
}

// keep renews the lease until ended is closed. It fails when the lease was not renewed for half of its time.
func (l *lease) keep(ctx context.Context, ended <-chan struct{}) error {
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return nil
		case <-time.After(leaseTime / 8):
		}
		within, cancel := context.WithDeadlineCause(ctx, l.renewed.Add(leaseTime/2), errLeaseLost)
		err := l.renew(within)
		cause := context.Cause(within)
		cancel()
		switch {
		case err == nil, ctx.Err() != nil:
		case cause != nil:
			return cause
		default:
			return err
		}
	}
}
