// This file keeps the ledger of mutants that are known to survive, and compares runs with it.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ledger has the packages that were run, and the mutants in them that no test of their own package notices.
type ledger struct {
	samples map[string]int    // by package; 0: all mutants
	alive   map[string]string // reasons by mutant
}

// unread is the reason of a survivor without an explanation.
const unread = "survives, not yet explained"

const ledgerHead = `# Mutants that no test of their own package notices, in the packages that were run. Each package has a line with its
# sample: the same mutants are drawn each time, 0 draws all. The line of a mutant has its package, function, operator, text,
# number of the same in the function and, after a tab, the reason: equivalent (no behaviour differs), speed (only time or
# memory differs) or text (of a log). A survivor that is not here fails .ci/run where its package changes. The list of
# mutants only gets shorter: kill one by a test of what a user would notice, and remove its line.
`

// packageOf returns the package of a mutant's key.
func packageOf(key string) string {
	name, _, _ := strings.Cut(key, " ")
	return name
}

// readLedger reads the ledger. A file that does not exist lists nothing.
func readLedger(file string) (*ledger, error) {
	l := &ledger{map[string]int{}, map[string]string{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if err := l.add(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return l, nil
}

// add adds a line.
func (l *ledger) add(line string) error {
	if f := strings.Fields(line); len(f) == 4 && f[0] == "package" && f[2] == "sample" {
		n, err := strconv.Atoi(f[3])
		if _, twice := l.samples[f[1]]; err != nil || n < 0 || twice {
			return fmt.Errorf("a package has one line with the number of its mutants (%.100q)", line)
		}
		l.samples[f[1]] = n
		return nil
	}
	mutant, reason, ok := strings.Cut(line, "\t")
	if !ok || strings.TrimSpace(reason) == "" {
		return fmt.Errorf("a tab separates a mutant from the reason why no test notices it (%.100q)", line)
	}
	if _, ok := l.samples[packageOf(mutant)]; !ok {
		return fmt.Errorf("a mutant follows the line of its package (%.100q): add one, such as package %s sample 12", line, packageOf(mutant))
	}
	l.alive[mutant] = reason
	return nil
}

// only returns the packages that the ledger lists, and names the others.
func (l *ledger) only(out io.Writer, list []*pkg) []*pkg {
	return slices.DeleteFunc(list, func(p *pkg) bool {
		_, ok := l.samples[p.short()]
		if !ok {
			fmt.Fprintf(out, "left out: the ledger does not list %s: %s\n", p.short(), adding(p.short()))
		}
		return !ok
	})
}

// adding is the command that adds a package to the ledger.
func adding(pkg string) string {
	return "scripts/mutants --sample 12 --importers=false --update ./" + pkg + " adds it"
}

// judge prints the survivors that the ledger lacks, and the lines of mutants that are killed or do not exist. complete
// has the samples of the packages that were tested to the end. It reports whether the ledger has all survivors of the
// packages that it lists and, if strict, no other mutants: a test that fails on a busy machine also kills one.
func (l *ledger) judge(out io.Writer, results []result, complete map[string]int, strict bool) (ok bool) {
	ok = true
	drawn, unlisted := map[string]bool{}, map[string]int{}
	for _, r := range results {
		drawn[r.key()] = true
		_, isListed := l.samples[r.pkg]
		switch _, known := l.alive[r.key()]; {
		case !r.killed && !known:
			fmt.Fprintf(out, "survives: %s/%s:%d: %s\n", r.pkg, r.file, r.line, r.key())
			if ok = ok && !isListed; !isListed {
				unlisted[r.pkg]++
			}
		case r.killed && known && r.by == r.pkg:
			ok = ok && !strict
			fmt.Fprintf(out, "killed: remove this line from the ledger: %s\n", r.key())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.alive)) {
		pkg := packageOf(key)
		if sample, tested := complete[pkg]; tested && sample == l.samples[pkg] && !drawn[key] {
			ok = ok && !strict
			fmt.Fprintf(out, "not drawn any more: remove this line from the ledger: %s\n", key)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(unlisted)) {
		fmt.Fprintf(out, "%d survivors do not count: the ledger does not list %s: %s\n", unlisted[pkg], pkg, adding(pkg))
	}
	return ok
}

// update replaces the lines of the packages that were tested to the end, with the samples of the run.
func (l *ledger) update(results []result, complete map[string]int) {
	before := l.alive
	l.alive = maps.Clone(before)
	maps.DeleteFunc(l.alive, func(key, _ string) bool { _, ok := complete[packageOf(key)]; return ok })
	maps.Copy(l.samples, complete)
	for _, r := range results {
		if _, ok := complete[r.pkg]; !ok || r.killed && r.by == r.pkg {
			continue
		}
		if l.alive[r.key()] = before[r.key()]; l.alive[r.key()] == "" {
			l.alive[r.key()] = unread
		}
	}
}

// write writes the ledger.
func (l *ledger) write(file string) error {
	var text bytes.Buffer
	text.WriteString(ledgerHead)
	keys := slices.Sorted(maps.Keys(l.alive))
	for _, pkg := range slices.Sorted(maps.Keys(l.samples)) {
		fmt.Fprintf(&text, "\npackage %s sample %d\n", pkg, l.samples[pkg])
		for _, key := range keys {
			if packageOf(key) == pkg {
				fmt.Fprintf(&text, "%s\t%s\n", key, l.alive[key])
			}
		}
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}
