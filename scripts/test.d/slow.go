// This file prints the slowest packages and tests of a run.

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxSlow is how many packages and tests the table has.
const maxSlow = 20

// timing is the wall time of a package or test.
type timing struct {
	name    string
	seconds float64
}

// slowTable collects the slowest packages and tests.
type slowTable struct{ packages, tests []timing }

// add takes the end of a package, or of a test that is not a subtest. A nil slowTable takes nothing.
func (s *slowTable) add(e *event) {
	switch {
	case s == nil || strings.Contains(e.Test, "/"):
	case e.Test == "":
		s.packages = insert(s.packages, timing{short(e.Package), e.Elapsed})
	default:
		s.tests = insert(s.tests, timing{short(e.Package) + " " + e.Test, e.Elapsed})
	}
}

// insert adds a timing to the slowest, slowest first.
func insert(slowest []timing, t timing) []timing {
	at, _ := slices.BinarySearchFunc(slowest, t, func(a, b timing) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.name, b.name))
	})
	slowest = slices.Insert(slowest, at, t)
	return slowest[:min(len(slowest), maxSlow)]
}

// print prints the table in Markdown.
func (s *slowTable) print(out io.Writer) {
	if s == nil {
		return
	}
	fmt.Fprint(out, "\n| package | s | test | s |\n|---|--:|---|--:|\n")
	for i := range max(len(s.packages), len(s.tests)) {
		fmt.Fprintf(out, "| %s | %s |\n", cells(s.packages, i), cells(s.tests, i))
	}
}

// cells are the two cells of a timing, which are empty after the last one.
func cells(slowest []timing, i int) string {
	if i >= len(slowest) {
		return " | "
	}
	return fmt.Sprintf("`%s` | %.1f", slowest[i].name, slowest[i].seconds)
}
