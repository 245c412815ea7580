// This file holds a plan's figures and the guard on them: a release that would not fit
// its budget is refused whole, because dropping lists silently would make the promise
// of the manifest depend on the data.

package plan

import "fmt"

// Figures count one family of lists of one environment.
type Figures struct {
	Filters []string `json:"filters"`
	Lists   int      `json:"lists"`
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
}

// Summary counts what an environment would write, snapshot aside.
type Summary struct {
	ID        string    `json:"id"`
	Items     int       `json:"items"`
	ItemBytes int64     `json:"itemBytes"`
	Families  []Figures `json:"families"`
}

// ListFiles and bytes of all families.
func (s *Summary) ListFiles() (files int, bytes int64) {
	for _, f := range s.Families {
		files += f.Files
		bytes += f.Bytes
	}
	return files, bytes
}

// BudgetError is a plan that is larger than allowed.
type BudgetError struct {
	Files, BudgetFiles int
	Bytes, BudgetBytes int64
}

// Error says what was planned, what is allowed and what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("REFUSED: %d list files (budget %d), %s (budget %s). Drop a filter or enlarge the page size, or raise --budget-files / --budget-bytes.",
		e.Files, e.BudgetFiles, Bytes(e.Bytes), Bytes(e.BudgetBytes))
}

// Guard refuses figures that exceed the budget.
func (o *Options) Guard(envs []Summary) error {
	e := &BudgetError{BudgetFiles: o.BudgetFiles, BudgetBytes: o.BudgetBytes}
	for i := range envs {
		files, bytes := envs[i].ListFiles()
		e.Files += files
		e.Bytes += bytes
	}
	if e.Files > e.BudgetFiles || e.Bytes > e.BudgetBytes {
		return e
	}
	return nil
}

// Bytes writes a size for people.
func Bytes(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, u := float64(n)/1024, 0
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}
