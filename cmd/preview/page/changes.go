// This file tells what a build changed: items, and the addresses and cache keys of the answers
// that follow from them.

package page

// Changes is what a build changed.
type Changes struct {
	Items          []ItemChange `json:"items"`
	ItemsTotal     int          `json:"itemsTotal"`
	Addresses      []string     `json:"addresses"`
	AddressesTotal int          `json:"addressesTotal"`
	PurgeKeys      []string     `json:"purgeKeys"`

	items []ItemChange // those that are kept
}

// ItemChange is an item that a build changed.
type ItemChange struct {
	Environment string `json:"environment"`
	ID          string `json:"id"`
	Name        string `json:"name"`
	Change      string `json:"change"` // added, changed or removed
}

// cut is the changes with at most n entries in each list.
func (c Changes) cut(n int) Changes {
	c.Items = atMost(c.items, n)
	c.Addresses, c.PurgeKeys = atMost(c.Addresses, n), atMost(c.PurgeKeys, n)
	return c
}
