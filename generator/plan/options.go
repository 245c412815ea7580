// This file reads which lists become files, their orders and page sizes.

package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/address"
)

// Default budget: the default lists of about a million small items.
const (
	DefaultBudgetFiles = 600_000
	DefaultBudgetBytes = 8 << 30
)

// DefaultMaxValues is above the number of creators of a million items and below the number of their
// names: lists by name would be a second copy of every item.
const DefaultMaxValues = 20_000

// DefaultLists is the default policy in the form ParseLists reads.
const DefaultLists = "-,template,status,createdby,template+status"

// Options say which lists become files.
type Options struct {
	Lists       [][]string       // sets of filters, each in file name order; an empty set is the unfiltered list
	Defaults    address.Defaults // order and page size of requests that name none; the manifest has them
	Orders      []Direction      // further orders of every list
	Sizes       []int            // further page sizes of every list
	MaxValues   int              // most values of a filter; 0: no limit
	MaxPages    int              // lists of more pages have no files at all; 0 means unlimited
	Target      *Target          // the host whose limits hold; may be nil
	Codings     int              // precompressed files that a file may get
	BudgetFiles int              // most list files of a release
	BudgetBytes int64            // most bytes of list files of a release
}

// DefaultOptions returns the options of a build without flags.
func DefaultOptions() Options {
	lists, err := ParseLists(DefaultLists)
	if err != nil {
		panic("plan: default lists: " + err.Error())
	}
	return Options{Lists: lists, Defaults: address.Standard, MaxValues: DefaultMaxValues, BudgetFiles: DefaultBudgetFiles, BudgetBytes: DefaultBudgetBytes}
}

// ParseLists reads filter sets such as "-,template,template+status"; "-" is the unfiltered list.
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

func parseSet(word string) ([]string, error) {
	set := []string{}
	if word == "-" {
		return set, nil
	}
	for _, f := range strings.Split(word, "+") {
		if !slices.Contains(address.Filters[:], f) && (!isPath(f) || len(f) == len(address.DataPrefix)) {
			return nil, fmt.Errorf("unknown list filter %q: use - or any of %s and a path like Data.slug, joined by +", f, strings.Join(address.Filters[:], ", "))
		}
		if isPath(f) && slices.ContainsFunc(set, isPath) {
			return nil, fmt.Errorf("list %q has two paths of Data: the edge server answers such lists", word)
		}
		if slices.Contains(set, f) {
			return nil, fmt.Errorf("filter %q is named twice in list %q", f, word)
		}
		set = append(set, f)
	}
	slices.SortFunc(set, func(a, b string) int { return rank(a) - rank(b) })
	return set, nil
}

// rank is the place of a filter in file names. A path of Data comes last.
func rank(filter string) int {
	if i := slices.Index(address.Filters[:], filter); i >= 0 {
		return i
	}
	return len(address.Filters)
}

func isPath(filter string) bool { return strings.HasPrefix(filter, address.DataPrefix) }

// Paths are the paths of Data among the filters.
func (o *Options) Paths() (paths []string) {
	for _, set := range o.Lists {
		if i := slices.IndexFunc(set, isPath); i >= 0 && !slices.Contains(paths, set[i]) {
			paths = append(paths, set[i])
		}
	}
	return paths
}

// Direction is a field to sort by and its direction.
type Direction struct {
	Sort string
	Asc  bool
}

// String is the form that ParseOrder reads.
func (d Direction) String() string {
	if d.Asc {
		return d.Sort + ":asc"
	}
	return d.Sort + ":desc"
}

// ParseOrder reads FIELD, FIELD:asc or FIELD:desc; the field is one of the item's own.
func ParseOrder(s string) (Direction, error) {
	field, dir, given := strings.Cut(s, ":")
	if !address.IsScalar(field) {
		return Direction{}, fmt.Errorf("unknown order field %q: use one of %s", field, strings.Join(address.ScalarFields(), ", "))
	}
	if given && dir != "asc" && dir != "desc" {
		return Direction{}, fmt.Errorf("unknown direction %q of order %q: use asc or desc", dir, s)
	}
	return Direction{field, dir == "asc"}, nil
}

// ParseDefaultOrder is ParseOrder, but accepts a path of Data too. Lists in such an order have no files.
func ParseDefaultOrder(s string) (Direction, error) {
	field, asc := strings.CutSuffix(s, ":asc") // other colons may be of the path
	if !asc {
		field = strings.TrimSuffix(s, ":desc")
	}
	if !address.IsScalar(field) && address.ValidSort(field) {
		return Direction{field, asc}, nil
	}
	d, err := ParseOrder(s)
	if err != nil && !strings.Contains(s, ":") {
		err = fmt.Errorf("%w, or a path like Data.title", err)
	}
	return d, err
}

// ParseOrders reads a comma list of orders. "default" adds none, "all" adds every field in both
// directions.
func ParseOrders(s string) ([]Direction, error) {
	var orders []Direction
	if s == "all" {
		for _, field := range address.ScalarFields() {
			orders = append(orders, Direction{field, false}, Direction{field, true})
		}
		return orders, nil
	}
	for _, word := range strings.Split(s, ",") {
		if word = strings.TrimSpace(word); word == "default" {
			continue
		}
		d, err := ParseOrder(word)
		if err != nil {
			return nil, err
		}
		orders = append(orders, d)
	}
	return orders, nil
}

// ParseSizes reads a comma list of page sizes.
func ParseSizes(s string) ([]int, error) {
	var sizes []int
	for _, word := range strings.Split(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > address.MaxSize {
			return nil, fmt.Errorf("%q is not a page size: it is from 1 to %d", word, address.MaxSize)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// shapes are the orders and page sizes of every list, each once, the default first.
func (o *Options) shapes() []address.Defaults {
	var out []address.Defaults
	for _, d := range append([]Direction{{o.Defaults.Sort, o.Defaults.Asc}}, o.Orders...) {
		for _, size := range append([]int{o.Defaults.Size}, o.Sizes...) {
			shape := address.Defaults{Sort: d.Sort, Asc: d.Asc, Size: size}
			if !slices.Contains(out, shape) {
				out = append(out, shape)
			}
		}
	}
	return out
}
