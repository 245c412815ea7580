// This file gives aggregations other names.

package query

import (
	"slices"
	"strings"
)

// RenameAggs returns a copy of a list, and of the lists inside, in which the aggregation at index i of its list has the
// name name(i). Paths to numbers name the same aggregations as before. Typed stays, as do the names of filters and of
// the sources of composite.
func RenameAggs(list []Agg, name func(i int) string) []Agg {
	out := slices.Clone(list)
	for i := range out {
		a := &out[i]
		a.Name = name(i)
		a.Buckets.Order = renameSorts(a.Subs, a.Buckets.Order, name)
		if p, ok := a.Options.(*Pipeline); ok {
			renamed := *p
			renamed.Path = renamePath(list, p.Path, name)
			renamed.Sort = renameSorts(list, p.Sort, name)
			renamed.Paths = slices.Clone(p.Paths)
			for k := range renamed.Paths {
				renamed.Paths[k].Path = renamePath(list, p.Paths[k].Path, name)
			}
			a.Options = &renamed
		}
		a.Subs = RenameAggs(a.Subs, name)
	}
	return out
}

func renameSorts(list []Agg, keys []AggSort, name func(i int) string) []AggSort {
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i].Path = renamePath(list, keys[i].Path, name)
	}
	return keys
}

// renamePath renames the aggregations of a path below a list, as ResolveBucketsPath finds them. The name of a number
// stays.
func renamePath(list []Agg, path string, name func(i int) string) string {
	first, rest, more := strings.Cut(path, ">")
	a, part := findAgg(list, first)
	if a == nil {
		return path // _count or _key
	}
	number := first[len(a.Name):]
	i := 0
	for &list[i] != a {
		i++
	}
	switch below, _ := findAgg(a.Subs, part); {
	case more:
		return name(i) + number + ">" + renamePath(a.Subs, rest, name)
	case below != nil:
		return name(i) + ">" + renamePath(a.Subs, part, name)
	}
	return name(i) + number
}
