// This file sends a plan's files in stages: items before lists that name them, the manifest last.

package ship

import (
	"context"
	"encoding/hex"
	"errors"
	"sync"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// sender sends the files of a release.
type sender struct {
	PublishConfig
	plan *plan

	done   *progress
	mu     sync.Mutex
	report *Report // guarded by mu
}

// progress counts what was sent.
type progress struct {
	report func(Progress) // may be nil

	mu sync.Mutex
	Progress
}

func (p *progress) add(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Files++
	p.Bytes += bytes
	if p.report != nil {
		p.report(p.Progress)
	}
}

func send(ctx context.Context, c PublishConfig, p *plan, r *Report) error {
	s := &sender{PublishConfig: c, plan: p, report: r, done: &progress{report: c.Progress}}
	for _, w := range p.work {
		s.done.TotalFiles++
		s.done.TotalBytes += w.bytes
	}
	for _, class := range stages {
		var now []work
		for _, w := range p.work {
			if classOf(w.name) == class {
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
	_, err := putBytes(ctx, c.Store, root(p.Manifest.Build)+release.ManifestName, p.Raw, headers(release.ManifestName))
	return err
}

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
	s.done.add(w.bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.copied && !copied {
		s.report.Copied--
		s.report.Sent++
		s.report.SentBytes += w.bytes
	}
	return nil
}

// copy copies a file of the current release, and reports whether the copy has the right bytes.
func (s *sender) copy(ctx context.Context, w work) (bool, error) {
	info, err := copyFile(ctx, s.Store, root(s.plan.from)+w.name, root(s.plan.Manifest.Build)+w.name)
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
	_, err = put(ctx, s.Store, root(s.plan.Manifest.Build)+w.name, in, w.bytes, o)
	return err
}

// each runs n tasks, jobs at a time, until one fails or ctx ends.
func each(ctx context.Context, jobs, n int, do func(i int) error) error {
	return parallel.Each(ctx, jobs, n, func(_, i int) error { return do(i) })
}
