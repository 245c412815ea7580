// This file highlights the hits of a page: it is the package's entry.

package highlight

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/hits"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

// MaxBytes limits the highlights of a page, which are in memory at once.
const MaxBytes = 8 << 20

// bytesPerStep is how many bytes of an item a step reads.
const bytesPerStep = 8

// highlighter makes the fragments of a field.
type highlighter interface {
	// highlight returns the fragments of the values of a hit, and its cost in steps.
	highlight(values []string) (fragments []string, steps int)
	idle() bool
}

// field is a field that is highlighted.
type field struct {
	fields.Target
	name string
	highlighter
}

// job highlights the hits of a page.
type job struct {
	reader  *snapshot.Reader
	charge  func(steps int) error
	clauses map[query.Node][]clause // of each query
	fields  []field
	values  []string
}

// Page returns the highlights of documents: the members to write in each hit, and their length.
// They are made at once, because they are as long as the sources in the worst case, and in the
// order of documents, on which the plain highlighter depends.
func Page(work *iter.WorkLimit, r *snapshot.Reader, body *query.Body, docs []snapshot.DocID) (part hits.Part, size int, err error) {
	j := &job{reader: r, charge: work.Charge, clauses: map[query.Node][]clause{}}
	for i := range body.Highlight {
		if err := j.add(&body.Highlight[i], cmp.Or(body.Highlight[i].Query, body.Query)); err != nil {
			return nil, 0, err
		}
	}
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(docs[a], docs[b]) })
	members := make([][]byte, len(docs))
	for _, i := range order {
		if members[i], err = j.hit(docs[i]); err != nil {
			return nil, 0, err
		}
		if size += len(members[i]); size > MaxBytes {
			return nil, 0, errTooLong
		}
	}
	return func(dst []byte, h hits.Hit) ([]byte, error) { return append(dst, members[h.Place]...), nil }, size, nil
}

var errTooLong = &query.Error{Code: "too_costly", Parameter: "highlight", Position: -1,
	Message: "the highlights of the page are longer than 8 MiB: ask for fewer hits, or for fragments instead of whole values"}

// add resolves an entry of the highlight. Elasticsearch takes the last entry of a field.
func (j *job) add(o *query.HighlightField, n query.Node) error {
	for _, t := range j.targets(o.Name) {
		leaves, err := j.leaves(t, o, n)
		if err != nil {
			return err
		}
		f := field{Target: t, name: t.Name()}
		if o.Plain {
			f.highlighter = newPlain(t, o, leaves, j.charge)
		} else {
			f.highlighter = newUnified(t, o, leaves, j.charge)
		}
		if i := slices.IndexFunc(j.fields, func(old field) bool { return old.name == f.name }); i >= 0 {
			j.fields[i] = f
		} else {
			j.fields = append(j.fields, f)
		}
		if err := j.charge(16 + len(j.fields)/4); err != nil {
			return err
		}
	}
	return nil
}

// targets resolves a name, or a pattern, which reaches text and its keywords only.
func (j *job) targets(name string) (ts []fields.Target) {
	resolver := fields.Resolver{Reader: j.reader}
	if !strings.Contains(name, "*") {
		if t, ok := resolver.Resolve(name); ok && !t.IsID {
			return []fields.Target{t}
		}
		return nil
	}
	for _, f := range j.reader.Fields() {
		if f.Type != snapshot.Text {
			continue
		}
		if fields.Matches(name, f.Path) {
			ts = append(ts, fields.OfPath(f))
		}
		if t, ok := fields.OfSub(f, snapshot.SubKeyword); ok && !f.Hidden(snapshot.SubKeyword) && fields.Matches(name, t.Name()) {
			ts = append(ts, t)
		}
	}
	return ts
}

// leaves returns what a query looks for in a field.
func (j *job) leaves(t fields.Target, o *query.HighlightField, n query.Node) ([]leaf, error) {
	list, ok := j.clauses[n]
	if !ok && n != nil {
		c := clauses{resolver: fields.Resolver{Reader: j.reader}, charge: j.charge}
		c.node(n, 1)
		list = c.list
		j.clauses[n] = list
	}
	w := &leafWriter{charge: j.charge, anyField: !o.RequireFieldMatch}
	for _, c := range list {
		if err := j.charge(4 + len(c.targets)); err != nil {
			return nil, err
		}
		if c.excluded && !o.Plain {
			continue
		}
		for _, on := range c.targets {
			if on.IsID || o.RequireFieldMatch && (on.Field != t.Field || on.Values != t.Values || on.Kind != t.Kind) {
				continue
			}
			w.hidden = c.hidden
			c.leaves(w, on, c.boost*on.Boost)
		}
	}
	return w.list, j.charge(0)
}

// hit returns the member of a hit with a comma before it, or nothing.
func (j *job) hit(doc snapshot.DocID) (dst []byte, err error) {
	fragment := j.reader.Fragment(doc)
	for i := range j.fields {
		f := &j.fields[i]
		if f.idle() || !j.has(f, doc) {
			continue
		}
		j.values = envelope.AppendValues(j.values[:0], fragment, f.name)
		for k, v := range j.values {
			j.values[k] = strings.ToValidUTF8(v, "\ufffd") // offsets count on it
		}
		fragments, steps := f.highlight(j.values)
		if err := j.charge(steps + 8 + len(fragment)/bytesPerStep); err != nil {
			return nil, err
		}
		if len(fragments) == 0 {
			continue
		}
		if dst == nil {
			dst = append(dst, `,"highlight":{`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(envelope.JavaEscapes.AppendString(dst, f.name), ':')
		dst = appendStrings(dst, fragments)
		if len(dst) > MaxBytes {
			return nil, errTooLong
		}
	}
	if dst != nil {
		dst = append(dst, '}')
	}
	return dst, nil
}

// has tells whether a document has a value of the path of a field.
func (j *job) has(f *field, doc snapshot.DocID) bool {
	column := fields.OfPath(f.Field).Sort
	return column.Least(doc) != column.Distinct
}

func appendStrings(dst []byte, list []string) []byte {
	for i, s := range list {
		if i == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = envelope.JavaEscapes.AppendString(dst, s)
	}
	return append(dst, ']')
}
