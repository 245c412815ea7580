// Package include finds the items that others refer to, level by level, within limits. A node does so for a request,
// a build for the files of items: both have the same items in the same order, the nearer ones first, then in the order
// of the references.
package include

import (
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// The most that a response includes: a browser parses so much in some 50 ms.
const (
	MaxItems = 1000
	MaxBytes = 8 << 20 // of ids and items
)

// The steps of reading, finding and copying, and the memory of an id that was seen.
const (
	bytesPerStep  = 8
	idSteps       = 30
	lookupSteps   = 100
	copiedPerStep = 64
	idBytes       = 128
)

// Items finds items by their ids. One with ItemsOf is asked for many at once. A nil item does not exist.
type Items interface {
	Item(id string) (item []byte, found bool, err error)
}

type itemsReader interface {
	ItemsOf(work *scorer.WorkLimit, ids []string) ([][]byte, error)
}

// batch is how many items are asked for at once: a body with these ids is far below the limits of search engines.
const batch = 500

// Walk says which references are followed.
type Walk struct {
	Items  Items
	Levels int               // 1: the items that the roots refer to
	Rules  []release.Include // the references by template; items of other templates follow all
	Work   *scorer.WorkLimit // nil means no limit of work

	// Absent is called with each id that is followed and no item has. It may be nil.
	Absent func(id string)
}

// Run returns the items to which the items of a response refer. These have ids, and are not included again. read
// returns each item, and the part that the response shows: references that it does not show are not followed. Both
// texts are used until the next call. The error is a *query.Error if too many items are found, otherwise the error of
// Items or read.
func (w *Walk) Run(ids []string, read func(i int) (item, shown []byte, err error)) (*envelope.Included, error) {
	if err := w.Work.Hold(idBytes * len(ids)); err != nil {
		return nil, err
	}
	r := run{Walk: w, seen: make(map[string]bool, len(ids)), found: new(envelope.Included)}
	for _, id := range ids {
		r.seen[id] = true
	}
	for i := range ids {
		item, shown, err := read(i)
		if err != nil {
			return nil, err
		}
		if err := r.follow(item, shown); err != nil {
			return nil, err
		}
	}
	if err := r.includeNext(); err != nil {
		return nil, err
	}
	for from, level := 0, 1; level < w.Levels; level++ {
		found := r.found.Fragments[from:]
		from += len(found)
		for _, text := range found {
			if err := r.follow(text, text); err != nil {
				return nil, err
			}
		}
		if err := r.includeNext(); err != nil {
			return nil, err
		}
	}
	return r.found, r.charge(r.found.Bytes() / copiedPerStep)
}

// From is Run for the response of one item.
func (w *Walk) From(id string, item, shown []byte) (*envelope.Included, error) {
	return w.Run([]string{id}, func(int) ([]byte, []byte, error) { return item, shown, nil })
}

type run struct {
	*Walk
	seen  map[string]bool
	next  []string // ids of the next level
	found *envelope.Included
}

// follow notes the items that the shown part of an item refers to. The part may lack the template, whose rule counts.
func (r *run) follow(item, shown []byte) error {
	if err := r.charge(1 + len(shown)/bytesPerStep); err != nil {
		return err
	}
	paths, limited := PathsOf(r.Rules, item)
	var failed error
	envelope.References(shown, func(path, id []byte) bool {
		if limited && !slices.Contains(paths, string(path)) {
			return true
		}
		if failed = r.charge(idSteps); failed == nil && !r.seen[string(id)] && address.ValidID(string(id)) {
			failed = r.note(string(id))
		}
		return failed == nil
	})
	return failed
}

// note notes an id that no item had before.
func (r *run) note(id string) error {
	r.seen[id] = true
	if err := r.charge(lookupSteps); err != nil {
		return err
	}
	r.next = append(r.next, id)
	return r.Work.Hold(idBytes)
}

// includeNext includes the items that were noted.
func (r *run) includeNext() error {
	defer func() { r.next = r.next[:0] }()
	reader, ok := r.Items.(itemsReader)
	if !ok {
		for _, id := range r.next {
			item, found, err := r.Items.Item(id)
			if err == nil {
				err = r.include(id, item, found)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	for ids := range slices.Chunk(r.next, batch) {
		items, err := reader.ItemsOf(r.Work, ids)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if err := r.include(id, items[i], items[i] != nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// include includes an item, unless it does not exist.
func (r *run) include(id string, item []byte, found bool) error {
	if !found {
		if r.Absent != nil {
			r.Absent(id)
		}
		return nil
	}
	if len(r.found.IDs) == MaxItems || r.found.Bytes()+len(id)+len(item) > MaxBytes {
		return errTooMany
	}
	r.found.Add(id, item)
	return nil
}

func (r *run) charge(steps int) error {
	err := r.Work.Charge(steps)
	if errors.Is(err, scorer.ErrTooCostly) {
		return errTooCostly
	}
	return err
}

// PathsOf returns the paths of the references that the rules follow from an item. limited is false if they follow all.
func PathsOf(rules []release.Include, item []byte) (paths []string, limited bool) {
	if rule := RuleOf(rules, item); rule != nil {
		return rule.Paths, len(rule.Paths) > 0
	}
	return nil, false
}

// RuleOf returns the rule of an item's template, or nil.
func RuleOf(rules []release.Include, item []byte) *release.Include {
	if len(rules) == 0 {
		return nil
	}
	return release.IncludeOf(rules, envelope.TextOf(item, address.FieldTemplateName))
}

const remedy = "ask for fewer levels or for a smaller page, or select the members with the references to follow"

var (
	errTooMany = &query.Error{Code: problem.TooManyIncluded, Parameter: address.ParamInclude, Position: -1,
		Message: fmt.Sprintf("a response includes at most %d items of together %s: %s", MaxItems, bytesize.Format(MaxBytes), remedy)}
	errTooCostly = &query.Error{Code: problem.TooCostly, Parameter: address.ParamInclude, Position: -1,
		Message: "following these references needs more work than one request may take: " + remedy}
)

// TooMany reports whether a walk ended because it found too many items.
func TooMany(err error) bool { return errors.Is(err, errTooMany) }
