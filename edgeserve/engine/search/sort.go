// This file compiles the sort of a body.

package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// order compiles the sort of a body; nil is by score.
func (c *evaluation) order(body *query.Body) (*scorer.Order, error) {
	keys := body.Order.Keys
	if keys == nil && body.Window.After == nil {
		return nil, nil
	}
	o := &scorer.Order{IDs: c.resolver.Reader.Field(snapshot.IDField)}
	document := false // a key is the document's number: the keys after it decide nothing, but hits show their values
	plain := true
	scored := slices.ContainsFunc(keys, func(k query.SortKey) bool { return k.Field == "_score" })
	var compiled []*hits.SortKey
	for _, k := range keys {
		key, err := c.sortKey(k)
		if err != nil {
			return nil, err
		}
		switch absent := key.Absent(); {
		case document && key.Form != hits.SortScore && body.Window.After == nil:
		case body.Window.After != nil || key.Form == hits.SortDocument && (!k.Asc || scored) || !absent && key.Form > hits.SortDocument && !key.Plain():
			o.Keys, plain = key.Order(o.Keys), false
		case key.Form == hits.SortDocument:
			o.Documents = len(o.Keys) == 0
		case key.Form == hits.SortScore:
			o.Keys = append(o.Keys, scorer.SortKey{Asc: k.Asc})
		case !absent:
			o.Keys = append(o.Keys, scorer.SortKey{Column: key.Column(), Asc: k.Asc, Greatest: !k.Asc, Absent: math.MaxUint32})
		}
		document = document || key.Form == hits.SortDocument
		compiled = append(compiled, key)
	}
	if body.Window.After != nil {
		return o, follow(o, compiled, body)
	}
	if !plain {
		return o, nil
	}
	if len(o.Keys) == 0 {
		o.Documents = true
		return o, nil
	}
	m := c.resolver.Reader.Meta()
	if n := len(keys); n <= 2 && keys[0].Field == m.Sort && keys[0].Asc == m.Asc && compiled[0].Listed() {
		o.Documents = n == 1 || keys[1].Field == snapshot.IDField && keys[1].Asc
	}
	return o, nil
}

// sortKey compiles a key.
func (c *evaluation) sortKey(k query.SortKey) (*hits.SortKey, error) {
	key, err := hits.CompileSort(c.resolver, k)
	if err != nil {
		return nil, err
	}
	if rule := c.resolver.Reader.LeftOut().Rule(k.Field); rule != "" && key.Absent() && k.Unmapped == "" {
		return nil, &query.Error{Code: problem.BadSort, Parameter: "sort", Position: -1,
			Message: fmt.Sprintf("%.80q cannot order items: this environment leaves %.80s out of its index", k.Field, rule)}
	}
	if key.Absent() && k.Unmapped == "" && !mayBeMissing(k.Field) {
		return nil, notSortable(k)
	}
	return key, c.work.Charge(key.Work())
}

// notSortable is the error for a key that names no field. Lists refuse most of such keys before.
func notSortable(k query.SortKey) error {
	form := address.SortForm(address.InBody)
	if k.Exact {
		form = address.InList
	}
	return &query.Error{Code: problem.BadSort, Parameter: "sort", Position: -1,
		Message: fmt.Sprintf("%.80q is not a field to sort by: fields are %s, _score and paths like Data.title%s", k.Field, strings.Join(address.ScalarFields(), ", "), address.SortAdvice(k.Field, form))}
}

// follow makes the page follow the values of search_after, one for each key.
func follow(o *scorer.Order, keys []*hits.SortKey, body *query.Body) (err error) {
	bad := func(format string, args ...any) error {
		return &query.Error{Code: problem.BadSearchAfter, Parameter: "search_after", Position: -1, Message: fmt.Sprintf(format, args...)}
	}
	switch n := len(body.Window.After); {
	case len(keys) == 0, len(keys) == 1 && keys[0].Form == hits.SortScore && !body.Order.Keys[0].Asc:
		return bad("search_after needs a sort of at least one field: scores tie, so add one, such as ContentID.keyword")
	case n != len(keys):
		return bad("search_after has %d values, but sort has %d keys", n, len(keys))
	case body.Window.From > 0:
		return bad("from must be 0 with search_after, not %d", body.Window.From)
	}
	for i, k := range keys {
		if o.After, err = k.After(o.After, body.Window.After[i]); err != nil {
			return err
		}
	}
	return nil
}

// mayBeMissing reports whether a sort may name a field that no item has: a field of every item, which an empty
// environment lacks, or a path of Data, which depends on the published items.
func mayBeMissing(name string) bool {
	return fields.IsMetadata(name) || address.IsScalar(name) || compile.IsDataPath(name) && !address.CannotBePath(name)
}
