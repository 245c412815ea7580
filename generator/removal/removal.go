// Package removal bounds what builds and publications may remove of the current release.
package removal

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// DefaultMax is how many percent of an environment's items a release may remove.
const DefaultMax = 50

// Limit is what a release may remove. The zero value is the default.
type Limit struct {
	Allow bool // any removal
	Max   *int // percent of an environment's items; nil: DefaultMax
	// Withdrawn returns the ids of items that the next release holds back on purpose, by environment. They may go. It is
	// called only for a release that is refused without it. It may be nil.
	Withdrawn func() map[string][]string
}

func (l Limit) max() int {
	if l.Max == nil {
		return DefaultMax
	}
	return *l.Max
}

// Change is what a release changes in an environment of the current one.
type Change struct {
	ID      string `json:"id"`
	Before  int    `json:"before"` // items of the current release
	After   int    `json:"after"`  // items of the new release
	Removed int    `json:"removed"`
	// Withdrawn items left because of their time, or because of a status that means "not public". They do not count as
	// removed.
	Withdrawn int  `json:"withdrawn,omitempty"`
	Dropped   bool `json:"dropped,omitempty"` // the new release does not have the environment
}

// Compare computes the changes by numbers of items, which hide items that were replaced.
func Compare(current []release.Environment, next func(id string) (items int, ok bool)) []Change {
	changes := make([]Change, 0, len(current))
	for _, e := range current {
		items, ok := next(e.ID)
		changes = append(changes, Change{ID: e.ID, Before: e.Items, After: items, Removed: max(0, e.Items-items), Dropped: !ok})
	}
	return changes
}

// CompareManifests is Compare for two releases.
func CompareManifests(current, next *release.Manifest) []Change {
	items := make(map[string]int, len(next.Environments))
	for _, e := range next.Environments {
		items[e.ID] = e.Items
	}
	return Compare(current.Environments, func(id string) (int, bool) {
		n, ok := items[id]
		return n, ok
	})
}

// Check returns an *Error if a change exceeds the limit.
func (l Limit) Check(changes []Change) error {
	if l.Allow {
		return nil
	}
	e := &Error{Max: l.max()}
	for _, c := range changes {
		if c.exceeds(e.Max) {
			e.Changes = append(e.Changes, c)
		}
	}
	if len(e.Changes) == 0 {
		return nil
	}
	return e
}

// Withdraw subtracts items from the removals of a change.
func (c *Change) Withdraw(items int) {
	items = min(items, c.Removed)
	c.Removed, c.Withdrawn = c.Removed-items, c.Withdrawn+items
}

// CheckMirror is Check for a mirror of an origin.
func (l Limit) CheckMirror(c Change) error {
	err := l.Check([]Change{c})
	if e, ok := err.(*Error); ok {
		e.Mirror = true
	}
	return err
}

// exceeds reports whether a change must be allowed. Dropping or emptying an environment always must,
// unless the environment has no items.
func (c Change) exceeds(max int) bool {
	return c.Before > 0 && (c.Dropped || c.After == 0 && c.Removed > 0 || int64(c.Removed)*100 > int64(max)*int64(c.Before))
}

// Error is a release that removes more than its limit.
type Error struct {
	Max     int      // percent of an environment's items
	Changes []Change // the changes that exceed the limit
	Mirror  bool     // of a mirror of an origin, not of a release
}

// Summary says what was refused, without the numbers.
func (e *Error) Summary() string {
	current, _ := e.sides()
	return "this removes content of " + current
}

// sides are what is there and what shall replace it.
func (e *Error) sides() (current, next string) {
	if e.Mirror {
		return "the mirror", "the origin"
	}
	return "the current release", "the new release"
}

// Error names each environment, its items before and after, and the flags that allow it.
func (e *Error) Error() string {
	var b strings.Builder
	_, next := e.sides()
	b.WriteString("REFUSED: " + e.Summary() + "; nothing was changed")
	for _, c := range e.Changes {
		b.WriteString("\n  " + c.describe(e.Max, next))
	}
	b.WriteString("\n  hint: look at the content, or pass --allow-removal if this is meant; --max-removed PERCENT sets the bound")
	return b.String()
}

// Refused says what is refused.
func (*Error) Refused() string { return "too much would be removed" }

func (c Change) describe(max int, next string) string {
	switch {
	case c.Dropped:
		return fmt.Sprintf("%s: %s now; %s does not have the environment", c.ID, items(c.Before), next)
	case c.After == 0:
		return fmt.Sprintf("%s: %s now, none in %s", c.ID, items(c.Before), next)
	}
	return fmt.Sprintf("%s: %s now, %d in %s, which lacks %d of the current items: %s (at most %d%% may go)",
		c.ID, items(c.Before), c.After, next, c.Removed, percent(c.Removed, c.Before), max)
}

// percent writes a share, rounded up: a share above the limit never reads as equal to it.
func percent(part, whole int) string {
	tenths := (int64(part)*1000 + int64(whole) - 1) / int64(whole)
	if tenths%10 == 0 {
		return fmt.Sprintf("%d%%", tenths/10)
	}
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}
