// This file makes the parts of hits after ids and sources: fields, explanations, highlights and the names of queries.
// Hits of the page, of a bucket and inside a hit show the same.

package search

import (
	"slices"

	"contentedge/edgeserve/engine/highlight"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// hitParts adds parts to one page of hits after the other.
type hitParts struct {
	c       *evaluation
	body    *query.Body                  // says what hits show
	by      *query.Body                  // its query found the hits
	windows [][]snapshot.DocID           // what each rescore of by has scored again
	marks   *highlight.Pages             // nil until the first page
	written []hits.Field[snapshot.DocID] // of the option fields; nil until the first page
}

// add adds what the body asks for to a page of documents.
func (p *hitParts) add(page *hits.Page, docs []snapshot.DocID) error {
	if err := p.fields(page, docs); err != nil || p.c.work.Failed() != nil {
		return err
	}
	for _, part := range []struct {
		asked bool
		add   func(*hits.Page, []snapshot.DocID) error
	}{
		{p.body.Show.Explain && len(docs) > 0, p.explain},
		{len(p.body.Show.Highlight) > 0, p.highlight},
		{len(p.by.Names) > 0, p.matched},
	} {
		if !part.asked {
			continue
		}
		err := p.c.request.Scoped(func() error { return part.add(page, docs) })
		if err != nil || p.c.work.Failed() != nil {
			return err
		}
	}
	return nil
}

// explain explains the scores of hits.
func (p *hitParts) explain(page *hits.Page, docs []snapshot.DocID) error {
	list, err := p.c.explanations(p.by, p.windows, docs)
	if err != nil {
		return err
	}
	part, size := hits.Explanations(list)
	page.Parts, page.Extra = append(page.Parts, part), page.Extra+size
	return nil
}

// highlight marks what the query matches, or queries of the highlight's own, which are compiled
// for their errors.
func (p *hitParts) highlight(page *hits.Page, docs []snapshot.DocID) (err error) {
	c := p.c
	if p.marks == nil {
		list := slices.Clone(p.body.Show.Highlight)
		var last, rewritten query.Node
		for i := range list {
			f := &list[i]
			if f.Query == nil {
				continue
			}
			if f.Query != last {
				if _, err := c.compiler.Compile(f.Query); err != nil || c.work.Failed() != nil {
					return err
				}
				last, rewritten = f.Query, c.compiler.Rewrite(f.Query)
			}
			f.Query = rewritten
		}
		if p.marks, err = highlight.New(c.work, c.resolver, &c.compiler, list, c.compiler.Rewrite(p.by.Query)); err != nil {
			return err
		}
	}
	part, size, err := p.marks.Page(docs, c.marked)
	if err != nil {
		return err
	}
	c.marked += size
	page.Parts, page.Extra = append(page.Parts, part), page.Extra+size
	return nil
}

// nameBytes is about the length of the text around the name of a query.
const nameBytes = 24

// matched names the queries that match hits.
func (p *hitParts) matched(page *hits.Page, docs []snapshot.DocID) error {
	list, err := p.c.matchNames(p.by, docs)
	if err != nil {
		return err
	}
	for _, m := range list {
		for _, matches := range m.matches {
			if matches {
				page.Extra += len(m.name) + nameBytes
			}
		}
	}
	page.Parts = append(page.Parts, hits.MatchedQueries(func(place int) (names []string) {
		for _, m := range list {
			if m.matches[place] {
				names = append(names, m.name)
			}
		}
		return names
	}))
	return nil
}
