// This file holds deterministic automata: construction, combination and use.

package pattern

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// dfa starts at state 0. Rows hold sorted, disjoint edges; classes without an edge do not match.
type dfa struct {
	rows   [][]edge
	accept []bool
}

// determinizer performs the subset construction: result states represent sets of NFA states.
type determinizer struct {
	states  []nfaState
	final   int32
	work    *budget
	result  *dfa
	sets    [][]int32 // NFA states of each result state
	ids     map[string]int32
	seen    []int32 // the round in which a state was last added to a set
	round   int32
	set     []int32
	pending []int32
	key     []byte
	edges   []edge
	cuts    []uint16
	active  []edge
}

// determinize returns nil if a limit is exceeded.
func determinize(states []nfaState, whole fragment, work *budget) *dfa {
	d := &determinizer{
		states: states, final: whole.out, work: work,
		result: &dfa{}, ids: map[string]int32{}, seen: make([]int32, len(states)),
	}
	d.begin()
	d.add(whole.in)
	d.intern()
	for i := 0; i < len(d.sets); i++ {
		d.expand(i)
		if work.left < 0 || len(d.sets) > MaxRegexpStates {
			return nil
		}
	}
	return d.result
}

func (d *determinizer) begin() {
	d.round++
	d.set = d.set[:0]
}

// add adds s and all states reachable by jumps, but omits states that have only jumps.
func (d *determinizer) add(s int32) {
	d.pending = append(d.pending[:0], s)
	for len(d.pending) > 0 {
		s := d.pending[len(d.pending)-1]
		d.pending = d.pending[:len(d.pending)-1]
		if d.seen[s] == d.round {
			continue
		}
		d.seen[s] = d.round
		d.work.spend(1 + len(d.states[s].jumps))
		if len(d.states[s].edges) > 0 || s == d.final {
			d.set = append(d.set, s)
		}
		d.pending = append(d.pending, d.states[s].jumps...)
	}
}

func (d *determinizer) intern() int32 {
	d.work.spend(4 + 4*len(d.set))
	slices.Sort(d.set)
	d.key = d.key[:0]
	for _, s := range d.set {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(s))
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	id := int32(len(d.sets))
	d.ids[string(d.key)] = id
	d.sets = append(d.sets, slices.Clone(d.set))
	d.result.rows = append(d.result.rows, nil)
	d.result.accept = append(d.result.accept, slices.Contains(d.set, d.final))
	return id
}

// expand computes the row of a state. Between two adjacent cuts all classes have the same edges.
func (d *determinizer) expand(id int) {
	d.edges, d.cuts = d.edges[:0], d.cuts[:0]
	for _, s := range d.sets[id] {
		for _, e := range d.states[s].edges {
			d.edges = append(d.edges, e)
			d.cuts = append(d.cuts, e.lo, e.hi+1)
		}
	}
	d.work.spend(4 * len(d.edges))
	slices.SortFunc(d.edges, func(a, b edge) int { return cmp.Compare(a.lo, b.lo) })
	slices.Sort(d.cuts)
	d.cuts = slices.Compact(d.cuts)
	d.active = d.active[:0]
	begun := 0
	for i := 0; i+1 < len(d.cuts) && d.work.left >= 0; i++ {
		lo, hi := d.cuts[i], d.cuts[i+1]-1
		for ; begun < len(d.edges) && d.edges[begun].lo == lo; begun++ {
			d.active = append(d.active, d.edges[begun])
		}
		d.active = slices.DeleteFunc(d.active, func(e edge) bool { return e.hi < lo })
		d.work.spend(len(d.active))
		if len(d.active) > 0 {
			d.follow(id, lo, hi)
		}
	}
}

func (d *determinizer) follow(id int, lo, hi uint16) {
	d.begin()
	for _, e := range d.active {
		d.add(e.to)
	}
	if len(d.set) > 0 {
		d.result.rows[id] = appendEdge(d.result.rows[id], edge{lo, hi, d.intern()})
	}
}

// appendEdge appends e to a row, merged with the last edge if possible.
func appendEdge(row []edge, e edge) []edge {
	if n := len(row) - 1; n >= 0 && row[n].to == e.to && row[n].hi+1 == e.lo {
		row[n].hi = e.hi
		return row
	}
	return append(row, e)
}

// complement returns an automaton that accepts the strings which d rejects. last is the last class.
func (d *dfa) complement(last uint16) *dfa {
	all := int32(len(d.rows)) // the state that accepts everything after d has failed
	c := &dfa{}
	for i, row := range d.rows {
		c.rows = append(c.rows, fill(row, all, last))
		c.accept = append(c.accept, !d.accept[i])
	}
	c.rows = append(c.rows, []edge{{0, last, all}})
	c.accept = append(c.accept, true)
	return c
}

// fill returns row with edges to state to for all classes without an edge.
func fill(row []edge, to int32, last uint16) []edge {
	var out []edge
	next := uint16(0)
	for _, e := range row {
		if e.lo > next {
			out = append(out, edge{next, e.lo - 1, to})
		}
		out = append(out, e)
		next = e.hi + 1
	}
	if next <= last {
		out = append(out, edge{next, last, to})
	}
	return out
}

// intersect returns the product automaton, or nil if a limit is exceeded.
func intersect(a, b *dfa, work *budget) *dfa {
	d := &dfa{}
	ids := map[[2]int32]int32{}
	var pairs [][2]int32
	pair := func(x, y int32) int32 {
		p := [2]int32{x, y}
		id, ok := ids[p]
		if !ok {
			id = int32(len(pairs))
			ids[p] = id
			pairs = append(pairs, p)
			d.accept = append(d.accept, a.accept[x] && b.accept[y])
		}
		return id
	}
	pair(0, 0)
	for i := 0; i < len(pairs); i++ {
		x, y := a.rows[pairs[i][0]], b.rows[pairs[i][1]]
		d.rows = append(d.rows, commonEdges(x, y, pair))
		if !work.spend(8 + 4*(len(x)+len(y))) {
			return nil
		}
	}
	return d
}

func commonEdges(x, y []edge, pair func(x, y int32) int32) []edge {
	var row []edge
	for len(x) > 0 && len(y) > 0 {
		lo, hi := max(x[0].lo, y[0].lo), min(x[0].hi, y[0].hi)
		if lo <= hi {
			row = appendEdge(row, edge{lo, hi, pair(x[0].to, y[0].to)})
		}
		if x[0].hi == hi {
			x = x[1:]
		} else {
			y = y[1:]
		}
	}
	return row
}

// trim removes edges that cannot reach acceptance. It reports whether d accepts anything.
func (d *dfa) trim() bool {
	sources := make([][]int32, len(d.rows))
	for s, row := range d.rows {
		for _, e := range row {
			sources[e.to] = append(sources[e.to], int32(s))
		}
	}
	live := slices.Clone(d.accept)
	var pending []int32
	for s, ok := range live {
		if ok {
			pending = append(pending, int32(s))
		}
	}
	for len(pending) > 0 {
		s := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, from := range sources[s] {
			if !live[from] {
				live[from] = true
				pending = append(pending, from)
			}
		}
	}
	for s, row := range d.rows {
		d.rows[s] = slices.DeleteFunc(row, func(e edge) bool { return !live[e.to] })
	}
	return live[0]
}

// prefix returns the text that all accepted strings begin with. It follows states with a single
// continuation. only reports whether d accepts nothing but this text. A trimmed automaton has no cycle
// of such states, because the cycle could not lead to acceptance.
func (d *dfa) prefix(a alphabet) (out []byte, only bool) {
	s := int32(0)
	for !d.accept[s] && len(d.rows[s]) == 1 {
		e := d.rows[s][0]
		c, single := a.single(int(e.lo))
		if e.lo != e.hi || !single {
			break
		}
		out = utf8.AppendRune(out, c)
		s = e.to
	}
	return out, d.accept[s] && len(d.rows[s]) == 0
}

func (d *dfa) table(n int) []int16 {
	t := make([]int16, n*len(d.rows))
	for i := range t {
		t[i] = dead
	}
	for s, row := range d.rows {
		for _, e := range row {
			for class := int(e.lo); class <= int(e.hi); class++ {
				t[s*n+class] = int16(e.to)
			}
		}
	}
	return t
}

func follow(row []edge, class int) int32 {
	i, _ := slices.BinarySearchFunc(row, class, func(e edge, class int) int { return cmp.Compare(int(e.hi), class) })
	if i == len(row) || int(row[i].lo) > class {
		return dead
	}
	return row[i].to
}
