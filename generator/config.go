// This file holds the options of a build and checks them before anything is opened.

package generator

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/address"
	"contentedge/generator/index"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/removal"
	"contentedge/generator/source"
	"contentedge/generator/visibility"
	"contentedge/generator/writer"
)

// BuildConfig says what to build. An option that is zero has its default. Content is required, for
// Build also Out.
type BuildConfig struct {
	Content string // the content directory
	Out     string // the directory that holds releases

	Envs    []string         // environments to build; all if it is empty
	Visible visibility.Rules // which items are delivered
	At      time.Time        // when: scheduled items are not visible yet, and expired ones no longer; zero: when a build begins
	Strict  bool             // warnings stop the build

	// DateFromFile: an item of a Markdown file or the like that has no date has the time of modification of
	// its file, with a warning, as previews show it. Otherwise it is an error.
	DateFromFile bool

	BrokenRefs string // references to items that the release lacks: warn, error or ignore

	Lists       string // which lists become files, as plan.ParseLists reads it
	Order       string // default order, FIELD, FIELD:asc or FIELD:desc; a field may be a path of Data
	PageSize    int    // default page size
	Orders      string // further orders of every list, as plan.ParseOrders reads it
	PageSizes   string // further page sizes of every list, a comma list
	MaxValues   int    // most values of a filter
	MaxPages    int    // lists of more pages have no files; 0: no limit
	Target      string // the host whose limits hold; none: no limits
	BudgetFiles int    // most list files
	BudgetBytes int64  // most bytes of list files

	Compress     string // codings of precompressed files, a comma list of gzip, br and zstd, or none
	CompressBest bool   // the smallest precompressed files, however long that takes
	Full         bool   // no incremental build: write every file
	NoSync       bool   // do not sync the disk
	CheckFiles   bool   // compare the bytes of the current release's files with its list of checksums

	FileMode, DirMode fs.FileMode // of everything written; 0: the default

	Partial bool // a partial release, which Join merges with the others

	SnapshotOnly bool // write no files of items and lists: an edge server computes them from the snapshots

	Removal Removal // what the release may remove of the current one

	Memory int64 // approximate bytes of memory; see MinMemory

	Progress func(Progress) // called often, never concurrently
}

// The defaults of BuildConfig.
const (
	DefaultLists       = plan.DefaultLists
	DefaultCompress    = "gzip,br"
	DefaultMaxValues   = plan.DefaultMaxValues
	DefaultBudgetFiles = plan.DefaultBudgetFiles
	DefaultBudgetBytes = plan.DefaultBudgetBytes
	DefaultMemory      = index.DefaultMemory
	DefaultBrokenRefs  = "warn"
	DefaultMaxRemoved  = removal.DefaultMax
	DefaultFileMode    = output.DefaultFileMode
	DefaultDirMode     = output.DefaultDirMode
)

var brokenRefs = map[string]model.Broken{"": model.BrokenWarns, DefaultBrokenRefs: model.BrokenWarns, "error": model.BrokenFails, "ignore": model.BrokenPasses}

// MinMemory is the least BuildConfig.Memory, which bounds texts, fragments and the index. A build holds
// more: about 300 bytes an item, 24 a reference, 100 a value of the field that it encodes, and each
// file while it is read, except files of lines.
const MinMemory = 64 << 20

// Defaults returns the default order and page size.
func Defaults() (order string, pageSize int) {
	d := address.Standard
	return plan.Direction{Sort: d.Sort, Asc: d.Asc}.String(), d.Size
}

// Targets lists the hosts whose limits are known.
func Targets() []string { return plan.TargetNames() }

// UsageError is an invalid BuildConfig.
type UsageError struct {
	Option  string // the flag that is wrong, e.g. "--env"
	Message string
	Hint    string
}

// Error returns the option, the message and, on its own line, the hint.
func (e *UsageError) Error() string {
	return e.Option + ": " + e.Message + "\n  hint: " + e.Hint
}

// ExitCode says that the command line or the settings are to blame.
func (*UsageError) ExitCode() int { return exitcode.Usage }

// folder returns the content, not opened yet.
func (c *BuildConfig) folder() *source.Folder {
	f := source.NewFolder(c.Content)
	f.DateFromFile = c.DateFromFile
	return f
}

// Check validates the BuildConfig and opens nothing. Its error is a *UsageError.
func (c *BuildConfig) Check() error {
	_, err := c.options()
	return err
}

func (c *BuildConfig) options() (plan.Options, error) {
	o := plan.DefaultOptions()
	if err := c.checkNames(); err != nil {
		return o, err
	}
	if err := c.readLists(&o); err != nil {
		return o, err
	}
	if err := c.readLimits(&o); err != nil {
		return o, err
	}
	k, err := c.compressor()
	if err != nil {
		return o, err
	}
	o.Codings = k.Codings()
	if c.BudgetFiles < 0 || c.BudgetBytes < 0 {
		return o, &UsageError{"--budget-files, --budget-bytes", "a budget cannot be negative", "leave it out for the default"}
	}
	if p := c.Removal.Max; p != nil && (*p < 0 || *p > 100) {
		return o, &UsageError{"--max-removed", fmt.Sprintf("%d is not a percentage", *p), "it is from 0 to 100"}
	}
	if c.Memory != 0 && c.Memory < MinMemory {
		return o, &UsageError{"--memory", bytesize.Format(c.Memory) + " is too little for a build", "give it at least " + bytesize.Format(MinMemory) + ", or leave it out for the default"}
	}
	if err := c.checkModes(); err != nil {
		return o, err
	}
	if c.BudgetFiles > 0 {
		o.BudgetFiles = c.BudgetFiles
	}
	if c.BudgetBytes > 0 {
		o.BudgetBytes = c.BudgetBytes
	}
	return o, nil
}

// checkModes refuses modes with which the next build could not read or remove what this one writes.
func (c *BuildConfig) checkModes() error {
	if m := c.FileMode; m != 0 && (m&^fs.ModePerm != 0 || m&0o600 != 0o600) {
		return &UsageError{"--file-mode", fmt.Sprintf("%04o does not work for files", m), "their owner reads and writes them: for example 0644, or 0640"}
	}
	if m := c.DirMode; m != 0 && (m&^fs.ModePerm != 0 || m&0o700 != 0o700) {
		return &UsageError{"--dir-mode", fmt.Sprintf("%04o does not work for directories", m), "their owner reads, writes and enters them: for example 0755, or 0750"}
	}
	if c.CheckFiles && c.Full {
		return &UsageError{"--check", "a build with --full takes no file to check", "leave out one of them"}
	}
	return nil
}

func (c *BuildConfig) compressor() (writer.Compressor, error) {
	k, err := writer.NewCompressor(cmp.Or(c.Compress, DefaultCompress), c.CompressBest)
	if err != nil {
		return k, &UsageError{"--compress", err.Error(), "name gzip, br, zstd or several of them, e.g. " + DefaultCompress + ", or none"}
	}
	if c.SnapshotOnly {
		return writer.Compressor{}, nil
	}
	return k, nil
}

func (c *BuildConfig) checkNames() error {
	if c.Content == "" {
		return &UsageError{"--content", "no content directory is named", "name the directory that holds one directory for each environment"}
	}
	if c.Out != "" && inside(c.Out, c.Content) {
		return &UsageError{"--out", fmt.Sprintf("%s is inside the content directory %s", c.Out, c.Content), "releases would become content: name a directory elsewhere"}
	}
	for _, id := range c.Envs {
		if !address.ValidEnv(id) {
			return &UsageError{"--env", fmt.Sprintf("%q is not an environment id", id), "an id is 1 to 64 letters, digits, _ and -, the first a letter or a digit; repeat the flag for more"}
		}
	}
	for _, s := range c.Visible.Statuses {
		if s == "" {
			return &UsageError{"--status", "a status is empty", "name it as the items do, e.g. --status Draft; repeat the flag for more, or name all"}
		}
	}
	if _, ok := brokenRefs[c.BrokenRefs]; !ok {
		return &UsageError{"--broken-refs", fmt.Sprintf("%q says nothing about references", c.BrokenRefs), "it is warn, error or ignore"}
	}
	return nil
}

func (c *BuildConfig) readLists(o *plan.Options) (err error) {
	if c.Lists != "" {
		if o.Lists, err = plan.ParseLists(c.Lists); err != nil {
			return &UsageError{"--lists", err.Error(), "the default is " + plan.DefaultLists}
		}
	}
	if c.Order != "" {
		d, err := plan.ParseDefaultOrder(c.Order)
		if err != nil {
			return &UsageError{"--default-order", err.Error(), "for example CreatedAt:desc, Name:asc or Data.title:asc"}
		}
		o.Defaults.Sort, o.Defaults.Asc = d.Sort, d.Asc
	}
	if c.PageSize < 0 || c.PageSize > address.MaxSize {
		return &UsageError{"--page-size", fmt.Sprintf("%d is not a page size", c.PageSize), fmt.Sprintf("it is from 1 to %d", address.MaxSize)}
	}
	if c.PageSize > 0 {
		o.Defaults.Size = c.PageSize
	}
	if c.Orders != "" {
		if o.Orders, err = plan.ParseOrders(c.Orders); err != nil {
			return &UsageError{"--orders", err.Error(), "for example Name:asc,UpdatedAt:desc, or all; the default order is always there"}
		}
	}
	if c.PageSizes != "" {
		if o.Sizes, err = plan.ParseSizes(c.PageSizes); err != nil {
			return &UsageError{"--page-sizes", err.Error(), "for example 20,50; the default page size is always there"}
		}
	}
	if c.SnapshotOnly {
		o.Lists = nil
	}
	return nil
}

func (c *BuildConfig) readLimits(o *plan.Options) (err error) {
	if c.MaxValues < 0 || c.MaxPages < 0 {
		return &UsageError{"--max-values, --max-pages", "a limit cannot be negative", "leave it out for the default"}
	}
	if c.MaxValues > 0 {
		o.MaxValues = c.MaxValues
	}
	o.MaxPages = c.MaxPages
	if c.Target != "" {
		if o.Target, err = plan.FindTarget(c.Target); err != nil {
			return &UsageError{"--target", err.Error(), "leave it out where no host's limits matter"}
		}
	}
	return nil
}

func inside(path, dir string) bool {
	path, err1 := filepath.Abs(path)
	dir, err2 := filepath.Abs(dir)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
