// This file prints which items a build delivers, which it leaves out, and when that changes.

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"contentedge/generator"
	"contentedge/generator/visibility"
)

// published is the status of public items.
const published = visibility.Published

// statuses lists the statuses of the items that are delivered.
func statuses(e generator.EnvReport) string { return cmp.Or(generator.ByStatus(e.Delivered), "-") }

// leftOut is what a summary says of items that are not delivered: a table, with the flags that include them. "" means
// that every item is delivered.
func leftOut(envs []generator.EnvLeftOut) string {
	t := newTable("left out of", "by status", "scheduled", "expired", "included by")
	for _, e := range envs {
		t.row(e.ID, cmp.Or(generator.ByStatus(e.Statuses), "-"), e.Scheduled, e.Expired, flags(e.LeftOut))
	}
	if len(envs) == 0 {
		return ""
	}
	return t.String() + changedHint(envs)
}

// changedHint says what the status Changed means, which only exports of management systems have.
func changedHint(envs []generator.EnvLeftOut) string {
	n := 0
	for _, e := range envs {
		n += e.Statuses[visibility.Changed]
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s: the text has unpublished edits\n  hint: publish these entries in their system, or import an export of what is published\n", n, visibility.Changed)
}

// flags names the flags that include what is left out.
func flags(l generator.LeftOut) string {
	var names []string
	switch statuses := slices.Sorted(maps.Keys(l.Statuses)); len(statuses) {
	case 0:
	case 1:
		names = append(names, "--status "+published+" --status "+generator.ShowStatus(statuses[0]))
	default:
		names = append(names, "--status "+visibility.AllStatuses)
	}
	if l.Scheduled > 0 {
		names = append(names, "--scheduled")
	}
	if l.Expired > 0 {
		names = append(names, "--expired")
	}
	return strings.Join(names, " ")
}

// leftOutLine sums up what is left out, in one line.
func leftOutLine(envs []generator.EnvLeftOut) string {
	total := generator.LeftOut{}
	for _, e := range envs {
		total.Add(e.LeftOut)
	}
	if total.Items() == 0 {
		return ""
	}
	return "left out: " + total.Describe() + "\n"
}

// nextChange says when the same content makes another release. "" means never.
func nextChange(c *generator.Change) string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, of := range []struct {
		n         int
		one, more string
	}{{c.Appear, "1 item appears", "%d items appear"}, {c.Vanish, "1 item expires", "%d items expire"}} {
		switch {
		case of.n == 1:
			parts = append(parts, of.one)
		case of.n > 1:
			parts = append(parts, fmt.Sprintf(of.more, of.n))
		}
	}
	return fmt.Sprintf("next change: %s, %s\n", c.At.Format(time.RFC3339Nano), strings.Join(parts, ", "))
}
