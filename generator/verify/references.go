// This file verifies the files of items that include others, and of the items that refer to others.

package verify

import (
	"contentedge/edgeserve/engine/include"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
)

// item returns the body of an item's file.
func (e *environment) item(b *buffers, id string, fragment []byte) []byte {
	rule := include.RuleOf(e.m.Include, fragment)
	if rule == nil {
		b.body = envelope.AppendItem(b.body[:0], fragment)
		return b.body
	}
	w := include.Walk{Items: search.Snapshot{Reader: e.reader}, Levels: rule.Levels, Rules: e.m.Include}
	found, err := w.From(id, fragment, fragment)
	if err != nil {
		e.v.problem(address.ItemFile(e.m.ID, id), "%v", err)
		return nil
	}
	b.body = envelope.AppendItemWith(b.body[:0], fragment, found)
	return b.body
}

// listsReferrers reports whether there is a file of the items that refer to an item.
func (e *environment) listsReferrers(item []byte) bool {
	return e.m.UsedIn.Any() && e.m.UsedIn.Of(envelope.TextOf(item, address.FieldTemplateName))
}

// referrers are the first items that refer to an item, and how many do.
type referrers struct {
	docs  []snapshot.DocID
	total int
}

// usedIn checks the lists of the items that refer to others.
func (e *environment) usedIn(ids []string) {
	if !e.m.UsedIn.Any() {
		return
	}
	lists := make([]*referrers, len(ids))
	for doc := range lists {
		if e.listsReferrers(e.reader.Fragment(snapshot.DocID(doc))) {
			lists[doc] = new(referrers)
		}
	}
	for from := range ids {
		seen := map[snapshot.DocID]bool{}
		envelope.References(e.reader.Fragment(snapshot.DocID(from)), func(_, id []byte) bool {
			to, ok := e.reader.Lookup(string(id))
			if !ok || lists[to] == nil || seen[to] {
				return true
			}
			seen[to] = true
			if lists[to].total++; lists[to].total <= include.MaxUsedIn {
				lists[to].docs = append(lists[to].docs, snapshot.DocID(from))
			}
			return true
		})
	}
	e.v.parallel(len(lists), func(b *buffers, doc int) {
		if lists[doc] == nil {
			return
		}
		filter := include.NewReferrerFilter()
		b.fragments = b.fragments[:0]
		for _, from := range lists[doc].docs {
			b.fragments = append(b.fragments, filter.Append(nil, e.reader.Fragment(from)))
		}
		b.body = envelope.AppendList(b.body[:0], b.fragments, lists[doc].total)
		e.expect(address.UsedInFile(e.m.ID, ids[doc]), b.body, "the items that refer to it")
	})
}
