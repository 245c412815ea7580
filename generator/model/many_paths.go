// This file refuses content with too many paths while it is read: their index would need more memory than the build
// may use. Most such content has ids or dates as keys.

package model

import (
	"fmt"

	"contentedge/edgeserve/leftout"
	"contentedge/generator/mapping"
)

// TooManyPaths is an environment with more paths than Options.MaxPaths.
type TooManyPaths struct {
	Env    string
	Max    int
	Parent string // the longest path above most paths that were found, or ""
	Below  int    // how many are below it
}

// Error says how many paths there are, and below which one.
func (e *TooManyPaths) Error() string {
	return fmt.Sprintf("environment %s: its items have more than %d different paths, %d below %q", e.Env, e.Max, e.Below, e.Parent)
}

// pathCount counts the paths of a survey that are searched.
type pathCount struct {
	seen     int // of the survey's paths
	searched int // of the paths
}

// check returns an error for more paths than the options allow. It looks at each path once.
func (c *pathCount) check(o *Options, env string, paths []string) error {
	if o.MaxPaths == 0 {
		return nil
	}
	rules := o.LeftOut[env].Rules
	for ; c.seen < len(paths); c.seen++ {
		if !rules.Covers(paths[c.seen]) {
			c.searched++
		}
	}
	if c.searched <= o.MaxPaths {
		return nil
	}
	return tooManyPaths(o.MaxPaths, env, rules, paths)
}

// tooManyPaths finds the longest path below which most of the paths are.
func tooManyPaths(most int, env string, rules leftout.Rules, paths []string) *TooManyPaths {
	e, total := &TooManyPaths{Env: env, Max: most}, 0
	below := map[string]int{}
	for _, path := range paths {
		if rules.Covers(path) {
			continue
		}
		total++
		for i, c := range path {
			if c == '.' {
				below[path[:i]]++
			}
		}
	}
	for parent, n := range below {
		if 2*n > total && len(parent) > len(e.Parent) {
			e.Parent, e.Below = parent, n
		}
	}
	return e
}

// checkPaths refuses environments whose surveys together have too many paths.
func (l *loader) checkPaths(site *Site) error {
	for i := range site.Envs {
		if env := &site.Envs[i]; l.opts.MaxPaths > 0 && len(env.Fields) > l.opts.MaxPaths+len(mapping.Scalars) {
			paths := make([]string, len(env.Fields))
			for i := range env.Fields {
				paths[i] = env.Fields[i].Path
			}
			return tooManyPaths(l.opts.MaxPaths, env.ID, env.LeftOut, paths)
		}
	}
	return nil
}
