// This file publishes in place: it changes the files below release.LiveDir that differ, while readers read them.
//
//	PREFIX/live/…                      the files of the current release, as in its directory
//	PREFIX/live/current.json           the pointer, if it is signed
//	PREFIX/releases/BUILD/manifest.json
//	                                   by which nodes find the files, as the one in live/ is ahead of the pointer
//	PREFIX/locks/live.json             the lease of publications in place, and a liveState
// The list of checksums of the current release says which files the store has. A publication reads that list, compares
// it with its own, and looks at each object that it is about to replace or remove. If another program has changed an
// object, so that its bytes differ from the list, the publication refuses before it writes anything. Puts are
// conditional on the ETags that the publication saw. A condition that fails all the same goes into the liveState, and
// every publication refuses until Repair.
//
// Before its first change a publication writes its build to the liveState, and takes it out after the last one. The
// next one that finds a build there cannot know which objects are of which release: neither the lists nor an order of
// steps would tell after several interruptions. It lists the objects, compares MD5s, and replaces every object that
// differs, whoever wrote it.
//
// Two publications that changed different files would mix, so one at a time holds the lease. It renews it while it
// works. Its requests end after half of the lease's time without a renewal; other publications wait for the whole time.
// A publication that had to wait finds that the pointer has moved, and fails.
//
// Files whose names depend on their content (media, snapshots, parts of the manifest) need no condition. The
// publication after the one that stopped naming them removes them: until then caches may hold items that name the
// media, and nodes a manifest that names the snapshots.

package ship

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
)

// ErrForeign: another program changed a file of the current release below release.LiveDir.
var ErrForeign = exitcode.NewRefusal("another program changed a file of the current release", "another program changed the store")

// live is a publication in place.
type live struct {
	*writer
	local *local
	state liveState // what the publication before left
	lease *lease    // nil in a dry run

	repairs bool // it restores the current release, whatever another program did to it
	stages  *ordered
	retired []string // what the next publication removes
	report  *Report

	mu      sync.Mutex
	done    Progress          // guarded by mu
	etags   map[string]string // of the objects that are replaced, by the name of the file; guarded by mu
	strange string            // a file that another program changed meanwhile; guarded by mu
}

// publishInPlace is Publish in a store in place. old is the current release, if it is another one.
func (w *writer) publishInPlace(ctx context.Context, l *local, old *current) (*Report, error) {
	c := &w.PublishConfig
	if c.Sign.Propose {
		return nil, fmt.Errorf("%w, so it has no proposals: sign with all keys at once", ErrInPlace)
	}
	if err := l.read(ctx, c.Jobs); err != nil {
		return nil, err
	}
	w.lists = map[string]*checksums.List{l.Manifest.Build: l.List}
	p := &live{writer: w, local: l, etags: map[string]string{}}
	defer p.closeLists()
	if c.DryRun {
		r, _, err := liveLease(c.Store).read(ctx)
		if err != nil {
			return nil, err
		}
		p.state = r.liveState
		if err := p.plan(ctx, old); err != nil {
			return nil, err
		}
		p.report.planned = p.requests()
		return p.report, w.dryRun(ctx, p.report, l, release.KindInPlace)
	}
	a, err := announce(ctx, *c, l.Manifest.Build, w.before.Pointer == nil, announcement{})
	if err != nil {
		return nil, err
	}
	defer a.end()
	forms := w.writeForms(ctx, l, release.KindInPlace) // before the lease, which is not for as long
	r, err := p.publishHolding(ctx, func() error { return p.plan(ctx, old) })
	if r != nil {
		r.Forms = forms
	}
	return r, err
}

func (p *live) closeLists() {
	for _, l := range p.lists {
		if l != p.local.List {
			l.Close()
		}
	}
}

// publishHolding takes the lease, plans, and publishes.
func (p *live) publishHolding(ctx context.Context, plan func() error) (*Report, error) {
	var err error
	if p.before.kind() != release.KindInPlace {
		if err := checkReplaces(ctx, p.Store); err != nil {
			return nil, err
		}
	}
	if p.lease, err = liveLease(p.Store).take(ctx, []string{p.local.Manifest.Build}, p.Warn); err != nil {
		return nil, err
	}
	p.state = p.lease.record.liveState
	err = p.unmoved(ctx)
	if err == nil {
		err = plan()
	}
	if err == nil {
		err = p.send(ctx)
	}
	if errors.Is(err, errLeaseLost) {
		return p.report, err
	}
	return p.report, errors.Join(err, p.lease.end(ctx))
}

// unmoved fails if another publication moved the pointer before this one had the lease.
func (p *live) unmoved(ctx context.Context) error {
	info, err := again(ctx, func() (store.Info, error) { return p.Store.Stat(ctx, release.PointerName) })
	if errors.Is(err, store.ErrNotFound) {
		info, err = store.Info{}, nil
	}
	if err != nil || info.ETag == p.before.etag {
		return err
	}
	now, err := readPointer(ctx, p.Store, release.PointerName)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: release %s is current now, and %s is not; run again to change that", ErrLost, now.build(), p.local.Manifest.Build)
}

// plan finds the files that differ, and refuses files that another program changed.
func (p *live) plan(ctx context.Context, old *current) error {
	if p.state.Foreign != "" && p.before.kind() == release.KindInPlace {
		return p.foreign(p.state.Foreign)
	}
	same := p.names(p.local, release.KindInPlace)
	var changes []change
	var err error
	switch {
	case p.before.kind() != release.KindInPlace || p.state.Unfinished != "" || old == nil && !same:
		changes, err = p.fromListing(ctx)
	case !same:
		changes, err = p.fromList(ctx, old.Manifest)
	default:
		p.retired = p.state.Retired
	}
	if err != nil {
		return err
	}
	p.stages = inOrder(changes)
	p.count()
	return nil
}

// foreign returns the error for a file that another program changed. The first publication in place has no release to
// repair: the next attempt replaces every file.
func (p *live) foreign(name string) error {
	then := "publish again"
	if p.before.kind() == release.KindInPlace {
		then = fmt.Sprintf("run generator releases repair %s --public DIR, with the public directory of release %s", p.Store, p.before.build())
	}
	return fmt.Errorf("%w, or removed it: %s/%s is not as a publication left it. Find out who writes there, then %s",
		ErrForeign, p.Store, release.LiveKey(name), then)
}

// count makes the report of what will be done.
func (p *live) count() {
	l := p.local
	r := &Report{Build: l.Manifest.Build, Kind: release.KindInPlace, Files: len(l.files) + 1, Bytes: int64(len(l.Raw))}
	for _, f := range l.files {
		r.Bytes += f.bytes
	}
	for _, c := range p.stages.all() {
		if c.removed() {
			r.Removed++
			continue
		}
		r.Sent++
		r.SentBytes += p.size(c.name)
	}
	r.Kept = r.Files - r.Sent
	p.done.TotalFiles, p.done.TotalBytes = r.Sent+r.Removed, r.SentBytes
	r.Changed = !p.repairs && p.changes(l, release.KindInPlace)
	p.report = r
}

// requests returns how many requests the publication makes in addition to the ones that a dry run has made.
func (p *live) requests() int {
	own := p.report.Sent + p.report.Removed + 3 // the lease is taken and given back; the pointer is looked at
	if p.writes() {
		own++ // the lease says so
	}
	if p.before.kind() != release.KindInPlace {
		own += 3
	}
	if p.report.Changed {
		own++ // the manifest is looked at
		if len(p.Sign.Keys) > 0 {
			own++ // the copy of the signed pointer among the files
		}
	}
	return p.writer.requests(p.report, own, !p.report.Changed)
}

// writes reports whether files are written or removed.
func (p *live) writes() bool { return len(p.stages.puts)+len(p.stages.removals) > 0 }

func (p *live) size(name string) int64 {
	if i, ok := p.local.find(name); ok {
		return p.local.files[i].bytes
	}
	return int64(len(p.local.Raw))
}

// send makes the changes, and moves the pointer between the last file that it writes and the first that it removes.
func (p *live) send(ctx context.Context) error {
	var record []byte
	state := &p.lease.record.liveState
	if p.writes() {
		state.Unfinished = p.report.Build
		if err := p.lease.renew(ctx); err != nil {
			return err
		}
	}
	err := p.lease.during(ctx, func(ctx context.Context) (err error) {
		for _, stage := range p.stages.puts {
			if err := each(ctx, p.Jobs, len(stage), func(i int) error { return p.put(ctx, &stage[i]) }); err != nil {
				return err
			}
		}
		if record, err = p.sendOwn(ctx); err != nil {
			return err
		}
		if err := p.publish(ctx, p.local, p.report, record, release.KindInPlace); err != nil {
			return err
		}
		if err := p.confirm(ctx, record); err != nil {
			return err
		}
		for _, stage := range p.stages.removals {
			if err := each(ctx, p.Jobs, len(stage), func(i int) error { return p.remove(ctx, &stage[i]) }); err != nil {
				return fmt.Errorf("release %s is current, but files of the previous release are left: publish again: %w", p.report.Build, err)
			}
		}
		return nil
	})
	if err == nil {
		*state = liveState{Retired: p.retired}
	} else {
		state.Foreign = cmp.Or(p.strange, state.Foreign)
	}
	return err
}

// sendOwn sends the objects that belong only to this build, before the pointer names it: the manifest by which nodes
// find the files, and the record of who built the release.
func (p *live) sendOwn(ctx context.Context) ([]byte, error) {
	if p.report.Changed || p.repairs {
		if _, err := putBytes(ctx, p.Store, release.ReleaseKey(p.report.Build, release.ManifestName), p.local.Raw, headers(release.ManifestName)); err != nil {
			return nil, err
		}
	}
	return p.record(ctx, p.local, p.report.Changed)
}

// confirm sends the objects of sendOwn again, if a gc that stalled beyond its lease has removed them.
func (p *live) confirm(ctx context.Context, record []byte) error {
	if !p.report.Changed {
		return nil
	}
	key := release.ReleaseKey(p.report.Build, release.ManifestName)
	_, err := again(ctx, func() (store.Info, error) { return p.Store.Stat(ctx, key) })
	if errors.Is(err, store.ErrNotFound) {
		_, err = putBytes(ctx, p.Store, key, p.local.Raw, headers(release.ManifestName))
		err = errors.Join(err, restoreRecord(ctx, p.Store, p.report.Build, record))
	}
	if err != nil {
		return unverified(p.Store, p.report.Build, err)
	}
	return nil
}

// put writes a file, unless another program changed it since the plan was made.
func (p *live) put(ctx context.Context, c *change) error {
	o := headers(c.name)
	o.SHA256 = hex.EncodeToString(c.new[:])
	if !isContentNamed(c.name) { // otherwise every writer writes the same
		p.mu.Lock()
		o.IfMatch = p.etags[c.name]
		p.mu.Unlock()
		o.IfNew = o.IfMatch == ""
	}
	err := p.upload(ctx, c.name, o)
	if errors.Is(err, store.ErrChanged) || o.IfMatch != "" && errors.Is(err, store.ErrNotFound) {
		err = p.resolve(ctx, c)
	}
	if err == nil {
		p.progress(p.size(c.name))
	}
	return err
}

func (p *live) upload(ctx context.Context, name string, o store.PutOptions) error {
	if name == release.ManifestName {
		_, err := put(ctx, p.Store, release.LiveKey(name), bytes.NewReader(p.local.Raw), int64(len(p.local.Raw)), o)
		return err
	}
	in, err := p.local.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	_, err = put(ctx, p.Store, release.LiveKey(name), in, p.size(name), o)
	return err
}

// resolve decides what a failed condition means. The response to an earlier attempt may have been lost, although the
// store has the file. Otherwise another program wrote it, and no later publication may replace it unseen.
func (p *live) resolve(ctx context.Context, c *change) error {
	_, is, err := p.observe(ctx, c.name, c.new)
	if err != nil || is {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strange = c.name // the lease is being renewed
	return p.foreign(c.name)
}

func (p *live) remove(ctx context.Context, c *change) error {
	err := remove(ctx, p.Store, release.LiveKey(c.name))
	if err == nil {
		p.progress(0)
	}
	return err
}

func (p *live) progress(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done.Files++
	p.done.Bytes += bytes
	if p.Progress != nil {
		p.Progress(p.done)
	}
}
