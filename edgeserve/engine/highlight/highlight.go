// This file highlights the hits of pages: it is the package's entry.

package highlight

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// MaxBytes limits the highlights of a response, because memory holds all highlights at once.
const MaxBytes = 8 << 20

// bytesPerStep is the number of bytes of an item that a step reads.
const bytesPerStep = 8

// The costs in steps: of comparing a field with a pattern, of listing a field, of making its highlighter, of a leaf of
// the query on the field, and of a word that the leaf looks for.
const (
	matchSteps       = 8
	fieldSteps       = 32
	highlighterSteps = 128
	targetSteps      = 8
	leafSteps        = 4
)

// highlighter makes the fragments of a field.
type highlighter interface {
	begin() // begins a page
	// append appends the fragments of a hit's values as a JSON array. Without fragments it appends nothing.
	append(dst []byte, values []string) []byte
	idle() bool
}

// field is a highlighted field.
type field struct {
	target      fields.Target
	name        string
	options     *query.HighlightField
	query       *clausesOf
	highlighter highlighter
}

// clausesOf has the clauses of a query, as a list and by field.
type clausesOf struct {
	list    []clause
	byField map[fieldKey][]*clause
}

// fieldKey identifies a target.
type fieldKey struct {
	values *snapshot.Values
	kind   fields.TargetKind
}

func keyOf(t *fields.Target) fieldKey { return fieldKey{t.Values, t.Kind} }

// Pages highlights the hits of a page, and of the next one. It is not safe for concurrent use.
type Pages struct {
	account  account
	resolver fields.Resolver
	compiler *compile.Compiler
	queries  map[query.Node]*clausesOf
	fields   []field
	at       map[string]int // name → index in fields
	texts    *envelope.ValueReader
	values   []string
}

// New returns the highlighters of hits. They mark the words that n looks for, or that a field's own query looks for.
// The Compiler has rewritten all these queries.
func New(work *scorer.WorkLimit, resolver fields.Resolver, c *compile.Compiler, list query.Highlight, n query.Node) (*Pages, error) {
	p := &Pages{account: account{work: work}, resolver: resolver, compiler: c, queries: map[query.Node]*clausesOf{}, at: map[string]int{}}
	for i := range list {
		if err := p.add(&list[i], cmp.Or(list[i].Query, n)); err != nil {
			return nil, err
		}
	}
	paths := make([]string, len(p.fields))
	for i := range p.fields {
		paths[i] = p.fields[i].target.Field.Path
		if err := p.make(&p.fields[i]); err != nil {
			return nil, err
		}
	}
	p.texts = envelope.NewValueReader(paths, func(bytes int) error { return p.account.charge(bytes / bytesPerStep) })
	return p, nil
}

// Page returns the highlights of documents: the members to write in each hit, and their length. It makes all highlights
// at once, because their length must be known: in the worst case they are as long as the sources. It makes them in the
// order of documents, on which the plain highlighter depends. before is the length of the other highlights of the
// response.
func (p *Pages) Page(docs []snapshot.DocID, before int) (part hits.Part, size int, err error) {
	for i := range p.fields {
		p.fields[i].highlighter.begin()
	}
	p.account.room = MaxBytes - before
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
		size += len(members[i])
		p.account.room -= len(members[i])
	}
	return func(dst []byte, place int) ([]byte, error) { return append(dst, members[place]...), nil }, size, nil
}

var errTooLong = &query.Error{Code: problem.TooCostly, Parameter: "highlight", Position: -1,
	Message: "the highlights of the hits are longer than 8 MiB: ask for fewer hits, or for fragments instead of whole values"}

// add resolves an entry of the highlight. As in Elasticsearch, the last entry of a field counts.
func (p *Pages) add(o *query.HighlightField, n query.Node) error {
	q, err := p.read(n)
	if err != nil {
		return err
	}
	for _, t := range p.targets(o.Name) {
		f := field{target: t, name: t.Name(), options: o, query: q}
		if i, ok := p.at[f.name]; ok {
			p.fields[i] = f
		} else {
			p.at[f.name] = len(p.fields)
			p.fields = append(p.fields, f)
		}
		if err := p.account.charge(fieldSteps); err != nil {
			return err
		}
	}
	return p.account.charge(0)
}

// make makes the highlighter of a field.
func (p *Pages) make(f *field) error {
	leaves, err := p.leaves(f.target, f.options, f.query)
	if err != nil {
		return err
	}
	if f.options.Plain {
		f.highlighter = newPlain(f.target, f.options, leaves, &p.account)
	} else {
		f.highlighter = newUnified(f.target, f.options, leaves, &p.account)
	}
	return p.account.charge(highlighterSteps)
}

// targets resolves a name or a pattern. A pattern matches only text and its keywords.
func (p *Pages) targets(name string) (ts []fields.Target) {
	if !strings.Contains(name, "*") {
		if t, ok := p.resolver.Resolve(name); ok && !t.Metadata {
			return []fields.Target{t}
		}
		return nil
	}
	for _, f := range p.resolver.Reader.Fields() {
		if p.account.charge(matchSteps) != nil {
			break
		}
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

// read returns the clauses of a query.
func (p *Pages) read(n query.Node) (*clausesOf, error) {
	if q, ok := p.queries[n]; ok {
		return q, nil
	}
	q := &clausesOf{byField: map[fieldKey][]*clause{}}
	if n != nil {
		c := clauses{work: p.account.work, resolver: p.resolver, compiler: p.compiler}
		if err := cmp.Or(p.compiler.Leaves(n, &c), c.err); err != nil {
			return nil, err
		}
		q.list = c.list
	}
	for i := range q.list {
		key := keyOf(&q.list[i].leaf.Target)
		q.byField[key] = append(q.byField[key], &q.list[i])
		if err := p.account.charge(targetSteps); err != nil {
			return nil, err
		}
	}
	p.queries[n] = q
	return q, nil
}

// leaves returns the leaves of a query on a field.
func (p *Pages) leaves(t fields.Target, o *query.HighlightField, q *clausesOf) ([]leaf, error) {
	w := &leafWriter{charge: p.account.charge, anyField: !o.RequireFieldMatch}
	add := func(on *clause) error {
		if !on.leaf.Target.Metadata {
			w.hidden, w.excluded = on.leaf.Hidden, on.leaf.Excluded && !o.Plain
			on.write(w)
		}
		return p.account.charge(leafSteps)
	}
	if o.RequireFieldMatch {
		for _, on := range q.byField[keyOf(&t)] {
			if err := add(on); err != nil {
				return nil, err
			}
		}
		return w.list, nil
	}
	for i := range q.list {
		if err := add(&q.list[i]); err != nil {
			return nil, err
		}
	}
	return w.list, nil
}

// hit returns the highlight member of a hit with a comma before it. Without highlights it returns
// nothing.
func (p *Pages) hit(doc snapshot.DocID) (dst []byte, err error) {
	read := false
	for i := range p.fields {
		f := &p.fields[i]
		if f.highlighter.idle() || !p.has(f, doc) {
			continue
		}
		if !read {
			read = true
			if err := p.texts.Read(p.resolver.Reader.Fragment(doc)); err != nil {
				return nil, err
			}
		}
		if dst, err = p.field(dst, i); err != nil {
			return nil, err
		}
	}
	if dst != nil {
		dst = append(dst, '}')
	}
	return dst, p.account.work.Hold(len(dst))
}

// field appends the highlights of a field in the hit that was read last.
func (p *Pages) field(dst []byte, i int) ([]byte, error) {
	f := &p.fields[i]
	p.values = p.texts.Append(p.values[:0], i)
	if f.target.Kind == fields.Date && f.target.Values != &f.target.Field.Values {
		// As in Elasticsearch, the other sub-fields show texts that they do not hold.
		p.values = slices.DeleteFunc(p.values, func(text string) bool { _, ok := analysis.ReadDate(text); return !ok })
	}
	for k, v := range p.values {
		p.values[k] = strings.ToValidUTF8(v, "\ufffd") // offsets rely on valid UTF-8
		p.account.goOn(8 + len(v)/bytesPerStep)
	}
	start := len(dst)
	if dst == nil {
		dst = append(dst, `,"highlight":{`...)
	} else {
		dst = append(dst, ',')
	}
	dst = append(envelope.JavaEscapes.AppendString(dst, f.name), ':')
	open, room := len(dst), p.account.room
	p.account.room -= open
	dst = f.highlighter.append(dst, p.values)
	p.account.room = room
	if len(dst) == open {
		dst = dst[:start]
		if start == 0 {
			dst = nil
		}
	}
	return dst, p.account.settle()
}

// has reports whether a document has a value at the path of a field.
func (p *Pages) has(f *field, doc snapshot.DocID) bool {
	column := fields.OfPath(f.target.Field).Sort
	return column.Least(doc) != column.Distinct
}

// stringList is an array of JSON being written.
type stringList struct {
	dst  []byte
	from int // where the array begins in dst
}

func (l *stringList) len() int { return len(l.dst) - l.from }

func (l *stringList) add(text []byte) {
	separator := byte(',')
	if l.len() == 0 {
		separator = '['
	}
	l.dst = envelope.JavaEscapes.AppendBytes(append(l.dst, separator), text)
}

// end ends the array and returns dst. An empty list leaves dst unchanged.
func (l *stringList) end() []byte {
	if l.len() > 0 {
		l.dst = append(l.dst, ']')
	}
	return l.dst
}
