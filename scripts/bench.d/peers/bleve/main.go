// Bleve puts bleve's scorch index into the search benchmark: built by its offline
// builder into one segment, opened read-only. As in the others, each text is indexed
// by word with positions and as a whole value, and the items' JSON is stored.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/single"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"bench/corpus"
	"bench/engine"
	"bench/queries"
)

// The names of what is indexed in addition to a path's words.
const (
	whole  = ".keyword"
	folded = ".folded" // in lower case, of the fields that are searched for parts
	stored = "_json"
)

func main() {
	if err := engine.Main(peer{}, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bleve:", err)
		os.Exit(1)
	}
}

type peer struct{}

func (peer) Build(items [][]byte, fields corpus.Fields, dir string) error {
	m, err := mappingOf(fields)
	if err != nil {
		return err
	}
	b, err := bleve.NewBuilder(filepath.Join(dir, "index"), m, map[string]any{"buildPathPrefix": dir})
	if err != nil {
		return err
	}
	for _, item := range items {
		var doc map[string]any
		if err := json.Unmarshal(item, &doc); err != nil {
			return err
		}
		doc[stored] = string(item)
		if err := b.Index(doc["ContentID"].(string), doc); err != nil {
			return err
		}
	}
	return b.Close()
}

// mappingOf indexes the fields that were found, and no others.
func mappingOf(fields corpus.Fields) (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	words := map[string]any{"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []any{lowercase.Name}}
	lower := map[string]any{"type": custom.Name, "tokenizer": single.Name, "token_filters": []any{lowercase.Name}}
	if err := m.AddCustomAnalyzer("words", words); err != nil {
		return nil, err
	}
	if err := m.AddCustomAnalyzer("lower", lower); err != nil {
		return nil, err
	}
	root := bleve.NewDocumentStaticMapping()
	for _, f := range fields {
		path := strings.Split(f.Path, ".")
		at(root, path[:len(path)-1]).AddFieldMappingsAt(path[len(path)-1], mappings(f, path[len(path)-1])...)
	}
	source := mapping.NewTextFieldMapping()
	source.Index, source.DocValues, source.IncludeInAll = false, false, false
	root.AddFieldMappingsAt(stored, source)
	m.DefaultMapping = root
	return m, nil
}

// at returns the mapping of the object at a path.
func at(m *mapping.DocumentMapping, path []string) *mapping.DocumentMapping {
	for _, key := range path {
		if m.Properties[key] == nil {
			m.AddSubDocumentMapping(key, bleve.NewDocumentStaticMapping())
		}
		m = m.Properties[key]
	}
	return m
}

func mappings(f corpus.Field, key string) []*mapping.FieldMapping {
	switch f.Type {
	case "date":
		return []*mapping.FieldMapping{bare(mapping.NewDateTimeFieldMapping(), key, "")}
	case "number":
		return []*mapping.FieldMapping{bare(mapping.NewNumericFieldMapping(), key, "")}
	case "boolean":
		return []*mapping.FieldMapping{bare(mapping.NewBooleanFieldMapping(), key, "")}
	}
	words := bare(mapping.NewTextFieldMapping(), key, "words")
	words.DocValues = false
	out := []*mapping.FieldMapping{words, bare(mapping.NewTextFieldMapping(), key+whole, keyword.Name)}
	if f.Path == "Name" || f.Path == "Data.title" {
		part := bare(mapping.NewTextFieldMapping(), key+folded, "lower")
		part.DocValues = false
		out = append(out, part)
	}
	return out
}

// bare is a field that is indexed only.
func bare(m *mapping.FieldMapping, name, analyzer string) *mapping.FieldMapping {
	m.Name, m.Analyzer = name, analyzer
	m.Store, m.IncludeInAll = false, false
	m.IncludeTermVectors = analyzer == "words" // positions
	return m
}

type searcher struct {
	index  bleve.Index
	texts  []string
	buffer []byte
}

func (peer) Open(dir string, fields corpus.Fields) (engine.Searcher, error) {
	index, err := bleve.OpenUsing(filepath.Join(dir, "index"), map[string]any{"read_only": true})
	return &searcher{index: index, texts: fields.Texts()}, err
}

// Prepare makes the request; bleve takes the same one again and again.
func (s *searcher) Prepare(q queries.Query) (engine.Prepared, error) {
	if !q.Kind.Common() {
		return nil, engine.ErrUnsupported
	}
	r := bleve.NewSearchRequestOptions(s.query(q), queries.Hits, 0, false)
	r.Fields = []string{stored}
	switch q.Kind {
	case queries.Range:
		r.SortBy([]string{"-" + q.Args[3], "_id"})
	case queries.Deep:
		r.From, _ = strconv.Atoi(q.Args[1])
		r.SortBy([]string{q.Args[0] + whole, "_id"})
	case queries.Aggregate:
		r.AddFacet("values", bleve.NewFacetRequest(q.Args[2]+whole, 10))
	}
	return func() (int, error) { return s.answer(r) }, nil
}

func (s *searcher) answer(r *bleve.SearchRequest) (int, error) {
	result, err := s.index.Search(r)
	if err != nil {
		return 0, err
	}
	s.buffer = s.buffer[:0]
	for _, hit := range result.Hits {
		s.buffer = append(s.buffer, hit.Fields[stored].(string)...)
	}
	return int(result.Total), nil
}

func (s *searcher) query(q queries.Query) query.Query {
	a := q.Args
	switch q.Kind {
	case queries.ID:
		return bleve.NewDocIDQuery(a)
	case queries.Deep:
		return bleve.NewMatchAllQuery()
	case queries.Contains:
		part := bleve.NewWildcardQuery("*" + a[1] + "*")
		part.SetField(a[0] + folded)
		return part
	case queries.Range:
		yes := true
		between := bleve.NewDateRangeInclusiveQuery(instant(a[1]), instant(a[2]), &yes, &yes)
		between.SetField(a[0])
		return between
	case queries.Anywhere:
		return s.anywhere(a[0])
	case queries.BothAny:
		return bleve.NewConjunctionQuery(s.anywhere(a[0]), s.anywhere(a[1]))
	}
	return words(q.Kind, a[0], a[1:])
}

// words are the kinds that look for words in a field.
func words(kind queries.Kind, field string, a []string) query.Query {
	switch kind {
	case queries.And:
		return bleve.NewConjunctionQuery(term(field, a[0]), term(field, a[1]))
	case queries.Or:
		return bleve.NewDisjunctionQuery(term(field, a[0]), term(field, a[1]))
	case queries.Mixed:
		return bleve.NewConjunctionQuery(bleve.NewDisjunctionQuery(term(field, a[0]), term(field, a[1])), term(field, a[2]))
	case queries.Not:
		b := bleve.NewBooleanQuery()
		b.AddMust(term(field, a[0]))
		b.AddMustNot(term(field, a[1]))
		return b
	case queries.Phrase:
		return query.NewPhraseQuery(a, field)
	case queries.Prefix:
		p := bleve.NewPrefixQuery(a[0])
		p.SetField(field)
		return p
	case queries.Filter:
		b := bleve.NewBooleanQuery()
		b.AddMust(term(field, a[0]))
		b.AddFilter(term("TemplateName"+whole, a[1]))
		return b
	}
	return term(field, a[0])
}

func term(field, word string) query.Query {
	t := bleve.NewTermQuery(word)
	t.SetField(field)
	return t
}

func (s *searcher) anywhere(word string) query.Query {
	var any []query.Query
	for _, path := range s.texts {
		any = append(any, term(path, word), term(path+whole, word))
	}
	return bleve.NewDisjunctionQuery(any...)
}

func instant(ms string) time.Time {
	n, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n).UTC()
}
