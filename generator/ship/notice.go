// This file makes the body of webhooks that tell which release of a store is current.

package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"contentedge/edgeserve/wire/store"
)

// Notice tells which release of a store is current. It may come twice, or late: the pointer decides.
type Notice struct {
	Event     string `json:"event"` // "published"
	Build     string `json:"build"`
	Sequence  int64  `json:"sequence"`
	Published string `json:"published"`          // the time, as the pointer has it
	Previous  string `json:"previous,omitempty"` // the build that was current before
	// Changes is the name, in the store, of the file with the changes from Previous, or "".
	Changes string `json:"changes,omitempty"`
}

// CurrentNotice is the Notice of the current release.
func CurrentNotice(ctx context.Context, s *store.Store) (*Notice, error) {
	p, _, err := currentPointer(ctx, s)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%w: no release is current", ErrNoRelease)
	}
	n := &Notice{Event: "published", Build: p.Build, Sequence: p.Sequence, Published: p.Published, Previous: p.Previous}
	if p.Previous == "" || p.Previous == p.Build {
		return n, nil
	}
	key := changesKey(p.Previous, p.Build)
	switch _, err := again(ctx, func() (store.Info, error) { return s.Stat(ctx, key) }); {
	case err == nil:
		n.Changes = key
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	return n, nil
}

// Encode returns the body of a webhook.
func (n *Notice) Encode() []byte {
	b, _ := json.Marshal(n) // texts and numbers can always be encoded
	return b
}
