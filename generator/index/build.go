// Package index turns rendered items into a snapshot: it cuts text into terms, reads and
// orders values, and hands the snapshot's Writer sorted input. The result depends on the documents alone, not on how many cores worked or how
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
	"contentedge/generator/fields"
	"contentedge/generator/spill"
)

// Config describes the environment.
type Config struct {
	Env  string
	Sort string // the default order
	Asc  bool

	Fields []fields.Field // those of all documents, by path

	// Memory is how many bytes may be in use, about; 0 is DefaultMemory.
	Memory int64
	// Temp makes the temporary file; nil makes it in the system's directory for such.
	Temp func() (*spill.File, error)

	// Old is a snapshot to take fields from; nil: all are made.
	Old *Old
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
	b := &builder{src: src, file: file, memory: c.memory(), old: c.Old, types: make(map[string]snapshot.Type, len(c.Fields))}
	for _, f := range c.Fields {
		b.types[f.Path] = f.Type
	}
	go func() { gathered <- b.gather() }()
	out := snapshot.NewWriter(w, snapshot.Meta{Env: c.Env, Sort: c.Sort, Asc: c.Asc, Analysis: analysis.Version, Items: src.Len()})
	err = eachFragment(src, 0, src.Len(), func(_ snapshot.DocID, fragment []byte) { out.Fragment(fragment) })
	if err := cmp.Or(<-gathered, err); err != nil {
		return err
	}
	if err := b.write(out); err != nil {
		return err
	}
	return out.Close()
}

// builder is a snapshot under way.
type builder struct {
	src    Source
	file   *spill.File
	memory int64
	old    *Old                     // nil: none
	types  map[string]snapshot.Type // by path

	kept  map[string]offsets   // the paths whose fields are taken from old
	parts map[string][]*sealed // what was gathered of the others, by document
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

// gather indexes all documents, but for the fields that are kept.
func (b *builder) gather() error {
	var err error
	if b.kept, err = b.old.keeps(b.src, b.types); err != nil {
		return err
	}
	if len(b.kept) == len(b.types) {
		return nil
	}
	rs := ranges(b.src.Len())
	limit := runLimit(b.memory, len(rs))
	runs := make([][]*sealed, len(rs))
	err = each(rs, func(i, from, to int) (err error) {
		runs[i], err = b.gatherRange(from, to, limit)
		return err
	})
	b.parts = map[string][]*sealed{}
	for _, s := range slices.Concat(runs...) {
		b.parts[s.path] = append(b.parts[s.path], s)
	}
	return err
}

// maxRun keeps the offsets in a run below 2^32.
const maxRun = 1 << 30

// runLimit is how many bytes a run may take: all runs together a quarter of the memory,
// because a collected heap takes up to twice what is in use, and the rest of a build
// wants some too.
func runLimit(memory int64, runs int) int { return int(min(memory/4/int64(runs), maxRun)) }

// gatherRange indexes a range of documents in runs.
func (b *builder) gatherRange(from, to, limit int) (out []*sealed, err error) {
	r := newRun(b.types, b.kept)
	seal := func() error {
		s, err := r.seal(b.file)
		out = append(out, s...)
		r = newRun(b.types, b.kept)
		return err
	}
	err = batches(b.src, from, to, false, func(block []byte, ends []int, from int) error {
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

// write encodes the fields side by side and writes them by path.
func (b *builder) write(out *snapshot.Writer) error {
	rank, err := b.rank()
	if err != nil {
		return err
	}
	var works []*fieldWork
	results := map[string]chan result{}
	for path, parts := range b.parts {
		works = append(works, &fieldWork{path: path, parts: parts, items: b.src.Len(), rank: &rank, file: b.file})
		results[path] = make(chan result, 1)
	}
	b.parts = nil
	for path, moved := range b.kept {
		results[path] = make(chan result, 1)
		results[path] <- result{field: b.keptField(path, moved)}
	}
	encode(works, workers(works, b.memory), func(path string, r result) { results[path] <- r })
	for _, path := range slices.Sorted(maps.Keys(results)) {
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
