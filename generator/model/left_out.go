// This file leaves paths out of the fields of an environment. It warns about rules that leave out nothing, and
// refuses an order of lists by such a path.

package model

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/leftout"
	"contentedge/generator/mapping"
)

// LeftOut says which paths of an environment's items have no field.
type LeftOut struct {
	leftout.Rules
	Written []WrittenPath // the excludes of the rules as people wrote them
}

// WrittenPath is a path with the place where it is written.
type WrittenPath struct {
	Path      string
	File      string // as the user would type it
	Line, Col int
}

// leaveOut removes the fields that the rules of an environment leave out.
func (l *loader) leaveOut(env *Env, found []mapping.Field) []mapping.Field {
	for _, w := range l.opts.LeftOut[env.ID].Written {
		below := func(f mapping.Field) bool { return f.Path == w.Path || strings.HasPrefix(f.Path, w.Path+".") }
		if !slices.ContainsFunc(found, below) {
			l.warn(env.ID)
			l.unused = append(l.unused, Diagnostic{File: w.File, Line: w.Line, Col: w.Col, Warning: true,
				Message: "no item has a value at or below " + w.Path + ", which searches leave out", Hint: "check the spelling of the path, or remove it"})
		}
	}
	return slices.DeleteFunc(found, func(f mapping.Field) bool { return env.LeftOut.Covers(f.Path) })
}

// leftOutOrder refuses a default order by a path that an environment leaves out: searches could not return it.
func (l *loader) leftOutOrder(site *Site) (found []Diagnostic) {
	path := l.opts.OrderPath
	if path == "" {
		return nil
	}
	for i := range site.Envs {
		env := &site.Envs[i]
		rule := env.LeftOut.Rule(path)
		if rule == "" || len(env.Items) == 0 {
			continue
		}
		d := Diagnostic{Message: fmt.Sprintf("lists are in the order of %s, but %s leaves %s out of its index", path, env.ID, rule), Hint: "name another default order, or include the path"}
		for _, w := range l.opts.LeftOut[env.ID].Written {
			if w.Path == rule {
				d.File, d.Line, d.Col = w.File, w.Line, w.Col
			}
		}
		found = append(found, d)
	}
	return found
}
