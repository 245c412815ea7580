// This file runs the tests of packages for each of their mutants.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// result is what became of a mutant.
type result struct {
	*mutant
	killed  bool
	by      string // the package whose tests noticed it
	reached bool   // by a test of its own package
}

// tester runs tests in a copy of the project.
type tester struct {
	options
	dir   string
	list  []*pkg
	begun time.Time

	mu      sync.Mutex
	results []result

	leftOut  bool               // a package could not be tested
	complete map[string]int     // the samples of the packages that were tested to the end
	compiled map[string]*binary // by package; nil for one whose tests cannot be run
	imports  []*pkg             // the packages that may import one
}

// binary is a compiled test of a package.
type binary struct {
	pkg     *pkg
	file    string
	took    time.Duration // a run without a mutant
	reached map[int]bool
}

// timeoutOf bounds the run of a mutant: some wait for ever.
func (b *binary) timeoutOf() time.Duration { return 4*b.took + 10*time.Second }

// test tests the mutants of all packages, until ctx ends.
func (t *tester) test(ctx context.Context, sample func(pkg string) int) {
	for _, p := range t.list {
		if len(p.mutants) == 0 {
			continue
		}
		own, err := t.compile(ctx, p)
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "mutants: %s is left out: %v\n", p.short(), err)
			t.leftOut = true
			continue
		}
		tested := 0
		if err == nil {
			tested = t.each(ctx, p, own)
		}
		if left := len(p.mutants) - tested; left > 0 {
			fmt.Printf("left out: the time is over for %d of %d mutants of %s\n", left, len(p.mutants), p.short())
			continue
		}
		t.complete[p.short()] = sample(p.short())
		fmt.Fprintf(os.Stderr, "%s: %d mutants, its tests take %.1f s; %.0f s so far\n", p.short(), len(p.mutants), own.took.Seconds(), time.Since(t.begun).Seconds())
	}
}

// each tests the mutants of a package, as many at a time as there are processors. It returns how many it has tested when
// ctx ends.
func (t *tester) each(ctx context.Context, p *pkg, own *binary) (tested int) {
	work := make(chan *mutant)
	var all sync.WaitGroup
	others := sync.OnceValue(func() []*binary { return t.importersOf(ctx, p) })
	for range runtime.NumCPU() {
		all.Go(func() {
			for m := range work {
				r := t.try(ctx, m, own, others)
				if ctx.Err() != nil {
					continue // the tests were stopped
				}
				t.mu.Lock()
				t.results = append(t.results, r)
				tested++
				t.mu.Unlock()
			}
		})
	}
	for _, m := range p.mutants {
		if ctx.Err() != nil {
			break
		}
		work <- m
	}
	close(work)
	all.Wait()
	return tested
}

// try runs the tests of a mutant's package and, if they do not notice it, the tests of packages that import the
// package.
func (t *tester) try(ctx context.Context, m *mutant, own *binary, others func() []*binary) result {
	r := result{mutant: m, reached: own.reached[m.id]}
	if r.reached && own.notices(ctx, m) {
		r.killed, r.by = true, own.pkg.short()
		return r
	}
	if !t.importers {
		return r
	}
	for _, b := range others() {
		if b.reached[m.id] && b.notices(ctx, m) {
			r.killed, r.by = true, b.pkg.short()
			break
		}
	}
	return r
}

// longest bounds the test runs of an importing package that are worth the search for a mutant of another package.
const longest = 15 * time.Second

// importersOf compiles the tests of the packages that import one and have tests.
func (t *tester) importersOf(ctx context.Context, p *pkg) (all []*binary) {
	if t.imports == nil {
		t.imports, _ = listPackages(ctx, defaultPatterns) // without the list, only a mutant's own package is tested
	}
	for _, q := range t.imports {
		if slices.Contains(q.Imports, p.ImportPath) {
			if b, err := t.compile(ctx, q); err == nil && b.took <= longest {
				all = append(all, b)
			}
		}
	}
	slices.SortFunc(all, func(a, b *binary) int { return cmp.Compare(a.took, b.took) })
	return all
}

var brokenLine = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):`)

// compile compiles the tests of a package once.
func (t *tester) compile(ctx context.Context, p *pkg) (*binary, error) {
	if b, ok := t.compiled[p.ImportPath]; ok {
		if b == nil {
			return nil, errors.New("its tests cannot be run")
		}
		return b, nil
	}
	b, err := t.build(ctx, p)
	if err != nil {
		b = nil
	}
	t.compiled[p.ImportPath] = b
	return b, err
}

// build compiles the tests of a package. It leaves mutants out that the compiler refuses.
func (t *tester) build(ctx context.Context, p *pkg) (*binary, error) {
	b := &binary{pkg: p, file: filepath.Join(t.dir, strings.ReplaceAll(p.short(), "/", "_")+".test"), reached: map[int]bool{}}
	for range 20 {
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", b.file, "./"+p.short())
		cmd.Dir, cmd.Env = t.dir, append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err == nil {
			return b, b.runOnce(ctx, t.dir)
		}
		if !t.dropBroken(out) {
			return nil, fmt.Errorf("it does not compile: %w\n%.2000s", err, out)
		}
	}
	return nil, errors.New("it does not compile")
}

// dropBroken leaves out the mutants on lines that the compiler refuses. It reports whether it left any out.
func (t *tester) dropBroken(out []byte) (dropped bool) {
	for _, found := range brokenLine.FindAllSubmatch(out, -1) {
		line, _ := strconv.Atoi(string(found[2]))
		for _, p := range t.list {
			before := len(p.mutants)
			p.mutants = slices.DeleteFunc(p.mutants, func(m *mutant) bool { return m.pkg+"/"+m.file == string(found[1]) && m.line == line })
			if len(p.mutants) != before {
				dropped = true
				_ = p.write(t.dir)
			}
		}
	}
	return dropped
}

// runOnce runs the tests without a mutant, and notes which mutants they reach.
func (b *binary) runOnce(ctx context.Context, dir string) error {
	notes := b.file + ".reached"
	begin := time.Now()
	ok, out := b.run(ctx, 10*longest, "MUTANT_REACHED="+notes)
	if !ok {
		return fmt.Errorf("its tests fail without a mutant:\n%.2000s", out)
	}
	b.took = time.Since(begin)
	text, err := os.ReadFile(notes)
	for _, line := range strings.Fields(string(text)) {
		id, _ := strconv.Atoi(line)
		b.reached[id] = true
	}
	return err
}

// notices reports whether a test fails for a mutant.
func (b *binary) notices(ctx context.Context, m *mutant) bool {
	ok, _ := b.run(ctx, b.timeoutOf(), fmt.Sprint("MUTANT=", m.id))
	return !ok && ctx.Err() == nil
}

func (b *binary) run(ctx context.Context, limit time.Duration, env string) (ok bool, out []byte) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	temp, err := os.MkdirTemp("", "contentedge-mutant-*")
	if err != nil {
		return false, []byte(err.Error())
	}
	defer os.RemoveAll(temp)
	cmd := exec.CommandContext(ctx, b.file, "-test.short", "-test.failfast", "-test.count=1")
	cmd.Dir = filepath.Join(filepath.Dir(b.file), b.pkg.short())
	cmd.Env = append(os.Environ(), env, "TMPDIR="+temp)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return err == nil, text.Bytes()
}

// table prints how many mutants of each package were killed.
func table(out io.Writer, results []result) {
	byPackage := map[string][3]int{}
	for _, r := range results {
		n := byPackage[r.pkg]
		n[0]++
		if r.killed && r.by == r.pkg {
			n[1]++
		}
		if r.killed {
			n[2]++
		}
		byPackage[r.pkg] = n
	}
	fmt.Fprintf(out, "%-40s %8s %8s %8s\n", "package", "mutants", "own", "killed")
	var sum [3]int
	for _, name := range slices.Sorted(maps.Keys(byPackage)) {
		n := byPackage[name]
		fmt.Fprintf(out, "%-40s %8d %8d %8d  %3d %%\n", name, n[0], n[1], n[2], 100*n[2]/n[0])
		for i := range sum {
			sum[i] += n[i]
		}
	}
	fmt.Fprintf(out, "%-40s %8d %8d %8d  %3d %%\n", "all", sum[0], sum[1], sum[2], 100*sum[2]/max(sum[0], 1))
}
