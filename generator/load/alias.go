// This file moves the aliases for people to the indices of a release.

package load

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"contentedge/edgeserve/engine/cluster/layout"
)

// aliasChange is a change of an alias: add, remove, or take, which is to remove one that must be there.
type aliasChange struct{ do, index, alias string }

// changeAliases makes all changes at once. Indices are never removed with them: searches that run would lose shards.
func (l *load) changeAliases(ctx context.Context, changes ...aliasChange) error {
	var actions []any
	for _, c := range changes {
		change, do := map[string]any{"index": c.index, "alias": c.alias}, c.do
		if do == "take" {
			do = "remove"
			if l.cluster.isOpenSearch() { // the other engine does not know the member, and uses the existing aliases
				change["must_exist"] = true
			}
		}
		actions = append(actions, map[string]any{do: change})
	}
	return l.cluster.put(ctx, http.MethodPost, "/_aliases", map[string]any{"actions": actions}, nil)
}

// moveAliases moves the aliases of all environments in one request, and checks that they exist: two loads may have
// moved them at once.
func (l *load) moveAliases(ctx context.Context, report *Report) error {
	for n := 0; ; n++ {
		changes, err := l.wantedAliases(ctx, report)
		if err != nil || len(changes) == 0 {
			return err
		}
		if l.DryRun {
			return nil
		}
		if n == maxRestarts {
			return fmt.Errorf("another program moves the alias %s again and again: load one release at a time, or use --no-alias", changes[0].alias)
		}
		if err := l.changeAliases(ctx, changes...); err != nil && !isMissing(err) {
			return err
		}
	}
}

// wantedAliases returns the changes that are missing.
func (l *load) wantedAliases(ctx context.Context, report *Report) (changes []aliasChange, err error) {
	for i := range report.Environments {
		e := &report.Environments[i]
		e.Alias = layout.Alias(e.Environment)
		indices, err := l.aliased(ctx, e.Alias)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(indices, e.Index) {
			changes = append(changes, aliasChange{"add", e.Index, e.Alias})
		}
		for _, other := range indices {
			if other != e.Index {
				changes = append(changes, aliasChange{"remove", other, e.Alias})
				if !slices.Contains(e.AliasFrom, other) {
					e.AliasFrom = append(e.AliasFrom, other)
				}
			}
		}
	}
	return changes, nil
}

// aliased returns the indices that an alias names. It refuses to take the alias from indices that a load did not make.
func (l *load) aliased(ctx context.Context, alias string) (indices []string, err error) {
	all, err := l.cluster.states(ctx, "/"+url.PathEscape(alias))
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		switch {
		case s.Name == alias:
			return nil, fmt.Errorf("an index has the name %s, so an alias cannot have it: remove the index, or use --no-alias", alias)
		case s.Meta == nil:
			return nil, fmt.Errorf("the alias %s names the index %s, which was not made by generator load: remove the alias, or use --no-alias", alias, s.Name)
		}
		indices = append(indices, s.Name)
	}
	slices.Sort(indices)
	return indices, nil
}
