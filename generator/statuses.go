// This file writes counts of items by status for people.

package generator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// shownStatuses is how many statuses a line names; the rest is added up.
	shownStatuses = 5
	// shownRunes is the longest printed status.
	shownRunes = 40
)

// Describe lists the counts, like "2 Draft, 1 scheduled".
func (l LeftOut) Describe() string {
	var parts []string
	if len(l.Statuses) > 0 {
		parts = append(parts, ByStatus(l.Statuses))
	}
	if l.Scheduled > 0 {
		parts = append(parts, fmt.Sprintf("%d scheduled", l.Scheduled))
	}
	if l.Expired > 0 {
		parts = append(parts, fmt.Sprintf("%d expired", l.Expired))
	}
	return strings.Join(parts, ", ")
}

// Add adds the counts of others.
func (l *LeftOut) Add(others LeftOut) {
	sum := maps.Clone(l.Statuses)
	if sum == nil {
		sum = map[string]int{}
	}
	for status, n := range others.Statuses {
		sum[status] += n
	}
	l.Statuses, l.Scheduled, l.Expired = sum, l.Scheduled+others.Scheduled, l.Expired+others.Expired
}

// ByStatus lists numbers of items, the most frequent status first.
func ByStatus(statuses map[string]int) string {
	names := slices.SortedFunc(maps.Keys(statuses), func(a, b string) int {
		return cmp.Or(cmp.Compare(statuses[b], statuses[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(len(names), shownStatuses)] {
		parts = append(parts, fmt.Sprintf("%d %s", statuses[name], ShowStatus(name)))
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

// ShowStatus returns plain text as it is. It quotes and shortens other statuses.
func ShowStatus(s string) string {
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
