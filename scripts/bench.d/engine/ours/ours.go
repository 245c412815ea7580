// Package ours puts the project's own engine into the benchmark, as the edge server
// uses it: a mapped snapshot, a parsed body, the evaluator, and a response of copied
// fragments.
package ours

import (
	"bufio"
	"context"
	"os"
	"path/filepath"

	"bench/corpus"
	"bench/engine"
	"bench/queries"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/generator/index"
	"contentedge/generator/index/indextest"
)

// Engine is the engine. With Parse every answer begins with the body's text.
type Engine struct{ Parse bool }

const file = "bench.snap"

// Build writes a snapshot. The items are in the default order.
func (Engine) Build(items [][]byte, _ corpus.Fields, dir string) error {
	docs := indextest.Docs(items)
	f, err := os.Create(filepath.Join(dir, file))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := index.Write(w, index.Environment{Env: "bench", Sort: "CreatedAt", Fields: docs.Fields()}, docs); err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Open maps the snapshot.
func (e Engine) Open(dir string, _ corpus.Fields) (engine.Searcher, error) {
	r, err := snapshot.Open(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	return &searcher{parse: e.Parse, reader: r}, nil
}

type searcher struct {
	parse  bool
	reader *snapshot.Reader
	buffer []byte
}

// refused is an error of a construct that not all engines have: the others must be answered.
func refused(q queries.Query, err error) error {
	if q.Kind.Common() {
		return err
	}
	return &engine.Refusal{Err: err}
}

// Prepare parses the body, unless that is to be measured too.
func (s *searcher) Prepare(q queries.Query) (engine.Prepared, error) {
	text := []byte(q.Body)
	b, err := body.Parse(text)
	if err != nil {
		return nil, refused(q, err)
	}
	if _, err := s.answer(b); err != nil {
		return nil, refused(q, err)
	}
	if !s.parse {
		return func() (int, error) { return s.answer(b) }, nil
	}
	return func() (int, error) {
		b, err := body.Parse(text)
		if err != nil {
			return 0, err
		}
		return s.answer(b)
	}, nil
}

func (s *searcher) answer(body *query.Body) (int, error) {
	eval := search.EvalWithin
	if body.Show.AsHits {
		eval = search.EvalHits
	}
	work := scorer.NewWorkLimit(context.Background())
	res, err := eval(work, s.reader, body)
	if err != nil {
		return 0, err
	}
	defer res.Release()
	out := envelope.AppendListOpen(s.buffer[:0])
	for i, doc := range res.Docs {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, s.reader.Fragment(doc)...)
	}
	out = envelope.AppendListTotal(out, res.Total, res.Aggregations)
	if body.Show.AsHits {
		out, err = hits.NewWriterWithoutSource(body).AppendAll(envelope.AppendHitsName(out), &res.Page, work)
		if err != nil {
			return 0, err
		}
	}
	if res.Suggestions != nil {
		out = envelope.AppendSuggestions(out, res.Suggestions)
	}
	s.buffer = envelope.AppendClose(out)
	return res.Total + engine.CountSuggestions(res.Suggestions), nil
}
