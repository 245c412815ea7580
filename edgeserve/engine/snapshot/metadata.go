// This file holds the fields that every document has in addition to its item: the name of the index, the
// type and the number of the document. The file does not contain them: they follow from its other content.

package snapshot

// The names of metadata fields with values, as Elasticsearch has them.
const (
	IndexField  = "_index"
	TypeField   = "_type"
	NumberField = "_seq_no"
)

// TypeName is the type of every document.
const TypeName = "_doc"

// Metadata returns a metadata field. It returns nil for other names and for a snapshot without documents, unless that
// represents one with documents. A field of text has a keyword. The first use of the document numbers allocates an
// integer for each document.
func (r *Reader) Metadata(name string) *Field {
	if r.meta.Items == 0 && !r.fieldsOnly {
		return nil
	}
	switch name {
	case IndexField:
		r.constants.Do(r.makeConstants)
		return r.indexName
	case TypeField:
		r.constants.Do(r.makeConstants)
		return r.typeName
	case NumberField:
		r.numbers.Do(func() { r.number = r.documentNumbers() })
		return r.number
	}
	return nil
}

// makeConstants makes the fields whose value all documents share. The documents of the value are in the
// order of their ids.
func (r *Reader) makeConstants() {
	n := r.meta.Items
	c := &Column{Distinct: 1, Pairs: n, DocCount: n, Single: true}
	c.starts = packedOf([]uint32{0, uint32(n)})
	c.min = DocMap{missing: 1, vals: Packed{n: n, b: make([]byte, tail)}} // integers of width 0: all are 0
	if r.ids != nil {
		c.docs = r.ids.column.docs
	} else {
		c.docs = packedOf(upTo(n))
	}
	r.indexName, r.typeName = r.constant(IndexField, r.meta.Env, c), r.constant(TypeField, TypeName, c)
}

func (r *Reader) constant(name, text string, c *Column) *Field {
	w := stringWriter{stored: true}
	w.add(StringValue{Text: []byte(text)})
	f := &Field{Path: name, Type: Text}
	f.Values = Values{strings: openStrings(r, w.indexBytes(maxValuePrefix), w.data.b), column: c}
	f.subs[SubKeyword] = &f.Values
	return f
}

// documentNumbers makes the field whose values are the numbers of the documents.
func (r *Reader) documentNumbers() *Field {
	n := r.meta.Items
	all := packedOf(upTo(n))
	f := &Field{Path: NumberField, Type: Long}
	f.Values = Values{
		numbers: &Numbers{p: all},
		column:  &Column{Distinct: n, Pairs: n, DocCount: n, Single: true, docs: all, min: DocMap{missing: uint64(n), vals: all}},
	}
	return f
}

func packedOf(vs []uint32) Packed {
	d := &decoder{b: appendPacked(nil, vs), what: "metadata"}
	return d.packed()
}

// upTo returns the numbers from 0 up to n, without n.
func upTo(n int) []uint32 {
	vs := make([]uint32, n)
	for i := range vs {
		vs[i] = uint32(i)
	}
	return vs
}
