// This file reads the content and turns everything that is wrong with it into one
// error, found in one run.

package generator

import (
	"context"

	"contentedge/generator/model"
	"contentedge/generator/source"
)

// load reads the environments that the Config names, with the items of its statuses,
// whose texts go to keepers.
func load(ctx context.Context, c *Config, keeper func() model.Keeper, t *tracker) (*model.Site, []Diagnostic, error) {
	tree, err := source.List(ctx, c.Content, c.Envs)
	if err != nil {
		return nil, nil, err
	}
	site, found, err := model.Load(ctx, tree, model.Options{Statuses: c.Statuses, Strict: c.Strict, Broken: brokenRefs[c.BrokenRefs], Keeper: keeper, Progress: t.read})
	if err != nil {
		return nil, nil, err
	}
	if site == nil {
		return nil, nil, &ContentError{found}
	}
	if len(c.Statuses) > 0 && len(tree.Files) > 0 && empty(site) {
		return nil, nil, &ContentError{append(found, Diagnostic{File: c.Content, Message: "no item has any of the statuses asked for",
			Hint: "check --status: statuses are compared exactly"})}
	}
	return site, found, nil
}

// empty tells whether no environment has an item.
func empty(site *model.Site) bool {
	for i := range site.Envs {
		if len(site.Envs[i].Items) > 0 {
			return false
		}
	}
	return true
}
