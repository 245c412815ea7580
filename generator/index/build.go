// Package index turns rendered items into a snapshot: it decides the type of every
// path, cuts text into terms, orders values, and hands the snapshot's Writer sorted
// input. The result depends on the documents alone, not on how many cores worked.
package index

import (
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/snapshot"
)

// Doc is an item to index. Documents come in the default order; Seq is the item's
// position in the source, which decides what type a path gets.
type Doc struct {
	Fragment []byte
	Seq      int
}

// Config describes the environment.
type Config struct {
	Env  string
	Sort string // the default order
	Asc  bool
}

// Write writes the snapshot of an environment. Fragments must be valid compact JSON objects.
func Write(w io.Writer, c Config, docs []Doc) error {
	out := snapshot.NewWriter(w, snapshot.Meta{Env: c.Env, Sort: c.Sort, Asc: c.Asc, Analysis: analysis.Version, Items: len(docs)})
	for _, d := range docs {
		out.Fragment(d.Fragment)
	}
	for _, f := range encodeFields(docs) {
		out.Field(<-f)
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

// each calls f for every range at once.
func each(rs [][2]int, f func(i, from, to int)) {
	var wg sync.WaitGroup
	for i, r := range rs {
		wg.Go(func() { f(i, r[0], r[1]) })
	}
	wg.Wait()
}

// gather indexes all documents and returns, for each field by path, its part of every run.
func gather(docs []Doc) (fields []*field, parts map[string][]*pathRun) {
	rs := ranges(len(docs))
	found := make([]map[string]*field, len(rs))
	each(rs, func(i, from, to int) { found[i] = detect(docs[from:to]) })
	byPath := merge(found)
	runs := make([]*run, len(rs))
	each(rs, func(i, from, to int) {
		runs[i] = newRun(byPath, found[i])
		for d := from; d < to; d++ {
			runs[i].add(snapshot.DocID(d), docs[d].Fragment)
		}
	})
	parts = map[string][]*pathRun{}
	for _, r := range runs {
		for _, p := range r.runs {
			if p != nil {
				parts[p.field.path] = append(parts[p.field.path], p)
			}
		}
	}
	for _, f := range byPath {
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b *field) int { return strings.Compare(a.path, b.path) })
	return fields, parts
}

// encodeFields encodes the fields side by side, a core each; the channels deliver
// them by path.
func encodeFields(docs []Doc) []chan *snapshot.EncodedField {
	fields, parts := gather(docs)
	rank := idRanks(len(docs), parts["ContentID"])
	out := make([]chan *snapshot.EncodedField, len(fields))
	for i := range out {
		out[i] = make(chan *snapshot.EncodedField, 1)
	}
	next := make(chan int, len(fields))
	for i := range fields {
		next <- i
	}
	close(next)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for i := range next {
				f := fields[i]
				out[i] <- snapshot.EncodeField(fieldData(f, parts[f.path], len(docs), rank), len(docs))
				release(parts[f.path])
			}
		}()
	}
	return out
}

// release lets go of what a field was made from.
func release(ps []*pathRun) {
	for _, p := range ps {
		*p = pathRun{}
	}
}

// idRanks ranks the documents by ContentID; those without one come by number.
func idRanks(items int, ids []*pathRun) []uint32 {
	rank := make([]uint32, items)
	for i := range rank {
		rank[i] = uint32(i)
	}
	vs := slices.Concat(partValues(ids)...)
	if len(vs) != items {
		return rank
	}
	_, c := stringColumn(vs, rank)
	for i, docs := range c.Docs {
		for _, d := range docs {
			rank[d] = uint32(i)
		}
	}
	return rank
}

// fieldData puts the parts of a field together.
func fieldData(f *field, parts []*pathRun, items int, rank []uint32) *snapshot.FieldData {
	out := &snapshot.FieldData{Path: f.path, Type: f.typ}
	values := slices.Concat(partValues(parts)...)
	switch f.typ {
	case snapshot.Text:
		text(out, parts, items)
		out.Strings, out.Column = stringColumn(values, rank)
		out.Grams = grams(out.Strings)
	case snapshot.Float:
		out.Floats, out.Column = floatColumn(values, rank)
	default:
		out.Ints, out.Column = intColumn(f.typ, values, rank)
	}
	out.Sort = sortColumn(f.typ, values, &out.Column, rank)
	return out
}

func partValues(parts []*pathRun) (vs [][]value) {
	for _, p := range parts {
		vs = append(vs, p.values)
	}
	return vs
}

// text fills what a text field has beside its values.
func text(out *snapshot.FieldData, parts []*pathRun, items int) {
	out.Norms = make([]uint64, items)
	for _, p := range parts {
		for _, l := range p.lengths {
			if l.tokens > 0 {
				out.Norms[l.doc] = uint64(analysis.EncodeLength(l.tokens))
				out.Docs++
				out.Tokens += l.tokens
			}
		}
	}
	if out.Docs > 0 {
		out.Factor = analysis.LengthFactors(float32(float64(out.Tokens) / float64(out.Docs)))
	}
	out.Terms = func(add func([]byte, []snapshot.Posting)) { mergeTerms(parts, add) }
}

// mergeTerms gives the terms of all parts in byte order; a part's documents come
// before those of the next.
func mergeTerms(parts []*pathRun, add func([]byte, []snapshot.Posting)) {
	sorted := make([][]string, len(parts))
	for i, p := range parts {
		sorted[i] = make([]string, 0, len(p.ids))
		for t := range p.ids {
			sorted[i] = append(sorted[i], t)
		}
		slices.Sort(sorted[i])
	}
	var list []snapshot.Posting
	var slab []uint32
	for {
		least, any := "", false
		for _, s := range sorted {
			if len(s) > 0 && (!any || s[0] < least) {
				least, any = s[0], true
			}
		}
		if !any {
			return
		}
		list, slab = list[:0], slab[:0]
		for i, s := range sorted {
			if len(s) > 0 && s[0] == least {
				list, slab = parts[i].terms[parts[i].ids[least]].postings(list, slab)
				sorted[i] = s[1:]
			}
		}
		add([]byte(least), list)
	}
}

// Gram indexes pay for short values; patterns on long ones are verified against the
// documents their words select.
const (
	gramMeanLen   = 32
	gramMinValues = 32
)

// grams indexes the folded runes of short values by threes, nil where it would not pay.
func grams(vs []snapshot.StringValue) []snapshot.Gram {
	total := 0
	for _, v := range vs {
		total += len(v.Text)
	}
	if len(vs) < gramMinValues || total > gramMeanLen*len(vs) {
		return nil
	}
	holding := map[uint64][]uint32{}
	for i, v := range vs {
		ord := uint32(i)
		var x, y rune
		n := 0
		for _, r := range string(v.Text) {
			r = pattern.FoldRune(r)
			if n++; n >= 3 {
				k := snapshot.GramKey(x, y, r)
				if s := holding[k]; len(s) == 0 || s[len(s)-1] != ord {
					holding[k] = append(s, ord)
				}
			}
			x, y = y, r
		}
	}
	out := make([]snapshot.Gram, 0, len(holding))
	for k, ords := range holding {
		out = append(out, snapshot.Gram{Key: k, Values: ords})
	}
	slices.SortFunc(out, func(a, b snapshot.Gram) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return out
}
