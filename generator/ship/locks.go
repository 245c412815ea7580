// This file has the announcements of publications, and the leases of gc and of publications in place. Leases use only
// the clock of this machine, to measure how long an object has not changed. The age of an announcement also uses the
// store's clock, as hours do not matter there.

package ship

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const (
	locksDir    = "locks"
	announceDir = locksDir + "/current/"      // + BUILD-RANDOM: a command is about to make BUILD current
	leaseName   = locksDir + "/removing.json" // the builds that gc removes
	maxLease    = 1 << 20                     // of a lease's object, in bytes
	// maxAnnouncement is enough for the names of some 15,000 objects.
	maxAnnouncement = 1 << 20
	// sharedObjects is the name, among the builds of gc's lease, for the objects that releases share.
	sharedObjects = "shared"
)

// announcement names, for a publication to nodes, the shared objects that gc must not remove: the ones that the current
// release does not have. The announcement of other commands is empty: the manifest of their build names the objects.
type announcement struct {
	Keys []string `json:"keys,omitempty"`
	All  bool     `json:"all,omitempty"` // they are too many to name
}

func (a announcement) encode() []byte {
	if len(a.Keys) == 0 {
		return nil
	}
	if b, err := json.Marshal(a); err == nil && len(b) <= maxAnnouncement {
		return b
	}
	return []byte(`{"all":true}`)
}

// leaseTime is how long a renewal lasts: one half for removals, the other for requests under way.
var leaseTime = time.Minute

// lastRequestTime bounds the request that revokes an announcement or a lease after an interruption.
const lastRequestTime = 500 * time.Millisecond

// leaseRecord is the content of the lease's object, which is never deleted: without
// conditional deletes a store could delete another holder's.
type leaseRecord struct {
	Builds []string `json:"builds"` // builds that may be losing objects now; empty if the lease is free
	Holder string   `json:"holder"` // a random name
	Turn   int      `json:"turn"`   // counts renewals, so that each has an ETag of its own
	liveState
}

// leaseObject is the object of a lease.
type leaseObject struct {
	*store.Store
	key string
	who string // who holds it, for messages
}

func gcLease(s *store.Store) leaseObject { return leaseObject{s, leaseName, "gc"} }

// announced is the result of announce.
type announced struct {
	end   func()
	lease string // the ETag that gc's lease had then; it changes with every gc
}

// announce tells gc that a build becomes current, until end is called. It waits while gc removes the build, or what
// releases share. Of a store that is used for the first time it also checks that conditional requests work.
func announce(ctx context.Context, c PublishConfig, build string, first bool, a announcement) (*announced, error) {
	s, warn := c.Store, c.Warn
	key := announceDir + build + "-" + rand.Text()
	if _, err := putBytes(ctx, s, key, a.encode(), store.PutOptions{}); err != nil {
		return nil, err
	}
	end := func() {
		last, cancel := lastRequest(ctx)
		defer cancel()
		if err := remove(last, s, key); err != nil && warn != nil && ctx.Err() == nil {
			warn(fmt.Sprintf("gc keeps release %s for a day: %v", build, err))
		}
	}
	if first {
		if err := checkConditions(ctx, s, key); err != nil {
			end()
			return nil, err
		}
	}
	_, lease, err := gcLease(s).wait(ctx, warn, func(r leaseRecord) bool {
		return !slices.Contains(r.Builds, sharedObjects) && !slices.Contains(r.Builds, build)
	})
	if err != nil {
		end()
		return nil, err
	}
	return &announced{end, lease}, nil
}

// checkConditions puts an object of its own to prove two things: the store refuses to replace the
// object on the condition that it is new, and the ETag can be a condition. Otherwise the pointer would
// fail after everything was sent, or two publishers would overwrite each other's pointer.
func checkConditions(ctx context.Context, s *store.Store, key string) error {
	_, err := putBytes(ctx, s, key, nil, store.PutOptions{IfNew: true})
	if err == nil {
		return fmt.Errorf("%s: %w", s, store.ErrNoConditions)
	}
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	_, info, err := get(ctx, s, key, maxAnnouncement)
	if err == nil {
		if _, err = info.Condition(); err != nil {
			err = fmt.Errorf("%s: %w", s, err)
		}
	}
	return err
}

// lastRequest is the context of a request that outlives ctx, for a moment if ctx has ended.
func lastRequest(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := time.Minute
	if ctx.Err() != nil {
		limit = lastRequestTime
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// wait waits until good accepts the lease, and gives it with its ETag. It takes over a lease that is not renewed.
func (o leaseObject) wait(ctx context.Context, warn func(string), good func(leaseRecord) bool) (leaseRecord, string, error) {
	var seen string
	var since time.Time
	for {
		r, etag, err := o.read(ctx)
		if err != nil || good(r) {
			return r, etag, err
		}
		if seen == "" && warn != nil {
			warn(fmt.Sprintf("waiting for a %s of %s to end", o.who, o.Store))
		}
		if etag != seen {
			seen, since = etag, time.Now()
		}
		if time.Since(since) > leaseTime {
			r.Builds, r.Holder, r.Turn = nil, rand.Text(), 0
			taken, err := o.swap(ctx, r, etag)
			if !errors.Is(err, store.ErrChanged) {
				return r, taken, err
			}
		}
		select {
		case <-ctx.Done():
			return r, "", context.Cause(ctx)
		case <-time.After(leaseTime / 20):
		}
	}
}

// read reads the lease. A lease that was never held is empty and has no ETag.
func (o leaseObject) read(ctx context.Context) (r leaseRecord, etag string, err error) {
	b, info, err := get(ctx, o.Store, o.key, maxLease)
	if errors.Is(err, store.ErrNotFound) {
		return r, "", nil
	}
	if err != nil {
		return r, "", err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, "", fmt.Errorf("%s/%s is damaged: remove that object while no %s runs (%w)", o.Store, o.key, o.who, err)
	}
	return r, info.ETag, nil
}

// swap writes the lease if it still has the given ETag; "" stands for no lease.
func (o leaseObject) swap(ctx context.Context, r leaseRecord, etag string) (string, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	info, err := putBytes(ctx, o.Store, o.key, b, store.PutOptions{IfMatch: etag, IfNew: etag == ""})
	// A response may be lost, so that this process has changed the lease itself, and may have no ETag.
	if errors.Is(err, store.ErrChanged) || err == nil && info.ETag == "" {
		if now, there, e := o.read(ctx); e == nil && now.Holder == r.Holder && now.Turn == r.Turn {
			return there, nil
		}
	}
	return info.ETag, err
}

type lease struct {
	at      leaseObject
	record  leaseRecord
	etag    string
	renewed time.Time
}

// take announces the builds that are about to be removed or written. One process at a time holds the lease.
func (o leaseObject) take(ctx context.Context, builds []string, warn func(string)) (*lease, error) {
	for {
		r, etag, err := o.wait(ctx, warn, func(r leaseRecord) bool { return len(r.Builds) == 0 })
		if err != nil {
			return nil, err
		}
		r.Builds, r.Holder, r.Turn = builds, rand.Text(), 0
		l := &lease{at: o, record: r, etag: etag}
		if err := l.renew(ctx); !errors.Is(err, errLeaseLost) {
			return l, err
		}
	}
}

// errLeaseLost says that another process took the lease, or may have: this one stood still for too long.
var errLeaseLost = errors.New("this command stalled for so long that another one may have taken over: run it again")

func (l *lease) renew(ctx context.Context) error {
	now := time.Now()
	l.record.Turn++
	etag, err := l.at.swap(ctx, l.record, l.etag)
	if errors.Is(err, store.ErrChanged) {
		// An interrupted renewal may have arrived. The name of the holder is unique.
		r, there, e := l.at.read(ctx)
		if e != nil || r.Holder != l.record.Holder {
			return errors.Join(errLeaseLost, e)
		}
		etag, err = l.at.swap(ctx, l.record, there)
	}
	if errors.Is(err, store.ErrChanged) {
		return errLeaseLost
	}
	if err == nil {
		l.etag, l.renewed = etag, now
	}
	return err
}

// whileHeld renews the lease and does something that ends before others may count it as lost.
func (l *lease) whileHeld(ctx context.Context, do func(context.Context) error) error {
	if err := l.renew(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, l.renewed.Add(leaseTime/2))
	defer cancel()
	return do(ctx)
}

func (l *lease) without(build string) {
	l.record.Builds = slices.DeleteFunc(slices.Clone(l.record.Builds), func(b string) bool { return b == build })
}

func (l *lease) end(ctx context.Context) error {
	last, cancel := lastRequest(ctx)
	defer cancel()
	l.record.Builds = nil
	return l.renew(last)
}

// uses are the objects of a store that publications and readers use.
type uses struct {
	builds        map[string]bool
	pointer       *release.Pointer // nil before the first publication
	announcements []announcement
}

// inUse returns the announced builds, the proposed one, then the builds in the pointer. They are read in that
// order, as an announcement ends after its pointer or proposal was written, and a proposal after the pointer.
func inUse(ctx context.Context, s *store.Store) (*uses, error) {
	u := &uses{builds: map[string]bool{}}
	for info, err := range s.List(ctx, announceDir) {
		if err != nil {
			return nil, err
		}
		build, _, _ := strings.Cut(strings.TrimPrefix(info.Key, announceDir), "-")
		if time.Since(info.Modified) >= abandonedAfter {
			if err := remove(ctx, s, info.Key); err != nil {
				return nil, err
			}
			continue
		}
		u.builds[build] = true
		if info.Bytes == 0 {
			continue
		}
		a, err := readAnnouncement(ctx, s, info.Key)
		if err != nil {
			return nil, err
		}
		u.announcements = append(u.announcements, a)
	}
	o, p, err := named(ctx, s)
	for _, build := range o {
		u.builds[build] = true
	}
	u.pointer = p
	return u, err
}

// readAnnouncement reads what a publication needs. One that has ended meanwhile needs nothing: its pointer says it.
func readAnnouncement(ctx context.Context, s *store.Store, key string) (a announcement, err error) {
	b, _, err := get(ctx, s, key, maxAnnouncement)
	if errors.Is(err, store.ErrNotFound) {
		return a, nil
	}
	if err == nil && json.Unmarshal(b, &a) != nil {
		a = announcement{All: true} // of a newer version, or damaged
	}
	return a, err
}

// named returns the builds that the proposal and the pointer name, and the pointer.
func named(ctx context.Context, s *store.Store) (builds []string, p *release.Pointer, err error) {
	proposed, err := readProposal(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	p, _, err = currentPointer(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if proposed.follows(p) {
		builds = append(builds, proposed.Build)
	}
	if p != nil {
		builds = append(builds, p.Build, p.Previous)
	}
	return builds, p, nil
}
