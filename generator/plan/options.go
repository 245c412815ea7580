// This file reads the knobs of a plan: which lists become files, in which order and
// with how many items a page. Wrong knobs are told before any content is opened.

package plan

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/edgeserve/address"
)

// Default budget: the default lists of about a million small items.
const (
	DefaultBudgetFiles = 250_000
	DefaultBudgetBytes = 8 << 30
)

// DefaultLists is the default policy in the form ParseLists reads.
const DefaultLists = "-,template,status,createdby,template+status"

// filters are the list filters in the order in which file names spell them.
var filters = []string{"name", "template", "status", "createdby"}

// Options say which lists become files.
type Options struct {
	Lists       [][]string       // sets of filters, each in file name order; an empty set is the unfiltered list
	Defaults    address.Defaults // order and page size of every list, published in the manifest
	BudgetFiles int              // most list files of a release
	BudgetBytes int64            // most bytes of list files of a release
}

// DefaultOptions is the policy of a build that is told nothing.
func DefaultOptions() Options {
	lists, err := ParseLists(DefaultLists)
	if err != nil {
		panic("plan: default lists: " + err.Error())
	}
	return Options{Lists: lists, Defaults: address.Standard, BudgetFiles: DefaultBudgetFiles, BudgetBytes: DefaultBudgetBytes}
}

// ParseLists reads a comma list of filter sets such as "-,template,template+status",
// where "-" is the unfiltered list.
func ParseLists(s string) ([][]string, error) {
	var sets [][]string
	for _, word := range strings.Split(s, ",") {
		set, err := parseSet(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(sets, func(o []string) bool { return slices.Equal(o, set) }) {
			return nil, fmt.Errorf("list %q is named twice", word)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// parseSet reads one filter set and puts it in file name order.
func parseSet(word string) ([]string, error) {
	set := []string{}
	if word == "-" {
		return set, nil
	}
	for _, f := range strings.Split(word, "+") {
		if !slices.Contains(filters, f) {
			return nil, fmt.Errorf("unknown list filter %q: use - or any of %s, joined by +", f, strings.Join(filters, ", "))
		}
		if slices.Contains(set, f) {
			return nil, fmt.Errorf("filter %q is named twice in list %q", f, word)
		}
		set = append(set, f)
	}
	slices.SortFunc(set, func(a, b string) int { return slices.Index(filters, a) - slices.Index(filters, b) })
	return set, nil
}

// ParseOrder reads FIELD, FIELD:asc or FIELD:desc; the field is one of the item's own.
func ParseOrder(s string) (field string, asc bool, err error) {
	field, dir, given := strings.Cut(s, ":")
	if !address.IsScalar(field) {
		return "", false, fmt.Errorf("unknown order field %q: use one of %s", field, strings.Join(address.ScalarFields(), ", "))
	}
	if given && dir != "asc" && dir != "desc" {
		return "", false, fmt.Errorf("unknown direction %q of order %q: use asc or desc", dir, s)
	}
	return field, dir == "asc", nil
}
