// This file says whether a release is in a cluster, without changing anything.

package load

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/releasedir"
)

// Check checks that the indices of a release exist and are complete. The report says what is wrong with each.
func Check(ctx context.Context, c Config) (*Report, error) {
	l, err := begin(ctx, c)
	if err != nil {
		return nil, err
	}
	opened := &releasedir.Dir{}
	if c.Verify {
		if opened, err = releasedir.Open(c.From, nil); err != nil {
			return nil, err
		}
		defer opened.Close()
	}
	report := l.report()
	err = parallel.Each(ctx, max(1, c.Jobs), len(l.envs), func(_, i int) error {
		env := l.envs[i]
		e := l.newIndex(env, opened.Readers[env.ID], &report.Environments[i])
		if err := e.check(ctx); err != nil {
			return fmt.Errorf("environment %s: %w", env.ID, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return report, nil
}

// Missing returns the environments that are not complete.
func (r *Report) Missing() (all []*EnvReport) {
	for i := range r.Environments {
		if e := &r.Environments[i]; !e.Complete || e.Problem != "" {
			all = append(all, e)
		}
	}
	return all
}

// check looks at an index.
func (e *index) check(ctx context.Context) error {
	found, err := e.look(ctx)
	if err != nil {
		return err
	}
	if err := e.define(found); err != nil {
		return err
	}
	switch {
	case found == nil:
		e.report.Problem = "the index does not exist"
		return nil
	case found.Meta == nil:
		e.report.Problem = "the index was not made by generator load"
		return nil
	}
	is := *found.Meta
	is.Complete = false
	switch {
	case !found.Complete():
		e.report.Problem = "the index is not complete"
		return nil
	case !is.Equal(&e.want):
		e.report.Problem = "the index differs: " + differs(is, e.want)
		return nil
	case !slices.Contains(found.Aliases, layout.Searched(e.name)):
		e.report.Problem = "edges cannot search the index: it has no alias " + layout.Searched(e.name)
		return nil
	}
	h, err := e.health(ctx)
	if err != nil {
		return err
	}
	if e.report.Health = h.Status; h.Status == "red" {
		e.report.Problem = "the index is red: shards have no node"
		return nil
	}
	err = e.confirm(ctx)
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		e.report.Problem = damaged.What
		return nil
	}
	return err
}
