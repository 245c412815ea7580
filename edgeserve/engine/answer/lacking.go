// This file answers requests from search-only snapshots, whose items are files. A response that reads items
// which no one has fetched yet names their files; the caller fetches them and asks again.

package answer

import (
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// MaxRounds is the number of times that the files of items may be fetched for one response. Most responses
// need one round: all items of a page are known together. A search for a whole long value may need the item
// of that value before it knows its page. Each level of included items needs a round more.
const MaxRounds = 2 + address.MaxInclude

// Failed is the round of a request whose items could not all be had.
const Failed = -1

// RespondWith is RespondTo for a release whose snapshots may be search-only. round counts from 0 how often the
// caller has fetched items for this request. If the response lacks items, RespondWith returns the names of
// their files and nothing else: the caller passes each file to PutItem, and calls RespondWith with the same
// request and the next round, or with Failed. After MaxRounds, or with Failed, it returns a problem instead.
// Calls must not overlap, but other requests may be answered between the rounds of one.
func (v *Release) RespondWith(route address.Route, query string, body []byte, round int) (r Response, lacking []string, p *problem.Problem, cause error) {
	v.begin()
	r, p, cause = v.RespondTo(route, query, body)
	need, err := v.lacking(round)
	switch {
	case err != nil:
		p, cause = problemOf(err), nil
		if p.Code == problem.Unreadable {
			cause = err
		}
		return Response{}, nil, p, cause
	case len(need) > 0:
		return Response{}, need, nil, nil
	}
	return r, nil, p, cause
}

func (v *Release) begin() {
	for _, e := range v.Environments {
		if c := cacheOf(e.Fields.Reader); c != nil {
			c.Begin()
		}
	}
}

// cacheOf returns the items of a search-only snapshot, nil for others.
func cacheOf(r *snapshot.Reader) *snapshot.ItemCache {
	if r == nil {
		return nil
	}
	return r.ItemCache()
}

// errItems reports items whose files are unavailable, or belong to another release.
var errItems = refused(problem.Unreadable)

// lacking returns the names of the files that the response lacks, in their order.
func (v *Release) lacking(round int) (files []string, err error) {
	over, full := false, false
	for env, e := range v.Environments {
		c := cacheOf(e.Fields.Reader)
		if c == nil {
			continue
		}
		docs, ok := c.Lacking()
		over = over || !ok
		if round == Failed {
			full = c.Full() || full
		}
		for _, d := range docs {
			files = append(files, address.ItemFile(env, e.Fields.Reader.ID(d)))
		}
	}
	switch {
	case over || full || len(files) > snapshot.MaxLacking || len(files) > 0 && round >= MaxRounds:
		return nil, errTooManyItems
	case len(files) > 0 && round == Failed:
		return nil, errItems
	}
	slices.Sort(files)
	return files, nil
}

var errTooManyItems = &tooManyItems{}

// tooManyItems reports a response that reads more items than a caller may be asked to fetch.
type tooManyItems struct{}

func (*tooManyItems) Error() string {
	return fmt.Sprintf("each item is a file of its own here, and this response needs more than %d files, or %d MiB: ask for fewer items, for fewer levels of include, or in a search for _source: false",
		snapshot.MaxLacking, snapshot.MaxItemBytes>>20)
}

// PutItem adds the file of an item that RespondWith named. It refuses a file that is damaged or that belongs
// to another release.
func (v *Release) PutItem(file string, body []byte) error {
	route, ok := address.ParsePath("/" + file)
	if e := v.Environments[route.Env]; ok && route.Kind == address.Item && e != nil {
		if c := cacheOf(e.Fields.Reader); c != nil {
			item, ok := envelope.Item(body)
			if !ok {
				return fmt.Errorf("%.200q is not the file of an item", file)
			}
			return c.Put(route.ID, item)
		}
	}
	return errors.New("no response lacked this file")
}
