// This file lists what a build changed: items, and the addresses and cache keys that follow from them.

package page

import (
	"slices"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
	"contentedge/generator/diff"
)

const maxName = 200 // bytes

// Changes is what a build changed.
type Changes struct {
	Items          []ItemChange `json:"items"`
	ItemsTotal     int          `json:"itemsTotal"`
	Addresses      []string     `json:"addresses"` // of lists without parameters, then of items
	AddressesTotal int          `json:"addressesTotal"`
	PurgeKeys      []string     `json:"purgeKeys"` // of environments and lists, then of items
}

// ItemChange is an item that a build changed.
type ItemChange struct {
	Environment string `json:"environment"`
	ID          string `json:"id"`
	Name        string `json:"name"`
	Change      string `json:"change"` // added, changed or removed
}

// changed is what is kept of a build's changes: the items, from which the rest follows.
type changed struct {
	total   int
	items   []ItemChange // at most maxListedAlone
	related [][2]string  // environments and ids of items with other responses that did not change; at most maxListedAlone
	lists   []string     // environments with other lists
	envs    []string     // environments that came or went
}

// newChanged takes the changes, with the environments before the build and after it.
func newChanged(c generator.Changes, before, after []Environment) changed {
	var out changed
	for _, e := range c.Environments {
		out.total += len(e.Items)
		for _, it := range e.Items[:min(len(e.Items), maxListedAlone-len(out.items))] {
			out.items = append(out.items, ItemChange{e.ID, it.ID, shorten(it.Name, maxName), it.Change})
		}
		for _, id := range e.Related[:min(len(e.Related), maxListedAlone-len(out.related))] {
			out.related = append(out.related, [2]string{e.ID, id})
		}
		if e.Lists {
			out.lists = append(out.lists, e.ID)
		}
	}
	for _, side := range [...][2][]Environment{{before, after}, {after, before}} {
		for _, e := range side[0] {
			if !slices.ContainsFunc(side[1], func(o Environment) bool { return o.ID == e.ID }) {
				out.envs = append(out.envs, e.ID)
			}
		}
	}
	return out
}

func (c *changed) describe(n int) Changes {
	out := Changes{Items: atMost(c.items, n), ItemsTotal: c.total, Addresses: []string{}, PurgeKeys: []string{}}
	for _, env := range c.envs {
		out.PurgeKeys = append(out.PurgeKeys, diff.EnvKey(env))
	}
	for _, env := range c.lists {
		out.Addresses = append(out.Addresses, address.Contents.Path(env))
		out.PurgeKeys = append(out.PurgeKeys, diff.ListsKey(env))
	}
	out.AddressesTotal = len(c.lists)
	for _, it := range out.Items {
		out.Addresses = append(out.Addresses, diff.ItemURLs(it.Environment, it.ID)...)
		out.PurgeKeys = append(out.PurgeKeys, diff.ItemKey(it.ID))
	}
	for _, it := range c.related {
		out.Addresses = append(out.Addresses, diff.ItemURLs(it[0], it[1])...)
		out.PurgeKeys = append(out.PurgeKeys, diff.ItemKey(it[1]))
	}
	out.AddressesTotal += (c.total + len(c.related)) * len(diff.ItemURLs("", ""))
	out.Addresses, out.PurgeKeys = atMost(out.Addresses, n), atMost(out.PurgeKeys, n)
	return out
}
