// This file writes which items differ between two releases, for programs that follow a site.

package diff

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// ChangesFormat is the version of the format of Changes.
const ChangesFormat = 1

// MaxChanges bounds the items that Changes name: about 5 MB. For a client with more changes, fetching all items is as
// fast.
const MaxChanges = 100_000

// Changes are the items that differ between two releases. They depend only on the two releases.
type Changes struct {
	Format int    `json:"format"`
	From   string `json:"from"` // the build ids
	To     string `json:"to"`
	// TooMany: more than MaxChanges items differ, and none is named. A program fetches all items then.
	TooMany      bool                 `json:"tooMany"`
	Environments []EnvironmentChanges `json:"environments"` // with changes, by id
}

// EnvironmentChanges are the ids of the items that differ in an environment, each list in ascending order.
type EnvironmentChanges struct {
	ID      string   `json:"id"`
	Created []string `json:"created"`
	Updated []string `json:"updated"`
	Removed []string `json:"removed"`
}

// FindChanges compares the items of two releases.
func FindChanges(ctx context.Context, old, new *checksums.List) (*Changes, error) {
	c := &Changes{Format: ChangesFormat, From: old.Manifest.Build, To: new.Manifest.Build, Environments: []EnvironmentChanges{}}
	n := 0
	_, err := Compare(ctx, old, new, func(f File) error {
		env, id, ok := f.Item()
		if !ok {
			return nil
		}
		if n++; n > MaxChanges {
			c.TooMany, c.Environments = true, []EnvironmentChanges{}
			return nil
		}
		c.add(f.Kind, env, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.sort()
	return c, nil
}

// sort orders by id. The files of a-b come before the files of a, as their names do.
func (c *Changes) sort() {
	slices.SortFunc(c.Environments, func(a, b EnvironmentChanges) int { return cmp.Compare(a.ID, b.ID) })
	for _, e := range c.Environments {
		for _, ids := range [][]string{e.Created, e.Updated, e.Removed} {
			slices.Sort(ids)
		}
	}
}

// add records a change. Compare visits the files of an environment together.
func (c *Changes) add(kind Kind, env, id string) {
	last := len(c.Environments) - 1
	if last < 0 || c.Environments[last].ID != env {
		c.Environments = append(c.Environments, EnvironmentChanges{env, []string{}, []string{}, []string{}}) // in JSON [], never null
		last++
	}
	e := &c.Environments[last]
	switch kind {
	case Added:
		e.Created = append(e.Created, id)
	case Changed:
		e.Updated = append(e.Updated, id)
	case Removed:
		e.Removed = append(e.Removed, id)
	}
}

// Name is the name of the file that has the changes.
func (c *Changes) Name() string { return release.ChangesName(c.From, c.To) }

// Encode returns the text of the file.
func (c *Changes) Encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(c) // texts can always be encoded
	return b.Bytes()
}
