// This file says how many requests a publication would take that makes the difference.

package main

import (
	"context"
	"fmt"
	"strings"

	"contentedge/generator/removal"
	"contentedge/generator/ship"
)

// requests returns how many requests a publication of the release in dir would take, if the other one is the current
// release of a store; otherwise 0. A comparison does not ask or refuse what publish would, but it does say which other
// program wrote to the store.
func (d *comparison) requests(ctx context.Context, before, dir string, c console) (int, error) {
	if _, build := splitRelease(before); !strings.Contains(before, "://") || build != "" || dir == "" || d.format == "purge" {
		return 0, nil
	}
	s, err := openStore(before, d.command)
	if err != nil {
		return 0, err
	}
	r, err := ship.Publish(ctx, ship.PublishConfig{Store: s, Public: dir, DryRun: true, Patches: ship.DefaultPatches, Removal: removal.Limit{Allow: true}, Sign: ship.Signing{Unsigned: true}})
	if err != nil {
		c.warn(fmt.Sprintf("publish would fail: %v", err))
		return 0, nil
	}
	return r.Requests, nil
}
