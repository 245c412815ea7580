// Command test.d prints the events of `go test -json` for people: a line for each package when it
// ends, the output of what failed, and at last why tests were skipped. Plain `go test` holds the
// line of a package back until all packages before it have ended. A run without a test fails. With CI=true
// in the environment, so does a run that skips a test which skips.txt does not permit. With --slow, the last lines are a
// table of the slowest packages and tests.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	slow := flag.Bool("slow", false, "print a table of the slowest packages and tests at last")
	flag.Parse()
	all := newTotals()
	if *slow {
		all.slow = &slowTable{}
	}
	var err error
	if os.Getenv("CI") == "true" {
		all.permitted, err = readLedger(skipsText)
	}
	ok := false
	if err == nil {
		ok, err = progress(os.Stdin, os.Stdout, time.Now, all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "test.d:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a package that is compiled, instead of Package
	Test       string
	Elapsed    float64
	Output     string
}

// run is a package whose tests run.
type run struct {
	lines   []line
	passed  map[string]bool
	tests   int // without subtests
	skipped int
	failed  int
	cached  bool
}

// line is a line of output of a test, or of the package where test is empty.
type line struct{ test, text string }

// totals are the totals of all packages.
type totals struct {
	packages, tests, failed, untested int
	skips                             map[string][]string // tests by why they were skipped
	beyond                            map[string]int      // by test: skipped subtests that are not in skips
	subtests                          map[string]int      // by test: the subtests that are
	permitted                         ledger
	forbidden                         []string // tests that were skipped, and may not be
	slow                              *slowTable
}

func newTotals() *totals {
	return &totals{skips: map[string][]string{}, beyond: map[string]int{}, subtests: map[string]int{}}
}

// maxSubtests is how many skipped subtests of a test are named: random ones may be many.
const maxSubtests = 3

// skip notes a skipped test or subtest.
func (t *totals) skip(pkg, test, why string) {
	if !t.permitted.permits(pkg+" "+test, why) {
		t.forbidden = append(t.forbidden, pkg+" "+test+": "+cut(why))
	}
	if top, _, isSubtest := strings.Cut(test, "/"); isSubtest {
		if t.subtests[pkg+" "+top] == maxSubtests {
			t.beyond[pkg+" "+top]++
			return
		}
		t.subtests[pkg+" "+top]++
	}
	t.skips[why] = append(t.skips[why], pkg+" "+test)
}

// progress reads events until they end, and reports whether nothing failed. It adds them to all.
func progress(in io.Reader, out io.Writer, now func() time.Time, all *totals) (ok bool, err error) {
	begin := now()
	runs := map[string]*run{}
	lines := bufio.NewReader(in)
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			var e event
			if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &e) != nil {
				fmt.Fprint(out, text) // of go itself
				continue
			}
			handle(&e, runs, all, out)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
	}
	all.print(out, now().Sub(begin))
	all.slow.print(out)
	return all.failed == 0 && all.tests > 0 && len(all.forbidden) == 0, nil
}

func handle(e *event, runs map[string]*run, all *totals, out io.Writer) {
	switch {
	case e.Action == "build-output":
		fmt.Fprint(out, e.Output)
		return
	case e.Package == "":
		return
	}
	r := runs[e.Package]
	if r == nil {
		r = &run{passed: map[string]bool{}}
		runs[e.Package] = r
	}
	switch {
	case e.Action == "output":
		r.lines = append(r.lines, line{e.Test, e.Output})
		r.cached = r.cached || e.Test == "" && strings.HasSuffix(e.Output, "\t(cached)\n")
	case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
	case e.Test != "":
		r.ended(e, all)
	default:
		r.print(e, all, out)
		delete(runs, e.Package)
	}
}

// ended takes the end of a test. It drops the output of one that did not fail.
func (r *run) ended(e *event, all *totals) {
	all.slow.add(e)
	if !strings.Contains(e.Test, "/") {
		r.tests++
		if e.Action == "fail" {
			r.failed++
		}
	}
	if e.Action == "skip" {
		r.skipped++
		all.skip(short(e.Package), e.Test, r.why(e.Test))
	}
	r.passed[e.Test] = e.Action != "fail"
	if r.passed[e.Test] {
		r.lines = slices.DeleteFunc(r.lines, func(l line) bool { return l.test == e.Test })
	}
}

var place = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// why is what a test said last before it was skipped.
func (r *run) why(test string) (text string) {
	for _, l := range r.lines {
		if l.test != test || strings.HasPrefix(strings.TrimSpace(l.text), "---") || strings.HasPrefix(l.text, "===") {
			continue
		}
		if said := strings.TrimSpace(l.text); place.MatchString(l.text) {
			text = place.ReplaceAllString(said, "")
		} else if text != "" {
			text += " " + said
		}
	}
	if text == "" {
		return "it does not say why"
	}
	return text
}

// print prints the line of a package that ended, and the output of its failures.
func (r *run) print(e *event, all *totals, out io.Writer) {
	failed := e.Action == "fail"
	if !failed && r.tests == 0 {
		all.untested++
		return
	}
	all.slow.add(e)
	all.packages++
	all.tests += r.tests
	verdict := "ok"
	if failed {
		verdict = "FAIL"
		all.failed++
		for _, l := range r.lines {
			if !r.passed[l.test] && !strings.HasPrefix(l.text, "=== ") {
				fmt.Fprint(out, l.text)
			}
		}
	}
	notes := plural(r.tests, "test")
	if r.failed > 0 {
		notes += fmt.Sprintf(", %d failed", r.failed)
	}
	if r.skipped > 0 {
		notes += fmt.Sprintf(", %d skipped", r.skipped)
	}
	if r.cached {
		notes += " (cached)"
	}
	fmt.Fprintf(out, "%-4s  %-36s %6.1f s  %s\n", verdict, short(e.Package), e.Elapsed, notes)
}

// print prints the last lines: why tests were skipped, and how many there were.
func (t *totals) print(out io.Writer, took time.Duration) {
	for _, why := range slices.Sorted(maps.Keys(t.skips)) {
		slices.Sort(t.skips[why])
		fmt.Fprintf(out, "skipped: %s: %s\n", strings.Join(t.skips[why], ", "), cut(why))
	}
	for _, test := range slices.Sorted(maps.Keys(t.beyond)) {
		fmt.Fprintf(out, "skipped: %s: %s\n", test, plural(t.beyond[test], "more subtest"))
	}
	slices.Sort(t.forbidden)
	for _, test := range t.forbidden {
		fmt.Fprintf(out, "skipped, which scripts/test.d/skips.txt does not permit: %s\n", test)
	}
	verdict := "all passed"
	switch {
	case t.failed > 0:
		verdict = plural(t.failed, "package") + " failed"
	case t.tests == 0:
		verdict = "no test ran"
	case len(t.forbidden) > 0:
		verdict = plural(len(t.forbidden), "test") + " must not be skipped"
	}
	fmt.Fprintf(out, "%s: %s in %s, %.0f s; %s without tests\n", verdict, plural(t.tests, "test"), plural(t.packages, "package"), took.Seconds(), plural(t.untested, "package"))
}

// cut shortens a reason that is longer than a line.
func cut(why string) string {
	if r := []rune(why); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return why
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func short(pkg string) string { return strings.TrimPrefix(pkg, "contentedge/") }
