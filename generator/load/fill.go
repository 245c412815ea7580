// This file makes documents of items and sends them, several batches at once.

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/snapshot"
)

const (
	// sendBytes is about how many bytes of items a bulk request has. Documents are larger than their items, by the
	// values of sub-fields.
	sendBytes = 5 << 20
	// sendItems bounds the items of a request, as their response has some 100 bytes each.
	sendItems = 20_000
)

// span is the items with ranks from from to below to.
type span struct{ from, to int }

func sum(spans []span) (n int) {
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// cursor hands out spans by their bytes.
type cursor struct {
	snapshot     *snapshot.Reader
	bytes, items int // of a span that is handed out, at most; one item may have more bytes

	mu   sync.Mutex
	left []span
}

// next returns the next span, and false after the last one.
func (c *cursor) next() (span, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.left) > 0 && c.left[0].from == c.left[0].to {
		c.left = c.left[1:]
	}
	if len(c.left) == 0 {
		return span{}, false
	}
	first := &c.left[0]
	s := span{first.from, first.from}
	for bytes := 0; s.to < first.to && s.to-s.from < c.items; s.to++ {
		bytes += len(c.snapshot.Fragment(snapshot.DocID(s.to)))
		if bytes > c.bytes && s.to > s.from {
			break
		}
	}
	first.from = s.to
	return s, true
}

// inSpans calls do for spans of the items in left, several at once, each with a place among the jobs.
func (e *index) inSpans(ctx context.Context, left []span, bytes, items int, do func(ctx context.Context, worker int, s span) error) error {
	c := &cursor{snapshot: e.snapshot, bytes: bytes, items: items, left: left}
	workers := cap(e.turns)
	group, ctx := parallel.NewGroup(ctx)
	for worker := range workers {
		group.Start(func() error {
			for {
				select {
				case e.turns <- struct{}{}:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
				s, ok := c.next()
				var err error
				if ok {
					err = do(ctx, worker, s)
				}
				<-e.turns
				if !ok || err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// tally counts items of several workers, and shows them.
type tally struct {
	e     *index
	stage Stage
	mu    sync.Mutex
	n     int
}

func (t *tally) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n += n
	t.e.progress(Progress{t.e.env.ID, t.stage, t.n, t.e.env.Items})
}

// fill sends the items that are missing.
func (e *index) fill(ctx context.Context, missing []span) error {
	e.report.Kept = e.env.Items - sum(missing)
	start := time.Now()
	defer func() { e.report.SendSeconds += time.Since(start).Seconds() }()
	batches := make([]batch, cap(e.turns))
	shown := &tally{e: e, stage: Sending, n: e.report.Kept}
	return e.inSpans(ctx, missing, sendBytes, sendItems, func(ctx context.Context, worker int, s span) error {
		b := &batches[worker]
		b.reset()
		for rank := s.from; rank < s.to; rank++ {
			if err := b.add(e, rank); err != nil {
				return err
			}
		}
		err := e.deliver(ctx, e.cluster.from(worker), b)
		shown.mu.Lock()
		e.report.Sent += b.taken
		e.report.Refused += b.refused
		shown.mu.Unlock()
		if err != nil {
			return err
		}
		shown.add(s.to - s.from)
		return nil
	})
}

// id is the id of an item's document.
func (e *index) id(rank int) string { return e.snapshot.ID(snapshot.DocID(rank)) }

// appendDocument appends the document of an item.
func (e *index) appendDocument(dst []byte, rank int) ([]byte, error) {
	dst, err := e.documents.Append(dst, e.snapshot.Fragment(snapshot.DocID(rank)), rank)
	if err != nil {
		return dst, fmt.Errorf("item %s: %w", e.id(rank), err)
	}
	return dst, nil
}

// resume finds the documents of an index that a load began, and returns the missing spans.
func (e *index) resume(ctx context.Context, found *layout.State) ([]span, error) {
	if e.target = e.aliasOf(found); e.target == "" {
		e.target = e.newAlias()
		if err := e.changeAliases(ctx, aliasChange{"add", e.name, e.target}); err != nil {
			return nil, err
		}
	}
	if found.Meta.Complete { // another program removed the block: the index may have changed
		if err := e.setMeta(ctx, e.want); err != nil {
			return nil, err
		}
	}
	if err := e.available(ctx); err != nil {
		return nil, err
	}
	missing, err := e.missing(ctx)
	if err == nil && found.Blocked && len(missing) > 0 {
		return nil, &DamagedError{e.name, fmt.Sprintf("it is blocked, and lacks %d documents", sum(missing))}
	}
	return missing, err
}

const (
	// minStep and maxSteps bound the query for existing items: each step of ranks is a bucket of the response, and
	// nodes refuse more than 65,535.
	minStep  = 1000
	maxSteps = 8000
)

// missing returns the spans of ranks of which the index lacks documents. A document in an index of this definition is
// right, as only loads with the same definition have sent documents there. The documents are compared later.
func (e *index) missing(ctx context.Context) (all []span, err error) {
	if err := e.refresh(ctx); err != nil {
		return nil, err
	}
	n := e.env.Items
	step := max(minStep, (n+maxSteps-1)/maxSteps)
	body := map[string]any{"size": 0, "track_total_hits": true, "aggs": map[string]any{
		"ranks": map[string]any{"histogram": map[string]any{"field": layout.Rank, "interval": step, "min_doc_count": 1}}}}
	found, err := e.search(ctx, e.cluster, body, maxShort)
	if err != nil {
		return nil, err
	}
	counts := map[int]int{}
	for _, b := range found.Aggregations.Ranks.Buckets {
		counts[int(b.Key)/step] = b.Count
	}
	in := 0
	for i := range (n + step - 1) / step {
		s := span{i * step, min(n, (i+1)*step)}
		in += counts[i]
		if counts[i] > s.to-s.from {
			return nil, &DamagedError{e.name, fmt.Sprintf("it has %d documents for the %d ranks from %d on", counts[i], s.to-s.from, s.from)}
		}
		if counts[i] == s.to-s.from {
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last].to == s.from {
			all[last].to = s.to
		} else {
			all = append(all, s)
		}
	}
	if in != found.Hits.Total.Value {
		return nil, &DamagedError{e.name, fmt.Sprintf("%d of its documents belong to no item", found.Hits.Total.Value-in)}
	}
	return all, nil
}

// DamagedError is an index whose documents differ from its release.
type DamagedError struct{ Index, What string }

// Error says what to do.
func (d *DamagedError) Error() string {
	return fmt.Sprintf("the index %s is damaged: %s: --replace recreates it", d.Index, d.What)
}

// shards counts the shards that a request was for.
type shards struct{ Total, Successful, Failed int }

// found has the members that a load reads from the response to a search.
type found struct {
	TimedOut bool   `json:"timed_out"`
	Shards   shards `json:"_shards"`
	Hits     struct {
		Total struct{ Value int }
		Hits  []struct {
			ID     string          `json:"_id"`
			Source json.RawMessage `json:"_source"`
		}
	}
	Aggregations struct {
		Ranks struct {
			Buckets []struct {
				Key   float64
				Count int `json:"doc_count"`
			}
		}
	}
}

// searchTime is how long an attempt of a search may take.
const searchTime = 2 * time.Minute

// search sends a search that all shards have to answer.
func (e *index) search(ctx context.Context, c cluster, body any, limit int64) (*found, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var f found
	r := call{method: http.MethodPost, path: e.path("/_search"), query: url.Values{"allow_partial_search_results": {"false"}}, body: text, limit: limit, time: searchTime}
	if err := c.ask(ctx, r, &f); err != nil {
		return nil, err
	}
	if f.TimedOut {
		return nil, fmt.Errorf("a search of %s timed out at a node", e.name)
	}
	if f.Shards.Successful != f.Shards.Total || f.Shards.Total != e.shards {
		return nil, fmt.Errorf("%d of %d shards answered a search of %s, which has %d", f.Shards.Successful, f.Shards.Total, e.name, e.shards)
	}
	return &f, nil
}
