// This file reads items by their ids from an object store, or from another node.

package atcluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/store"
)

const (
	// buildMark is in the address of a store for the build of the release that is served.
	buildMark = "{build}"
	// itemJobs is how many items a request reads at once, and maxItemJobs how many all requests together do.
	itemJobs, maxItemJobs = 8, 64
)

// Tests have more time.
var (
	// itemTime limits the request for an item: the index is asked when it is over.
	itemTime = time.Second
	// itemPause is the time in which a store that failed is not asked.
	itemPause = 5 * time.Second
)

// ItemStore has the files of items. An object store has them below a folder for each build. A node has the items of the
// release that it serves.
type ItemStore struct {
	store        *store.Store
	before, rest string // of the key of a file, before and after the build
	hasBuild     bool
	log          *slog.Logger

	slots  chan struct{}
	reads  *prometheus.Counters // by result
	failed atomic.Int64         // when a request failed last, in nanoseconds since 1970; 0 if the last one succeeded
}

// Results of reading an item.
const (
	itemFound   = "ok"
	itemMissing = "missing"
	itemFailed  = "failed"
)

// OpenItems prepares a store without contacting it. Its address has {build} in the place of the build of a release, or
// it is the address of another node.
func OpenItems(name string, insecure bool, log *slog.Logger) (*ItemStore, error) {
	s := &ItemStore{log: log, slots: make(chan struct{}, maxItemJobs), reads: prometheus.NewCounters("result", itemFound, itemMissing, itemFailed)}
	before, rest, hasBuild := strings.Cut(name, buildMark)
	if hasBuild {
		at := strings.LastIndexByte(before, '/') + 1
		name, s.before, s.rest, s.hasBuild = before[:at], before[at:], strings.TrimSuffix(rest, "/")+"/", true
		if at <= len("https://") || strings.Contains(rest, buildMark) {
			return nil, errors.New(buildMark + " must occur exactly once in the path of the address, for example https://HOST/releases/" + buildMark)
		}
	}
	var err error
	s.store, err = store.Open(name, store.Options{Stall: itemTime, Insecure: insecure})
	return s, err
}

// key is the key of a file of a release.
func (s *ItemStore) key(build, file string) string {
	if !s.hasBuild {
		return file
	}
	return s.before + build + s.rest + file
}

// read reads items of an environment. It takes none from a store that fails: the index has them.
func (s *ItemStore) read(work *scorer.WorkLimit, build, env string, ids []string, take func(id string, item []byte)) error {
	if failed := s.failed.Load(); failed != 0 && time.Since(time.Unix(0, failed)) < itemPause {
		return nil
	}
	ctx := work.Context()
	search := admission.AwayOf(ctx)
	if err := search.Leave(); err != nil {
		return err
	}
	var mu sync.Mutex
	bytes := 0
	_ = parallel.Each(ctx, itemJobs, len(ids), func(_, i int) error {
		item, err := s.item(ctx, build, env, ids[i])
		if err != nil || item == nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		bytes += len(item)
		take(ids[i], item)
		return nil
	})
	if err := search.Return(); err != nil {
		return err
	}
	if err := work.Hold(bytes); err != nil {
		return err
	}
	return work.Charge(bytes / bytesPerStep)
}

// item reads an item; nil if the store does not have it.
func (s *ItemStore) item(outer context.Context, build, env, id string) ([]byte, error) {
	select {
	case s.slots <- struct{}{}:
	case <-outer.Done():
		return nil, outer.Err()
	}
	defer func() { <-s.slots }()
	ctx, cancel := context.WithTimeout(outer, itemTime)
	defer cancel()
	text, info, err := s.store.ReadAll(ctx, s.key(build, address.ItemFile(env, id)), store.GetOptions{Max: maxItem, Release: build})
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrDenied), // without the right to list keys, a store refuses keys that it lacks
		errors.Is(err, store.ErrChanged): // a node serves another release
		s.reads.Inc(itemMissing)
		return nil, nil
	case err != nil && outer.Err() != nil: // of the request of a client
		return nil, err
	case err != nil:
		s.fail(err)
		return nil, err
	}
	item, ok := itemOf(text, id)
	if !ok || !json.Valid(item) || !s.hasBuild && info.Release != build {
		s.fail(errWrongItem)
		return nil, nil
	}
	s.failed.Store(0)
	s.reads.Inc(itemFound)
	return item, nil
}

var errWrongItem = errors.New("it sent something else than the item of the release")

// fail counts a failure, and keeps requests from the store for a while.
func (s *ItemStore) fail(err error) {
	s.reads.Inc(itemFailed)
	if s.failed.Swap(time.Now().UnixNano()) == 0 {
		s.log.Warn("items cannot be read from the store; the cluster has them", "store", s.store.String(), "error", err)
	}
}

// Close ends the connections that are idle.
func (s *ItemStore) Close() { s.store.Close() }

// WriteMetrics writes the counter of items.
func (s *ItemStore) WriteMetrics(t *prometheus.Text) {
	s.reads.Write(t, "contentedge_store_items_total", "Items that were looked for in the store of --items-at, by result.")
}
