// This file writes the hits of a list or a search into the body of a response.

package delivery

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/envelope"
)

func hitBytes(reader *snapshot.Reader, docs []snapshot.DocID) (n int) {
	for _, doc := range docs {
		n += len(reader.Fragment(doc))
	}
	return n
}

const (
	maxRun            = 64 // fragments that are copied at once
	hitSteps          = 4  // steps to copy a hit, beside its bytes
	copiedPerStep     = 64
	compressedPerStep = 2 // bytes to compress in a step
)

// appendHits copies the hits' fragments, neighbours at once (as in lists in default order).
func (r *Request) appendHits(dst []byte, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	if source != nil {
		return r.appendFiltered(dst, docs, source)
	}
	for i := 0; i < len(docs); {
		n := 1
		for n < maxRun && i+n < len(docs) && docs[i+n] == docs[i]+snapshot.DocID(n) {
			n++
		}
		run := r.reader.Fragments(docs[i], docs[i]+snapshot.DocID(n))
		if err := r.work.Charge(hitSteps*n + len(run)/copiedPerStep); err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, run...)
		i += n
	}
	return dst, nil
}

func (r *Request) appendFiltered(dst []byte, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	filter := envelope.NoSource()
	if !source.None {
		filter = envelope.NewSourceFilter(source.Includes, source.Excludes)
	}
	for i, doc := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = filter.Append(dst, r.reader.Fragment(doc))
		if err := r.work.Charge(hitSteps + filter.Work()); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// canCompress charges the cost of compressing a body. False: it exceeds the search's work limit.
func (r *Request) canCompress(size int) bool {
	steps := size / compressedPerStep
	return r.work.Affords(steps) && r.work.Charge(steps) == nil
}
