// This file finds the literals that every match of a regular expression contains.

package pattern

import "unicode/utf8"

// literalRun collects literals. Adjacent code points form one literal.
type literalRun struct {
	done [][]byte
	run  []byte
}

// literals returns folded texts that every match of the tree contains, up to case.
func (n *node) literals() [][]byte {
	var l literalRun
	l.add(n)
	l.end()
	return l.done
}

func (l *literalRun) add(n *node) {
	switch n.op {
	case opSet:
		if r, ok := n.folded(); ok {
			l.run = utf8.AppendRune(l.run, r)
			return
		}
	case opConcat:
		for _, k := range n.kids {
			l.add(k)
		}
		return
	case opIntersect:
		for _, k := range n.kids {
			l.end()
			l.add(k)
		}
	case opRepeat:
		if n.min > 0 {
			l.end()
			l.add(n.kids[0])
		}
	}
	l.end()
}

func (l *literalRun) end() {
	if len(l.run) > 0 {
		l.done, l.run = append(l.done, l.run), nil
	}
}

// folded returns the only code point of a set, folded. The set may contain it in both cases.
func (n *node) folded() (r rune, ok bool) {
	for i, s := range n.spans {
		switch f := FoldRune(s.lo); {
		case s.lo != s.hi, i > 0 && f != r:
			return 0, false
		default:
			r = f
		}
	}
	return r, len(n.spans) > 0
}
