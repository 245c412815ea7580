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
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are what a run is asked for.
type options struct {
	sample    int           // mutants of a package; 0: all
	most      time.Duration // begin no mutant after this time; 0: no bound
	importers bool          // run the tests of packages that import a mutant's, if its own do not notice it
	ledger    string        // file of survivors that are known
	update    bool          // write the ledger
}

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "mutants of a package, the same ones each time; 0 takes all")
	flag.DurationVar(&o.most, "most", 0, "begin no mutant after this time; 0 means no bound")
	flag.BoolVar(&o.importers, "importers", true, "also run the tests of packages that import a mutant's package")
	flag.StringVar(&o.ledger, "ledger", "scripts/mutants.d/alive.txt", "file of survivors that are known")
	flag.BoolVar(&o.update, "update", false, "write the survivors into the ledger")
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
	dir, err := copyTree(ctx)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := instrument(ctx, list, dir, o.sample); err != nil {
		return false, err
	}
	t := &tester{dir: dir, list: list, options: o, begun: time.Now(), compiled: map[string]*binary{}}
	ok, err = report(os.Stdout, t.test(ctx), known, o)
	return ok && !t.leftOut, err
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

// readLedger reads the survivors that are known, each with its reason.
func readLedger(file string) (known map[string]string, err error) {
	known = map[string]string{}
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return known, nil
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		place, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: a tab separates a mutant from the reason why no test notices it", file, i+1)
		}
		known[place] = reason
	}
	return known, err
}

// unread is the reason of a survivor without an explanation.
const unread = "survives, not yet explained"

const ledgerHead = `# Mutants that no test notices: package, function, operator, text, number of the same in the function; after a tab the
# reason. A mutant that is not here fails .ci/run where its package changes. The list only gets shorter: kill one by a
# test of what a user would notice, and remove its line.
`

// writeLedger replaces the lines of the packages that were tested.
func writeLedger(file string, known map[string]string, results []result) error {
	tested, alive := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		tested[r.key()] = true
		alive[r.key()] = !r.killed
	}
	var lines []string
	for place, reason := range known {
		if !tested[place] || alive[place] {
			lines = append(lines, place+"\t"+reason)
		}
	}
	for place := range alive {
		if _, ok := known[place]; alive[place] && !ok {
			lines = append(lines, place+"\t"+unread)
		}
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.FromSlash(file), []byte(ledgerHead+strings.Join(append(lines, ""), "\n")), 0o644)
}
