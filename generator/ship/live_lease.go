// This file has the lease of publications in place: one at a time changes the files that readers see. Its object also
// says what the next publication has to know.

package ship

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/store"
)

// liveLeaseName is the object of the lease. Its builds are the one that is being written, or none.
const liveLeaseName = locksDir + "/live.json"

func liveLease(s *store.Store) leaseObject {
	return leaseObject{s, liveLeaseName, "publication"}
}

// checkReplaces proves with an object of its own that the store replaces an object on the condition that it has an
// ETag, and on no other. Otherwise two publications would mix their files.
func checkReplaces(ctx context.Context, s *store.Store) error {
	key := liveLeaseName + "-" + rand.Text()
	one, err := putBytes(ctx, s, key, []byte("1"), store.PutOptions{})
	if err != nil {
		return err
	}
	_, err = putBytes(ctx, s, key, []byte("2"), store.PutOptions{IfMatch: `"00000000000000000000000000000000"`})
	switch {
	case err == nil:
		err = fmt.Errorf("%s: %w", s, store.ErrNoConditions)
	case errors.Is(err, store.ErrChanged):
		_, err = one.Condition()
	}
	return errors.Join(err, remove(ctx, s, key))
}

// liveState is the state that a publication in place leaves for the next one.
type liveState struct {
	// Unfinished is the build whose publication stopped: the files are of several releases, and only a listing tells
	// which ones are there.
	Unfinished string `json:"unfinished,omitempty"`
	// Foreign is a file that another program changed while Unfinished was being written. It matters only while the
	// store is in place: otherwise the next publication lists the objects.
	Foreign string `json:"foreign,omitempty"`
	// Retired are the files that the previous release had, and whose names no release changes. The next publication
	// removes them.
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
