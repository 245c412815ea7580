// This file spills the fragments of all items, which may not fit in memory, to a file.

package writer

import (
	"fmt"
	"slices"

	"contentedge/generator/model"
	"contentedge/generator/render"
	"contentedge/generator/spill"
)

// FragmentSizer measures fragments without storing them.
type FragmentSizer struct{}

// Put returns the size of an item's fragment.
func (FragmentSizer) Put(t *model.Text) (model.Span, error) {
	return model.Span{Size: render.FragmentSize(t)}, nil
}

// Flush does nothing.
func (FragmentSizer) Flush() error { return nil }

// extentSize is how many bytes of the file a fragmentSpiller reserves at a time.
const extentSize = 256 << 10

// fragmentSpiller writes fragments into its own extents of the file. It belongs to one goroutine.
type fragmentSpiller struct {
	file   *spill.File
	offset int64 // of buf
	free   int   // bytes that the extent has from offset on
	buf    []byte
}

// NewFragmentSpiller returns a sink that renders items into a file.
func NewFragmentSpiller(file *spill.File) model.TextSink { return &fragmentSpiller{file: file} }

// Put renders an item.
func (s *fragmentSpiller) Put(t *model.Text) (model.Span, error) {
	size := render.FragmentSize(t)
	if len(s.buf)+size > s.free {
		if err := s.Flush(); err != nil {
			return model.Span{}, err
		}
		s.free = max(extentSize, size)
		s.offset = s.file.Reserve(s.free)
	}
	span := model.Span{Offset: s.offset + int64(len(s.buf)), Size: size}
	s.buf = render.Fragment(s.buf, t)
	return span, nil
}

// Flush writes the rendered fragments.
func (s *fragmentSpiller) Flush() error {
	_, err := s.file.WriteAt(s.buf, s.offset)
	s.offset += int64(len(s.buf))
	s.free -= len(s.buf)
	s.buf = s.buf[:0]
	return err
}

// documents are an environment's items in document order, for files and snapshot.
type documents struct {
	file  *spill.File
	ids   []string // content ids
	spans []model.Span
}

func newDocuments(file *spill.File, items []model.Item, docs []int32) *documents {
	d := &documents{file: file, ids: make([]string, len(docs)), spans: make([]model.Span, len(docs))}
	for doc, item := range docs {
		d.ids[doc], d.spans[doc] = items[item].ContentID, items[item].Text
	}
	return d
}

// equal reports whether two lists have the same texts, which lie in one file, in the same order.
func (d *documents) equal(o *documents) bool {
	return d.file == o.file && slices.Equal(d.spans, o.spans) && slices.Equal(d.ids, o.ids)
}

// Len returns the number of documents.
func (d *documents) Len() int { return len(d.spans) }

// ID returns the content id of a document.
func (d *documents) ID(doc int) string { return d.ids[doc] }

// Append appends the fragment of a document.
func (d *documents) Append(dst []byte, doc int) ([]byte, error) {
	p := d.spans[doc]
	from := len(dst)
	dst = append(dst, make([]byte, p.Size)...)
	if _, err := d.file.ReadAt(dst[from:], p.Offset); err != nil {
		return dst[:from], fmt.Errorf("item %s: %w", d.ids[doc], err)
	}
	return dst, nil
}
