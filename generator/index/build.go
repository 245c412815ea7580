// Package index builds a snapshot from rendered items: it splits text into terms, sorts values and
// passes both to the snapshot's Writer. The result depends only on the documents, not on cores or
// memory.
//
// Beyond a share of Environment.Memory, fragments, terms and values move, sorted, to a temporary file.
// What stays in memory grows with the content: about 100 bytes a value while its field is encoded.
package index

import (
	"cmp"
	"context"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/leftout"
	"contentedge/generator/mapping"
	"contentedge/generator/spill"
)

// Environment says what the index of an environment is built for.
type Environment struct {
	Env  string
	Sort string // the sort field of the default order
	Asc  bool

	Fields  []mapping.Field // the fields of all documents, by path; values at other paths have no field
	LeftOut leftout.Rules   // of the other paths

	// Memory is the approximate limit in bytes. 0: DefaultMemory.
	Memory int64
	// Temp creates the temporary file. nil: in the system's directory.
	Temp func() (*spill.File, error)

	// Baseline is reused where possible. nil: all fields are built.
	Baseline *Baseline
}

// DefaultMemory is the default of Environment.Memory.
const DefaultMemory = 1 << 30

// PathBytes is the memory that a path takes, however few items have it: in the build, and in a node that opens the
// snapshot.
const PathBytes = 2 << 10

func (c *Environment) memory() int64 { return cmp.Or(c.Memory, DefaultMemory) }

func (c *Environment) temp() (*spill.File, error) {
	if c.Temp != nil {
		return c.Temp()
	}
	return spill.Temp("index-")
}

// Write writes an environment's snapshot. It returns errors of w, src and the temporary file.
func Write(w io.Writer, c Environment, src Source) error {
	file, err := c.temp()
	if err != nil {
		return err
	}
	defer file.Close()
	gathered := make(chan error, 1)
	b := &builder{c: &c, src: src, file: file, memory: c.memory(), baseline: c.Baseline, types: make(map[string]snapshot.Type, len(c.Fields))}
	for _, f := range c.Fields {
		b.types[f.Path] = f.Type
	}
	go crash.Guarded(func() { gathered <- b.collect() })()
	out := snapshot.NewWriter(w, snapshot.Meta{Env: c.Env, Sort: c.Sort, Asc: c.Asc, Analysis: analysis.Version, Items: src.Len()})
	out.LeaveOut(c.LeftOut)
	err = b.fragments(out)
	if err := cmp.Or(<-gathered, err); err != nil {
		return err
	}
	if err := b.write(out); err != nil {
		return err
	}
	return out.Close()
}

type builder struct {
	c        *Environment
	src      Source
	file     *spill.File
	memory   int64
	baseline *Baseline                // may be nil
	types    map[string]snapshot.Type // by path

	reused map[string]movedStrings   // the paths of the baseline's reusable fields
	patch  *patch                    // of the paths whose changes are merged into the baseline's fields; nil: no such paths
	parts  map[string][]*flushedPath // the flushed parts of the other paths, in document order
}

// fragments writes the fragments. It copies runs of fragments that the baseline has.
func (b *builder) fragments(out *snapshot.Writer) (err error) {
	defer snapshot.Recover(&err)
	for doc := 0; doc < b.src.Len(); {
		n := b.baseline.sameRun(doc)
		if n > 0 {
			old := snapshot.DocID(b.baseline.Same[doc])
			out.Fragments(b.baseline.Reader, old, old+snapshot.DocID(n))
			doc += n
			continue
		}
		end := doc + 1
		for end < b.src.Len() && b.baseline.sameRun(end) == 0 {
			end++
		}
		if err := eachFragment(b.src, doc, end, func(_ snapshot.DocID, fragment []byte) { out.Fragment(fragment) }); err != nil {
			return err
		}
		doc = end
	}
	return nil
}

// sameRun counts the documents from doc on that follow each other in the baseline too.
func (o *Baseline) sameRun(doc int) (n int) {
	if o == nil || o.Same[doc] == NoDoc {
		return 0
	}
	for doc+n < len(o.Same) && o.Same[doc+n] == o.Same[doc]+int32(n) {
		n++
	}
	return n
}

func ranges(n int) [][2]int {
	k := max(1, min(runtime.GOMAXPROCS(0), n/64))
	out := make([][2]int, k)
	for i := range out {
		out[i] = [2]int{n * i / k, n * (i + 1) / k}
	}
	return out
}

func each(rs [][2]int, f func(i, from, to int) error) error {
	return parallel.Each(context.Background(), len(rs), len(rs), func(_, i int) error { return f(i, rs[i][0], rs[i][1]) })
}

func (b *builder) collect() error {
	var err error
	if b.reused, err = b.baseline.reusable(b.src, b.types); err != nil {
		return err
	}
	others := map[string]bool{}
	for path := range b.reused {
		others[path] = true
	}
	if err := b.startPatch(others); err != nil || len(others) == len(b.types) {
		return err
	}
	rs := ranges(b.src.Len())
	limit := runLimit(b.memory, len(rs))
	runs := make([][]*flushedPath, len(rs))
	err = each(rs, func(i, from, to int) (err error) {
		runs[i], err = b.collectRange(from, to, limit, others)
		return err
	})
	b.parts = map[string][]*flushedPath{}
	for _, s := range slices.Concat(runs...) {
		b.parts[s.path] = append(b.parts[s.path], s)
	}
	return err
}

// startPatch adds to others the paths whose changes are merged into the baseline's fields.
func (b *builder) startPatch(others map[string]bool) (err error) {
	defer snapshot.Recover(&err)
	if b.baseline == nil || len(others) == len(b.types) {
		return nil
	}
	p := b.baseline.newPatch(b.c, b.src)
	if p == nil {
		return nil
	}
	for i := range b.c.Fields {
		if f := &b.c.Fields[i]; !others[f.Path] && !p.add(f) && f.Path == snapshot.IDField {
			return nil
		}
	}
	if ok, err := p.collect(b.types, runLimit(b.memory, 1)); err != nil || !ok {
		return err
	}
	for path := range p.paths {
		others[path] = true
	}
	b.patch = p
	return nil
}

// maxRun keeps the offsets in a run below 2^32.
const maxRun = 1 << 30

// runLimit returns the bytes of one run. All runs get a quarter of the memory: the Go heap grows to
// twice its live size, and the rest of a build needs memory too.
func runLimit(memory int64, runs int) int { return int(min(memory/4/int64(runs), maxRun)) }

func (b *builder) collectRange(from, to, limit int, others map[string]bool) (out []*flushedPath, err error) {
	r := newRun(b.types, others)
	flush := func() error {
		s, err := r.flush(b.file)
		out = append(out, s...)
		r = newRun(b.types, others)
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
			if err := flush(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, flush()
}

type result struct {
	field *snapshot.EncodedField
	err   error
}

// maxWaiting is how many fields are encoded before the first one is written. Encoded fields wait in memory for fields
// whose paths sort first.
const maxWaiting = 4096

func (b *builder) write(out *snapshot.Writer) error {
	rank, err := b.rank()
	if err != nil {
		return err
	}
	out.SpoolTable(func() snapshot.Spool { return b.file.NewStream() })
	for paths := range slices.Chunk(b.paths(), maxWaiting) {
		if err := b.writeFields(out, paths, &rank); err != nil {
			return err
		}
	}
	return nil
}

// paths returns the paths of all fields, in order.
func (b *builder) paths() []string {
	paths := slices.AppendSeq(make([]string, 0, len(b.parts)), maps.Keys(b.parts))
	if b.patch != nil {
		paths = slices.AppendSeq(paths, maps.Keys(b.patch.paths))
	}
	paths = slices.AppendSeq(paths, maps.Keys(b.reused))
	slices.Sort(paths)
	return slices.Compact(paths)
}

// writeFields encodes fields together, and writes them in order.
func (b *builder) writeFields(out *snapshot.Writer, paths []string, rank *ranks) error {
	var works []*fieldWork
	results := make(map[string]chan result, len(paths))
	for _, path := range paths {
		results[path] = make(chan result, 1)
		if moved, ok := b.reused[path]; ok {
			results[path] <- result{field: b.reusedField(path, moved)}
			continue
		}
		works = append(works, &fieldWork{path: path, typ: b.types[path], parts: b.partsOf(path), items: b.src.Len(), rank: rank, file: b.file})
	}
	encode(works, workers(works, b.memory), func(path string, r result) { results[path] <- r })
	for _, path := range paths {
		r := <-results[path]
		if r.err != nil {
			return r.err
		}
		out.Field(r.field)
	}
	return nil
}

// partsOf takes the input of a field, which is not needed after the field is encoded.
func (b *builder) partsOf(path string) parts {
	runs, ok := b.parts[path]
	if !ok {
		return b.patch.field(path)
	}
	delete(b.parts, path)
	return &merger{parts: runs}
}

// The approximate memory of encoding a field, in bytes.
const (
	itemCost = 24
	leafCost = 128
)

// workers returns how many fields to encode at a time: the largest must fit into half the memory.
func workers(works []*fieldWork, memory int64) int {
	largest := int64(1)
	for _, w := range works {
		largest = max(largest, int64(w.items)*itemCost+int64(w.parts.values())*leafCost)
	}
	return int(max(1, min(int64(runtime.GOMAXPROCS(0)), memory/2/largest)))
}

// encode starts n workers and returns. The largest fields come first, so all end together.
func encode(works []*fieldWork, n int, done func(path string, r result)) {
	works = slices.Clone(works)
	slices.SortFunc(works, func(a, b *fieldWork) int {
		return cmp.Or(-cmp.Compare(a.parts.size(), b.parts.size()), strings.Compare(a.path, b.path))
	})
	go func() {
		defer crash.Exit()
		_ = parallel.Each(context.Background(), n, len(works), func(_, i int) error {
			e, err := works[i].encode()
			done(works[i].path, result{e, err})
			return nil
		})
	}()
}
