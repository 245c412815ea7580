// Package render makes the bytes of items and pages: fragments, which item files, pages and
// search hits embed, and the bodies around them. It knows each length before rendering.
package render

import (
	"contentedge/edgeserve/engine/include"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/generator/model"
	"contentedge/generator/plan"
	"contentedge/generator/related"
)

// Fragment appends an item's JSON: the twelve fields in order, then the other members.
func Fragment(dst []byte, t *model.Text) []byte {
	sep := byte('{')
	for i, raw := range t.Raw {
		dst = append(dst, sep, '"')
		dst = append(dst, model.FieldNames[i]...)
		dst = append(dst, '"', ':')
		dst = append(dst, raw...)
		sep = ','
	}
	dst = append(dst, t.Extra...)
	return append(dst, '}')
}

// fixedSize is the length of a fragment without the values of its fields.
var fixedSize = func() int {
	n := len("}")
	for _, name := range model.FieldNames {
		n += len(`,"":`) + len(name)
	}
	return n
}()

// FragmentSize is the length of an item's fragment.
func FragmentSize(t *model.Text) int {
	n := fixedSize + len(t.Extra)
	for _, raw := range t.Raw {
		n += len(raw)
	}
	return n
}

// Fragments are the fragments of an environment by document number.
type Fragments interface {
	// ID is the content id of a document.
	ID(doc int) string
	// Append appends a fragment.
	Append(dst []byte, doc int) ([]byte, error)
}

// Renderer renders bodies from fragments. It belongs to one goroutine.
type Renderer struct {
	fragments  Fragments
	references *related.Env
	text       []byte   // the fragments of the current body
	pick       [][]byte // cut apart
	body       []byte
	referrer   *envelope.SourceFilter // nil until it is needed
}

// NewRenderer returns a renderer, which returns the errors of the fragments.
func NewRenderer(fragments Fragments, references *related.Env) *Renderer {
	return &Renderer{fragments: fragments, references: references}
}

// Item returns the body of an item's file. It is valid until the next call.
func (r *Renderer) Item(doc int) ([]byte, error) {
	var err error
	if r.text, err = r.fragments.Append(r.text[:0], doc); err != nil {
		return nil, err
	}
	in := r.references.Included(doc)
	if in == nil {
		r.body = envelope.AppendItem(r.body[:0], r.text)
		return r.body, nil
	}
	item := r.text
	var included envelope.Included
	for _, other := range in.Docs {
		from := len(r.text)
		if r.text, err = r.fragments.Append(r.text, int(other)); err != nil {
			return nil, err
		}
		included.Add(r.fragments.ID(int(other)), r.text[from:]) // valid also after text has grown elsewhere
	}
	r.body = envelope.AppendItemWith(r.body[:0], item, &included)
	return r.body, nil
}

// UsedIn returns the body of the list of items that refer to a document. It is valid until the next call.
func (r *Renderer) UsedIn(doc int) ([]byte, error) {
	if r.referrer == nil {
		r.referrer = include.NewReferrerFilter()
	}
	referrers, parts, err := r.references.Referrers(doc), [][]byte(nil), error(nil)
	for _, from := range referrers.Docs {
		if r.text, err = r.fragments.Append(r.text[:0], int(from)); err != nil {
			return nil, err
		}
		parts = append(parts, r.referrer.Append(nil, r.text))
	}
	r.body = envelope.AppendList(r.body[:0], parts, referrers.Total)
	return r.body, nil
}

// Page returns the body of a list file. It is valid until the next call.
func (r *Renderer) Page(p plan.Page) ([]byte, error) {
	r.text, r.pick = r.text[:0], r.pick[:0]
	for _, doc := range p.Docs {
		from, err := len(r.text), error(nil)
		if r.text, err = r.fragments.Append(r.text, int(doc)); err != nil {
			return nil, err
		}
		r.pick = append(r.pick, r.text[from:]) // valid also after text has grown elsewhere
	}
	r.body = envelope.AppendList(r.body[:0], r.pick, p.Total)
	return r.body, nil
}

// ItemSize is the length of Item's body for a document whose fragment has so many bytes.
func ItemSize(references *related.Env, doc, fragment int) int {
	size := envelope.ItemSize(fragment)
	if in := references.Included(doc); in != nil {
		size += in.Size
	}
	return size
}

// Measure computes the figures of a plan without rendering. The size of an item is its fragment's.
func Measure(env *model.Env, p *plan.Env, references *related.Env) plan.Summary {
	sizes := make([]int32, len(p.Docs))
	s := p.Summary(env)
	for doc, item := range p.Docs {
		it := &env.Items[item]
		sizes[doc] = int32(it.Text.Size)
		s.NoteItem(it.ContentID, int64(ItemSize(references, doc, it.Text.Size)))
	}
	for doc, item := range p.Docs {
		if r := references.Referrers(doc); r != nil {
			s.NoteUsedIn(env.Items[item].ContentID, int64(r.Size))
		}
	}
	for i := range p.Families {
		s.Families = append(s.Families, measureFamily(&p.Families[i], sizes, &s))
	}
	return s
}

// measureFamily computes the figures of one family from the lengths of all fragments.
func measureFamily(f *plan.Family, sizes []int32, s *plan.Summary) plan.Figures {
	out := plan.Figures{Filters: f.Filters, Sort: f.Order.Sort, Asc: f.Order.Asc, PageSize: f.Order.Size, Lists: len(f.Lists), TooDeep: f.TooDeep}
	for p := range f.Pages() {
		bytes := int64(pageSize(p, sizes))
		out.Files++
		out.Bytes += bytes
		s.NotePage(p, bytes)
	}
	return out
}

func pageSize(p plan.Page, sizes []int32) int {
	sum := 0
	for _, doc := range p.Docs {
		sum += int(sizes[doc])
	}
	return envelope.ListSize(len(p.Docs), sum, p.Total)
}
