// This file is how those who write to a store see each other: the announcements of
// publications, and the one lease of gc. Nothing here trusts a clock but this machine's,
// and only for how long something has not changed; the age of an announcement apart,
// where hours do not matter.

package publish

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// The objects of this file.
const (
	announceDir = "locks/current/"      // + BUILD-RANDOM: somebody is about to make BUILD current
	leaseName   = "locks/removing.json" // what gc removes
	maxLease    = 1 << 20
)

// leaseTime is how long a lease holds that is not renewed. Removals use half of it: the
// other half is for requests that are still on their way.
var leaseTime = time.Minute

// farewell is for taking back an announcement or a lease when a command is interrupted.
const farewell = 500 * time.Millisecond

// leaseRecord is what the lease's object holds. It is never deleted: a store without
// conditional deletes could not tell whose lease it deletes.
type leaseRecord struct {
	Builds []string `json:"builds"` // that may be losing objects now; none: nobody holds the lease
	Holder string   `json:"holder"` // a random name
	Turn   int      `json:"turn"`   // counts renewals, so that each has an ETag of its own
}

// announce tells gc that a build is about to become current, and waits while one removes
// it. The announcement stands until the call that is returned.
func announce(ctx context.Context, s *store.Store, build string, warn func(string)) (end func(), err error) {
	key := announceDir + build + "-" + rand.Text()
	if err := again(ctx, func() error {
		_, err := s.Put(ctx, key, strings.NewReader(""), 0, store.PutOptions{})
		return err
	}); err != nil {
		return nil, err
	}
	end = func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(farewell, remaining(ctx)))
		defer cancel()
		if err := again(last, func() error { return s.Delete(last, key) }); err != nil && warn != nil && ctx.Err() == nil {
			warn(fmt.Sprintf("gc keeps release %s for a day: %v", build, err))
		}
	}
	err = settled(ctx, s, warn, func(r leaseRecord) bool { return !slices.Contains(r.Builds, build) })
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// remaining is what a last request may take: as long as any while nobody hurries.
func remaining(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return 0
	}
	return time.Minute
}

// settled waits until the lease is as it should be, or takes it from a holder that does
// not renew it any more.
func settled(ctx context.Context, s *store.Store, warn func(string), good func(leaseRecord) bool) error {
	var seen string
	var since time.Time
	for {
		r, etag, err := readLease(ctx, s)
		if err != nil || good(r) {
			return err
		}
		if seen == "" && warn != nil {
			warn(fmt.Sprintf("waiting for a gc of %s to end", s))
		}
		if etag != seen {
			seen, since = etag, time.Now()
		}
		if time.Since(since) > leaseTime {
			_, err := swap(ctx, s, leaseRecord{Holder: rand.Text()}, etag)
			if err == nil || !errors.Is(err, store.ErrChanged) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(leaseTime / 20):
		}
	}
}

// readLease reads the lease; one that was never held is empty and has no ETag.
func readLease(ctx context.Context, s *store.Store) (r leaseRecord, etag string, err error) {
	b, info, err := get(ctx, s, leaseName, maxLease)
	if errors.Is(err, store.ErrNotFound) {
		return r, "", nil
	}
	if err != nil {
		return r, "", err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, "", fmt.Errorf("%s/%s is damaged: remove that object while no gc runs (%w)", s, leaseName, err)
	}
	return r, info.ETag, nil
}

// swap writes the lease if its ETag is still the given one, "" for none.
func swap(ctx context.Context, s *store.Store, r leaseRecord, etag string) (string, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	var info store.Info
	err = again(ctx, func() (err error) {
		info, err = s.Put(ctx, leaseName, bytes.NewReader(b), int64(len(b)), store.PutOptions{IfMatch: etag, IfNew: etag == "", SHA256: sum256(b)})
		return err
	})
	if errors.Is(err, store.ErrChanged) { // by ourselves, if an answer was lost
		if now, there, e := readLease(ctx, s); e == nil && now.Holder == r.Holder && now.Turn == r.Turn {
			return there, nil
		}
	}
	return info.ETag, err
}

// lease is the lease while this process holds it.
type lease struct {
	s       *store.Store
	record  leaseRecord
	etag    string
	renewed time.Time
}

// takeLease announces what is about to be removed. Only one gc does at a time.
func takeLease(ctx context.Context, s *store.Store, builds []string, warn func(string)) (*lease, error) {
	for {
		if err := settled(ctx, s, warn, func(r leaseRecord) bool { return len(r.Builds) == 0 }); err != nil {
			return nil, err
		}
		r, etag, err := readLease(ctx, s)
		if err != nil {
			return nil, err
		}
		if len(r.Builds) > 0 {
			continue
		}
		l := &lease{s: s, record: leaseRecord{Builds: builds, Holder: rand.Text()}, etag: etag}
		if err := l.renew(ctx); !errors.Is(err, errLeaseLost) {
			return l, err
		}
	}
}

// errLeaseLost is a lease that somebody took: this process stood still for too long.
var errLeaseLost = errors.New("somebody else took over while this gc stood still: run it again")

// renew holds the lease for another while.
func (l *lease) renew(ctx context.Context) error {
	now := time.Now()
	l.record.Turn++
	etag, err := swap(ctx, l.s, l.record, l.etag)
	if errors.Is(err, store.ErrChanged) {
		return errLeaseLost
	}
	if err == nil {
		l.etag, l.renewed = etag, now
	}
	return err
}

// hold renews the lease and does something that ends before others may count it as lost.
func (l *lease) hold(ctx context.Context, do func(context.Context) error) error {
	if err := l.renew(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, l.renewed.Add(leaseTime/2))
	defer cancel()
	return do(ctx)
}

// without takes a build out of those that the lease names.
func (l *lease) without(build string) {
	l.record.Builds = slices.DeleteFunc(slices.Clone(l.record.Builds), func(b string) bool { return b == build })
}

// end gives the lease back.
func (l *lease) end(ctx context.Context) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(farewell, remaining(ctx)))
	defer cancel()
	l.record.Builds = nil
	return l.renew(last)
}

// wanted gives the builds that somebody is about to make current, and those that the
// pointer names. The order matters: whoever takes an announcement back has moved the
// pointer before.
func wanted(ctx context.Context, s *store.Store) (map[string]bool, error) {
	found := map[string]bool{}
	for info, err := range s.List(ctx, announceDir) {
		if err != nil {
			return nil, err
		}
		build, _, _ := strings.Cut(strings.TrimPrefix(info.Key, announceDir), "-")
		if time.Since(info.Modified) < abandoned {
			found[build] = true
		} else if err := again(ctx, func() error { return s.Delete(ctx, info.Key) }); err != nil {
			return nil, err
		}
	}
	p, _, err := current(ctx, s)
	if p != nil {
		found[p.Build], found[p.Previous] = true, true
	}
	return found, err
}

// names tells whether a pointer keeps a build from gc.
func names(p *release.Pointer, build string) bool {
	return p != nil && (p.Build == build || p.Previous == build)
}
