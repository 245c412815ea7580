// This file orders items. The default order numbers the documents of a snapshot, so it is
// total: every comparison ends in the content id.

package plan

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/generator/model"
)

// Order gives the positions of env's items in the order d: document n is item Order[n].
func Order(env *model.Env, d address.Defaults) []int32 {
	order := make([]int32, len(env.Items))
	for i := range order {
		order[i] = int32(i)
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

// comparison compares two items by one field: timestamps by instant, text by code point.
func comparison(items []model.Item, field string) func(a, b int32) int {
	if of := instant(field); of != nil {
		return func(a, b int32) int { return cmp.Compare(of(&items[a]), of(&items[b])) }
	}
	keys := make([]string, len(items))
	for i := range items {
		keys[i] = textOf(&items[i], field)
	}
	return func(a, b int32) int { return strings.Compare(keys[a], keys[b]) }
}

// instant gives the reader of a timestamp field, nil for a text field.
func instant(field string) func(*model.Item) int64 {
	switch field {
	case "CreatedAt":
		return func(it *model.Item) int64 { return it.CreatedAt }
	case "UpdatedAt":
		return func(it *model.Item) int64 { return it.UpdatedAt }
	case "PublishedAt":
		return func(it *model.Item) int64 { return it.PublishedAt }
	}
	return nil
}

func textOf(it *model.Item, field string) string {
	switch field {
	case "Name":
		return it.Name
	case "TemplateName":
		return it.TemplateName
	case "TemplateID":
		return it.TemplateID
	case "Status":
		return it.Status
	case "CreatedBy":
		return it.CreatedBy
	case "UpdatedBy":
		return it.UpdatedBy
	case "PublishedBy":
		return it.PublishedBy
	}
	return it.ContentID
}
