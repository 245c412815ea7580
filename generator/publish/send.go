// This file sends the files of a plan, stage by stage: items before the lists that name
// them, and the manifest last.

package publish

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
	"contentedge/generator/parallel"
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

// send brings all files, then the manifest, into the store.
func send(ctx context.Context, c Config, p *plan, r *Report) error {
	s := &sender{Config: c, plan: p, report: r}
	for _, w := range p.work {
		s.done.TotalFiles++
		s.done.TotalBytes += w.bytes
	}
	for n := range stages {
		var now []work
		for _, w := range p.work {
			if stage(w.name) == n {
				now = append(now, w)
			}
		}
		if err := each(ctx, c.Jobs, len(now), func(i int) error { return s.bring(ctx, now[i]) }); err != nil {
			return err
		}
	}
	if p.complete {
		return nil
	}
	o := headers(release.ManifestName)
	o.SHA256 = release.HexSHA256(p.Raw)
	return s.put(ctx, release.ManifestName, bytes.NewReader(p.Raw), int64(len(p.Raw)), o)
}

func (s *sender) put(ctx context.Context, name string, content io.ReaderAt, size int64, o store.PutOptions) error {
	return retry(ctx, func() error {
		_, err := s.Store.Put(ctx, root(s.plan.Manifest.Build)+name, content, size, o)
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
		s.report.SentBytes += w.bytes
	}
	s.done.Files++
	s.done.Bytes += w.bytes
	if s.Progress != nil {
		s.Progress(s.done)
	}
	return nil
}

// copy copies a file of the current release, and reports whether it is the right one.
func (s *sender) copy(ctx context.Context, w work) (bool, error) {
	var info store.Info
	err := retry(ctx, func() (err error) {
		info, err = s.Store.Copy(ctx, root(s.plan.from)+w.name, root(s.plan.Manifest.Build)+w.name)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sum, err := s.plan.md5(&w.file)
	return info.MD5() == sum, err
}

func (s *sender) upload(ctx context.Context, w work) error {
	in, err := s.plan.root.Open(w.name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	o := headers(w.name)
	o.SHA256 = hex.EncodeToString(w.sum[:])
	return s.put(ctx, w.name, in, w.bytes, o)
}

// retry makes a request until it succeeds, cannot succeed or was made often enough.
func retry(ctx context.Context, request func() error) error {
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

// each runs n tasks, jobs at a time, until one fails or ctx ends.
func each(ctx context.Context, jobs, n int, do func(i int) error) error {
	return parallel.Each(ctx, jobs, n, func(_, i int) error { return do(i) })
}
