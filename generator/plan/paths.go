// This file decides which paths of Data lists with files may have as a filter.

package plan

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/mapping"
	"contentedge/generator/model"
)

// checkPaths refuses paths whose values are compared by value, not as text: one value has many spellings, and a file
// has one. It also refuses paths that no request can filter by.
func (p *Env) checkPaths(env *model.Env) {
	for _, path := range p.paths {
		if rule := env.LeftOut.Rule(path); rule != "" {
			p.refused = fmt.Sprintf("environment %s: --lists names %s, which the rule %q leaves out of the index. Drop it from --lists.", env.ID, path, rule)
			return
		}
		i, found := slices.BinarySearchFunc(env.Fields, path, func(f mapping.Field, path string) int { return strings.Compare(f.Path, path) })
		if found && env.Fields[i].Type != snapshot.Text {
			p.refused = fmt.Sprintf("environment %s: --lists names %s, whose values are of type %s: only lists by text have files. Drop it from --lists: the edge server answers its lists.",
				env.ID, path, env.Fields[i].Type)
			return
		}
	}
}
