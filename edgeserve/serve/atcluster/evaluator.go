// This file evaluates requests for the items of an environment: from files, from an object store, from the index.

package atcluster

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// evaluator implements hits.Evaluator and hits.ItemsReader.
type evaluator struct {
	index   *cluster.Index
	twin    *snapshot.Reader
	env     string
	dir     *releasedir.Dir
	cluster *Cluster
}

var _ interface {
	hits.Evaluator
	hits.ItemsReader
} = (*evaluator)(nil)

// Search implements hits.Evaluator.
func (e *evaluator) Search(work *scorer.WorkLimit, body *query.Body, forHits bool) (*hits.Result, error) {
	if e.cluster.Exact {
		if err := e.refuse(work, body, e.index.Approximate(body)); err != nil {
			return nil, err
		}
	}
	found, err := e.index.Search(work, body, forHits)
	if err == nil && e.cluster.Exact && found.Approximate != nil { // only the response shows whether terms are approximate
		why := found.Approximate
		found.Release()
		return nil, notExact(why)
	}
	return found, err
}

// refuse refuses a body whose results would be approximate. The errors of the body come first.
func (e *evaluator) refuse(work *scorer.WorkLimit, body *query.Body, why []string) error {
	if len(why) == 0 {
		return nil
	}
	if _, err := search.Check(work, e.twin, body); err != nil {
		return err
	}
	return notExact(why)
}

func notExact(why []string) error {
	return &query.Error{Code: problem.NotExact, Position: -1, Evaluated: true,
		Message: "the results would be approximate at the cluster (" + strings.Join(why, ", ") + "), and this server sends only exact ones"}
}

// Explain implements hits.Evaluator.
func (e *evaluator) Explain(work *scorer.WorkLimit, body *query.Body, id string) (hits.Explained, error) {
	why := e.index.ApproximateExplanation(body)
	if e.cluster.Exact {
		if err := e.refuse(work, body, why); err != nil {
			return hits.Explained{}, err
		}
	}
	explained, err := e.index.Explain(work, body, id)
	explained.Approximate = why
	return explained, err
}

// CanMatch implements hits.Evaluator.
func (e *evaluator) CanMatch(work *scorer.WorkLimit, body *query.Body) (ok, timed bool, err error) {
	return e.index.CanMatch(work, body)
}

// QueryText implements hits.Evaluator.
func (e *evaluator) QueryText(work *scorer.WorkLimit, body *query.Body) (string, error) {
	return e.index.QueryText(work, body)
}

// Item implements hits.Evaluator.
func (e *evaluator) Item(id string) (item []byte, found bool, err error) {
	return hits.Item(e, scorer.NewWorkLimit(context.Background()), id)
}

// batch is how many items are asked for at once: a page of about a megabyte.
const batch = 500

// ItemsOf implements hits.ItemsReader.
func (e *evaluator) ItemsOf(work *scorer.WorkLimit, ids []string) ([][]byte, error) {
	items, places := make([][]byte, len(ids)), make(map[string][]int, len(ids))
	var lacking []string
	for i, id := range ids {
		if !address.ValidID(id) {
			continue // no item has it
		}
		if places[id] = append(places[id], i); len(places[id]) == 1 {
			lacking = append(lacking, id)
		}
	}
	take := func(id string, item []byte) {
		for _, i := range places[id] {
			items[i] = item
		}
	}
	for _, from := range []func(*scorer.WorkLimit, []string, func(string, []byte)) error{e.fromFiles, e.fromStore, e.fromIndex} {
		if err := from(work, lacking, take); err != nil {
			return nil, err
		}
		kept := lacking[:0]
		for _, id := range lacking {
			if items[places[id][0]] == nil {
				kept = append(kept, id)
			}
		}
		if lacking = kept; len(lacking) == 0 {
			break
		}
	}
	return items, nil
}

// bytesPerStep is the number of bytes of a file that are read in a step.
const bytesPerStep = 64

// maxItem limits the file of an item, in bytes: far above what templates have, and far below what hurts.
const maxItem = 16 << 20

// fromFiles reads items from files of the release. Another source has an item whose file is missing or damaged.
func (e *evaluator) fromFiles(work *scorer.WorkLimit, ids []string, take func(id string, item []byte)) error {
	if e.dir.SnapshotOnly {
		return nil
	}
	for _, id := range ids {
		text, err := e.dir.ReadFile(address.ItemFile(e.env, id), maxItem)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if item, ok := itemOf(text, id); err == nil && ok {
			if err := work.Charge(len(text) / bytesPerStep); err != nil {
				return err
			}
			take(id, item)
		}
	}
	return nil
}

// itemOf returns the item in the text of a file, if it has this id.
func itemOf(text []byte, id string) ([]byte, bool) {
	item, ok := envelope.Item(text)
	return item, ok && envelope.TextOf(item, snapshot.IDField) == id
}

// fromStore reads items from the object store.
func (e *evaluator) fromStore(work *scorer.WorkLimit, ids []string, take func(id string, item []byte)) error {
	if e.cluster.Items == nil {
		return nil
	}
	return e.cluster.Items.read(work, e.dir.Build(), e.env, ids, take)
}

// fromIndex reads items from the index.
func (e *evaluator) fromIndex(work *scorer.WorkLimit, ids []string, take func(id string, item []byte)) error {
	for len(ids) > 0 {
		n := min(len(ids), batch)
		body := &query.Body{Query: &query.IDs{Values: ids[:n], Boost: 1}}
		body.Window.Size = n
		found, err := e.index.Search(work, body, false)
		if err != nil {
			return err
		}
		for place := range found.Len() {
			id := string(found.Matches.Hit(place).ID)
			item, _ := found.Matches.Items(place, 1)
			take(id, bytes.Clone(item))
		}
		found.Release()
		ids = ids[n:]
	}
	return nil
}
