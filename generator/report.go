// This file holds what a build tells its caller: how far it is, what it made, and what
// is wrong with the content.

package generator

import (
	"strings"

	"contentedge/generator/model"
	"contentedge/generator/plan"
	"contentedge/generator/removal"
)

// Diagnostic is one finding about the content, with its place and a hint.
type Diagnostic = model.Diagnostic

// BudgetError is a plan larger than its budget.
type BudgetError = plan.BudgetError

// LimitError is a plan that exceeds another limit.
type LimitError = plan.LimitError

// Removal says what a release may remove of the one it replaces.
type Removal = removal.Limit

// RemovalError is a release that removes more of the current one than it may.
type RemovalError = removal.Error

// RemovalChange says what becomes of an environment of the current release.
type RemovalChange = removal.Change

// ContentError is content that cannot be built: all findings, warnings among them.
type ContentError struct{ Diagnostics []Diagnostic }

// Error gives the findings, one after the other.
func (e *ContentError) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Stage is a step of a build that takes time.
type Stage string

// The stages in their order.
const (
	Reading Stage = "reading"
	Writing Stage = "writing"
	Syncing Stage = "syncing"
)

// Progress says how far a build is. Totals are 0 while they are not known.
type Progress struct {
	Stage                  Stage
	Read                   int // items read
	Items, Pages           int // files in place
	Written                int // of these, those that are not the release's before
	Bytes                  int64
	TotalItems, TotalPages int
	TotalBytes             int64 // of items and pages, snapshots aside
}

// Report says what a build made.
type Report struct {
	Build        string       `json:"build"`
	Environments []EnvReport  `json:"environments"`
	Files        int          `json:"files"`     // of the release on the disk: compressed ones, snapshots, list of sums and manifest too
	Bytes        int64        `json:"bytes"`     // of those
	Written      int          `json:"written"`   // items and pages that are not the release's before
	Unchanged    bool         `json:"unchanged"` // the release that was current is the one: nothing was written
	Warnings     []Diagnostic `json:"-"`
}

// EnvReport says what a build made of one environment.
type EnvReport struct {
	ID            string `json:"id"`
	Items         int    `json:"items"`
	Lists         int    `json:"lists"`
	Pages         int    `json:"pages"`
	SnapshotBytes int64  `json:"snapshotBytes"`
	Files         int    `json:"files"` // on the disk: items, pages, compressed ones and the snapshot
	Bytes         int64  `json:"bytes"` // of those

	Statuses map[string]int `json:"statuses"`          // how many of the items have each
	LeftOut  map[string]int `json:"leftOut,omitempty"` // how many that are not delivered have each
}

// PlanReport says what a build would make, snapshots aside.
type PlanReport struct {
	Environments []plan.Summary `json:"environments"`
	ListFiles    int            `json:"listFiles"`
	ListBytes    int64          `json:"listBytes"`
	ItemFiles    int            `json:"itemFiles"`
	ItemBytes    int64          `json:"itemBytes"`
	CodedFiles   int            `json:"codedFiles"` // at most
	BudgetFiles  int            `json:"budgetFiles"`
	BudgetBytes  int64          `json:"budgetBytes"`
	Warnings     []Diagnostic   `json:"-"`
}

// FormatBytes writes a size for people.
func FormatBytes(n int64) string { return plan.Bytes(n) }

// FormatOrder writes an order for people, as options spell it.
func FormatOrder(sort string, asc bool) string { return plan.Direction{Sort: sort, Asc: asc}.String() }
