// Package index turns rendered items into a snapshot: it decides the type of every
// path, cuts text into terms, orders values, and hands the snapshot's Writer sorted
// input. The result depends on the documents alone, not on how many cores worked or how
// much memory they had.
//
// Memory: fragments, terms and values are in memory up to a share of the setting, then
// sorted and moved to a temporary file. What is left grows with the content: some 100
// bytes a value while its field is encoded.
package index

import (
	"cmp"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/spill"
)

// Config describes the environment.
type Config struct {
	Env  string
	Sort string // the default order
	Asc  bool

	// Memory is how many bytes may be in use, about; 0 is DefaultMemory.
	Memory int64
	// Temp makes the temporary file; nil makes it in the system's directory for such.
	Temp func() (*spill.File, error)
}

// DefaultMemory is the memory of a build that is told nothing.
const DefaultMemory = 1 << 30

func (c *Config) memory() int64 { return cmp.Or(c.Memory, DefaultMemory) }

func (c *Config) temp() (*spill.File, error) {
	if c.Temp != nil {
		return c.Temp()
	}
	return spill.Create(os.TempDir(), "index-")
}

// Write writes the snapshot of an environment. The error is that of w, of src or of the
// temporary file.
func Write(w io.Writer, c Config, src Source) error {
	file, err := c.temp()
	if err != nil {
		return err
	}
	defer file.Close()
	gathered := make(chan error, 1)
	var parts map[string][]*sealed
	go func() {
		var err error
		parts, err = gather(src, file, c.memory())
		gathered <- err
	}()
	out := snapshot.NewWriter(w, snapshot.Meta{Env: c.Env, Sort: c.Sort, Asc: c.Asc, Analysis: analysis.Version, Items: src.Len()})
	err = eachFragment(src, 0, src.Len(), func(_ snapshot.DocID, fragment []byte) { out.Fragment(fragment) })
	if err := cmp.Or(<-gathered, err); err != nil {
		return err
	}
	if err := writeFields(out, src.Len(), parts, file, c.memory()); err != nil {
		return err
	}
	return out.Close()
}

// ranges cuts documents into one contiguous range a core.
func ranges(n int) [][2]int {
	k := max(1, min(runtime.GOMAXPROCS(0), n/64))
	out := make([][2]int, k)
	for i := range out {
		out[i] = [2]int{n * i / k, n * (i + 1) / k}
	}
	return out
}

// each calls f for every range at once and returns the first range's error.
func each(rs [][2]int, f func(i, from, to int) error) error {
	errs := make([]error, len(rs))
	var wg sync.WaitGroup
	for i, r := range rs {
		wg.Go(func() { errs[i] = f(i, r[0], r[1]) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// gather indexes all documents and returns the parts of each path, by document.
func gather(src Source, file *spill.File, memory int64) (map[string][]*sealed, error) {
	rs := ranges(src.Len())
	found := make([]map[string]*field, len(rs))
	err := each(rs, func(i, from, to int) (err error) {
		found[i], err = detect(src, from, to)
		return err
	})
	if err != nil {
		return nil, err
	}
	fields := merge(found)
	limit := runLimit(memory, len(rs))
	runs := make([][]*sealed, len(rs))
	err = each(rs, func(i, from, to int) (err error) {
		runs[i], err = gatherRange(src, from, to, fields, file, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := map[string][]*sealed{}
	for _, s := range slices.Concat(runs...) {
		parts[s.field.path] = append(parts[s.field.path], s)
	}
	return parts, nil
}

// maxRun keeps the offsets in a run below 2^32.
const maxRun = 1 << 30

// runLimit is how many bytes a run may take: all runs together a quarter of the memory,
// because a collected heap takes up to twice what is in use, and the rest of a build
// wants some too.
func runLimit(memory int64, runs int) int { return int(min(memory/4/int64(runs), maxRun)) }

// gatherRange indexes a range of documents in runs.
func gatherRange(src Source, from, to int, fields map[string]*field, file *spill.File, limit int) (out []*sealed, err error) {
	r := newRun(fields)
	seal := func() error {
		s, err := r.seal(file)
		out = append(out, s...)
		r = newRun(fields)
		return err
	}
	err = batches(src, from, to, false, func(block []byte, ends []int, from int) error {
		start := 0
		for i, end := range ends {
			r.add(snapshot.DocID(from+i), block[start:end])
			start = end
			if r.size < limit {
				continue
			}
			if err := seal(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, seal()
}

// result is an encoded field, or why there is none.
type result struct {
	field *snapshot.EncodedField
	err   error
}

// writeFields encodes the fields side by side and writes them by path.
func writeFields(out *snapshot.Writer, items int, parts map[string][]*sealed, file *spill.File, memory int64) error {
	rank, err := rankOf(items, parts["ContentID"])
	if err != nil {
		return err
	}
	paths := slices.Sorted(maps.Keys(parts))
	works := make([]*fieldWork, len(paths))
	results := map[string]chan result{}
	for i, path := range paths {
		works[i] = &fieldWork{path: path, parts: parts[path], items: items, rank: &rank, file: file}
		results[path] = make(chan result, 1)
	}
	clear(parts)
	encode(works, workers(works, memory), func(path string, r result) { results[path] <- r })
	for _, path := range paths {
		r := <-results[path]
		if r.err != nil {
			return r.err
		}
		out.Field(r.field)
	}
	return nil
}

// What encoding a field takes in bytes, about: for each document and for each value.
const (
	itemCost = 24
	leafCost = 128
)

// workers is how many fields may be encoded at a time: a core each, as far as the
// largest of them fit into half of the memory.
func workers(works []*fieldWork, memory int64) int {
	largest := int64(1)
	for _, w := range works {
		largest = max(largest, int64(w.items)*itemCost+int64(w.values())*leafCost)
	}
	return int(max(1, min(int64(runtime.GOMAXPROCS(0)), memory/2/largest)))
}

// encode encodes fields with n workers, without waiting for them. The largest come
// first, so that none is left to one worker at the end.
func encode(works []*fieldWork, n int, done func(path string, r result)) {
	works = slices.Clone(works)
	slices.SortFunc(works, func(a, b *fieldWork) int {
		return cmp.Or(-cmp.Compare(a.size(), b.size()), strings.Compare(a.path, b.path))
	})
	next := make(chan *fieldWork, len(works))
	for _, w := range works {
		next <- w
	}
	close(next)
	for range n {
		go func() {
			for w := range next {
				e, err := w.encode()
				done(w.path, result{e, err})
			}
		}()
	}
}
