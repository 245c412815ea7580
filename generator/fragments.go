// This file keeps the fragments of all items in a temporary file from the moment an item
// is read until the release is written: there they grow with the content, in memory
// they may not.

package generator

import (
	"fmt"

	"contentedge/generator/model"
	"contentedge/generator/render"
	"contentedge/generator/spill"
)

// measurer only measures fragments, for a plan.
type measurer struct{}

func (measurer) Keep(t *model.Text) (model.Place, error) {
	return model.Place{Size: render.FragmentSize(t)}, nil
}

func (measurer) Flush() error { return nil }

// extentSize is how much of the file a shelver fills at a time.
const extentSize = 256 << 10

// shelver writes fragments to the file. It belongs to one goroutine; each has extents
// of the file to itself.
type shelver struct {
	file *spill.File
	at   int64 // the offset of buf
	room int   // bytes left of the extent, those of buf among them
	buf  []byte
}

// Keep renders an item.
func (s *shelver) Keep(t *model.Text) (model.Place, error) {
	size := render.FragmentSize(t)
	if len(s.buf)+size > s.room {
		if err := s.Flush(); err != nil {
			return model.Place{}, err
		}
		s.room = max(extentSize, size)
		s.at = s.file.Reserve(s.room)
	}
	place := model.Place{At: s.at + int64(len(s.buf)), Size: size}
	s.buf = render.Fragment(s.buf, t)
	return place, nil
}

// Flush writes what was rendered.
func (s *shelver) Flush() error {
	_, err := s.file.WriteAt(s.buf, s.at)
	s.at += int64(len(s.buf))
	s.room -= len(s.buf)
	s.buf = s.buf[:0]
	return err
}

// documents are the items of an environment in document order. They are what its
// files and its snapshot are made of.
type documents struct {
	file   *spill.File
	ids    []string // content ids
	places []model.Place
}

// newDocuments takes from the items what is still needed.
func newDocuments(file *spill.File, items []model.Item, docs []int32) *documents {
	d := &documents{file: file, ids: make([]string, len(docs)), places: make([]model.Place, len(docs))}
	for doc, item := range docs {
		d.ids[doc], d.places[doc] = items[item].ContentID, items[item].Text
	}
	return d
}

// Len is the number of documents.
func (d *documents) Len() int { return len(d.places) }

// ID is the content id of a document.
func (d *documents) ID(doc int) string { return d.ids[doc] }

// Append appends the fragment of a document.
func (d *documents) Append(dst []byte, doc int) ([]byte, error) {
	p := d.places[doc]
	from := len(dst)
	dst = append(dst, make([]byte, p.Size)...)
	if _, err := d.file.ReadAt(dst[from:], p.At); err != nil {
		return dst[:from], fmt.Errorf("item %s: %w", d.ids[doc], err)
	}
	return dst, nil
}
