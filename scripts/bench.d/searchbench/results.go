// This file has the results and verifies them.

package searchbench

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"contentedge/cmd/outfile"
)

// Results has all measurements. Times are in nanoseconds.
type Results struct {
	Items    int
	Bytes    int64  // of the items' JSON
	Field    string // field of the queries' words
	Families []string
	Common   int // families that all engines have, the first ones
	Engines  []*Engine
}

// Engine has the medians of one engine.
type Engine struct {
	Name, Title string
	Build       Build
	Open, First int64 // time until the index is open, and until the first result
	Anon, File  int64 // resident memory after the last query, in KiB
	Families    map[string]Family
	Refused     map[string]string // families that the engine refuses, with the reason

	opens, firsts, anons, files []int64
}

// Build has the measurements of building an index.
type Build struct {
	Wall, CPU int64
	Bytes     int64
	Peak      int64 // resident memory, in KiB
}

// Family has the measurements of one family of queries.
type Family struct {
	Queries       int   // number of measured queries
	CPU, P50, P99 int64 // per query
	Same          int   // queries with the same total as our engine

	cpus, p50s, p99s, totals []int64
}

func median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// summarise takes the medians.
func (e *Engine) summarise() {
	e.Open, e.First, e.Anon, e.File = median(e.opens), median(e.firsts), median(e.anons), median(e.files)
	for name, f := range e.Families {
		f.CPU, f.P50, f.P99 = median(f.cpus), median(f.p50s), median(f.p99s)
		e.Families[name] = f
	}
}

// engine returns an engine by name, or nil if it was not measured.
func (r *Results) engine(name string) *Engine {
	i := slices.IndexFunc(r.Engines, func(e *Engine) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return r.Engines[i]
}

// compare counts for every engine the queries with the same total as ours.
func (r *Results) compare() {
	ours := r.engine("ours")
	if ours == nil {
		return
	}
	for _, e := range r.Engines {
		for name, f := range e.Families {
			f.Same = 0
			for i := range min(len(f.totals), len(ours.Families[name].totals)) {
				if f.totals[i] == ours.Families[name].totals[i] {
					f.Same++
				}
			}
			e.Families[name] = f
		}
	}
}

// judge fails if our totals differ from the naive engine's, and if we neither answer nor
// refuse a family.
func (r *Results) judge() error {
	if ours := r.engine("ours"); ours != nil {
		for _, name := range r.Families {
			if ours.Families[name].Queries == 0 && ours.Refused[name] == "" {
				return fmt.Errorf("%s: nothing was measured", name)
			}
		}
	}
	scan := r.engine("scan")
	if scan == nil || r.engine("ours") == nil {
		return nil
	}
	for _, name := range r.Families[:r.Common] {
		f := scan.Families[name]
		if f.Queries == 0 {
			return fmt.Errorf("%s: nothing was measured", name)
		}
		if f.Same < f.Queries {
			return fmt.Errorf("%s: %d of %d totals differ from a scan's", name, f.Queries-f.Same, f.Queries)
		}
	}
	return nil
}

// save writes the results as JSON.
func (r *Results) save(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return outfile.Write(path, append(b, '\n'), os.Stdout)
}
