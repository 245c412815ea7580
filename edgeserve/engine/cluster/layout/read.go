// This file reads the values of an item, and finds what an index would refuse.

package layout

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
)

// reader reads an item.
type reader struct {
	text   []byte
	values [][][]byte // the JSON of values by target
	misfit bool       // an index would refuse the item as it is
	empty  bool       // the item has no member
	err    error
}

func (r *reader) read(root *place) {
	r.empty = true
	r.object(root, 0, func(name string) {
		r.empty = false
		r.misfit = r.misfit || engineOwn(name)
	})
}

// engineOwn reports whether a member of a document belongs to the engine.
func engineOwn(name string) bool { return strings.HasPrefix(name, "_") }

// object reads the object at an offset and a place, which is nil where no field is below. It calls also for each name,
// and returns the end of the object.
func (r *reader) object(p *place, at int, also func(name string)) int {
	var names names
	return jsoncursor.Children(r.text, at, func(quoted []byte, at int) int {
		name := string(jsoncursor.Unquote(quoted))
		if !names.add(name) && r.err == nil {
			r.err = fmt.Errorf("the item has the member %.80q twice in one object", name)
		}
		if also != nil {
			also(name)
		}
		below, ok := p.find(name)
		r.misfit = r.misfit || !ok || slices.ContainsFunc(strings.Split(name, "."), blank)
		return r.value(below, at)
	})
}

func (r *reader) value(p *place, at int) int {
	switch r.text[at] {
	case '{':
		r.misfit = r.misfit || p.isValue()
		return r.object(p, at, nil)
	case '[':
		return jsoncursor.Children(r.text, at, func(_ []byte, at int) int { return r.value(p, at) })
	}
	end := jsoncursor.ScalarEnd(r.text, at)
	if p != nil && r.text[at] != 'n' {
		r.misfit = r.misfit || p.below != nil
		if p.field != nil {
			r.values[p.field.number] = append(r.values[p.field.number], r.text[at:end])
		}
	}
	return end
}

// isValue reports whether an index has no objects at a place.
func (p *place) isValue() bool { return p != nil && p.below == nil }

// find returns the place of a member, whose name may have dots. It is nil where no field is. ok is false if a part
// of the name that is not the last leads to a value.
func (p *place) find(name string) (below *place, ok bool) {
	for part := range strings.SplitSeq(name, ".") {
		if p == nil {
			return nil, true
		}
		if p.isValue() {
			return nil, false
		}
		p = p.below[part]
	}
	return p, true
}

// manyNames is how many names are compared one by one; more have a set.
const manyNames = 16

// names are the names of the members of an object.
type names struct {
	few  []string
	many map[string]struct{}
}

// add adds a name. It reports whether the name is new.
func (n *names) add(name string) bool {
	if n.many == nil {
		if slices.Contains(n.few, name) {
			return false
		}
		if n.few = append(n.few, name); len(n.few) < manyNames {
			return true
		}
		n.many = make(map[string]struct{}, 2*manyNames)
		for _, name := range n.few {
			n.many[name] = struct{}{}
		}
		return true
	}
	before := len(n.many)
	n.many[name] = struct{}{}
	return len(n.many) > before
}
