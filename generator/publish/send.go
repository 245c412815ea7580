// This file sends what the plan says, several files at once, stage by stage: whoever
// finds a list in the store finds its items too, and a manifest is there last.

package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

const (
	// attempts is how often a request that failed for a while is made in all.
	attempts = 6
	// firstPause doubles with each of them, up to lastPause.
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// sender is a release on its way.
type sender struct {
	Config
	plan *plan

	mu     sync.Mutex
	done   Progress // guarded by mu
	report *Report  // guarded by mu
}

// send brings all files, then the index and the manifest, into the store.
func send(ctx context.Context, c Config, p *plan, r *Report) error {
	s := &sender{Config: c, plan: p, report: r}
	for _, w := range p.work {
		s.done.TotalFiles++
		s.done.TotalBytes += w.Bytes
	}
	for n := range stages {
		var now []work
		for _, w := range p.work {
			if stage(w.Name) == n {
				now = append(now, w)
			}
		}
		if err := each(ctx, c.Jobs, len(now), func(i int) error { return s.bring(ctx, now[i]) }); err != nil {
			return err
		}
	}
	if err := s.small(ctx, release.IndexName, p.index); err != nil {
		return err
	}
	return s.small(ctx, release.ManifestName, p.manifest)
}

// small puts an object that is in memory, unless it is there.
func (s *sender) small(ctx context.Context, name string, b []byte) error {
	if s.plan.there[name] {
		return nil
	}
	o := headers(name)
	o.SHA256 = sum256(b)
	return s.put(ctx, name, bytes.NewReader(b), int64(len(b)), o)
}

func (s *sender) put(ctx context.Context, name string, content io.ReaderAt, size int64, o store.PutOptions) error {
	return again(ctx, func() error {
		_, err := s.Store.Put(ctx, root(s.plan.build)+name, content, size, o)
		return err
	})
}

// bring copies or sends one file.
func (s *sender) bring(ctx context.Context, w work) error {
	copied := false
	if w.copied {
		var err error
		if copied, err = s.copy(ctx, w); err != nil {
			return err
		}
	}
	if !copied {
		if err := s.upload(ctx, w); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.copied && !copied {
		s.report.Copied--
		s.report.Sent++
		s.report.SentBytes += w.Bytes
	}
	s.done.Files++
	s.done.Bytes += w.Bytes
	if s.Progress != nil {
		s.Progress(s.done)
	}
	return nil
}

// copy copies a file of the release before, and tells whether it is the right one.
func (s *sender) copy(ctx context.Context, w work) (bool, error) {
	var info store.Info
	err := again(ctx, func() (err error) {
		info, err = s.Store.Copy(ctx, root(s.plan.from)+w.Name, root(s.plan.build)+w.Name)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && info.MD5() == w.md5, err
}

// upload sends a file.
func (s *sender) upload(ctx context.Context, w work) error {
	in, err := s.plan.root.Open(w.Name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	o := headers(w.Name)
	o.SHA256 = w.SHA256
	return s.put(ctx, w.Name, in, w.Bytes, o)
}

// again makes a request until it succeeds, cannot succeed or was made often enough.
func again(ctx context.Context, request func() error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := request()
		if n == attempts || !store.Temporary(err) {
			return err
		}
		wait := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-ctx.Done():
			wait.Stop()
			return context.Cause(ctx)
		case <-wait.C:
		}
		pause = min(2*pause, lastPause)
	}
}

// each does n tasks, some at once, until one of them fails or ctx ends.
func each(ctx context.Context, jobs, n int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(jobs, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := do(int(i)); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
