// This file lists the releases of a store and makes another one current.

package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/provenance"
)

// Release is a release in a store.
type Release struct {
	Build     string            `json:"build"`
	Manifest  string            `json:"manifestSHA256,omitempty"` // the digest of its manifest
	Format    int               `json:"format,omitempty"`         // of its manifest: which programs read the release
	Sent      time.Time         `json:"sent"`                     // when its manifest was written, or zero
	Items     int               `json:"items"`
	Files     int               `json:"files"`
	Bytes     int64             `json:"bytes"`
	Current   bool              `json:"current"`
	Previous  bool              `json:"previous"` // it was current before the current one
	Published string            `json:"published,omitempty"`
	Kind      release.StoreKind `json:"kind,omitempty"`     // of the store, where the release is current; of complete releases if absent
	Proposed  bool              `json:"proposed,omitempty"` // a signer has proposed to make it current

	// Sequence is the number of the pointer that names or proposes the release, or else of the last one that named it.
	Sequence int64   `json:"sequence,omitempty"`
	Signed   *Signed `json:"signed,omitempty"` // that pointer's, or nil

	Source    *provenance.Source `json:"source,omitempty"`    // who built it, as the store says; nil if unknown
	Withdrawn *Withdrawal        `json:"withdrawn,omitempty"` // the rollback that replaced it
}

// ErrNoRelease: the store does not have the build, or has only a part.
var ErrNoRelease = errors.New("no such release in the store")

// List returns the releases of a store, the newest first. Releases without a manifest, which are being sent or were
// interrupted, come first.
func List(ctx context.Context, s *store.Store) ([]Release, error) {
	p, err := readPointer(ctx, s, release.PointerName)
	if err != nil {
		return nil, err
	}
	proposed, err := readProposal(ctx, s)
	if err != nil {
		return nil, err
	}
	withdrawn, _, err := readWithdrawals(ctx, s)
	if err != nil {
		return nil, err
	}
	builds, err := storedBuilds(ctx, s)
	if err != nil {
		return nil, err
	}
	out := make([]Release, len(builds))
	err = each(ctx, DefaultJobs, len(builds), func(i int) (err error) {
		if out[i], err = describe(ctx, s, builds[i]); err == nil {
			out[i].Withdrawn = findWithdrawal(withdrawn.Withdrawn, builds[i], p.Pointer)
			out[i].mark(p, proposed)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Release) int {
		if a.Sent.IsZero() != b.Sent.IsZero() {
			return map[bool]int{true: -1, false: 1}[a.Sent.IsZero()]
		}
		// Times of stores have whole seconds. Within one second, releases that became current sort as later.
		return cmp.Or(b.Sent.Compare(a.Sent), b.rank()-a.rank())
	})
	return out, nil
}

// storedBuilds returns the builds of which a store has objects.
func storedBuilds(ctx context.Context, s *store.Store) ([]string, error) {
	names, err := again(ctx, func() ([]string, error) { return s.Dirs(ctx, release.ReleasesDir+"/") })
	return slices.DeleteFunc(names, func(name string) bool { return !release.IsBuild(name) }), err
}

// mark says what the pointer and the proposal say of a release.
func (r *Release) mark(p, proposed *pointerObject) {
	if p.Pointer != nil {
		r.Current, r.Previous = p.Build == r.Build, p.Previous == r.Build && p.Build != r.Build
	}
	r.Proposed = proposed.follows(p.Pointer) && proposed.Build == r.Build
	of := p
	switch {
	case r.Current:
		r.Published, r.Kind = p.Published, p.Kind
	case r.Proposed:
		of = proposed
	default:
		return
	}
	s := signedBy(of)
	r.Sequence, r.Signed = of.Sequence, &s
}

// rank is highest for a proposed release, then for the current one, then for the previous one.
func (r *Release) rank() int {
	switch {
	case r.Proposed && !r.Current:
		return 3
	case r.Current:
		return 2
	case r.Previous:
		return 1
	}
	return 0
}

func describe(ctx context.Context, s *store.Store, build string) (Release, error) {
	r := Release{Build: build}
	m, raw, at, err := manifest(ctx, s, build)
	if errors.Is(err, ErrNoRelease) {
		return r, nil
	}
	if other, is := errors.AsType[*release.FormatError](err); is {
		r.Sent, r.Format, r.Items = at, other.Format, itemsOf(other.Environments)
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Format, r.Sent, r.Items, r.Files, r.Bytes, r.Manifest = m.Format, at, itemsOf(m.Environments), m.Files, m.Bytes, release.HexSHA256(raw)
	was, err := readCopy(ctx, s, build)
	if err != nil {
		return r, err
	}
	if was.Pointer == nil {
		was.Pointer = &release.Pointer{Build: build}
	}
	if r.Sequence = was.Sequence; was.signed() {
		signed := signedBy(was)
		r.Signed = &signed
	}
	r.Source, _, err = sourceOf(ctx, s, was, r.Manifest)
	return r, err
}

// noRelease returns ErrNoRelease for a build, which a user may have given.
func noRelease(build string) error {
	if !release.IsBuild(build) {
		return fmt.Errorf("%w: %.80q is not a build id: releases list shows the builds", ErrNoRelease, build)
	}
	return fmt.Errorf("%w: %s", ErrNoRelease, build)
}

// itemsOf counts the items of all environments.
func itemsOf(all []release.Environment) (n int) {
	for i := range all {
		n += all[i].Items
	}
	return n
}

// manifest reads a release's manifest, and when it was sent. If the release has parts, the manifest has only rows.
func manifest(ctx context.Context, s *store.Store, build string) (*release.Manifest, []byte, time.Time, error) {
	b, info, err := get(ctx, s, root(build)+release.ManifestName, release.MaxManifest)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, time.Time{}, noRelease(build)
	}
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	m, err := release.ParseRows(b)
	if err == nil && m.Build != build {
		err = fmt.Errorf("%w: it belongs to build %s", release.ErrManifest, m.Build)
	}
	if err != nil {
		return nil, nil, info.Modified, fmt.Errorf("%s/%s: %w", s, root(build)+release.ManifestName, err)
	}
	return m, b, info.Modified, nil
}

// Moved is the pointer that a command wrote or proposed, or that a dry run would write.
type Moved struct {
	*release.Pointer
	Changed bool `json:"changed"` // false: the store had this pointer already
	// Withdrawn is the build that a rollback replaced, or would replace.
	Withdrawn string `json:"withdrawn,omitempty"`
	Signatures
}

// Promote makes a release of the store current, unless that removes too much (*removal.Error). The caller names the
// release, so its withdrawal is taken back.
func Promote(ctx context.Context, c PublishConfig, build string) (*Moved, error) {
	w, err := newWriter(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := w.readWithdrawn(ctx); err != nil {
		return nil, err
	}
	return w.promote(ctx, build, func(next *held) error {
		if _, err := checkRemoval(ctx, c.Store, w.before.Pointer, next.Manifest, c.Removal, c.Warn); err != nil || next.kind == release.KindNodes {
			return err
		}
		lacks, err := missingFiles(ctx, c.Store, build)
		if err == nil && len(lacks) > 0 {
			err = lacksFiles(build, lacks)
		}
		return err
	})
}

// Rollback makes the previous release current and withdraws the current one. A second Rollback goes further back, past
// withdrawn releases. It also goes past releases that this program cannot read: nodes of its version could not either.
// Removals are not limited. It signs only after a pointer that is proved, as the store's pointer names the release. If files that nodes do not need are missing, the error wraps ErrNotWhole.
func Rollback(ctx context.Context, c PublishConfig) (*Moved, error) {
	w, err := newWriter(ctx, c)
	if err != nil {
		return nil, err
	}
	if w.before.Pointer == nil || w.before.Previous == "" {
		return nil, fmt.Errorf("%w: the store has no previous release", ErrNoRelease)
	}
	if err := w.proved(); err != nil {
		return nil, err
	}
	build, err := w.previous(ctx)
	if err != nil {
		return nil, err
	}
	w.back = true
	m, err := w.promote(ctx, build, nil)
	if m != nil {
		m.Withdrawn = w.before.Build
	}
	return m, err
}

// Renew writes the pointer with the current time, for nodes that limit its age and for pointers that expire. A sequence
// of 0 stands for the next number. Another number is for nodes that saw a forged pointer, or for a new store. Renew
// signs only if the previous pointer is genuine, as it knows the release only from that pointer.
func Renew(ctx context.Context, c PublishConfig, sequence int64) (*Moved, error) {
	w, err := newWriter(ctx, c)
	if err != nil {
		return nil, err
	}
	if w.before.Pointer == nil {
		return nil, fmt.Errorf("%w: no release is current", ErrNoRelease)
	}
	if err := w.proved(); err != nil {
		return nil, err
	}
	next := w.before.Renewed(time.Now())
	if sequence > 0 && c.Sign.Propose {
		return nil, errors.New("a proposal has the next sequence number: to write another one, sign with all keys at once")
	}
	if sequence > 0 {
		next.Sequence = sequence
	}
	return w.move(ctx, next, w.vouchedAttestation())
}

// move writes the pointer, or says what a dry run would write.
func (w *writer) move(ctx context.Context, next *release.Pointer, about attestation) (*Moved, error) {
	if w.DryRun {
		if len(w.Sign.Keys) > 0 {
			signed, _, err := w.encode(next, about)
			if err != nil {
				return nil, err
			}
			next = signed
		}
		return &Moved{Pointer: next, Changed: true, Signatures: w.wouldSign(next).Signatures}, checkSequence(w.Store, next)
	}
	done, err := w.write(ctx, next, about)
	if done == nil {
		return nil, err
	}
	return &Moved{Pointer: done.Pointer, Changed: true, Signatures: done.Signatures}, err
}

// promote makes a release current that nodes can use and that check accepts. Without check
// it stays current even if other files are missing. A dry run checks the same and writes nothing.
func (w *writer) promote(ctx context.Context, build string, check func(*held) error) (*Moved, error) {
	if w.before.build() == build {
		if !w.DryRun {
			w.settleWithdrawals(ctx, w.before.Pointer)
		}
		return &Moved{Pointer: w.before.Pointer, Signatures: signedBy(w.before).Signatures}, nil
	}
	if err := w.checkInPlace(build); err != nil {
		return nil, err
	}
	if !release.IsBuild(build) {
		return nil, noRelease(build)
	}
	a := new(announced)
	if !w.DryRun {
		var err error
		if a, err = announce(ctx, w.PublishConfig, build, w.before.Pointer == nil, announcement{}); err != nil {
			return nil, err
		}
		defer a.end()
	}
	h, err := w.usable(ctx, build)
	if err == nil && check != nil {
		err = check(h)
	}
	var about attestation
	if err == nil {
		about, err = w.signedBefore(ctx, build, h.raw)
	}
	if err != nil {
		return nil, err
	}
	moved, err := w.move(ctx, w.before.Next(build, h.raw, time.Now()).Of(h.kind), about)
	if err != nil || w.DryRun || moved.Proposed {
		return moved, err
	}
	return moved, w.confirm(ctx, moved.Pointer, h, a.lease, check == nil)
}

// confirm verifies that the new current release was not removed meanwhile, and otherwise
// moves the pointer back. With stays it keeps a release that nodes can use.
func (w *writer) confirm(ctx context.Context, next *release.Pointer, h *held, lease string, stays bool) error {
	s := w.Store
	lacks, err := w.lost(ctx, h, lease)
	if err != nil {
		return unverified(s, next.Build, err)
	}
	if len(lacks) == 0 {
		return nil
	}
	if stays && h.kind == release.KindComplete {
		if _, _, err := complete(ctx, s, next.Build); err == nil {
			return notWhole(s, next.Build, len(lacks), lacks[0])
		}
	}
	if w.before.Pointer == nil || w.proved() != nil { // without a genuine pointer to move back to
		return notWhole(s, next.Build, len(lacks), lacks[0])
	}
	if err := w.moveBack(ctx, next); err != nil {
		return errors.Join(notWhole(s, next.Build, len(lacks), lacks[0]), err)
	}
	if w.undo != nil {
		w.undo()
	}
	return fmt.Errorf("%w: %s was removed meanwhile, and %s stays current", ErrNoRelease, next.Build, w.before.Build)
}

// moveBack moves the pointer from next to the previous one, unless another command has moved it already.
func (w *writer) moveBack(ctx context.Context, next *release.Pointer) error {
	now, err := readPointer(ctx, w.Store, release.PointerName)
	if err != nil || now.Pointer == nil || *now.Pointer != *next {
		return err
	}
	_, b, _, err := manifest(ctx, w.Store, w.before.Build)
	if err != nil {
		return err
	}
	if release.HexSHA256(b) != w.before.ManifestSHA256 {
		return fmt.Errorf("the manifest of release %s in the store is not the one that was current: publish the release again", w.before.Build)
	}
	back, raw, err := w.encode(now.Next(w.before.Build, b, time.Now()).Of(w.before.Kind), w.vouchedAttestation())
	if err != nil {
		return err
	}
	return move(ctx, w.Store, back, raw, now.etag)
}

// complete checks the sizes of a release's snapshots in the store, and gives its manifest.
func complete(ctx context.Context, s *store.Store, build string) (*release.Manifest, []byte, error) {
	m, b, _, err := manifest(ctx, s, build)
	if err != nil {
		return nil, nil, err
	}
	if err := fillLike(ctx, s, release.KindComplete, m, nil); err != nil {
		return nil, nil, err
	}
	for _, e := range m.Environments {
		info, err := again(ctx, func() (store.Info, error) { return s.Stat(ctx, root(build)+e.Snapshot.File) })
		if err != nil {
			return nil, nil, err
		}
		if info.Bytes != e.Snapshot.Bytes {
			return nil, nil, fmt.Errorf("%s of release %s has %d bytes, not %d: publish it again", e.Snapshot.File, build, info.Bytes, e.Snapshot.Bytes)
		}
	}
	return m, b, nil
}
