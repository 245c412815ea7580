// This file builds nondeterministic automata: operators connect their operands' fragments.
// Intersection and complement build intermediate DFAs.

package pattern

import "slices"

// budget counts down a compilation's work. Once exhausted, loops end and the result is discarded.
type budget struct{ left int }

// spend takes n steps and reports whether that many were left.
func (b *budget) spend(n int) bool {
	b.left -= n
	return b.left >= 0
}

// edge leads to a state for the classes lo to hi, inclusive.
type edge struct {
	lo, hi uint16
	to     int32
}

// nfaState has edges that read a code point, and jumps that read none.
type nfaState struct {
	edges []edge
	jumps []int32
}

type fragment struct{ in, out int32 }

type nfaBuilder struct {
	alphabet alphabet
	work     *budget
	states   []nfaState
}

// deterministic compiles a separate tree. It returns nil if a limit is exceeded.
func (b *nfaBuilder) deterministic(tree *node) *dfa {
	sub := &nfaBuilder{alphabet: b.alphabet, work: b.work}
	whole := sub.fragment(tree)
	if b.work.left < 0 {
		return nil
	}
	return determinize(sub.states, whole, b.work)
}

func (b *nfaBuilder) state() int32 {
	if !b.work.spend(stateWork) {
		return 0
	}
	b.states = append(b.states, nfaState{})
	return int32(len(b.states) - 1)
}

func (b *nfaBuilder) jump(from, to int32) {
	if b.work.left >= 0 {
		b.states[from].jumps = append(b.states[from].jumps, to)
	}
}

func (b *nfaBuilder) fragment(n *node) fragment {
	switch n.op {
	case opSet:
		return b.set(n)
	case opConcat:
		return b.concat(n.kids)
	case opUnion:
		return b.union(n.kids)
	case opRepeat:
		return b.repeat(n)
	}
	if n.compiled == nil && b.work.left >= 0 {
		n.compiled = b.combine(n)
	}
	return b.copyDFA(n.compiled)
}

func (b *nfaBuilder) set(n *node) fragment {
	f := fragment{b.state(), b.state()}
	if !b.work.spend(len(n.spans)) {
		return f
	}
	if n.classes == nil {
		b.work.spend(16 * len(n.spans))
		for _, s := range n.spans {
			n.classes = append(n.classes, edge{lo: b.class(s.lo), hi: b.class(s.hi)})
		}
	}
	edges := slices.Clone(n.classes)
	for i := range edges {
		edges[i].to = f.out
	}
	b.states[f.in].edges = edges
	return f
}

func (b *nfaBuilder) class(c rune) uint16 { return uint16(b.alphabet.class(c)) }

func (b *nfaBuilder) concat(kids []*node) fragment {
	in := b.state()
	f := fragment{in, in}
	for _, k := range kids {
		f = b.then(f, b.fragment(k))
	}
	return f
}

func (b *nfaBuilder) then(first, second fragment) fragment {
	b.jump(first.out, second.in)
	return fragment{first.in, second.out}
}

func (b *nfaBuilder) union(kids []*node) fragment {
	f := fragment{b.state(), b.state()}
	for _, k := range kids {
		part := b.fragment(k)
		b.jump(f.in, part.in)
		b.jump(part.out, f.out)
	}
	return f
}

// repeat copies the operand min times, then loops or adds max-min copies with jumps to the end.
func (b *nfaBuilder) repeat(n *node) fragment {
	if n.max != unlimited && n.max < n.min {
		return b.union(nil)
	}
	in := b.state()
	f := fragment{in, in}
	for i := 0; i < n.min && b.work.left >= 0; i++ {
		f = b.then(f, b.fragment(n.kids[0]))
	}
	out := b.state()
	if n.max == unlimited {
		loop := b.fragment(n.kids[0])
		b.jump(f.out, out)
		b.jump(out, loop.in)
		b.jump(loop.out, out)
		return fragment{f.in, out}
	}
	for i := n.min; i < n.max && b.work.left >= 0; i++ {
		b.jump(f.out, out)
		f = b.then(f, b.fragment(n.kids[0]))
	}
	b.jump(f.out, out)
	return fragment{f.in, out}
}

func (b *nfaBuilder) combine(n *node) *dfa {
	d := b.deterministic(n.kids[0])
	if n.op == opComplement {
		if d == nil {
			return nil
		}
		return d.complement(uint16(b.alphabet.size() - 1))
	}
	for _, k := range n.kids[1:] {
		other := b.deterministic(k)
		if d == nil || other == nil {
			return nil
		}
		d = intersect(d, other, b.work)
	}
	return d
}

// copyDFA copies a DFA into the NFA. A nil DFA means that a limit was exceeded.
func (b *nfaBuilder) copyDFA(d *dfa) fragment {
	if d == nil {
		b.work.left = -1
		return fragment{}
	}
	f := fragment{b.state(), b.state()}
	base := int32(len(b.states))
	b.jump(f.in, base)
	for i, row := range d.rows {
		s := b.state()
		if !b.work.spend(len(row)) {
			return f
		}
		edges := make([]edge, len(row))
		for j, e := range row {
			edges[j] = edge{e.lo, e.hi, base + e.to}
		}
		b.states[s].edges = edges
		if d.accept[i] {
			b.jump(s, f.out)
		}
	}
	return f
}
