// This file defines the page that a body asks for.

package query

import (
	"fmt"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

const (
	// MaxWindow limits from + size: a search reaches as far as the largest page.
	MaxWindow = address.MaxSize
	// DefaultSize is the number of hits per page unless the body sets size, as in Elasticsearch. The default of lists is
	// address.DefaultPageSize.
	DefaultSize = 10
	// MaxBuckets limits the buckets of a terms aggregation and of a whole response, as in Elasticsearch.
	MaxBuckets = 65536
)

// Window says which of the ordered matches are the hits of a page.
type Window struct {
	From, Size       int // default 0 and 10
	HasFrom, HasSize bool
	After            []*Value // the sort values of the hit before the page; a nil element is null
}

// Check returns an error if from + size exceeds MaxWindow.
func (w *Window) Check() error {
	if w.From+w.Size <= MaxWindow {
		return nil
	}
	return &Error{Code: problem.BadFrom, Parameter: "from", Position: -1, Evaluated: true, Message: fmt.Sprintf("from + size must be at most %d, not %d: for later hits send a sort, and as search_after the sort values of the last hit of a page", MaxWindow, w.From+w.Size)}
}
