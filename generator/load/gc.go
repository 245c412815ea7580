// This file removes indices of older releases.

package load

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
)

// GCReport says which indices were removed.
type GCReport struct {
	Removed []string `json:"removed"`
	Kept    []string `json:"kept"`
}

// GC removes indices of older releases. For each environment it keeps the newest complete indices, as many as keep
// says, and every later index. It also keeps the indices of the release in Config.From, the indices that an alias for
// people names, and the indices that a load did not make.
func GC(ctx context.Context, c Config, keep int) (*GCReport, error) {
	l, err := begin(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := l.cluster.states(ctx, "/*")
	if err != nil {
		return nil, err
	}
	report := &GCReport{Removed: []string{}, Kept: []string{}}
	for _, env := range l.envs {
		for _, s := range l.outdated(env.ID, all, keep, report) {
			if !c.DryRun {
				// Only by its name: a pattern might match foreign indices.
				if err := l.cluster.ask(ctx, call{method: http.MethodDelete, path: "/" + url.PathEscape(s.Name)}, nil); err != nil && !isMissing(err) {
					return nil, err
				}
			}
			report.Removed = append(report.Removed, s.Name)
		}
	}
	return report, nil
}

// outdated returns the indices of an environment to remove, and reports the ones that stay.
func (l *load) outdated(env string, all []layout.State, keep int, report *GCReport) (gone []layout.State) {
	var of []layout.State
	for _, s := range all {
		if s.Meta != nil && s.Meta.Environment == env && s.Name == layout.IndexName(env, s.Meta.Build) && !strings.HasPrefix(s.Name, ".") {
			of = append(of, s)
		}
	}
	slices.SortFunc(of, func(a, b layout.State) int { return cmp.Or(b.Made.Compare(a.Made), strings.Compare(a.Name, b.Name)) })
	for _, s := range of {
		if keep > 0 || s.Meta.Build == l.manifest.Build || slices.Contains(s.Aliases, layout.Alias(env)) {
			report.Kept = append(report.Kept, s.Name)
		} else {
			gone = append(gone, s)
		}
		if s.Complete() {
			keep--
		}
	}
	return gone
}
