// This file accounts for everything that was read.

package imports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"contentedge/generator/imports/export"
	"contentedge/generator/source/documents"
)

// Report says what became of everything that was read.
type Report struct {
	System   string        `json:"system"`
	Path     string        `json:"export"`
	Rows     []Row         `json:"rows"` // by kind
	Read     int           `json:"read"`
	Items    int           `json:"items"`   // of what was read: with locales as environments, one may be several items
	Merged   int           `json:"merged"`  // of what was read
	Skipped  int           `json:"skipped"` // of what was read
	Files    []WrittenFile `json:"files"`
	Warnings []Warning     `json:"warnings,omitempty"`
	DryRun   bool          `json:"dryRun,omitempty"`

	read    map[string]int
	undated int
	first   string
}

// Row is what became of things of a kind.
type Row struct {
	Kind    string `json:"type"`
	Count   int    `json:"read"`
	Items   bool   `json:"items,omitempty"`  // they became items
	Merged  bool   `json:"merged,omitempty"` // they became parts of items
	Becomes string `json:"becomes"`          // the template; or how they were merged; or why they were skipped
	Status  string `json:"status,omitempty"` // of the items
}

// WrittenFile is a file of items.
type WrittenFile struct {
	Env   string `json:"env"`
	Name  string `json:"file"` // as the user would type it
	Items int    `json:"items"`
	Bytes int64  `json:"bytes"`
}

// Warning is a kind of warnings.
type Warning struct {
	Message string `json:"message"`
	Count   int    `json:"count"`           // 0: it is about the export as a whole
	First   string `json:"first,omitempty"` // the first place
}

// String returns the warning in one line.
func (w Warning) String() string {
	switch {
	case w.Count == 0:
		return w.Message
	case w.First == "":
		return fmt.Sprintf("%s: %d", w.Message, w.Count)
	case w.Count == 1:
		return fmt.Sprintf("%s: 1 (%s)", w.Message, w.First)
	}
	return fmt.Sprintf("%s: %d (first %s)", w.Message, w.Count, w.First)
}

// AccountError is a fault of an importer: it lost something, or counted something twice.
type AccountError struct {
	Kind      string
	Read, Sum int
}

// Error names the kind and both numbers.
func (e *AccountError) Error() string {
	return fmt.Sprintf("the account does not add up: %d of %q were read, but %d became items, were merged or were skipped; nothing is written", e.Read, documents.Cut(e.Kind), e.Sum)
}

// Refused says what is refused.
func (*AccountError) Refused() string { return "the account does not add up" }

type outcome struct {
	kind, text, status string
	item, merged       bool
}

type counts struct {
	read     map[string]int
	outcomes map[outcome]int
}

func newCounts() counts { return counts{map[string]int{}, map[outcome]int{}} }

func (c *counts) add(o outcome) {
	o.kind, o.text, o.status = documents.Bound(o.kind), documents.Bound(o.text), documents.Bound(o.status)
	c.outcomes[o]++
}

// maxWarnings bounds the kinds of warnings: a hostile export has a million names of fields.
const maxWarnings = 500

// warnings are few kinds, in the order of their first.
type warnings []Warning

func (w *warnings) add(message, place string) { w.addCount(message, place, 1) }

func (w *warnings) addCount(message, place string, n int) {
	message, place = documents.Bound(message), documents.Bound(place)
	i := slices.IndexFunc(*w, func(of Warning) bool { return of.Message == message })
	switch {
	case i >= 0:
		(*w)[i].Count += n
	case len(*w) < maxWarnings:
		*w = append(*w, Warning{message, n, place})
	case len(*w) == maxWarnings:
		*w = append(*w, Warning{"warnings of further kinds", n, place})
	default:
		(*w)[maxWarnings].Count += n
	}
}

func (j *Job) report() *Report {
	j.Options.Mapping.unused(j)
	r := &Report{System: j.system.Name, Path: j.Options.Path, Warnings: j.warnings, DryRun: j.Options.DryRun, read: j.counts.read, undated: j.undated, first: j.first}
	for _, n := range j.counts.read {
		r.Read += n
	}
	for o, n := range j.counts.outcomes {
		r.Rows = append(r.Rows, Row{o.kind, n, o.item, o.merged, o.text, o.status})
		switch {
		case o.item:
			r.Items += n
		case o.merged:
			r.Merged += n
		default:
			r.Skipped += n
		}
	}
	order := func(r Row) int {
		switch {
		case r.Items:
			return 0
		case r.Merged:
			return 1
		}
		return 2
	}
	slices.SortFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Becomes, b.Becomes), cmp.Compare(a.Status, b.Status))
	})
	if r.Items == 0 {
		r.Warnings = append(r.Warnings, Warning{"the export has no items", 0, ""})
	}
	return r
}

// Account returns the equation that has to hold.
func (r *Report) Account() string {
	return fmt.Sprintf("read %d = items %d + merged %d + skipped %d", r.Read, r.Items, r.Merged, r.Skipped)
}

// check compares the numbers of elements that were read and that the report accounts for, by kind.
func (r *Report) check() error {
	sums := map[string]int{}
	for _, row := range r.Rows {
		sums[row.Kind] += row.Count
	}
	kinds := maps.Clone(r.read)
	for kind := range sums {
		kinds[kind] += 0
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if r.read[kind] != sums[kind] {
			return &AccountError{kind, r.read[kind], sums[kind]}
		}
	}
	if r.undated > 0 {
		return &export.Fault{File: r.Path, Message: fmt.Sprintf("items without a date: %d (first %s)", r.undated, r.first), Hint: "give them one with --date, for example --date 2024-01-31"}
	}
	return nil
}
