// This file decides which items are delivered, by their statuses, and warns about what
// would be delivered or left out by a slip: statuses that are misspelt, statuses that
// nobody has, items that are of the future.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	// published is the status that an item has unless it says another.
	published = "Published"
	// maxSlips is how many statuses are named as misspelt; the rest is counted.
	maxSlips = 10
	// commonStatuses is how many statuses the others are compared with.
	commonStatuses = 32
	// maxStatuses is how many statuses content has that uses them as such: of more,
	// none is taken for a slip.
	maxStatuses = 1000
)

// statusUse is how many items of the content have a status, and the first of them.
type statusUse struct {
	status string
	count  int
	first  *Item
}

// deliver counts the items by status and takes out those that are not wanted.
func (l *loader) deliver(site *Site) []Diagnostic {
	used := statusesOf(site)
	diagnostics := append(l.misspelt(used), unused(l.opts.Statuses, used)...)
	if wanted := l.opts.Statuses; len(wanted) > 0 {
		for i := range site.Envs {
			env := &site.Envs[i]
			env.Items = slices.DeleteFunc(env.Items, func(it Item) bool { return !slices.Contains(wanted, it.Status) })
		}
	}
	return append(diagnostics, l.early(site)...)
}

// statusesOf counts the items of each environment by status, and returns the statuses
// of all: Published, then by the number of items.
func statusesOf(site *Site) []*statusUse {
	all := make(map[string]*statusUse)
	for i := range site.Envs {
		env := &site.Envs[i]
		env.Statuses = make(map[string]int)
		for j := range env.Items {
			it := &env.Items[j]
			env.Statuses[it.Status]++
			if all[it.Status] == nil {
				all[it.Status] = &statusUse{status: it.Status, first: it}
			}
			all[it.Status].count++
		}
	}
	return slices.SortedFunc(maps.Values(all), byUse)
}

// byUse orders Published first, then by the number of items.
func byUse(a, b *statusUse) int {
	switch published {
	case a.status:
		return -1
	case b.status:
		return 1
	}
	return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.status, b.status))
}

// misspelt warns about statuses that look like a commoner one with a slip in it.
func (l *loader) misspelt(used []*statusUse) []Diagnostic {
	if len(used) > maxStatuses {
		return nil
	}
	var diagnostics []Diagnostic
	rest := 0
	for i, u := range used {
		common := used[:min(i, commonStatuses)]
		at := slices.IndexFunc(common, func(c *statusUse) bool {
			return (c.count > u.count || c.status == published) && near(c.status, u.status)
		})
		switch {
		case at < 0:
		case len(diagnostics) == maxSlips:
			rest++
		default:
			d := l.warningAt(u.first, fmt.Sprintf("the Status %s is nearly %s", quoted(u.status), quoted(common[at].status)))
			d.Hint = "did you mean " + quoted(common[at].status) + "?"
			diagnostics = append(diagnostics, several(d, u.count, "%d items have the Status "+verbatim(quoted(u.status))+", which is nearly "+verbatim(quoted(common[at].status))))
		}
	}
	if rest > 0 {
		diagnostics = append(diagnostics, Diagnostic{Message: fmt.Sprintf("and %d more such statuses", rest), Warning: true})
	}
	return diagnostics
}

// unused warns about wanted statuses that no item has.
func unused(wanted []string, used []*statusUse) []Diagnostic {
	var diagnostics []Diagnostic
	for _, status := range wanted {
		if !slices.ContainsFunc(used, func(u *statusUse) bool { return u.status == status }) {
			diagnostics = append(diagnostics, Diagnostic{Message: "no item has the status " + quoted(status), Hint: known(status, used), Warning: true})
		}
	}
	return diagnostics
}

// known lists the statuses that items have, with the one that may have been meant.
func known(status string, used []*statusUse) string {
	if len(used) == 0 {
		return "there are no items at all"
	}
	hint := ""
	if i := slices.IndexFunc(used, func(u *statusUse) bool { return near(u.status, status) }); i >= 0 {
		hint = "did you mean " + quoted(used[i].status) + "? "
	}
	var names []string
	for _, u := range used[:min(len(used), 10)] {
		names = append(names, quoted(u.status))
	}
	slices.Sort(names)
	return hint + "the statuses of the content are " + strings.Join(names, ", ")
}

// early warns about items that are delivered before they are published. The time of the
// build decides about this warning and about nothing else.
func (l *loader) early(site *Site) []Diagnostic {
	now := l.opts.Now
	if now.IsZero() {
		now = time.Now()
	}
	var first *Item
	n := 0
	for i := range site.Envs {
		for j := range site.Envs[i].Items {
			if it := &site.Envs[i].Items[j]; it.PublishedAt > now.UnixMilli() {
				first = cmp.Or(first, it)
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	at := time.UnixMilli(first.PublishedAt).UTC().Format(outForm)
	d := l.warningAt(first, "PublishedAt is in the future, "+at+", and the item is delivered")
	d.Note = true
	return []Diagnostic{several(d, n, "%d items have a PublishedAt in the future and are delivered")}
}

// warningAt is a warning at the place of an item.
func (l *loader) warningAt(it *Item, message string) Diagnostic {
	d := l.placeOf(it)
	d.Message, d.Warning = message, true
	return d
}

// verbatim keeps a text as it is in a format.
func verbatim(s string) string { return strings.ReplaceAll(s, "%", "%%") }
