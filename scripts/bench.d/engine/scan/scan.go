// Package scan is the naive engine: decoded items in memory, each looked at for every
// query. It shows what an index saves, and what the totals must be. It ranks nothing:
// where others order by relevance it returns the first hits in the default order.
package scan

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bench/corpus"
	"bench/engine"
	"bench/queries"
	"contentedge/edgeserve/engine/analysis"
)

// Engine is the naive engine.
type Engine struct{}

// Build keeps the items as they are.
func (Engine) Build(items [][]byte, _ corpus.Fields, dir string) error {
	return corpus.WriteFile(filepath.Join(dir, engine.ItemsFile), items)
}

// doc is a decoded item: the values of each field.
type doc struct {
	json   []byte
	values [][]string
}

func (d *doc) first(field int) string {
	if len(d.values[field]) == 0 {
		return ""
	}
	return d.values[field][0]
}

type searcher struct {
	fields corpus.Fields
	docs   []doc
	buffer []byte
	tokens analysis.Tokenizer
	text   []byte
}

// Open decodes all items.
func (Engine) Open(dir string, fields corpus.Fields) (engine.Searcher, error) {
	items, err := corpus.Read(filepath.Join(dir, engine.ItemsFile))
	if err != nil {
		return nil, err
	}
	s := &searcher{fields: fields, docs: make([]doc, len(items))}
	cutter := corpus.NewCutter(fields)
	for i, item := range items {
		s.docs[i] = doc{item, make([][]string, len(fields))}
		cutter.Cut(item, func(field int, text string) {
			s.docs[i].values[field] = append(s.docs[i].values[field], text)
		})
	}
	return s, nil
}

// request is a query in the terms of a scan.
type request struct {
	match func(*doc) bool
	order func(a, b *doc) int // nil: the default order
	from  int
	group int // field whose values are counted, -1: none
}

// Prepare chooses what to look at.
func (s *searcher) Prepare(q queries.Query) (engine.Prepared, error) {
	if !q.Kind.Common() {
		return nil, engine.ErrUnsupported
	}
	r := s.request(q)
	return func() (int, error) { return s.answer(r), nil }, nil
}

func (s *searcher) request(q queries.Query) request {
	a := q.Args
	r := request{group: -1}
	switch q.Kind {
	case queries.ID:
		r.match = s.whole("ContentID", a[0])
	case queries.Deep:
		r.match = func(*doc) bool { return true }
		r.order = s.by(a[0])
		r.from, _ = strconv.Atoi(a[1])
	case queries.Range:
		r.match = s.between(a[0], a[1], a[2])
		ascending := s.by(a[3])
		r.order = func(x, y *doc) int { return ascending(y, x) }
	case queries.Contains:
		f := s.fields.Index(a[0])
		r.match = func(d *doc) bool {
			return slices.ContainsFunc(d.values[f], func(v string) bool { return strings.Contains(analysis.Lower(v), a[1]) })
		}
	case queries.Anywhere:
		r.match = s.anywhere(a[0])
	case queries.BothAny:
		x, y := s.anywhere(a[0]), s.anywhere(a[1])
		r.match = func(d *doc) bool { return x(d) && y(d) }
	case queries.Aggregate:
		r.match, r.group = s.words(q), s.fields.Index(a[2])
	default:
		r.match = s.words(q)
	}
	return r
}

// words is what the kinds that look for words in a field match.
func (s *searcher) words(q queries.Query) func(*doc) bool {
	f := s.fields.Index(q.Args[0])
	a := q.Args[1:]
	has := func(word string) func(*doc) bool { return func(d *doc) bool { return s.has(d.values[f], equal(word)) } }
	switch q.Kind {
	case queries.And:
		return func(d *doc) bool { return has(a[0])(d) && has(a[1])(d) }
	case queries.Or:
		return func(d *doc) bool { return has(a[0])(d) || has(a[1])(d) }
	case queries.Mixed:
		return func(d *doc) bool { return (has(a[0])(d) || has(a[1])(d)) && has(a[2])(d) }
	case queries.Not:
		return func(d *doc) bool { return has(a[0])(d) && !has(a[1])(d) }
	case queries.Phrase:
		return func(d *doc) bool { return s.neighbours(d.values[f], a[0], a[1]) }
	case queries.Prefix:
		return func(d *doc) bool {
			return s.has(d.values[f], func(t []byte) bool { return strings.HasPrefix(string(t), a[0]) })
		}
	case queries.Filter:
		template := s.whole("TemplateName", a[1])
		return func(d *doc) bool { return template(d) && has(a[0])(d) }
	}
	return has(a[0])
}

func equal(word string) func([]byte) bool { return func(t []byte) bool { return string(t) == word } }

// has tells whether a term of the values is wanted.
func (s *searcher) has(values []string, wanted func([]byte) bool) bool {
	for _, v := range values {
		s.reset(v)
		for s.tokens.Next() {
			if wanted(s.tokens.Term()) {
				return true
			}
		}
	}
	return false
}

func (s *searcher) reset(v string) {
	s.text = append(s.text[:0], v...)
	s.tokens.Reset(s.text)
}

// neighbours tells whether a stands right before b in a value.
func (s *searcher) neighbours(values []string, a, b string) bool {
	for _, v := range values {
		s.reset(v)
		for before := false; s.tokens.Next(); {
			term := string(s.tokens.Term())
			if before && term == b {
				return true
			}
			before = term == a
		}
	}
	return false
}

// anywhere looks for a word in all texts, and for a text that is the word.
func (s *searcher) anywhere(word string) func(*doc) bool {
	return func(d *doc) bool {
		for i, f := range s.fields {
			if f.Type == "text" && (s.has(d.values[i], equal(word)) || slices.Contains(d.values[i], word)) {
				return true
			}
		}
		return false
	}
}

func (s *searcher) whole(path, value string) func(*doc) bool {
	f := s.fields.Index(path)
	return func(d *doc) bool { return slices.Contains(d.values[f], value) }
}

func (s *searcher) between(path, from, to string) func(*doc) bool {
	f := s.fields.Index(path)
	lo, _ := strconv.ParseInt(from, 10, 64)
	hi, _ := strconv.ParseInt(to, 10, 64)
	return func(d *doc) bool {
		return slices.ContainsFunc(d.values[f], func(v string) bool {
			n, err := strconv.ParseInt(v, 10, 64)
			return err == nil && n >= lo && n <= hi
		})
	}
}

// by compares by a field: text by its bytes, a date by its value.
func (s *searcher) by(path string) func(a, b *doc) int {
	f := s.fields.Index(path)
	if s.fields[f].Type == "text" {
		return func(a, b *doc) int { return cmp.Compare(a.first(f), b.first(f)) }
	}
	value := func(d *doc) int64 {
		n, _ := strconv.ParseInt(d.first(f), 10, 64)
		return n
	}
	return func(a, b *doc) int { return cmp.Compare(value(a), value(b)) }
}

// answer looks at every item.
func (s *searcher) answer(r request) int {
	var hits []*doc
	counts := map[string]int{}
	for i := range s.docs {
		d := &s.docs[i]
		if !r.match(d) {
			continue
		}
		hits = append(hits, d)
		if r.group >= 0 {
			counts[d.first(r.group)]++
		}
	}
	if r.order != nil {
		slices.SortStableFunc(hits, r.order)
	}
	s.buffer = s.buffer[:0]
	for _, d := range hits[min(r.from, len(hits)):min(r.from+queries.Hits, len(hits))] {
		s.buffer = append(s.buffer, d.json...)
	}
	return len(hits)
}
