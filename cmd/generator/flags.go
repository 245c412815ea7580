// This file parses command lines and has the flags that several commands share.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"contentedge/generator"
)

// words is a flag that may be repeated.
type words []string

func (w *words) String() string { return strings.Join(*w, ", ") }

func (w *words) Set(s string) error {
	*w = append(*w, s)
	return nil
}

// positive is an integer flag of at least 1.
type positive int

func (p *positive) String() string { return strconv.Itoa(int(*p)) }

func (p *positive) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("must be a whole number of at least 1")
	}
	*p = positive(n)
	return nil
}

// size is a flag in bytes, optionally with a unit.
type size int64

func (z *size) String() string { return generator.FormatBytes(int64(*z)) }

func (z *size) Set(s string) error {
	number, shift := s, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			number, shift = strings.TrimSpace(n), 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > 1<<62>>shift {
		return errors.New("must be a whole number of bytes, optionally with KiB, MiB, GiB or TiB")
	}
	*z = size(n << shift)
	return nil
}

// inputFlags select what to build.
type inputFlags struct {
	content, lists, order, brokenRefs string
	orders, sizes, target             string
	envs, statuses                    words
	compress                          string
	strict, best                      bool
	pageSize, files                   positive
	maxValues, maxPages               positive
	bytes                             size
}

// inputUsage documents inputFlags.
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
  --default-order ORDER  FIELD, FIELD:asc or FIELD:desc (default %s)
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

func (f *inputFlags) register(set *flag.FlagSet) {
	f.maxValues = generator.DefaultMaxValues
	f.files, f.bytes = generator.DefaultBudgetFiles, generator.DefaultBudgetBytes
	set.StringVar(&f.content, "content", "content", "")
	set.Var(&f.envs, "env", "")
	set.Var(&f.statuses, "status", "")
	set.BoolVar(&f.strict, "strict", false, "")
	set.StringVar(&f.brokenRefs, "broken-refs", generator.DefaultBrokenRefs, "")
	set.StringVar(&f.lists, "lists", generator.DefaultLists, "")
	order, pageSize := generator.Defaults()
	f.pageSize = positive(pageSize)
	set.StringVar(&f.order, "default-order", order, "")
	set.Var(&f.pageSize, "page-size", "")
	set.StringVar(&f.orders, "orders", "default", "")
	set.StringVar(&f.sizes, "page-sizes", "", "")
	set.Var(&f.maxPages, "max-pages", "")
	set.Var(&f.maxValues, "max-values", "")
	set.StringVar(&f.compress, "compress", generator.DefaultCompress, "")
	set.BoolVar(&f.best, "compress-best", false, "")
	set.StringVar(&f.target, "target", "", "")
	set.Var(&f.files, "budget-files", "")
	set.Var(&f.bytes, "budget-bytes", "")
}

// usage documents the flags with their defaults.
func (f *inputFlags) usage() string {
	order, pageSize := generator.Defaults()
	return fmt.Sprintf(inputUsage, order, pageSize, generator.DefaultMaxValues, strings.Join(generator.Targets(), ", "), generator.DefaultBudgetFiles, generator.FormatBytes(generator.DefaultBudgetBytes))
}

// config converts the flags to a configuration.
func (f *inputFlags) config() generator.Config {
	return generator.Config{
		Content: f.content, Envs: f.envs, Statuses: f.statuses, Strict: f.strict, BrokenRefs: f.brokenRefs,
		Lists: f.lists, Order: f.order, PageSize: int(f.pageSize),
		Orders: f.orders, PageSizes: f.sizes, MaxValues: int(f.maxValues), MaxPages: int(f.maxPages), Target: f.target,
		Compress: f.compress, CompressBest: f.best,
		BudgetFiles: int(f.files), BudgetBytes: int64(f.bytes),
	}
}

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
			return nil, &usageError{err.Error(), hint}
		}
		if args = set.Args(); len(args) == 0 {
			return rest, nil
		}
		if len(rest) == max {
			return nil, &usageError{fmt.Sprintf("unexpected argument %q", args[0]), hint}
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}
