// This file keeps the prose plain, and the programs small: it counts habits of prose and lines of code against files whose
// numbers are meant to fall.

package cmd

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// habits are ways of saying things that a reader stumbles over, with what to write instead.
var habits = []struct{ name, instead, pattern string }{
	{"is-no", `"is not a"`, `\b(?:is|are|was|were) no (?:[a-km-z]\w*|l(?:[a-np-z]\w*)?)\b`}, // not: no longer
	{"beside", `"next to", "in addition to"`, `\bbeside\b`},
	{"alone", `"only", before what it limits`, `\balone\b`},
	{"behind", `"after"`, `\bbehind\b`},
	{"nobody", "who or what does it", `\b(?:[Nn]obody|[Ss]omebody)\b`},
	{"those-that", "the noun", `\b(?:[Tt]hose|[Tt]hat) (?:that|of|alone)\b|\bof (?:it|them|these)\b|\bthe latter\b`},
	{"who-what", "a noun as the subject", `(?:^|[.:;] )(?:Who|What) [a-z]+s? [a-z ]{3,40} (?:is|are|has|gets|finds|sees|knows)\b`},
	{"nil-none", `"nil means no filter"`, `\b(?:nil|0|zero|empty|false|true)(?:: | if |, if )(?:none|it does not|there is none|there are none)\b`},
	{"stands", `"is in"`, `\b(?:stands|stand|lies) (?:in|at|on|there|beside|behind|before|after|alone|here)\b`},
	{"anew", `"again"`, `\banew\b`},
	{"go-on", `"continue"`, `\b(?:go|goes|went|going) on\b`},
}

const (
	proseFile  = "testdata/prose.txt"
	budgetFile = "testdata/budget.txt"
	// budgetSlack is how far the lines may stay below a row of the budget: then the row is lowered.
	budgetSlack = 500
)

// eachWing calls a function with each Go file of the programs and scripts, without tests, and its directory.
func eachWing(t *testing.T, visit func(dir string, text []byte)) {
	t.Helper()
	for _, wing := range []string{"cmd", "edgeserve", "generator", "scripts"} {
		eachFile(t, wing, func(path string) {
			visit(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../"), []byte(readFile(t, path)))
		})
	}
}

// prose returns the comments and strings of a Go file.
func prose(text []byte) string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	var b strings.Builder
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return b.String()
		case token.COMMENT:
			b.WriteString(strings.TrimLeft(lit, "/ ") + " ")
		case token.STRING:
			b.WriteString("\n" + lit + "\n")
		}
	}
}

// TestProse counts the habits in comments, texts of programs and pages. The numbers only fall: -update lowers them, and a
// number that has risen is mended in the text.
func TestProse(t *testing.T) {
	texts := map[string]*strings.Builder{}
	add := func(wing, text string) {
		if texts[wing] == nil {
			texts[wing] = &strings.Builder{}
		}
		texts[wing].WriteString(text + "\n")
	}
	eachWing(t, func(dir string, text []byte) {
		wing, _, _ := strings.Cut(dir, "/")
		add(wing, prose(text))
	})
	for _, p := range readPages(t) {
		add("pages", p.text)
	}
	counts := map[string]int{}
	for _, h := range habits {
		re := regexp.MustCompile(h.pattern)
		for wing, text := range texts {
			counts[h.name+" "+wing] = len(re.FindAllString(text.String(), -1))
		}
	}
	had := readCounts(t, proseFile)
	for _, h := range habits {
		for wing := range texts {
			row := h.name + " " + wing
			if most, ok := had[row]; ok && counts[row] > most {
				t.Errorf("%s: %d times, %d before: write %s", row, counts[row], most, h.instead)
				counts[row] = most
			}
		}
	}
	compareCounts(t, proseFile, had, counts, 0)
}

// TestBudget counts the lines of each wing's product: without tests, and without the packages that help them.
func TestBudget(t *testing.T) {
	counts := map[string]int{}
	eachWing(t, func(dir string, text []byte) {
		if strings.HasSuffix(dir, "test") { // a package of helpers
			return
		}
		parts := strings.Split(dir, "/")
		wing := parts[0]
		if wing == "edgeserve" && len(parts) > 1 && slices.Contains([]string{"engine", "serve", "wire"}, parts[1]) {
			wing += "/" + parts[1]
		}
		counts[wing] += strings.Count(string(text), "\n")
	})
	compareCounts(t, budgetFile, readCounts(t, budgetFile), counts, budgetSlack)
}

// readCounts reads a file of rows that end in a number.
func readCounts(t *testing.T, file string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(readFile(t, file)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.Atoi(line[at+1:])
		if err != nil {
			t.Fatalf("%s: %q does not end in a number", file, line)
		}
		counts[line[:at]] = n
	}
	return counts
}

// compareCounts fails for a row that is above or more than slack below the file's, or writes the file with -update. The
// file's comment stays.
func compareCounts(t *testing.T, file string, had, counts map[string]int, slack int) {
	t.Helper()
	if *update {
		comment, _, _ := strings.Cut(readFile(t, file), "\n\n")
		text := comment + "\n\n"
		for _, row := range slices.Sorted(maps.Keys(counts)) {
			text += fmt.Sprintf("%s %d\n", row, counts[row]+slack/2)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for row := range maps.All(had) {
		if _, ok := counts[row]; !ok {
			t.Errorf("%s has the row %q, of which nothing is left", file, row)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[row]; n > had[row] || n < had[row]-slack {
			t.Errorf("%s: %s has %d, and the file says %d: if that is meant, run go test ./cmd -run %s -update", file, row, n, had[row], t.Name())
		}
	}
}
