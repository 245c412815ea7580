// This file parses command lines and has the flags that several commands share.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator"
)

func add(to *[]string) func(string) error {
	return func(s string) error { *to = append(*to, s); return nil }
}

// readDuration reads a duration with its unit.
func readDuration(to *time.Duration) func(string) error {
	return func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil {
			return errors.New("must be a duration with its unit, for example 30s or 5m")
		}
		*to = d
		return nil
	}
}

const inputUsage = `  --content DIR          directory of the content, with a directory per
                         environment (default content)
  --env ID               build only this environment, and omit all others; repeat
                         for more (default all)
  --status STATUS        include only items with this status; repeat for more
                         (default all)
  --strict               treat warnings as errors
  --broken-refs WORD     references to items that are missing or excluded by --status:
                         warn, error (fail the build) or ignore (default ` + generator.DefaultBrokenRefs + `)

  --lists SETS           lists that become files (default ` + generator.DefaultLists + `):
                         comma-separated sets of filters. A set is - (no filter) or some of
                         name, template, status, createdby joined by +
  --default-order ORDER  FIELD, FIELD:asc or FIELD:desc (default %s); lists
                         by a path like Data.title have no files
  --page-size N          items per page (default %d)
  --orders ORDERS        further orders of every list, comma-separated, or all
  --page-sizes SIZES     further page sizes of every list, comma-separated
  --max-pages N          write no files for lists with more pages; the edge server
                         serves them (default no limit)
  --max-values N         refuse a filter with more values (default %d)
  --compress CODINGS     content codings of precompressed files, written where they
                         save at least a tenth (default ` + generator.DefaultCompress + `): gzip, br, zstd, comma-separated; or none
  --compress-best        compress as much as possible; br takes 40 times as long
  --target HOST          refuse a release above the limits of this host: %s
  --budget-files N       refuse more list files (default %d)
  --budget-bytes SIZE    refuse larger list files in total (default %s)
`

func addInput(set *flag.FlagSet, c *generator.BuildConfig) {
	order, pageSize := generator.Defaults()
	c.PageSize, c.MaxValues = pageSize, generator.DefaultMaxValues
	c.BudgetFiles, c.BudgetBytes = generator.DefaultBudgetFiles, generator.DefaultBudgetBytes
	set.StringVar(&c.Content, "content", "content", "")
	set.Func("env", "", add(&c.Envs))
	set.Func("status", "", add(&c.Statuses))
	set.BoolVar(&c.Strict, "strict", false, "")
	set.StringVar(&c.BrokenRefs, "broken-refs", generator.DefaultBrokenRefs, "")
	set.StringVar(&c.Lists, "lists", generator.DefaultLists, "")
	set.StringVar(&c.Order, "default-order", order, "")
	set.Func("page-size", "", readPositive(&c.PageSize))
	set.StringVar(&c.Orders, "orders", "default", "")
	set.StringVar(&c.PageSizes, "page-sizes", "", "")
	set.Func("max-pages", "", readPositive(&c.MaxPages))
	set.Func("max-values", "", readPositive(&c.MaxValues))
	set.StringVar(&c.Compress, "compress", generator.DefaultCompress, "")
	set.BoolVar(&c.CompressBest, "compress-best", false, "")
	set.StringVar(&c.Target, "target", "", "")
	set.Func("budget-files", "", readPositive(&c.BudgetFiles))
	set.Func("budget-bytes", "", bytesize.Flag(&c.BudgetBytes))
}

func inputHelp() string {
	order, pageSize := generator.Defaults()
	return fmt.Sprintf(inputUsage, order, pageSize, generator.DefaultMaxValues, strings.Join(generator.Targets(), ", "), generator.DefaultBudgetFiles, bytesize.Format(generator.DefaultBudgetBytes))
}

func addRemovalOld(set *flag.FlagSet, limit *generator.Removal) {
	most := generator.DefaultMaxRemoved
	limit.Max = &most
	set.BoolVar(&limit.Allow, "allow-removal", false, "")
	set.Func("max-removed", "", readPercent(&most))
}

var removalUsage = fmt.Sprintf(`  --max-removed PERCENT  refuse a release that removes more of an environment's items than this
                         (default %d), or all of them
  --allow-removal        permit any removal
`, generator.DefaultMaxRemoved)

// parse parses a command's arguments and returns the positional ones, at most max.
// Flags may stand anywhere. For --help it prints the usage and returns flag.ErrHelp.
func parse(set *flag.FlagSet, usage string, args []string, max int, out io.Writer) ([]string, error) {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	hint := fmt.Sprintf("run generator %s --help", set.Name())
	var rest []string
	for {
		err := set.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			_, e := io.WriteString(out, usage)
			return nil, errors.Join(err, e)
		}
		if err != nil {
			return nil, wrongUsage(err.Error(), hint)
		}
		if args = set.Args(); len(args) == 0 {
			return rest, nil
		}
		if len(rest) == max {
			return nil, wrongUsage(fmt.Sprintf("unexpected argument %q", args[0]), hint)
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}
