// This file takes an index that has all documents to the state in which edges search it.

package load

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"
)

// finish takes a filled index through the states that are left.
func (e *index) finish(ctx context.Context) error {
	for _, step := range []func(context.Context) error{e.block, e.merge, e.compare, e.copy, e.complete, e.measure} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// block ends all writing. The cluster acknowledges a block once writes that had begun are over.
func (e *index) block(ctx context.Context) error {
	return e.cluster.ask(ctx, call{method: http.MethodPut, path: e.path("/_block/write")}, nil)
}

// refresh makes everything visible to searches.
func (e *index) refresh(ctx context.Context) error {
	var done struct {
		Shards shards `json:"_shards"`
	}
	if err := e.cluster.ask(ctx, call{method: http.MethodPost, path: e.path("/_refresh"), time: searchTime}, &done); err != nil {
		return err
	}
	if done.Shards.Failed > 0 || done.Shards.Successful < e.shards {
		return fmt.Errorf("%d of %d shards of %s were refreshed", done.Shards.Successful, e.shards, e.name)
	}
	return nil
}

const (
	// mergeTime bounds how long a load waits for a request to merge. The merge continues without the request, so that
	// no proxy ends a request that takes hours.
	mergeTime = 45 * time.Second
	// maxMerges is how often a merge is asked for while nothing is merged.
	maxMerges = 20
	// firstPoll and lastPoll are the pauses between two questions about work that may take long.
	firstPoll = 20 * time.Millisecond
	lastPoll  = 2 * time.Second
)

func nextPoll(wait time.Duration) time.Duration { return min(2*wait, lastPoll) }

// merge merges each shard to one segment: then documents lie in default order.
func (e *index) merge(ctx context.Context) error {
	asked, wait := 0, firstPoll
	for {
		e.progress(Progress{e.env.ID, Merging, e.env.Items, e.env.Items})
		if err := e.refresh(ctx); err != nil { // before a refresh the old segments count
			return err
		}
		most, merging, err := e.segments(ctx)
		if err != nil || most <= 1 && merging == 0 {
			return err
		}
		if merging > 0 {
			if err := pause(ctx, wait); err != nil {
				return err
			}
			wait = nextPoll(wait)
			continue
		}
		if asked++; asked > maxMerges {
			return fmt.Errorf("a shard of %s still has %d segments after %d requests to merge them", e.name, most, maxMerges)
		}
		_, err = e.cluster.once(ctx, call{method: http.MethodPost, path: e.path("/_forcemerge"), query: url.Values{"max_num_segments": {"1"}}, time: mergeTime}, nil)
		if err != nil && !temporary(err) {
			return err
		}
		if err != nil {
			if err := pause(ctx, lastPoll); err != nil {
				return err
			}
		}
	}
}

// segments returns the most segments that a shard has, and how many merges run. A load does not leave deleted
// documents, which would count in scores.
func (e *index) segments(ctx context.Context) (most, merging int, err error) {
	var stats struct {
		Indices map[string]struct {
			Shards map[string][]struct {
				Routing  struct{ Primary bool }
				Docs     struct{ Deleted int }
				Segments struct{ Count int }
				Merges   struct{ Current int }
			}
		}
	}
	const of = "indices.*.shards.*."
	query := url.Values{"level": {"shards"}, "filter_path": {of + "routing.primary," + of + "docs.deleted," + of + "segments.count," + of + "merges.current"}}
	if err := e.cluster.ask(ctx, call{method: http.MethodGet, path: e.path("/_stats/docs,segments,merge"), query: query}, &stats); err != nil {
		return 0, 0, err
	}
	shards := stats.Indices[e.name].Shards
	if len(shards) != e.shards {
		return 0, 0, fmt.Errorf("%d of %d shards of %s say how many segments they have", len(shards), e.shards, e.name)
	}
	for _, copies := range shards {
		for _, c := range copies {
			merging += c.Merges.Current
			if !c.Routing.Primary {
				continue
			}
			if c.Docs.Deleted > 0 {
				return 0, 0, &DamagedError{e.name, fmt.Sprintf("another program wrote to it, and left %d deleted documents in a shard", c.Docs.Deleted)}
			}
			most = max(most, c.Segments.Count)
		}
	}
	return most, merging, nil
}

const (
	// compareBytes and compareItems bound what a search of documents returns. Nodes refuse more than 10,000 hits.
	compareBytes = 4 << 20
	compareItems = 5000
	// maxHit bounds the rest of a hit, without its source, in bytes: its id, the name of the index, the rank.
	maxHit = 4 << 10
)

// compare reads all documents back, and compares them with the documents of the snapshot. With their number it proves
// that the index has each item once, and nothing else.
func (e *index) compare(ctx context.Context) error {
	if err := e.count(ctx); err != nil {
		return err
	}
	shown := &tally{e: e, stage: Comparing}
	buffers := make([][]byte, cap(e.turns))
	return e.inSpans(ctx, []span{{0, e.env.Items}}, compareBytes, compareItems, func(ctx context.Context, worker int, s span) (err error) {
		if buffers[worker], err = e.compareSpan(ctx, e.cluster.from(worker), s, buffers[worker]); err != nil {
			return err
		}
		shown.add(s.to - s.from)
		return nil
	})
}

// compareSpan compares some documents. It returns the buffer for the next ones.
func (e *index) compareSpan(ctx context.Context, c cluster, s span, buffer []byte) (_ []byte, err error) {
	buffer = buffer[:0]
	ends := make([]int, 0, s.to-s.from)
	for rank := s.from; rank < s.to; rank++ {
		if buffer, err = e.appendDocument(buffer, rank); err != nil {
			return buffer, err
		}
		ends = append(ends, len(buffer))
	}
	body := map[string]any{"size": len(ends) + 1, "sort": []any{map[string]any{layout.Rank: "asc"}}, "track_total_hits": true,
		"query": map[string]any{"range": map[string]any{layout.Rank: map[string]any{"gte": s.from, "lt": s.to}}}}
	f, err := e.search(ctx, c, body, maxShort+int64(len(buffer)+len(ends)*maxHit))
	if err != nil {
		return buffer, err
	}
	from := 0
	for i, end := range ends {
		rank := s.from + i
		switch {
		case i >= len(f.Hits.Hits) || f.Hits.Hits[i].ID != e.id(rank):
			return buffer, &DamagedError{e.name, fmt.Sprintf("the item %s is not at its rank %d", e.id(rank), rank)}
		case !bytes.Equal(f.Hits.Hits[i].Source, buffer[from:end]):
			return buffer, &DamagedError{e.name, fmt.Sprintf("the item %s differs from the release", e.id(rank))}
		}
		from = end
	}
	if len(f.Hits.Hits) != len(ends) || f.Hits.Total.Value != len(ends) {
		return buffer, &DamagedError{e.name, fmt.Sprintf("it has %d documents for the %d ranks from %d on", f.Hits.Total.Value, len(ends), s.from)}
	}
	return buffer, nil
}

// count compares the numbers of documents and items.
func (e *index) count(ctx context.Context) error {
	var is struct {
		Count  int
		Shards shards `json:"_shards"`
	}
	if err := e.cluster.ask(ctx, call{method: http.MethodGet, path: e.path("/_count"), time: searchTime}, &is); err != nil {
		return err
	}
	switch {
	case is.Shards.Successful != is.Shards.Total || is.Shards.Total != e.shards:
		return fmt.Errorf("%d of %d shards counted the documents of %s", is.Shards.Successful, e.shards, e.name)
	case is.Count != e.env.Items:
		return &DamagedError{e.name, fmt.Sprintf("it has %d documents, and the release %d items", is.Count, e.env.Items)}
	}
	return nil
}

// maxCopy bounds how long replicas are waited for while nodes copy: 50 GB take an hour on slow disks.
const maxCopy = 6 * time.Hour

// maxIdle is how long no node may copy before replicas are not waited for any more.
const maxIdle = 30 * time.Second

// copy makes the replicas and waits for them, as long as nodes copy. An index that lacks some is usable: it is said.
func (e *index) copy(ctx context.Context) error {
	settings := map[string]any{"index": map[string]any{"number_of_replicas": e.Replicas}}
	if err := e.cluster.put(ctx, http.MethodPut, e.path("/_settings"), settings, nil); err != nil {
		return err
	}
	e.report.Replicas = e.Replicas
	deadline, idle := time.Now().Add(maxCopy), time.Now()
	for wait := firstPoll; ; wait = nextPoll(wait) {
		e.progress(Progress{e.env.ID, Copying, e.env.Items, e.env.Items})
		h, err := e.health(ctx)
		if err != nil {
			return err
		}
		e.report.Health = h.Status
		switch {
		case h.Status == "green":
			return nil
		case h.Status == "red":
			return fmt.Errorf("the index %s lost a shard while its replicas were made", e.name)
		case h.Initializing+h.Relocating > 0:
			idle = time.Now()
		}
		if h.DataNodes <= e.Replicas || time.Since(idle) > maxIdle || time.Now().After(deadline) {
			e.warn(fmt.Sprintf("the index %s is yellow: not all copies have a node (replicas %d, nodes with data %d). Edges can search it, but perhaps not once a node fails", e.name, e.Replicas, h.DataNodes))
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// complete records in the index that it is complete.
func (e *index) complete(ctx context.Context) error {
	meta := e.want
	meta.Complete = true
	if err := e.setMeta(ctx, meta); err != nil {
		return err
	}
	found, err := e.look(ctx)
	if err != nil {
		return err
	}
	if found == nil || !found.Complete() {
		return errChanged
	}
	e.target, e.report.Complete = e.name, true
	return e.publish(ctx, found)
}

// publish replaces the alias by which a complete index was filled with the alias by which edges search it. Both changes
// happen at once or not at all: an index that another program recreated meanwhile lacks the old alias. An index that
// was restored may have neither alias.
func (e *index) publish(ctx context.Context, found *layout.State) error {
	var changes []aliasChange
	if alias := e.aliasOf(found); alias != "" {
		changes = append(changes, aliasChange{"take", e.name, alias})
	}
	if alias := layout.Searched(e.name); !slices.Contains(found.Aliases, alias) {
		changes = append(changes, aliasChange{"add", e.name, alias})
	}
	if len(changes) == 0 {
		return nil
	}
	return e.changeAliases(ctx, changes...)
}

func (e *index) setMeta(ctx context.Context, m layout.Meta) error {
	return e.cluster.put(ctx, http.MethodPut, e.path("/_mapping"), map[string]any{"_meta": m}, nil)
}

// measure puts the size and the health of the index into the report.
func (e *index) measure(ctx context.Context) error {
	var stats struct {
		All struct {
			Primaries struct {
				Store struct {
					Bytes int64 `json:"size_in_bytes"`
				}
			}
		} `json:"_all"`
	}
	// A flush removes the files that a merge left.
	if err := e.cluster.ask(ctx, call{method: http.MethodPost, path: e.path("/_flush"), time: searchTime}, nil); err != nil {
		return err
	}
	if err := e.cluster.ask(ctx, call{method: http.MethodGet, path: e.path("/_stats/store"), query: url.Values{"filter_path": {"_all.primaries.store.size_in_bytes"}}}, &stats); err != nil {
		return err
	}
	e.report.Bytes = stats.All.Primaries.Store.Bytes
	if e.report.Health != "" {
		return nil
	}
	h, err := e.health(ctx)
	e.report.Health = h.Status
	return err
}
