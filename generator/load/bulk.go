// This file sends a batch of documents until nodes have taken every document.

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"contentedge/edgeserve/wire/clusterhttp"
	"contentedge/generator/retry"
)

const (
	// bulkTime is how long an attempt may take: a node that merges is slow.
	bulkTime = 3 * time.Minute
	// maxLineResponse and maxBulkResponse bound a response, in bytes for each line and for the rest. Reasons quote
	// parts of values.
	maxLineResponse = 4 << 10
	maxBulkResponse = 1 << 20
)

// batch is a bulk request of which nodes have not taken all lines yet.
type batch struct {
	body     []byte
	lines    []line
	response []byte
	taken    int
	refused  int
}

// line is a document in a batch, with the line before that has its id.
type line struct{ rank, from, to int }

func (b *batch) reset() { b.body, b.lines, b.taken, b.refused = b.body[:0], b.lines[:0], 0, 0 }

// add appends the document of an item.
func (b *batch) add(e *index, rank int) (err error) {
	from := len(b.body)
	id, err := json.Marshal(e.id(rank))
	if err != nil {
		return err
	}
	b.body = append(append(append(b.body, `{"create":{"_id":`...), id...), "}}\n"...)
	if b.body, err = e.appendDocument(b.body, rank); err != nil {
		return err
	}
	b.body = append(b.body, '\n')
	b.lines = append(b.lines, line{rank, from, len(b.body)})
	return nil
}

// keep removes all lines but some, whose places are given in ascending order.
func (b *batch) keep(places []int) {
	end := 0
	for i, place := range places {
		l := b.lines[place]
		copy(b.body[end:], b.body[l.from:l.to])
		b.lines[i] = line{l.rank, end, end + l.to - l.from}
		end = b.lines[i].to
	}
	b.body, b.lines = b.body[:end], b.lines[:len(places)]
}

// linesError is the error of a request of which some lines were refused.
type linesError struct {
	lines int
	first string // what the node says about the first line
	cause error  // ends the load; nil: the lines are sent again
}

// Error quotes the first line's error.
func (l *linesError) Error() string {
	switch {
	case l.cause == nil:
		return fmt.Sprintf("%d documents were refused: %s", l.lines, l.first)
	case is[*ItemError](l.cause):
		return l.cause.Error()
	}
	return fmt.Sprintf("%v (%s)", l.cause, l.first)
}

// Unwrap returns what ends the load.
func (l *linesError) Unwrap() error { return l.cause }

// ItemError is an item that a cluster does not take.
type ItemError struct{ Index, ID, Reason string }

// Error names the item.
func (i *ItemError) Error() string {
	return fmt.Sprintf("the index %s refuses the item %s: %s", i.Index, i.ID, i.Reason)
}

// Refused says what is refused.
func (*ItemError) Refused() string { return "the cluster does not take an item" }

// deliver sends a batch until nodes have taken all lines. It halves what is too large for a node.
func (e *index) deliver(ctx context.Context, c cluster, b *batch) error {
	err := c.again(ctx, maxAttempts, func() error { return e.send(ctx, c, b) })
	if !isStatus(err, http.StatusRequestEntityTooLarge, "") {
		return err
	}
	if len(b.lines) == 1 {
		return &ItemError{e.name, e.id(b.lines[0].rank), fmt.Sprintf("its document of %d bytes is above the limit of a request (http.max_content_length)", len(b.body))}
	}
	half := len(b.lines) / 2
	for _, ranks := range [][]line{b.lines[:half], b.lines[half:]} {
		var part batch
		for _, l := range ranks {
			if err := part.add(e, l.rank); err != nil {
				return err
			}
		}
		err := e.deliver(ctx, c, &part)
		b.taken += part.taken
		b.refused += part.refused
		if err != nil {
			return err
		}
	}
	return nil
}

// lineResult is the result of a line in a response.
type lineResult struct {
	Create struct {
		Status int
		Error  *struct {
			Type, Reason string
			Cause        *struct{ Reason string } `json:"caused_by"`
		}
	}
}

// send sends the lines of a batch once, and keeps the refused lines.
func (e *index) send(ctx context.Context, c cluster, b *batch) (err error) {
	query := url.Values{"require_alias": {"true"}, "filter_path": {"errors,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by.reason"}}
	r := call{method: http.MethodPost, path: e.path("/_bulk"), query: query, body: b.body, lines: true,
		limit: maxBulkResponse + int64(len(b.lines))*maxLineResponse, time: bulkTime}
	if b.response, err = c.once(ctx, r, b.response[:0]); err != nil {
		return err
	}
	var response struct{ Items []lineResult }
	if err := json.Unmarshal(b.response, &response); err != nil {
		return fmt.Errorf("the response to _bulk is not the expected JSON: %w", err)
	}
	if len(response.Items) != len(b.lines) {
		return fmt.Errorf("the response to _bulk has %d lines, not %d", len(response.Items), len(b.lines))
	}
	var left []int
	var first *linesError
	for i := range response.Items {
		refused := e.judge(&response.Items[i], b.lines[i].rank)
		if refused == nil {
			continue
		}
		left = append(left, i)
		if first == nil || first.cause == nil && refused.cause != nil {
			first = refused
		}
	}
	b.taken += len(b.lines) - len(left)
	b.refused += len(left)
	b.keep(left)
	if first == nil {
		return nil
	}
	first.lines = len(left)
	return first
}

// errThere is the type of the error for a document that exists already, from another load or from an attempt whose
// response was lost. Documents are never written over, as deleted ones would count in scores until nodes remove them.
const errThere = "version_conflict_engine_exception"

// judge says what the result of a line means; nil if the index has the document now.
func (e *index) judge(r *lineResult, rank int) *linesError {
	result := &r.Create
	if result.Error == nil && result.Status/100 == 2 || result.Error != nil && result.Error.Type == errThere {
		return nil
	}
	kind, reason := "", ""
	if result.Error != nil {
		kind, reason = result.Error.Type, result.Error.Reason
		if result.Error.Cause != nil {
			reason += ": " + result.Error.Cause.Reason
		}
	}
	text := e.Client.Printable(fmt.Sprintf("status %d %s: %s", result.Status, kind, reason), clusterhttp.MaxReason)
	switch {
	case noRoom(kind, reason):
		return &linesError{first: text, cause: errNoRoom}
	case kind == blockError, result.Status == http.StatusNotFound:
		return &linesError{first: text, cause: errChanged}
	case retry.TemporaryStatus(result.Status):
		return &linesError{first: text}
	}
	return &linesError{first: text, cause: &ItemError{e.name, e.id(rank), text}}
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
