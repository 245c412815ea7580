// Package render makes bytes of items and pages: the fragment of an item, which its
// envelope, every page and every search hit embed, and the bodies around fragments.
// It knows how long each will be before it makes it. It orders nothing and touches no
// disk.
package render

import (
	"runtime"
	"sync"

	"contentedge/edgeserve/envelope"
	"contentedge/generator/model"
	"contentedge/generator/plan"
)

// Fragment appends an item's JSON: the twelve fields in the specification's order,
// then what else its author wrote.
func Fragment(dst []byte, it *model.Item) []byte {
	sep := byte('{')
	for i, raw := range it.Raw {
		dst = append(dst, sep, '"')
		dst = append(dst, model.FieldNames[i]...)
		dst = append(dst, '"', ':')
		dst = append(dst, raw...)
		sep = ','
	}
	dst = append(dst, it.Extra...)
	return append(dst, '}')
}

// fixedSize is what every fragment holds beside the values of its fields.
var fixedSize = func() int {
	n := len("}")
	for _, name := range model.FieldNames {
		n += len(`,"":`) + len(name)
	}
	return n
}()

// FragmentSize is the length of an item's fragment.
func FragmentSize(it *model.Item) int {
	n := fixedSize + len(it.Extra)
	for _, raw := range it.Raw {
		n += len(raw)
	}
	return n
}

// Fragments renders an environment's items in document order. The work is split by
// document number, so the result does not depend on the number of workers.
func Fragments(env *model.Env, docs []int32) [][]byte {
	out := make([][]byte, len(docs))
	workers := runtime.GOMAXPROCS(0)
	share := (len(docs) + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < len(docs); from += share {
		to := min(from+share, len(docs))
		wg.Go(func() { fragments(out[from:to], env, docs[from:to]) })
	}
	wg.Wait()
	return out
}

// fragments renders a run of documents into one block of memory.
func fragments(out [][]byte, env *model.Env, docs []int32) {
	size := 0
	for _, item := range docs {
		size += FragmentSize(&env.Items[item])
	}
	block := make([]byte, 0, size)
	for i, item := range docs {
		from := len(block)
		block = Fragment(block, &env.Items[item])
		out[i] = block[from:len(block):len(block)]
	}
}

// Renderer makes bodies from the fragments of an environment. It is for one goroutine.
type Renderer struct {
	fragments [][]byte // by document number
	pick      [][]byte // those of the page at hand
	body      []byte
}

// NewRenderer returns a renderer over fragments by document number.
func NewRenderer(fragments [][]byte) *Renderer { return &Renderer{fragments: fragments} }

// Item gives the body of an item's file, valid until the next call.
func (r *Renderer) Item(doc int) []byte {
	r.body = envelope.AppendItem(r.body[:0], r.fragments[doc])
	return r.body
}

// Page gives the body of a list file, valid until the next call.
func (r *Renderer) Page(p plan.Page) []byte {
	r.pick = r.pick[:0]
	for _, doc := range p.Docs {
		r.pick = append(r.pick, r.fragments[doc])
	}
	r.body = envelope.AppendList(r.body[:0], r.pick, p.Total)
	return r.body
}

// Measure gives the figures of a plan without rendering it.
func Measure(env *model.Env, p *plan.Env) plan.Summary {
	sizes := make([]int, len(p.Docs))
	s := plan.Summary{ID: p.ID, Items: len(p.Docs)}
	for doc, item := range p.Docs {
		sizes[doc] = FragmentSize(&env.Items[item])
		s.ItemBytes += int64(envelope.ItemSize(sizes[doc]))
	}
	for i := range p.Families {
		s.Families = append(s.Families, measureFamily(&p.Families[i], sizes))
	}
	return s
}

// measureFamily gives the figures of one family, by the lengths of all fragments.
func measureFamily(f *plan.Family, sizes []int) plan.Figures {
	out := plan.Figures{Filters: f.Filters, Lists: len(f.Lists)}
	for i := range f.Lists {
		l := &f.Lists[i]
		out.Files += l.Count()
		for n := 1; n <= l.Count(); n++ {
			out.Bytes += int64(pageSize(l.Page(n), sizes))
		}
	}
	return out
}

// pageSize is the length of a list file.
func pageSize(p plan.Page, sizes []int) int {
	sum := 0
	for _, doc := range p.Docs {
		sum += sizes[doc]
	}
	return envelope.ListSize(len(p.Docs), sum, p.Total)
}
