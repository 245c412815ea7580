// This file is the command releases remove, which removes whole stores.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/generator/ship"
)

func removeCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "remove", Args: "STORE", Summary: "remove a store with all of its releases",
		Long: "Removes a store with all of its releases, for example the preview of a pull request: the pointer first, then the other objects. " +
			"Objects that are not part of the store stay. Nothing may publish to the store meanwhile.",
		Examples: []cli.Example{
			{Line: "generator releases remove s3://bucket/previews/pr-7 --all"},
			{Line: "generator releases remove s3://bucket/previews --all --each pr- --older-than 14d --dry-run", Text: "each preview that was not published to for two weeks"},
		},
	})
	config, all := ship.RemoveConfig{}, false
	g := a.Group(groupRelease)
	g.Bool(&all, "all", "remove everything of the store; required").CommandLineOnly()
	g.String(&config.Each, "each", "NAME", "remove the stores one level below STORE whose names begin so, instead of STORE").CommandLineOnly()
	g.Func("older-than", "DURATION", "remove only stores to which nothing was written for this time, for example 12h or 14d (default: all)", readAge(&config.OlderThan)).CommandLineOnly()
	addJobs(g, &a.Jobs)
	addDryRun(a.Command, &a.DryRun)
	a.Check = func() error {
		if !all {
			return wrongUsage("the store would lose all of its releases", "--all permits it; releases gc removes only old ones")
		}
		return nil
	}
	return runs(a, func(ctx context.Context, _ []string) (*ship.RemovedStores, error) {
		config.Store, config.Jobs, config.DryRun = a.Store, a.Jobs, a.DryRun
		return ship.Remove(ctx, config)
	}, a.removedStores)
}

// readAge reads a duration of at least a second, which may have days or weeks.
func readAge(to *time.Duration) func(string) error {
	return func(text string) (err error) {
		if *to, err = parseDays(text); err != nil || *to < time.Second || *to > maxValidity {
			return errors.New("must be a duration of at least a second, for example 12h, 7d or 2w")
		}
		return nil
	}
}

func (a *action) removedStores(r *ship.RemovedStores) string {
	verb := "removed"
	if a.DryRun {
		verb = "would remove"
	}
	var b strings.Builder
	for _, s := range r.Removed {
		fmt.Fprintf(&b, "%s %s: %d objects, %s\n", verb, s.Store, s.Objects, bytesize.Format(s.Bytes))
	}
	fmt.Fprintf(&b, "%s %d stores, %d stay\n", verb, len(r.Removed), len(r.Kept))
	return b.String()
}
