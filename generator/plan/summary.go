// This file holds a plan's figures and their limits. A release over budget is refused,
// because dropped lists would make the manifest depend on the data.

package plan

import (
	"fmt"
	"slices"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator/model"
)

// Figures count one family of lists of one environment.
type Figures struct {
	Filters  []string `json:"filters"`
	Sort     string   `json:"sort"`
	Asc      bool     `json:"sortAsc"`
	PageSize int      `json:"pageSize"`
	Lists    int      `json:"lists"`
	TooDeep  int      `json:"tooDeep"` // lists without files, for their many pages
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
}

// Summary counts the files of an environment without its snapshot.
type Summary struct {
	ID            string         `json:"id"`
	Items         int            `json:"items"`
	ItemBytes     int64          `json:"itemBytes"`
	UsedIn        int            `json:"usedIn,omitempty"` // files of items that refer to an item
	UsedInBytes   int64          `json:"usedInBytes,omitempty"`
	Families      []Figures      `json:"families"`
	Searches      int            `json:"searches,omitempty"`
	SearchFiles   int            `json:"searchFiles,omitempty"` // at most
	Media         int            `json:"media,omitempty"`
	MediaBytes    int64          `json:"mediaBytes,omitempty"`
	Precompressed int            `json:"precompressedFiles"` // at most: small files, and files that would hardly shrink, are not compressed
	Values        []FilterValues `json:"values"`             // of the filters in use
	Largest       Extreme        `json:"largestFile"`
	Fullest       Extreme        `json:"fullestDirectory"`
	Longest       Extreme        `json:"longestName"`

	codings int
	refused string // why some lists cannot have files
}

// Summary begins the figures of a plan: NoteItem and NotePage complete them.
func (p *Env) Summary(env *model.Env) Summary {
	return Summary{ID: p.ID, Values: p.values(env), codings: p.codings, refused: p.refused}
}

// FilterValues counts the different values that items have for a filter.
type FilterValues struct {
	Filter string `json:"filter"`
	Values int    `json:"values"`
}

func (p *Env) values(env *model.Env) []FilterValues {
	out := []FilterValues{}
	for _, name := range slices.Concat(address.Filters[:], p.paths) {
		if !slices.ContainsFunc(p.Families, func(f Family) bool { return slices.Contains(f.Filters, name) }) {
			continue
		}
		seen := map[string]bool{"": true}
		for i := range env.Items {
			if !isPath(name) {
				seen[Value(&env.Items[i], name)] = true
				continue
			}
			for _, value := range env.Items[i].ListValues(name) {
				seen[value] = true
			}
		}
		out = append(out, FilterValues{name, len(seen) - 1})
	}
	return out
}

// Extreme is the file or directory with the most bytes, files or bytes of its name.
type Extreme struct {
	Name   string `json:"name"` // below the release's root
	Amount int64  `json:"amount"`
}

// Raise replaces the extreme if the named file or directory has more.
func (e *Extreme) Raise(amount int64, name func() string) {
	if amount > e.Amount {
		e.Amount, e.Name = amount, name()
	}
}

// ListFiles adds up the files and bytes of all families.
func (s *Summary) ListFiles() (files int, bytes int64) {
	for _, f := range s.Families {
		files += f.Files
		bytes += f.Bytes
	}
	return files, bytes
}

// BudgetError is a plan that is larger than allowed.
type BudgetError struct {
	Files, BudgetFiles int   // of lists and media
	Bytes, BudgetBytes int64 // of lists and media
	Media              int   // files
	MediaBytes         int64
}

// Error says what was planned, what is allowed and what to do.
func (e *BudgetError) Error() string {
	what := "list files"
	if e.Media > 0 {
		what = fmt.Sprintf("list and media files, including %d of media with %s", e.Media, bytesize.Format(e.MediaBytes))
	}
	return fmt.Sprintf("REFUSED: %d %s (budget %d), %s (budget %s). Drop a filter, an order or a page size, or raise --budget-files / --budget-bytes.",
		e.Files, what, e.BudgetFiles, bytesize.Format(e.Bytes), bytesize.Format(e.BudgetBytes))
}

// ExitCode says that the command line or the settings are to blame.
func (*BudgetError) ExitCode() int { return exitcode.Usage }

// CheckLimits returns a *LimitError or a *BudgetError for figures above a limit.
func (o *Options) CheckLimits(envs []Summary) error {
	for i := range envs {
		if err := o.checkValues(&envs[i]); err != nil {
			return err
		}
	}
	if o.Target != nil {
		if err := o.Target.check(envs); err != nil {
			return err
		}
	}
	return o.checkBudget(envs)
}

// LimitError is a plan that exceeds a limit other than its budget.
type LimitError struct{ Message string }

// Error says what was planned, what is allowed and what to do.
func (e *LimitError) Error() string { return "REFUSED: " + e.Message }

// ExitCode says that the command line or the settings are to blame.
func (*LimitError) ExitCode() int { return exitcode.Usage }

func (o *Options) checkValues(s *Summary) error {
	if s.refused != "" {
		return &LimitError{s.refused}
	}
	for _, v := range s.Values {
		if o.MaxValues > 0 && v.Values > o.MaxValues {
			return &LimitError{fmt.Sprintf("environment %s: the filter %s has %d values (--max-values %d), each a list. Drop it from --lists: the edge server answers its lists; or raise --max-values.",
				s.ID, v.Filter, v.Values, o.MaxValues)}
		}
	}
	return nil
}

func (o *Options) checkBudget(envs []Summary) error {
	e := &BudgetError{BudgetFiles: o.BudgetFiles, BudgetBytes: o.BudgetBytes}
	for i := range envs {
		files, bytes := envs[i].ListFiles()
		e.Files += files + envs[i].SearchFiles + envs[i].Media
		e.Bytes += bytes + envs[i].MediaBytes
		e.Media += envs[i].Media
		e.MediaBytes += envs[i].MediaBytes
	}
	if e.Files > e.BudgetFiles || e.Bytes > e.BudgetBytes {
		return e
	}
	return nil
}

// NoteSearch adds a saved search to the figures: only a build knows how many of its pages there are,
// and their sizes.
func (s *Summary) NoteSearch(name string, pages int) {
	s.Searches++
	s.SearchFiles += pages
	s.Precompressed += pages * s.codings
	file := address.SavedFile(s.ID, name, pages)
	s.Longest.Raise(int64(len(file)), func() string { return file })
	s.Fullest.Raise(int64(s.SearchFiles*(1+s.codings)), func() string { return directory(file) })
}
