// This file decides who sees an item, and when.

package visibility

import (
	"math"
	"slices"

	"contentedge/edgeserve/wire/address"
)

// AllStatuses in Rules.Statuses delivers items of any status.
const AllStatuses = "all"

// Rules say which items are delivered. The zero Rules deliver only public items: items that are Published, whose
// PublishedAt has come, and whose ExpiresAt has not.
type Rules struct {
	Statuses  []string // the statuses that are delivered; empty means Published
	Scheduled bool     // deliver items before their PublishedAt, too
	Expired   bool     // deliver items after their ExpiresAt, too
}

// Everything delivers all items.
func Everything() Rules {
	return Rules{Statuses: []string{AllStatuses}, Scheduled: true, Expired: true}
}

// The times of an item that never hide it.
const (
	Always int64 = math.MinInt64 // of Item.PublishedAt
	Never  int64 = math.MaxInt64 // of Item.ExpiresAt
)

// Item has the members of an item that decide whether it is visible. Times are Unix milliseconds.
type Item struct {
	Status      string
	PublishedAt int64 // Always if it was derived from another timestamp
	ExpiresAt   int64 // may be Never
}

// Reason says why an item is left out.
type Reason uint8

// The reasons. An item that has several is left out by its status first, then as expired.
const (
	Shown         Reason = iota // it is visible
	OtherStatus                 // its status is not delivered
	NotYetVisible               // its PublishedAt is later
	NoLongerShown               // its ExpiresAt has passed
)

var reasons = [...]struct{ word, field string }{
	OtherStatus: {"status", address.FieldStatus}, NotYetVisible: {"scheduled", address.FieldPublishedAt}, NoLongerShown: {"expired", FieldExpiresAt},
}

// String returns the word for a reason in JSON; "" for Shown.
func (r Reason) String() string { return reasons[r].word }

// Field names the field of items that a reason is about; "" for Shown.
func (r Reason) Field() string { return reasons[r].field }

// Visible reports whether an item is delivered at a time.
func Visible(it Item, rules *Rules, at int64) bool { return rules.Judge(it, at) == Shown }

// Judge returns why an item is left out at a time, or Shown.
func (r *Rules) Judge(it Item, at int64) Reason {
	switch {
	case !r.Delivers(it.Status):
		return OtherStatus
	case !r.Expired && it.ExpiresAt <= at:
		return NoLongerShown
	case !r.Scheduled && it.PublishedAt > at:
		return NotYetVisible
	}
	return Shown
}

// Delivers reports whether items of a status are delivered.
func (r *Rules) Delivers(status string) bool {
	if len(r.Statuses) == 0 {
		return status == Published
	}
	return slices.Contains(r.Statuses, status) || slices.Contains(r.Statuses, AllStatuses)
}

// span returns the times from which and until which the rules deliver an item. It is empty for an item that they
// never deliver.
func (r *Rules) span(it Item) (from, until int64) {
	from, until = Always, Never
	if !r.Delivers(it.Status) {
		return Never, Never
	}
	if !r.Scheduled {
		from = it.PublishedAt
	}
	if !r.Expired {
		until = it.ExpiresAt
	}
	return from, max(from, until)
}

// Interval is a stretch of time in which the same items are visible: from From, before Until.
type Interval struct {
	From, Until int64  // Always and Never where it has no end
	Next        Change // what changes at Until
}

// Change counts the items that a moment shows and hides.
type Change struct {
	Appear int `json:"appear,omitempty"`
	Vanish int `json:"vanish,omitempty"`
}

// Open returns the interval without ends.
func Open() Interval { return Interval{From: Always, Until: Never} }

// Holds reports whether a time is in the interval.
func (i Interval) Holds(at int64) bool { return i.From <= at && at < i.Until }

// Note narrows the interval around a time to the part in which an item stays visible, or invisible.
func (i *Interval) Note(rules *Rules, it Item, at int64) {
	from, until := rules.span(it)
	if from == until {
		return
	}
	i.edge(from, at, Change{Appear: 1})
	i.edge(until, at, Change{Vanish: 1})
}

// edge takes account of a moment at which visibility changes.
func (i *Interval) edge(moment, at int64, change Change) {
	switch {
	case moment == Always || moment == Never:
	case moment <= at:
		i.From = max(i.From, moment)
	case moment < i.Until:
		i.Until, i.Next = moment, change
	case moment == i.Until:
		i.Next.add(change)
	}
}

func (c *Change) add(other Change) {
	c.Appear += other.Appear
	c.Vanish += other.Vanish
}

// Meet returns the interval that two intervals share. It has no time in it if they are disjoint.
func (i Interval) Meet(other Interval) Interval {
	met := Interval{From: max(i.From, other.From), Until: min(i.Until, other.Until)}
	for _, from := range []Interval{i, other} {
		if from.Until == met.Until {
			met.Next.add(from.Next)
		}
	}
	return met
}

// Empty reports whether the interval has no time in it.
func (i Interval) Empty() bool { return i.From >= i.Until }
