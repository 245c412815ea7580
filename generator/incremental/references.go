// This file finds the items to which other items refer than in the baseline.

package incremental

import (
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

// Had reports whether the baseline has an item.
func (e *Env) Had(id string) bool {
	_, ok := e.Reader.Lookup(id)
	return ok
}

// ChangedReferences returns the ids that items refer to which are new, changed or removed, before or now. The result is
// not nil.
func (e *Env) ChangedReferences(docs Documents) (map[string]bool, error) {
	changed := map[string]bool{}
	note := func(item []byte) {
		envelope.References(item, func(_, id []byte) bool {
			changed[string(id)] = true
			return true
		})
	}
	same := make([]bool, e.Reader.Items())
	var text []byte
	for doc := range e.old {
		if e.same[doc] {
			same[e.old[doc]] = true
			continue
		}
		var err error
		if text, err = docs.Append(text[:0], doc); err != nil {
			return nil, err
		}
		note(text)
	}
	for old := range same {
		if !same[old] {
			note(e.Reader.Fragment(snapshot.DocID(old)))
		}
	}
	return changed, nil
}
