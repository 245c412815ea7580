// This file highlights the hits of pages: it is the package's entry.

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

// MaxBytes limits the highlights of a response, which are in memory at once.
const MaxBytes = 8 << 20

// bytesPerStep is how many bytes of an item a step reads.
const bytesPerStep = 8

// highlighter makes the fragments of a field.
type highlighter interface {
	begin() // of a page
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

// Pages highlights the hits of a page, and of the next one. It is not safe for concurrent use.
type Pages struct {
	reader  *snapshot.Reader
	charge  func(steps int) error
	rules   RuleReader
	clauses map[query.Node][]clause // of each query
	fields  []field
	values  []string
}

// New returns what marks a query in hits. Fields may have other queries.
func New(work *iter.WorkLimit, r *snapshot.Reader, rules RuleReader, list query.Highlight, n query.Node) (*Pages, error) {
	p := &Pages{reader: r, charge: work.Charge, rules: rules, clauses: map[query.Node][]clause{}}
	for i := range list {
		if err := p.add(&list[i], cmp.Or(list[i].Query, n)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Page returns the highlights of documents: the members to write in each hit, and their length.
// They are made at once, because they are as long as the sources in the worst case, and in the
// order of documents, on which the plain highlighter depends. before is the length of the other
// highlights of the response.
func (p *Pages) Page(docs []snapshot.DocID, before int) (part hits.Part, size int, err error) {
	for i := range p.fields {
		p.fields[i].begin()
	}
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(docs[a], docs[b]) })
	members := make([][]byte, len(docs))
	for _, i := range order {
		if members[i], err = p.hit(docs[i]); err != nil {
			return nil, 0, err
		}
		if size += len(members[i]); before+size > MaxBytes {
			return nil, 0, errTooLong
		}
	}
	return func(dst []byte, h hits.Hit) ([]byte, error) { return append(dst, members[h.Place]...), nil }, size, nil
}

var errTooLong = &query.Error{Code: "too_costly", Parameter: "highlight", Position: -1,
	Message: "the highlights of the hits are longer than 8 MiB: ask for fewer hits, or for fragments instead of whole values"}

// add resolves an entry of the highlight. Elasticsearch takes the last entry of a field.
func (p *Pages) add(o *query.HighlightField, n query.Node) error {
	for _, t := range p.targets(o.Name) {
		leaves, err := p.leaves(t, o, n)
		if err != nil {
			return err
		}
		f := field{Target: t, name: t.Name()}
		if o.Plain {
			f.highlighter = newPlain(t, o, leaves, p.charge)
		} else {
			f.highlighter = newUnified(t, o, leaves, p.charge)
		}
		if i := slices.IndexFunc(p.fields, func(old field) bool { return old.name == f.name }); i >= 0 {
			p.fields[i] = f
		} else {
			p.fields = append(p.fields, f)
		}
		if err := p.charge(16 + len(p.fields)/4); err != nil {
			return err
		}
	}
	return nil
}

// targets resolves a name, or a pattern, which reaches text and its keywords only.
func (p *Pages) targets(name string) (ts []fields.Target) {
	resolver := fields.Resolver{Reader: p.reader}
	if !strings.Contains(name, "*") {
		if t, ok := resolver.Resolve(name); ok && !t.Metadata {
			return []fields.Target{t}
		}
		return nil
	}
	for _, f := range p.reader.Fields() {
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
func (p *Pages) leaves(t fields.Target, o *query.HighlightField, n query.Node) ([]leaf, error) {
	list, ok := p.clauses[n]
	if !ok && n != nil {
		c := clauses{resolver: fields.Resolver{Reader: p.reader}, rules: p.rules, charge: p.charge}
		if c.node(n, 1); c.err != nil {
			return nil, c.err
		}
		list = c.list
		p.clauses[n] = list
	}
	w := &leafWriter{charge: p.charge, anyField: !o.RequireFieldMatch}
	for _, c := range list {
		if err := p.charge(4 + len(c.targets)); err != nil {
			return nil, err
		}
		for _, on := range c.targets {
			if on.Metadata || o.RequireFieldMatch && (on.Field != t.Field || on.Values != t.Values || on.Kind != t.Kind) {
				continue
			}
			w.hidden, w.excluded = c.hidden, c.excluded && !o.Plain
			c.leaves(w, on, c.boost*on.Boost)
		}
	}
	return w.list, p.charge(0)
}

// hit returns the member of a hit with a comma before it, or nothing.
func (p *Pages) hit(doc snapshot.DocID) (dst []byte, err error) {
	fragment := p.reader.Fragment(doc)
	for i := range p.fields {
		f := &p.fields[i]
		if f.idle() || !p.has(f, doc) {
			continue
		}
		p.values = envelope.AppendValues(p.values[:0], fragment, f.name)
		for k, v := range p.values {
			p.values[k] = strings.ToValidUTF8(v, "\ufffd") // offsets count on it
		}
		fragments, steps := f.highlight(p.values)
		if err := p.charge(steps + 8 + len(fragment)/bytesPerStep); err != nil {
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
func (p *Pages) has(f *field, doc snapshot.DocID) bool {
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
