// This file keeps the first match of each group of an order.

package scorer

// groups are the first matches so far.
type groups struct {
	limit *WorkLimit
	best  []hit
	seen  []bool
}

// hitSteps is the number of steps in which the memory of a group is cleared.
const hitSteps = 2

// groups prepares the groups of an order. It returns nil for an order without groups.
func (c *collector) groups(o *Order) *groups {
	if o.Group == nil || c.r.Work.Charge(hitSteps*o.Groups) != nil {
		return nil
	}
	return &groups{c.r.Work, make([]hit, o.Groups), make([]bool, o.Groups)}
}

func (g *groups) offer(o *Order, h hit) {
	n := o.Group(h.doc)
	g.limit.Add(len(o.Keys))
	if !g.seen[n] || o.compare(h, g.best[n]) < 0 {
		g.seen[n], g.best[n] = true, h
	}
}

func (g *groups) each(f func(hit)) {
	for n, seen := range g.seen {
		if seen {
			f(g.best[n])
		}
	}
}
