// This file holds the flags that several commands share and the reading of a command
// line. Flags of the standard library, with usage text written for people.

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

// positive is a flag that counts from 1.
type positive int

func (p *positive) String() string { return strconv.Itoa(int(*p)) }

func (p *positive) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1")
	}
	*p = positive(n)
	return nil
}

// size is a flag of bytes, with or without a unit.
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
		return errors.New("want bytes as a whole number, with KiB, MiB, GiB or TiB if you like")
	}
	*z = size(n << shift)
	return nil
}

// inputFlags are the flags that say what to build.
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

// inputUsage describes inputFlags.
const inputUsage = `  --content DIR          the content: a directory for each environment (default content)
  --env ID               build only this environment; repeat for more (default all).
                         The release has no others
  --status STATUS        deliver only items of this status; repeat for more (default all)
  --strict               warnings stop the build
  --broken-refs WORD     references to items that are missing or left out by --status:
                         warn, error (they stop the build) or ignore (default ` + generator.DefaultBrokenRefs + `)

  --lists SETS           lists that become files (default ` + generator.DefaultLists + `):
                         a comma list of -, name, template, status, createdby or several
                         of them joined by +; every value, all pages
  --default-order ORDER  FIELD, FIELD:asc or FIELD:desc (default %s)
  --page-size N          items a page (default %d)
  --orders ORDERS        further orders of every list: a comma list, or all
  --page-sizes SIZES     further page sizes of every list: a comma list
  --max-pages N          leave lists of more pages than this to the edge server,
                         whole (default no limit)
  --max-values N         refuse a filter with more values than this (default %d)
  --compress CODINGS     files that stand beside items and pages, coded, where that is
                         worth it (default ` + generator.DefaultCompress + `): a comma list of gzip, br, zstd; or none
  --compress-best        make them as small as can be, which takes 40 times as long for br
  --target HOST          refuse what this host cannot hold: %s
  --budget-files N       refuse more list files than this (default %d)
  --budget-bytes SIZE    refuse more bytes of list files than this (default %s)
`

// register adds the flags to a set.
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

// usage describes the flags with their defaults.
func (f *inputFlags) usage() string {
	order, pageSize := generator.Defaults()
	return fmt.Sprintf(inputUsage, order, pageSize, generator.DefaultMaxValues, strings.Join(generator.Targets(), ", "), generator.DefaultBudgetFiles, generator.FormatBytes(generator.DefaultBudgetBytes))
}

// config is what the flags ask for.
func (f *inputFlags) config() generator.Config {
	return generator.Config{
		Content: f.content, Envs: f.envs, Statuses: f.statuses, Strict: f.strict, BrokenRefs: f.brokenRefs,
		Lists: f.lists, Order: f.order, PageSize: int(f.pageSize),
		Orders: f.orders, PageSizes: f.sizes, MaxValues: int(f.maxValues), MaxPages: int(f.maxPages), Target: f.target,
		Compress: f.compress, CompressBest: f.best,
		BudgetFiles: int(f.files), BudgetBytes: int64(f.bytes),
	}
}

// parse reads a command's arguments and gives those that are no flags, at most max.
// Flags may stand before, between and after them. Asked for help it prints the usage
// and gives flag.ErrHelp.
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
			return nil, &usageError{fmt.Sprintf("%q is one argument too many", args[0]), hint}
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}
