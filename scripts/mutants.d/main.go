// Command mutants.d changes the product in one place at a time and runs its tests: a change that no test notices is
// a mutant that survives. scripts/mutants runs it. All mutants of a run are compiled once, each behind a switch in the
// environment, so that a mutant costs a run of tests and not a build.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// options are what a run is asked for.
type options struct {
	sample    int           // mutants of a package; 0: all
	most      time.Duration // end the tests after this time; 0: no bound
	importers bool          // run the tests of packages that import a mutant's, if its own do not notice it
	ledger    string        // file of survivors that are known
	update    bool          // write the ledger
	listed    bool          // test only packages that the ledger lists, each with the sample that it names
}

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "mutants of a package, the same ones each time; 0 takes all")
	flag.DurationVar(&o.most, "most", 0, "end the tests after this time; 0 means no bound")
	flag.BoolVar(&o.importers, "importers", true, "also run the tests of packages that import a mutant's package")
	flag.StringVar(&o.ledger, "ledger", "scripts/mutants.d/alive.txt", "file of survivors that are known")
	flag.BoolVar(&o.update, "update", false, "write the survivors into the ledger")
	flag.BoolVar(&o.listed, "listed", false, "test only packages that the ledger lists, each with the sample that it names")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// defaultPatterns are the packages of the product.
var defaultPatterns = []string{"./edgeserve/...", "./generator/..."}

// run makes the mutants of packages and tests them. It reports whether the ledger has all survivors.
func run(ctx context.Context, o options, patterns []string) (ok bool, err error) {
	if len(patterns) == 0 {
		patterns = defaultPatterns
	}
	known, err := readLedger(o.ledger)
	if err != nil {
		return false, err
	}
	list, err := listPackages(ctx, patterns)
	if err != nil {
		return false, err
	}
	sample := func(string) int { return o.sample }
	if o.listed {
		sample = func(pkg string) int { return known.samples[pkg] }
		if list = known.only(os.Stdout, list); len(list) == 0 {
			return true, nil
		}
	}
	dir, err := copyTree(ctx)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := instrument(ctx, list, dir, sample); err != nil {
		return false, err
	}
	if o.most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.most)
		defer cancel()
	}
	t := &tester{dir: dir, list: list, options: o, begun: time.Now(), compiled: map[string]*binary{}, complete: map[string]int{}}
	t.test(ctx, sample)
	table(os.Stdout, t.results)
	if o.update {
		known.update(t.results, t.complete)
		return !t.leftOut, known.write(o.ledger)
	}
	return known.judge(os.Stdout, t.results, t.complete, !o.listed) && !t.leftOut, nil
}

// copyTree copies what git knows of the project into a temporary directory.
func copyTree(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "contentedge-mutants-*"); err != nil {
		return "", err
	}
	copying := exec.CommandContext(ctx, "sh", "-c", `git ls-files -z -c -o --exclude-standard | xargs -0 cp --parents -P -t "$0"`, dir)
	if out, err := copying.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the tree cannot be copied: %w\n%s", err, out)
	}
	return dir, nil
}
