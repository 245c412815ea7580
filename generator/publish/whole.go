// This file tells whether a release is whole in its store, and mends the current one.

package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
	"contentedge/generator/sums"
)

// ErrNotWhole is a release that is current although the store lacks some of its files.
var ErrNotWhole = errors.New("the current release is not whole in the store")

// notWhole says what lacks and what to do.
func notWhole(s *store.Store, build string, lacking []string) error {
	return fmt.Errorf("%w: release %s lacks %d files, %s the first; run generator releases repair %s --public DIR, with that release's public directory",
		ErrNotWhole, build, len(lacking), lacking[0], s)
}

// unproven is an error after the pointer has moved.
func unproven(s *store.Store, build string, err error) error {
	return fmt.Errorf("release %s is current, but nothing proves that it is whole; run generator releases repair %s: %w", build, s, err)
}

// contents lists the names and sums of a release's files in the store; the manifest, or
// the list, is lacking if it is not as it should be.
func contents(ctx context.Context, s *store.Store, build string) (files []file, lacking []string, err error) {
	m, _, _, err := manifest(ctx, s, build)
	if err != nil {
		if useless(err) {
			return nil, []string{release.ManifestName}, nil
		}
		return nil, nil, err
	}
	list, err := remote(ctx, s, m)
	if err != nil {
		return nil, nil, err
	}
	if list == nil {
		return nil, []string{release.SumsName}, nil
	}
	for list.Next() {
		files = append(files, file{name: string(list.Name()), sum: list.Sum()})
	}
	if list.Err() != nil {
		return nil, []string{release.SumsName}, nil
	}
	return files, nil, nil
}

// lacking gives the files of a release that the store does not have.
func lacking(ctx context.Context, s *store.Store, build string) ([]string, error) {
	files, lacks, err := contents(ctx, s, build)
	if err != nil || lacks != nil {
		return lacks, err
	}
	there, err := sizes(ctx, s, build)
	for _, f := range files {
		if _, ok := there[f.name]; !ok {
			lacks = append(lacks, f.name)
		}
	}
	return lacks, err
}

// sizes lists what is at a release's place.
func sizes(ctx context.Context, s *store.Store, build string) (map[string]int64, error) {
	there := map[string]int64{}
	return there, again(ctx, func() error {
		clear(there)
		for info, err := range s.List(ctx, root(build)) {
			if err != nil {
				return err
			}
			there[info.Key[len(root(build)):]] = info.Bytes
		}
		return nil
	})
}

// settleRounds is how often what lacks is sent again: what removes it faster than that
// does not end by itself.
const settleRounds = 3

// settle proves that the store has the release that became current, and sends again what
// it lacks, unless another one is current by now.
func settle(ctx context.Context, c Config, l *local, r *Report) error {
	build := l.Manifest.Build
	for range settleRounds {
		p, err := l.lacks(ctx, c.Store)
		if err != nil {
			return unproven(c.Store, build, err)
		}
		if len(p.work) == 0 && p.complete {
			return nil
		}
		now, _, err := current(ctx, c.Store)
		if err == nil && (now == nil || now.Build != build) {
			return nil
		}
		if err == nil {
			r.Resent += len(p.work)
			err = send(ctx, c, p, new(Report))
		}
		if err != nil {
			return unproven(c.Store, build, err)
		}
	}
	p, err := l.lacks(ctx, c.Store)
	switch {
	case err != nil:
		return unproven(c.Store, build, err)
	case len(p.work) > 0:
		return notWhole(c.Store, build, []string{p.work[0].name})
	case !p.complete:
		return notWhole(c.Store, build, []string{release.ManifestName})
	}
	return nil
}

// lacks plans to send what the store does not have in the right size.
func (l *local) lacks(ctx context.Context, s *store.Store) (*plan, error) {
	there, err := sizes(ctx, s, l.Manifest.Build)
	if err != nil {
		return nil, err
	}
	p := &plan{local: l, complete: there[release.ManifestName] == int64(len(l.Raw))}
	for _, f := range l.files {
		if n, ok := there[f.name]; !ok || n != f.bytes {
			p.work = append(p.work, work{file: f})
		}
	}
	return p, nil
}

// Repaired says what a repair found and did.
type Repaired struct {
	Build string `json:"build"`
	Files int    `json:"files"` // that the release has
	Sent  int    `json:"sent"`  // from the public directory, or from other releases of the store
}

// Repair gives a store what it lacks of its current release: from a public directory that
// holds the release, or without one from the store's other releases as far as they have
// it. Without one it reads every object; what stays wrong is an error that wraps
// ErrNotWhole.
func Repair(ctx context.Context, c Config) (*Repaired, error) {
	if c.Jobs == 0 {
		c.Jobs = DefaultJobs
	}
	p, _, err := current(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%w: none is current", ErrNoRelease)
	}
	end, err := announce(ctx, c.Store, p.Build, c.Warn)
	if err != nil {
		return nil, err
	}
	defer end()
	if c.Public != "" {
		return repairFrom(ctx, c, p)
	}
	return repairInside(ctx, c, p)
}

// repairFrom sends what lacks from a public directory.
func repairFrom(ctx context.Context, c Config, p *release.Pointer) (*Repaired, error) {
	l, err := readLocal(ctx, c.Public, c.Jobs)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if l.Manifest.Build != p.Build || sum256(l.Raw) != p.ManifestSHA256 {
		return nil, fmt.Errorf("%s holds release %s, but %s is current: name the public directory of that one, or publish this one", c.Public, l.Manifest.Build, p.Build)
	}
	plan, err := compare(ctx, &c, l, nil)
	if err != nil {
		return nil, err
	}
	r := &Repaired{Build: p.Build, Files: len(l.files) + 1, Sent: len(plan.work)}
	if !plan.complete {
		r.Sent++
	}
	if err := send(ctx, c, plan, plan.report()); err != nil {
		return nil, err
	}
	return r, settle(ctx, c, l, new(Report))
}

// repairInside copies what lacks from other releases of the store.
func repairInside(ctx context.Context, c Config, p *release.Pointer) (*Repaired, error) {
	files, lacks, err := contents(ctx, c.Store, p.Build)
	if err != nil {
		return nil, err
	}
	if lacks != nil {
		return nil, notWhole(c.Store, p.Build, lacks)
	}
	wrong, err := damaged(ctx, c, p.Build, files)
	if err != nil {
		return nil, err
	}
	r := &Repaired{Build: p.Build, Files: len(files) + 2}
	left, err := borrow(ctx, c, p.Build, wrong)
	if err == nil && len(left) > 0 {
		lacks := make([]string, len(left))
		for i, f := range left {
			lacks[i] = f.name
		}
		err = notWhole(c.Store, p.Build, lacks)
	}
	r.Sent = len(wrong) - len(left)
	return r, err
}

// damaged gives the files that are not in the store as they should be.
func damaged(ctx context.Context, c Config, build string, files []file) ([]file, error) {
	var mu sync.Mutex
	var wrong []file
	err := each(ctx, c.Jobs, len(files), func(i int) error {
		ok, err := isWhole(ctx, c.Store, root(build)+files[i].name, files[i].sum)
		if err == nil && !ok {
			mu.Lock()
			defer mu.Unlock()
			wrong = append(wrong, files[i])
		}
		return err
	})
	slices.SortFunc(wrong, func(a, b file) int { return slices.Compare([]byte(a.name), []byte(b.name)) })
	return wrong, err
}

// isWhole reads an object and tells whether it has a sum.
func isWhole(ctx context.Context, s *store.Store, key string, want sums.Sum) (bool, error) {
	h := sha256.New()
	err := again(ctx, func() error {
		h.Reset()
		obj, err := s.Get(ctx, key, store.GetOptions{Max: store.MaxObject})
		if err != nil {
			return err
		}
		defer func() { _ = obj.Close() }()
		_, err = io.Copy(h, obj)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return sums.Sum(h.Sum(nil)) == want, err
}

// borrow copies files from whichever other release has them, and gives those that none has.
func borrow(ctx context.Context, c Config, build string, wrong []file) ([]file, error) {
	releases, err := List(ctx, c.Store)
	for _, r := range releases {
		if err != nil || len(wrong) == 0 {
			break
		}
		if r.Build == build || r.Sent.IsZero() {
			continue
		}
		wrong, err = borrowFrom(ctx, c, r.Build, build, wrong)
	}
	return wrong, err
}

// borrowFrom copies files from one release, and gives those that it does not have.
func borrowFrom(ctx context.Context, c Config, from, build string, wrong []file) (left []file, err error) {
	has, _, err := contents(ctx, c.Store, from)
	if err != nil {
		return wrong, err
	}
	var mu sync.Mutex
	return left, each(ctx, c.Jobs, len(wrong), func(i int) error {
		f, ok := wrong[i], false
		at, found := slices.BinarySearchFunc(has, f.name, func(h file, name string) int { return slices.Compare([]byte(h.name), []byte(name)) })
		if found && has[at].sum == f.sum {
			err := again(ctx, func() error {
				_, err := c.Store.Copy(ctx, root(from)+f.name, root(build)+f.name)
				return err
			})
			if err == nil {
				ok, err = isWhole(ctx, c.Store, root(build)+f.name, f.sum)
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		if !ok {
			mu.Lock()
			defer mu.Unlock()
			left = append(left, f)
		}
		return nil
	})
}
