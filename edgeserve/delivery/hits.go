// This file writes the hits of a list or a search into the body of a response.

package delivery

import (
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// hitBytes is the length of the hits' fragments.
func hitBytes(reader *snapshot.Reader, docs []snapshot.DocID) (n int) {
	for _, doc := range docs {
		n += len(reader.Fragment(doc))
	}
	return n
}

const (
	// maxRun is the number of fragments that are copied at once.
	maxRun = 64
	// hitSteps and copiedPerStep are the cost of copying a hit, and of its bytes.
	hitSteps      = 4
	copiedPerStep = 64
	// compressedPerStep is the number of bytes that are compressed in a step.
	compressedPerStep = 2
)

// appendHits copies the hits' fragments. Neighbours, which lists in the default order have,
// are one copy.
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

// appendFiltered is appendHits for a body with a _source filter.
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

// canCompress charges the cost of compressing a body, if the search may still do so much
// work. Else the response is sent uncompressed.
func (r *Request) canCompress(size int) bool {
	steps := size / compressedPerStep
	return r.work.Affords(steps) && r.work.Charge(steps) == nil
}
