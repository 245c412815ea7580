// This file reads the index of an environment: one search for all ids with their times.

package pull

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"contentedge/edgeserve/wire/address"
)

// index has the stamp of each item of an environment, at one moment.
type index map[string]stamp

// indexBody is the search. It requests the members that editors change. An item without a member has "" for it.
var indexBody = func() []byte {
	body, err := json.Marshal(map[string]any{
		"size":    maxIndex,
		"_source": []string{address.FieldContentID, address.FieldStatus, address.FieldUpdatedAt, address.FieldPublishedAt},
		"sort":    []map[string]string{{address.FieldContentID: "asc"}},
	})
	if err != nil {
		panic(err) // of constants
	}
	return body
}()

// index returns nil if the origin has no index, or none of all items. Then it is not asked again before
// the next whole walk.
func (p *Puller) index(ctx context.Context) (index, error) {
	if p.noIndex {
		return nil, nil
	}
	r := request{path: address.Search.Path(p.set.Env), body: indexBody}
	got, err := fetch(ctx, p.origin, r, lacksIndex, func(resp *response) (*page, error) { return p.reader.page(p.origin, resp) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if statusOf(err) == http.StatusTooManyRequests { // of this client, whatever it asks for
			return nil, err
		}
		p.noIndex = true
		return nil, nil
	}
	all := make(index, len(got.items))
	for _, it := range got.items {
		all[it.id] = it.stamp
	}
	if len(all) != got.total {
		p.noIndex = true
		return nil, nil
	}
	return all, nil
}

// lacksIndex reports whether a failure shows that the origin has no searches.
func lacksIndex(err error) bool {
	return isRejected(err) || statusOf(err) == http.StatusNotImplemented || timedOut(err) || tooLarge(err) ||
		isA[*OriginError](err) || isA[*RefusedError](err)
}

func (i index) equal(other index) bool { return maps.Equal(i, other) }

// contradicts reports whether a walk read the ids of an index, and some of its items at other times. If
// all times differ, the index writes them in another way.
func (i index) contradicts(c *collection) bool {
	others := 0
	for id, at := range i {
		switch of, ok := c.stamps[id]; {
		case !ok:
			return false
		case of != at:
			others++
		}
	}
	return len(c.entries) == len(i) && 0 < others && others < len(i)
}

// fits reports whether a walk read the items of an index.
func (i index) fits(c *collection) bool {
	return len(c.entries) == len(i) && maps.Equal(c.stamps, i)
}
