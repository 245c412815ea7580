// This file orders items. The default order numbers the documents of a snapshot, so it is
// total: every comparison ends in the content id.

package plan

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/mapping"
	"contentedge/generator/model"
)

// Order returns the positions of env's items in the order d: document n is item Order[n].
func Order(env *model.Env, d address.Defaults) []int32 {
	order := make([]int32, len(env.Items))
	for i := range order {
		order[i] = int32(i)
	}
	if !address.IsScalar(d.Sort) {
		orderByData(env.Items, order, d.Asc)
		return order
	}
	less := comparison(env.Items, d.Sort)
	slices.SortFunc(order, func(a, b int32) int {
		c := less(a, b)
		if !d.Asc {
			c = -c
		}
		if c == 0 {
			c = strings.Compare(env.Items[a].ContentID, env.Items[b].ContentID)
		}
		return c
	})
	return order
}

// orderByData orders items by their values of a path of Data: by instant if all values are dates,
// otherwise as CompareInRest does. Items without a value come last in both directions.
func orderByData(items []model.Item, order []int32, asc bool) {
	dates := !slices.ContainsFunc(items, func(it model.Item) bool { return it.Order != nil && !it.Order.Dates })
	sign := 1
	if !asc {
		sign = -1
	}
	slices.SortFunc(order, func(x, y int32) int {
		a, b := items[x].Order, items[y].Order
		c := 0
		switch {
		case a == nil && b != nil:
			return 1
		case a != nil && b == nil:
			return -1
		case a == nil:
		case dates:
			c = cmp.Compare(a.Instant, b.Instant)
		default:
			c = mapping.CompareInRest(a.Kind, a.Text, b.Kind, b.Text)
		}
		return cmp.Or(sign*c, strings.Compare(items[x].ContentID, items[y].ContentID))
	})
}

// comparison compares two items by one field: timestamps by instant, text by code point.
func comparison(items []model.Item, field string) func(a, b int32) int {
	if of := instants[field]; of != nil {
		return func(a, b int32) int { return cmp.Compare(of(&items[a]), of(&items[b])) }
	}
	of, keys := texts[field], make([]string, len(items))
	for i := range items {
		keys[i] = of(&items[i])
	}
	return func(a, b int32) int { return strings.Compare(keys[a], keys[b]) }
}

// instants and texts read the fields that items are ordered by (address.ScalarFields).
var (
	instants = map[string]func(*model.Item) int64{
		address.FieldCreatedAt:   func(it *model.Item) int64 { return it.CreatedAt },
		address.FieldUpdatedAt:   func(it *model.Item) int64 { return it.UpdatedAt },
		address.FieldPublishedAt: func(it *model.Item) int64 { return it.PublishedAt },
	}
	texts = map[string]func(*model.Item) string{
		address.FieldContentID:    func(it *model.Item) string { return it.ContentID },
		address.FieldName:         func(it *model.Item) string { return it.Name },
		address.FieldTemplateName: func(it *model.Item) string { return it.TemplateName },
		address.FieldTemplateID:   func(it *model.Item) string { return it.TemplateID },
		address.FieldStatus:       func(it *model.Item) string { return it.Status },
		address.FieldCreatedBy:    func(it *model.Item) string { return it.CreatedBy },
		address.FieldUpdatedBy:    func(it *model.Item) string { return it.UpdatedBy },
		address.FieldPublishedBy:  func(it *model.Item) string { return it.PublishedBy },
	}
)
