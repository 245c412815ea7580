// This file measures. CPU time is measured over whole passes of a family's queries,
// without reading a clock between queries. Latencies come from separate passes.

package engine

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bench/corpus"
	"bench/queries"
)

// remote is an engine or a searcher whose work another process does.
type remote interface {
	PID() string
	CPU() int64
}

// process returns the process, and its CPU clock, that an engine or a searcher runs in.
func process(e any) (pid string, cpu func() int64) {
	if other, ok := e.(remote); ok {
		return other.PID(), other.CPU
	}
	return "self", CPU
}

// sizer is an engine whose index is not in its directory.
type sizer interface{ Size() (int64, error) }

type measure struct {
	used        func() int64 // processor time so far, in ns
	least, most time.Duration
	out         *bufio.Writer
}

// build reports: build, wall ns, CPU ns, bytes of the index, peak memory in KiB.
func (m *measure) build(e Engine, work string, fields corpus.Fields, dir string) error {
	items, err := corpus.Read(filepath.Join(work, ItemsFile))
	if err != nil {
		return err
	}
	pid, used := process(e)
	start, cpu := time.Now(), used()
	if err := e.Build(items, fields, dir); err != nil {
		return err
	}
	wall, spent := time.Since(start), used()-cpu
	bytes, err := size(dir)
	if other, ok := e.(sizer); ok {
		bytes, err = other.Size()
	}
	if err != nil {
		return err
	}
	_, _, peak := Memory(pid)
	fmt.Fprintf(m.out, "build\t%d\t%d\t%d\t%s\n", wall.Nanoseconds(), spent, bytes, peak)
	return nil
}

// run reports: open, ns, ns of the first result; memory, anonymous KiB, file KiB; and
// the lines of family.
func (m *measure) run(e Engine, work string, fields corpus.Fields, dir string) error {
	all, err := queries.Load(filepath.Join(work, QueriesFile))
	if err != nil {
		return err
	}
	start := time.Now()
	s, err := e.Open(dir, fields)
	if err != nil {
		return err
	}
	opened := time.Since(start)
	pid, used := process(s)
	m.used = used
	run, err := s.Prepare(all[0])
	if err != nil {
		return err
	}
	if _, err := run(); err != nil {
		return err
	}
	fmt.Fprintf(m.out, "open\t%d\t%d\n", opened.Nanoseconds(), time.Since(start).Nanoseconds())
	names, groups := queries.Families(all)
	for i, name := range names {
		if err := m.family(s, name, groups[i]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	anon, file, _ := Memory(pid)
	fmt.Fprintf(m.out, "memory\t%s\t%s\n", anon, file)
	return nil
}

// family reports a family that the engine refuses: refused, its name and the reason. Otherwise:
// family, its name, number of measured queries, CPU ns per query, p50
// ns, p99 ns, and the total of each query.
func (m *measure) family(s Searcher, name string, qs []queries.Query) error {
	prepared, totals, err := m.warm(s, qs)
	if errors.Is(err, ErrUnsupported) {
		return nil
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		fmt.Fprintf(m.out, "refused\t%s\t%s\n", name, strings.Join(strings.Fields(refusal.Error()), " "))
		return nil
	}
	if err != nil {
		return err
	}
	cpu, err := m.cpu(prepared)
	if err != nil {
		return err
	}
	times, err := m.latencies(prepared)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.out, "family\t%s\t%d\t%d\t%d\t%d", name, len(prepared), cpu, quantile(times, 0.5), quantile(times, 0.99))
	for _, total := range totals {
		fmt.Fprintf(m.out, "\t%d", total)
	}
	m.out.WriteByte('\n')
	return nil
}

// fewest is how many queries of a family even the slowest engine runs.
const fewest = 3

// warm prepares and runs the queries. An engine that is too slow for all is measured on
// the first ones. The decision uses a second run, because the first may wait for pages
// of the index.
func (m *measure) warm(s Searcher, qs []queries.Query) (prepared []Prepared, totals []int, err error) {
	var spent time.Duration
	for i, q := range qs {
		if i >= fewest && spent > m.most {
			break
		}
		run, err := s.Prepare(q)
		if err != nil {
			return nil, nil, err
		}
		if _, err := run(); err != nil {
			return nil, nil, err
		}
		start := time.Now()
		total, err := run()
		if err != nil {
			return nil, nil, err
		}
		spent += time.Since(start)
		prepared, totals = append(prepared, run), append(totals, total)
	}
	return prepared, totals, nil
}

// cpu returns the mean CPU time of a query in ns.
func (m *measure) cpu(prepared []Prepared) (int64, error) {
	passes := int64(0)
	start, cpu := time.Now(), m.used()
	for passes == 0 || time.Since(start) < m.least {
		for _, run := range prepared {
			if _, err := run(); err != nil {
				return 0, err
			}
		}
		passes++
	}
	return (m.used() - cpu) / (passes * int64(len(prepared))), nil
}

// latencies returns the latencies in ns, ascending.
func (m *measure) latencies(prepared []Prepared) ([]int64, error) {
	var times []int64
	for start := time.Now(); len(times) == 0 || time.Since(start) < m.least; {
		for _, run := range prepared {
			begin := time.Now()
			if _, err := run(); err != nil {
				return nil, err
			}
			times = append(times, time.Since(begin).Nanoseconds())
		}
	}
	slices.Sort(times)
	return times, nil
}

func quantile(sorted []int64, q float64) int64 { return sorted[int(q*float64(len(sorted)-1))] }
