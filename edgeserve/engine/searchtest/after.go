// This file asks for pages that follow a hit.

package searchtest

import (
	"fmt"
	"slices"

	pages "contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
)

// sameAfter asks for the page after a hit by its sort values.
func (e *env) sameAfter(b *query.Body, all *search.Result) string {
	if len(b.Order.Keys) == 0 || all.Total == 0 || hasScore(b.Order.Keys) {
		return ""
	}
	values := pages.NewSortValues(e.r, b.Order.Keys)
	of := func(i int) string { return string(values.Append(nil, all.Docs[i], 0)) }
	for _, at := range []int{0, all.Total / 2, all.Total - 1} {
		next := at + 1
		for next < all.Total && of(next) == of(at) {
			next++
		}
		after, err := body.Parse([]byte(`{"search_after":` + of(at) + `}`))
		if err != nil {
			return err.Error()
		}
		page := *b
		page.Window.After = after.Window.After
		got, err := e.eval(&page, 0, whole)
		switch {
		case err != nil:
			return fmt.Sprintf("after %s: %v", of(at), err)
		case got.Total != all.Total || !slices.Equal(got.Docs, all.Docs[next:]):
			return fmt.Sprintf("after %s: %v, want %v", of(at), got.Docs, all.Docs[next:])
		}
	}
	return ""
}

func hasScore(keys []query.SortKey) bool {
	return slices.ContainsFunc(keys, func(k query.SortKey) bool { return k.Field == "_score" })
}

// after makes values that a page may follow.
func (a *asker) after(keys []any) (values []any) {
	for _, k := range keys {
		name, _ := k.(string)
		if o, ok := k.(object); ok {
			for field := range o {
				name = field
			}
		}
		var v any
		switch {
		case name == "_doc":
			v = a.IntN(30)
		case name == "_score":
			v = pick(a.Rand, []float64{0, 0.5, 1, 2})
		case !a.oneIn(8):
			v = a.fitting(name)
		}
		values = append(values, v)
	}
	return values
}
