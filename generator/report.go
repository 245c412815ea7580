// This file holds the reports of a build: its progress, its release and its errors.

package generator

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/removal"
	"contentedge/generator/visibility"
)

// Diagnostic is a finding about the content.
type Diagnostic = model.Diagnostic

// BudgetError is a plan larger than its budget.
type BudgetError = plan.BudgetError

// LimitError is a plan that exceeds another limit.
type LimitError = plan.LimitError

// Removal limits what a release may remove of the current one.
type Removal = removal.Limit

// RemovalError is a release that exceeds its Removal.
type RemovalError = removal.Error

// RemovalChange counts the items that a release removes from one environment.
type RemovalChange = removal.Change

// ContentError is content that cannot be built, with all findings and warnings.
type ContentError struct{ Diagnostics []Diagnostic }

// Error returns one line for each finding.
func (e *ContentError) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Refused says what is refused.
func (*ContentError) Refused() string { return "the content is wrong" }

// Stage is a step of a build that takes time.
type Stage string

// The stages in their order.
const (
	Reading Stage = "reading"
	Writing Stage = "writing"
	Syncing Stage = "syncing"
)

// Progress is how far a build is. Totals are 0 while they are unknown.
type Progress struct {
	Stage                  Stage
	Read                   int // items read
	Items, Pages           int // files in place
	Written                int // items and pages that were not taken from the baseline
	Bytes                  int64
	TotalItems, TotalPages int
	TotalBytes             int64 // of items and pages, snapshots aside
}

// Report describes a release that was built.
type Report struct {
	Build        string       `json:"build"`
	Manifest     string       `json:"manifestSHA256"` // the digest of the manifest, which signers name
	Environments []EnvReport  `json:"environments"`
	Files        int          `json:"files"`                // on the disk: all files of the release, manifest included
	Bytes        int64        `json:"bytes"`                // of all files
	Written      int          `json:"written"`              // items and pages that were not taken from the baseline
	Unchanged    bool         `json:"unchanged"`            // the current release has these bytes: nothing was written
	Repaired     int          `json:"repaired"`             // files of the current release that were missing or damaged
	NextChange   *Change      `json:"nextChange,omitempty"` // nil: no item appears or expires later
	Bad          []Diagnostic `json:"-"`                    // what is wrong with files that were left out: see View.LeaveOutBad
	Warnings     []Diagnostic `json:"-"`
}

// Change is the next time at which the same content makes another release.
type Change struct {
	At time.Time `json:"at"`
	visibility.Change
}

// nextChange returns when items of a site appear or expire; nil means never.
func nextChange(site *model.Site) *Change {
	shared := site.Interval()
	if shared.Until == visibility.Never {
		return nil
	}
	return &Change{time.UnixMilli(shared.Until).UTC(), shared.Next}
}

// EnvReport describes one environment of a release.
type EnvReport struct {
	ID            string `json:"id"`
	Items         int    `json:"items"`
	Lists         int    `json:"lists"`
	Pages         int    `json:"pages"`
	Searches      int    `json:"searches,omitempty"`
	Media         int    `json:"media,omitempty"`
	SnapshotBytes int64  `json:"snapshotBytes"`
	Files         int    `json:"files"` // on the disk: items, pages, media, precompressed files and the snapshot
	Bytes         int64  `json:"bytes"` // of the files

	Delivered map[string]int `json:"statuses"` // number of items by status
	LeftOut
}

// LeftOut counts the items of an environment that are not delivered.
type LeftOut struct {
	Statuses  map[string]int `json:"leftOut,omitempty"` // by their status
	Scheduled int            `json:"scheduled,omitempty"`
	Expired   int            `json:"expired,omitempty"`
}

// leftOut counts what is left out of an environment.
func leftOut(env *model.Env) LeftOut {
	return LeftOut{env.Hidden.Statuses, env.Hidden.Scheduled, env.Hidden.Expired}
}

// Items returns the number of all items that are left out.
func (l LeftOut) Items() int {
	n := l.Scheduled + l.Expired
	for _, of := range l.Statuses {
		n += of
	}
	return n
}

// PlanReport describes what a build would write, without snapshots.
type PlanReport struct {
	Environments       []plan.Summary `json:"environments"`
	ListFiles          int            `json:"listFiles"`
	ListBytes          int64          `json:"listBytes"`
	SearchFiles        int            `json:"searchFiles,omitempty"` // at most
	ItemFiles          int            `json:"itemFiles"`
	ItemBytes          int64          `json:"itemBytes"`
	UsedInFiles        int            `json:"usedInFiles,omitempty"` // of items that refer to an item
	UsedInBytes        int64          `json:"usedInBytes,omitempty"`
	Media              int            `json:"media,omitempty"`
	MediaBytes         int64          `json:"mediaBytes,omitempty"`
	PrecompressedFiles int            `json:"precompressedFiles"` // at most
	BudgetFiles        int            `json:"budgetFiles"`
	BudgetBytes        int64          `json:"budgetBytes"`
	// SearchSnapshots are the search-only snapshots, if the target searches without an edge server.
	SearchSnapshots []plan.SearchFigures `json:"searchSnapshots,omitempty"`
	LeftOut         []EnvLeftOut         `json:"leftOut,omitempty"`    // of environments with items that are left out
	NextChange      *Change              `json:"nextChange,omitempty"` // nil: no item appears or expires later
	Warnings        []Diagnostic         `json:"-"`
}

// EnvLeftOut counts what is left out of an environment.
type EnvLeftOut struct {
	ID string `json:"id"`
	LeftOut
}

// FormatOrder formats an order as options spell it.
func FormatOrder(sort string, asc bool) string { return plan.Direction{Sort: sort, Asc: asc}.String() }

// visitDir counts a directory of a release, with the files directly in it.
type visitDir = func(name string, files int, bytes int64)

// measured measures a release that was written: the environments that were read, and the files that belong to the
// release as a whole.
func (p *prepared) measured(m *release.Manifest, dir string) func(visitDir) error {
	return func(visit visitDir) error {
		for i := range m.Environments {
			if id := m.Environments[i].ID; p.carried[id] == nil {
				for _, below := range []string{release.MediaDir + "/" + id, address.EnvDir(id)} {
					if err := output.MeasureBelow(dir, below, visit); err != nil {
						return err
					}
				}
			}
		}
		for _, below := range []string{release.SnapshotDir, release.PartsDir} {
			if err := output.MeasureBelow(dir, below, visit); err != nil {
				return err
			}
		}
		return output.MeasureFiles(dir, visit, release.ManifestName, release.ChecksumsName)
	}
}

// report describes a release. all means that dirs visits every directory, not only the ones that measured visits.
func (p *prepared) report(m *release.Manifest, all bool, dirs func(visitDir) error) (*Report, error) {
	p.manifest = m
	r := &Report{Build: m.Build, Manifest: release.HexSHA256(m.Encode()), NextChange: nextChange(p.site), Warnings: p.warnings}
	for i, e := range m.Environments {
		if known := p.carried[e.ID]; known != nil {
			env := known.Report
			if all {
				env.Files, env.Bytes = 1, env.SnapshotBytes // dirs has the rest
			} else {
				r.Files += env.Files - 1
				r.Bytes += env.Bytes - env.SnapshotBytes
			}
			r.Environments = append(r.Environments, env)
			continue
		}
		env := reportEnv(e, &p.summaries[i])
		env.Delivered, env.LeftOut = p.site.Envs[i].Delivered, leftOut(&p.site.Envs[i])
		r.Environments = append(r.Environments, env)
	}
	return r, dirs(r.measure())
}

// found reports the faults that a check found in an unchanged release in dir. found may be nil.
func (r *Report) found(found *output.Found, dir string) {
	if found == nil {
		return
	}
	r.Repaired = len(found.Faults)
	first, counts := map[output.Fault]string{}, map[output.Fault]int{}
	for _, name := range slices.Sorted(maps.Keys(found.Faults)) {
		fault := found.Faults[name]
		if counts[fault]++; counts[fault] == 1 {
			first[fault] = name
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(counts)) {
		r.Warnings = append(r.Warnings, Diagnostic{File: filepath.Join(dir, first[fault]), Warning: true, Note: true, Count: counts[fault],
			Message: fmt.Sprintf("files of the current release %s and were written again: %d", fault, counts[fault])})
	}
}

// warn adds a warning of the output.
func (r *Report) warn(said []output.Warning) {
	for _, w := range said {
		r.Warnings = append(r.Warnings, Diagnostic{File: w.Path, Message: w.Message, Hint: w.Hint, Warning: true, Note: true})
	}
}

func reportEnv(env release.Environment, s *plan.Summary) EnvReport {
	r := EnvReport{ID: env.ID, Items: env.Items, Searches: len(env.Searches), Media: env.Media.Files, SnapshotBytes: env.Snapshot.Bytes, Files: 1, Bytes: env.Snapshot.Bytes}
	for _, f := range s.Families {
		r.Lists += f.Lists
		r.Pages += f.Files
	}
	return r
}

func (r *Report) measure() visitDir {
	envs := make(map[string]*EnvReport, len(r.Environments))
	for i := range r.Environments {
		e := &r.Environments[i]
		envs[address.EnvDir(e.ID)] = e
		envs[release.MediaDir+"/"+e.ID] = e
	}
	return func(name string, files int, bytes int64) {
		r.Files += files
		r.Bytes += bytes
		for ; name != "."; name = path.Dir(name) {
			if e := envs[name]; e != nil {
				e.Files += files
				e.Bytes += bytes
			}
		}
	}
}
