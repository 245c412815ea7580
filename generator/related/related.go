// Package related finds the items that the files of others include, and the items that refer to others. It reads the
// fragments of an environment, and only if _environment.yaml asks for such files.
package related

import (
	"context"
	"fmt"
	"runtime"

	"contentedge/edgeserve/engine/include"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/model"
	"contentedge/generator/spill"
)

// Env are the references between the documents of an environment, as far as files need them. Env is nil for an
// environment without such files.
type Env struct {
	Include []release.Include
	UsedIn  release.UsedIn

	included []*Included
	usedIn   []*Referrers
}

// Included are the items that a document's file includes.
type Included struct {
	Docs   []int32
	Absent []string // ids of references that lead to no item
	Size   int      // of the member
}

// Referrers are the items that refer to a document.
type Referrers struct {
	Docs  []int32 // the first ones
	Total int
	Size  int // of the body
}

// TooMany says which items would include too many others.
type TooMany struct{ Items []*model.Item }

// Error says what is wrong.
func (e *TooMany) Error() string {
	return fmt.Sprintf("%d items include too many others", len(e.Items))
}

// Included returns what the file of a document includes, or nil if it has no such member.
func (e *Env) Included(doc int) *Included {
	if e == nil || e.included == nil {
		return nil
	}
	return e.included[doc]
}

// Referrers returns the items that refer to a document, or nil if they have no file.
func (e *Env) Referrers(doc int) *Referrers {
	if e == nil || e.usedIn == nil {
		return nil
	}
	return e.usedIn[doc]
}

// New finds the references of an environment's documents, whose fragments are in a file. docs are the positions of the
// documents in env.Items. The error is a *TooMany, the file's or the context's.
func New(ctx context.Context, rules []release.Include, used release.UsedIn, env *model.Env, docs []int32, file *spill.File) (*Env, error) {
	if len(rules) == 0 && !used.Any() {
		return nil, nil
	}
	b := &builder{Env: &Env{Include: rules, UsedIn: used}, items: env.Items, docs: docs, file: file, byID: make(map[string]int32, len(docs))}
	for doc := range docs {
		b.byID[b.item(doc).ContentID] = int32(doc)
	}
	if len(rules) > 0 {
		if err := b.include(ctx); err != nil {
			return nil, err
		}
	}
	if used.Any() {
		if err := b.use(ctx); err != nil {
			return nil, err
		}
	}
	return b.Env, nil
}

type builder struct {
	*Env
	items []model.Item
	docs  []int32
	file  *spill.File
	byID  map[string]int32 // documents
}

func (b *builder) item(doc int) *model.Item { return &b.items[b.docs[doc]] }

// Item implements include.Items.
func (b *builder) Item(id string) ([]byte, bool, error) {
	doc, ok := b.byID[id]
	if !ok {
		return nil, false, nil
	}
	text, err := b.text(nil, int(doc))
	return text, true, err
}

func (b *builder) text(buffer []byte, doc int) ([]byte, error) {
	span := b.item(doc).Text
	if cap(buffer) < span.Size {
		buffer = make([]byte, span.Size)
	}
	buffer = buffer[:span.Size]
	if _, err := b.file.ReadAt(buffer, span.Offset); err != nil {
		return nil, fmt.Errorf("item %s: %w", b.item(doc).ContentID, err)
	}
	return buffer, nil
}

// include walks from each document whose template has a rule.
func (b *builder) include(ctx context.Context) error {
	b.included = make([]*Included, len(b.docs))
	tooMany := make([]bool, len(b.docs))
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(b.docs), func(_, doc int) error {
		it := b.item(doc)
		rule := release.IncludeOf(b.Include, it.TemplateName)
		if rule == nil {
			return nil
		}
		text, err := b.text(nil, doc)
		if err != nil {
			return err
		}
		in := new(Included)
		w := include.Walk{Items: b, Levels: rule.Levels, Rules: b.Include, Absent: func(id string) { in.Absent = append(in.Absent, id) }}
		found, err := w.From(it.ContentID, text, text)
		if include.TooMany(err) {
			tooMany[doc] = true
			return nil
		}
		if err != nil {
			return err
		}
		for _, id := range found.IDs {
			in.Docs = append(in.Docs, b.byID[id])
		}
		in.Size = found.Size()
		b.included[doc] = in
		return nil
	})
	if err != nil {
		return err
	}
	var items []*model.Item
	for doc, tooMany := range tooMany {
		if tooMany {
			items = append(items, b.item(doc))
		}
	}
	if items != nil {
		return &TooMany{items}
	}
	return nil
}

// use finds the documents that refer to others.
func (b *builder) use(ctx context.Context) error {
	b.usedIn = make([]*Referrers, len(b.docs))
	for doc := range b.docs {
		if b.UsedIn.Of(b.item(doc).TemplateName) {
			b.usedIn[doc] = new(Referrers)
		}
	}
	type scratch struct {
		text, part []byte
		filter     *envelope.SourceFilter
	}
	workers := make([]scratch, runtime.GOMAXPROCS(0))
	targets, sizes := make([][]int32, len(b.docs)), make([]int32, len(b.docs))
	err := parallel.Each(ctx, len(workers), len(b.docs), func(worker, doc int) (err error) {
		s := &workers[worker]
		if s.text, err = b.text(s.text, doc); err != nil {
			return err
		}
		if targets[doc] = b.targets(s.text); len(targets[doc]) == 0 {
			return nil
		}
		if s.filter == nil {
			s.filter = include.NewReferrerFilter()
		}
		s.part = s.filter.Append(s.part[:0], s.text)
		sizes[doc] = int32(len(s.part))
		return nil
	})
	if err != nil {
		return err
	}
	for doc := range targets {
		for _, to := range targets[doc] {
			r := b.usedIn[to]
			if r.Total++; r.Total <= include.MaxUsedIn {
				r.Docs = append(r.Docs, int32(doc))
				r.Size += int(sizes[doc])
			}
		}
	}
	for _, r := range b.usedIn {
		if r != nil {
			r.Size = envelope.ListSize(len(r.Docs), r.Size, r.Total)
		}
	}
	return nil
}

// targets returns the documents with a list that an item refers to, each once.
func (b *builder) targets(text []byte) (docs []int32) {
	var seen map[int32]bool
	envelope.References(text, func(_, id []byte) bool {
		doc, ok := b.byID[string(id)]
		if ok && b.usedIn[doc] != nil && !seen[doc] {
			if seen == nil {
				seen = map[int32]bool{}
			}
			seen[doc] = true
			docs = append(docs, doc)
		}
		return true
	})
	return docs
}
