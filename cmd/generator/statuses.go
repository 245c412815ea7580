// This file prints how many items a build includes, by status.

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"contentedge/generator"
)

const (
	// published is the status of public items.
	published = "Published"
	// shownStatuses is how many statuses a line names; the rest is added up.
	shownStatuses = 5
	// shownRunes is the longest printed status.
	shownRunes = 40
)

func statuses(e generator.EnvReport) string {
	text := cmp.Or(byStatus(e.Statuses), "-")
	if len(e.LeftOut) > 0 {
		text += "; left out: " + byStatus(e.LeftOut)
	}
	return text
}

// drafts lists the environments with unpublished items, for users without --status. The list is no
// warning, as a build includes all statuses by default.
func drafts(c generator.BuildConfig, r *generator.Report) string {
	if len(c.Statuses) > 0 {
		return ""
	}
	var b strings.Builder
	for _, e := range r.Environments {
		others := maps.Clone(e.Statuses)
		delete(others, published)
		n, items, are := e.Items-e.Statuses[published], "items", "are"
		if n == 1 {
			items, are = "item", "is"
		}
		if n > 0 {
			fmt.Fprintf(&b, "%s: %d %s %s not Published and %[4]s delivered: %s\n", e.ID, n, items, are, byStatus(others))
		}
	}
	if b.Len() > 0 {
		b.WriteString("  hint: --status Published leaves them out\n")
	}
	return b.String()
}

func byStatus(statuses map[string]int) string {
	names := slices.SortedFunc(maps.Keys(statuses), func(a, b string) int {
		return cmp.Or(cmp.Compare(statuses[b], statuses[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(len(names), shownStatuses)] {
		parts = append(parts, fmt.Sprintf("%d %s", statuses[name], showStatus(name)))
	}
	if more := len(names) - shownStatuses; more > 0 {
		rest := 0
		for _, name := range names[shownStatuses:] {
			rest += statuses[name]
		}
		parts = append(parts, fmt.Sprintf("%d of %d others", rest, more))
	}
	return strings.Join(parts, ", ")
}

// showStatus returns plain text as it is. It quotes and shortens other statuses.
func showStatus(s string) string {
	other := func(r rune) bool { return r == unicode.ReplacementChar || r == ',' || !unicode.IsPrint(r) }
	runes := []rune(s)
	switch {
	case len(runes) > shownRunes:
		return strconv.Quote(string(runes[:shownRunes]) + "…")
	case s == "" || strings.TrimSpace(s) != s || strings.ContainsFunc(s, other):
		return strconv.Quote(s)
	}
	return s
}
