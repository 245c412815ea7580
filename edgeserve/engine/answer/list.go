// This file evaluates lists and searches, and writes the items of their pages in an envelope.

package answer

import (
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/envelope"
)

const (
	maxRun        = 64 // items that are copied at once
	hitSteps      = 4  // steps to copy a hit, in addition to its bytes
	copiedPerStep = 64
)

// evaluate evaluates a body. The answer is a page of items in an envelope. kind is one of SearchKinds.
func (c *Content) evaluate(b Budget, kind string, body *query.Body) (Answer, error) {
	b.count(kind)
	found, err := c.items().Search(b.Work, body, body.Show.AsHits)
	if err != nil {
		return Answer{}, err
	}
	size := len(found.Aggregations) + len(found.Suggestions)
	if source := body.Show.Source; source == nil || !source.None {
		size += found.ItemBytes()
	}
	in, err := c.includedInList(b.Work, &found.Page, body.Show.Source)
	if err != nil {
		found.Release()
		return Answer{}, err
	}
	if in != nil {
		size += in.Size()
	}
	var beside *hits.Writer
	if body.Show.AsHits {
		beside = hits.NewWriterWithoutSource(body)
		size += beside.Size(&found.Page)
	}
	a := New(envelope.ListSize(found.Len(), size, found.Total), func(dst []byte) ([]byte, error) {
		defer found.Release()
		dst, err := appendItems(envelope.AppendListOpen(dst), &found.Page, body.Show.Source, b.Work)
		if err != nil {
			return nil, err
		}
		dst = envelope.AppendListEnd(dst)
		if in != nil {
			dst = in.Append(dst)
		}
		dst = envelope.AppendTotal(dst, found.Total, found.Aggregations)
		if found.Suggestions != nil {
			dst = envelope.AppendSuggestions(dst, found.Suggestions)
		}
		if beside != nil {
			if dst, err = beside.AppendAll(envelope.AppendHitsName(dst), &found.Page, b.Work); err != nil {
				return nil, err
			}
		}
		if found.Approximate != nil {
			dst = envelope.AppendApproximate(dst)
		}
		return envelope.AppendClose(dst), nil
	})
	a.Total, a.Link, a.Timed, a.Approximate = found.Total, c.Link(found.Total), found.Timed, found.Approximate
	return a, nil
}

// appendItems copies the items of a page. It copies items that are neighbours in the snapshot at once, as they are in
// lists in default order.
func appendItems(dst []byte, page *hits.Page, source *query.Source, work *scorer.WorkLimit) ([]byte, error) {
	if source != nil {
		return appendFiltered(dst, page, source, work)
	}
	for place := 0; place < page.Len(); {
		run, n := page.Matches.Items(place, maxRun)
		if err := work.Charge(hitSteps*n + len(run)/copiedPerStep); err != nil {
			return dst, err
		}
		if place > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, run...)
		place += n
	}
	return dst, nil
}

// sourceFilter returns the filter of a source; nil keeps all.
func sourceFilter(source *query.Source) *envelope.SourceFilter {
	switch {
	case source == nil:
		return nil
	case source.None:
		return envelope.NoSource()
	}
	return envelope.NewSourceFilter(source.Includes, source.Excludes)
}

func appendFiltered(dst []byte, page *hits.Page, source *query.Source, work *scorer.WorkLimit) ([]byte, error) {
	filter := sourceFilter(source)
	for place := range page.Len() {
		if place > 0 {
			dst = append(dst, ',')
		}
		var item []byte // no member is selected from it
		if !source.None {
			item, _ = page.Matches.Items(place, 1)
		}
		dst = filter.Append(dst, item)
		if err := work.Charge(hitSteps + filter.Work()); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
