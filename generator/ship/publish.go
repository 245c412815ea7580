// Package ship puts releases into a store and moves the pointer to the current one.
//
//	PREFIX/releases/BUILD/…   the files of a release, as in its directory
//	PREFIX/releases/BUILD/current.json, attestation.json
//	                          the pointer that made it current, and who built it
//	PREFIX/current.json       the pointer
//	PREFIX/proposed.json      a pointer that waits for more signatures
//	PREFIX/withdrawn.json     which releases were rolled back from, for publishers
//	PREFIX/changes/FROM-TO.json
//	                          which items differ between two releases, where asked for
//	PREFIX/patches/ENV/…      compressed snapshots, and patches from one to another, for nodes
//	PREFIX/locks/…            announcements of publications, and the lease of gc
//	PREFIX/snapshots/…, manifests/…, media-lists/…, cda/media/…
//	                          in a store for nodes, what releases share
//
// # Signatures
//
// A command that signs trusts nothing that it reads from the store. It takes the origin and the length of the validity
// from a pointer only if a given key or the trust file vouches for the pointer. promote and rollback sign the manifest
// and the attestation that were signed before. They read both from the copy of the pointer next to the release. A store whose pointer is
// signed stays signed, unless a caller gives that up.
//
// # Publications
//
// A publication writes a release's objects, then its manifest, then the pointer by a conditional put. So readers never
// see a partial release, and of two publishers one fails. Files that the current release has too are copied inside the
// store. Files that an interrupted run left are not sent again.
//
// Equal objects have equal MD5s, which are the ETags of objects put in one piece. A bucket
// encrypted with its own keys has other ETags; there every file is sent.
//
// # Publications during gc
//
// S3 has conditional puts and reads its own writes; it has no transactions and no conditional
// deletes. Keys follow from the build, so gc may delete an object that a publication has just found
// or sent. The steps of gc, publish, promote and rollback interleave in any order, and each process
// may stop between two. So each side first writes what it is about to do and then reads what the
// other wrote. Of two at once, at least one sees the other.
//
//   - A command that makes a build current puts locks/current/BUILD-RANDOM before it reads the
//     build. Then it waits while locks/removing.json names the build. It deletes its object
//     after the pointer has moved.
//   - gc writes the builds it is about to remove to locks/removing.json, lists
//     locks/current/, then reads the pointer. It keeps what either names. In this order, a
//     build that has left the list has moved the pointer.
//   - locks/removing.json is a lease. gc renews it before each batch and ends a batch after
//     half of the lease's time. Another process that sees it unchanged for the whole time
//     takes it by a conditional put; gc then cannot renew it and stops. An object in
//     locks/current/ counts for a day, the longest publication.
//
// A process may stall beyond these times. So publish lists the release again after it moved the pointer, and sends
// missing files. promote lists it too and moves the pointer back. rollback reports missing files. gc reads the pointer
// after its deletes. The last to look repairs the release, or fails with the command that does (Repair). A killed
// command reports nothing but its exit status.
//
// Two cases remain. A delete that the network delays until all have looked goes unseen; Repair finds its effect.
// Programs without these locks must not run during a gc.
//
// # Shared objects during gc
//
// In a store for nodes the names of objects depend on their content. A publication takes the release of the pointer
// that it has read, its base, as whole. It sends the objects that the base does not name, even if another release has
// them. It does not look for the others. So an edit takes as many requests in a large release as in a small one. gc
// marks what the manifests of kept releases name, and sweeps the rest. Nothing that a current release names is swept,
// because:
//
//   - The base stays current until the publication moves the pointer, or the publication fails: the put of the pointer
//     is conditional on the pointer that was read, and sequence numbers make each pointer another one. So whoever
//     reads the pointer meanwhile marks the base.
//   - The announcement names the objects that the publication sends. The publication puts it before it sends or finds
//     one, and then waits while the lease names sharedObjects. gc writes sharedObjects to the lease before it lists the
//     announcements, and marks what they name. Of two at once, one waits or the other marks. An announcement without
//     names belongs to a release whose manifest is in the store.
//   - gc reads announcements, then the proposal, then the pointer, then lists the releases, all while it holds the
//     lease. A publication that has ended by then has its manifest in the store, and gc marks that too.
//   - gc removes nothing that it cannot judge. It sweeps nothing in three cases: the manifest of a kept release is
//     damaged; the manifest of the current release is missing; an announcement has too many names for its object.
//   - Objects that no release names may belong to an interrupted publication that resumes. They have to be a day old.
//
// After the pointer has moved, publish and promote read the lease again. Its ETag changes with each renewal, so an
// equal one says that no gc has swept meanwhile. Otherwise publish lists the shared objects and sends what is missing.
// A gc that stalled beyond its lease reads announcements and pointer after its deletes. It fails with the command that
// repairs if they name what it has swept.
package ship

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
	"contentedge/generator/removal"
)

// DefaultJobs is how many requests run at once: enough to hide the latency of a distant
// store, few enough to stay below its rate limits.
const DefaultJobs = 16

// PublishConfig says what to publish, where and how.
type PublishConfig struct {
	Store  *store.Store
	Public string // holds manifest.json, or a link to it
	Jobs   int    // requests at once; 0: DefaultJobs
	DryRun bool   // report what would be done, write nothing
	// Kind says which parts of the release the store is to hold; "" takes the kind of the current one, or with Complete
	// every file.
	Kind     release.StoreKind
	Complete bool

	Removal removal.Limit // what the release may remove of the store's current one
	Sign    Signing       // of the pointer
	Again   bool          // publish a release although it was withdrawn, and take the withdrawal back
	// ChangesFrom is from how many releases, the newest ones, the changes to the new current release are written.
	ChangesFrom int
	// Patches is from how many earlier snapshots of an environment patches are made for nodes. 0: nothing is compressed either.
	Patches int
	Warn    func(message string) // called with warnings; may be nil

	Progress func(Progress) // called now and then, by one goroutine at a time; may be nil
}

// Progress is how far the sending is.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}

// Report counts the files of a publication, or of a dry run.
type Report struct {
	Build    string            `json:"build"`
	Sequence int64             `json:"sequence"`       // of the pointer that names it
	Kind     release.StoreKind `json:"kind,omitempty"` // of the store; of complete releases if absent
	Files    int               `json:"files"`          // that readers of the store find
	Bytes    int64             `json:"bytes"`

	Sent      int   `json:"sent"`
	SentBytes int64 `json:"sentBytes"`
	Copied    int   `json:"copied"`            // inside the store, from the current release
	Kept      int   `json:"kept"`              // were there already
	Removed   int   `json:"removed,omitempty"` // from a store in place
	Changed   bool  `json:"changed"`           // the pointer was moved
	Resent    int   `json:"resent"`            // were gone when the pointer had moved
	// Requests is how many requests the publication made, or would make if nothing fails.
	Requests int `json:"requests"`

	Forms Forms `json:"forms"` // of snapshots, for nodes

	Signed

	planned int // requests of a dry run that were not made
}

// ErrLost: another publisher moved the pointer meanwhile.
var ErrLost = errors.New("another publication finished meanwhile")

// Publish makes the release in a public directory the current one, or proposes it. It sends nothing if the
// release would remove too much; the error is then a *removal.Error. It leaves a signed pointer in the release's
// directory too.
func Publish(ctx context.Context, c PublishConfig) (*Report, error) {
	c.Jobs = cmp.Or(c.Jobs, DefaultJobs)
	before := c.Store.Requests()
	r, err := publish(ctx, c)
	if r != nil {
		r.Requests, r.planned = int(c.Store.Requests()-before)+r.planned, 0
	}
	return r, err
}

func publish(ctx context.Context, c PublishConfig) (*Report, error) {
	w, err := newWriter(ctx, c)
	if err != nil {
		return nil, err
	}
	kind, err := w.chooseKind()
	if err != nil {
		return nil, err
	}
	l, err := openLocal(c.Public)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := w.checkWithdrawn(ctx, l.Manifest.Build); err != nil {
		return nil, err
	}
	old, err := checkRemoval(ctx, c.Store, w.before.Pointer, l.Manifest, c.Removal, c.Warn)
	if err != nil {
		return nil, err
	}
	w.replaced = old
	switch kind {
	case release.KindNodes:
		return w.publishForNodes(ctx, l, old)
	case release.KindInPlace:
		return w.publishInPlace(ctx, l, old)
	}
	return w.publishComplete(ctx, l, old)
}

func (w *writer) publishComplete(ctx context.Context, l *local, old *current) (*Report, error) {
	c := w.PublishConfig
	if err := l.read(ctx, c.Jobs); err != nil {
		return nil, err
	}
	if !c.DryRun {
		a, err := announce(ctx, c, l.Manifest.Build, w.before.Pointer == nil, announcement{})
		if err != nil {
			return nil, err
		}
		defer a.end()
	}
	p, err := compare(ctx, &c, l, old.complete())
	if err != nil {
		return nil, err
	}
	r := p.report()
	r.Changed = w.changes(l, release.KindComplete)
	if c.DryRun {
		r.planned = w.requests(r, len(p.work)+listRequests(len(l.files)+1), p.complete)
		return r, w.dryRun(ctx, r, l, release.KindComplete)
	}
	if err := send(ctx, c, p, r); err != nil {
		return nil, err
	}
	record, err := w.record(ctx, l, r.Changed)
	if err != nil {
		return nil, err
	}
	r.Forms = w.writeForms(ctx, l, release.KindComplete)
	if err := w.publish(ctx, l, r, record, release.KindComplete); err != nil {
		return r, err
	}
	return r, verifyCurrent(ctx, c, l, r, record)
}

// changes reports whether the pointer has to be written.
func (w *writer) changes(l *local, kind release.StoreKind) bool {
	return !w.names(l, kind) || w.signs()
}

// names reports whether the pointer in the store names a release of a kind.
func (w *writer) names(l *local, kind release.StoreKind) bool {
	return w.before.build() == l.Manifest.Build && w.before.kind() == kind && w.before.ManifestSHA256 == release.HexSHA256(l.Raw)
}

// requests returns how many requests a publication makes in addition to the ones that a dry run has made: own, and the
// requests for the manifest, the pointer and the locks.
func (w *writer) requests(r *Report, own int, manifest bool) int {
	n := own + 3 // the announcement, the lease, the end of the announcement
	if !manifest {
		n++
	}
	if w.before.Pointer == nil {
		n += 2 // whether the store has conditional requests
	}
	if r.Changed {
		n += 2 // the pointer and its copy
	}
	return n
}

// listRequests is how many requests list so many objects.
func listRequests(objects int) int { return (objects + keysPerList - 1) / keysPerList }

// keysPerList is how many objects a service lists at once.
const keysPerList = 1000

// publish moves the pointer to the release that was sent, or proposes that.
func (w *writer) publish(ctx context.Context, l *local, r *Report, record []byte, kind release.StoreKind) error {
	if !r.Changed {
		r.Sequence, r.Signed = w.before.Sequence, signedBy(w.before)
		w.settleWithdrawals(ctx, w.before.Pointer)
		w.leave(l, w.before.raw, record)
		return nil
	}
	done, err := w.write(ctx, w.next(l.Manifest.Build, l.Raw, time.Now(), kind), attestationOf(record)) // the time after sending
	if done != nil {
		r.Sequence, r.Signed = done.Sequence, done.signed()
	}
	if err == nil && !done.Proposed {
		w.leave(l, done.raw, record)
	}
	return err
}

// dryRun says what the pointer would be.
func (w *writer) dryRun(ctx context.Context, r *Report, l *local, kind release.StoreKind) error {
	if !r.Changed {
		r.Sequence, r.Signed = w.before.Sequence, signedBy(w.before)
		return nil
	}
	next := w.next(l.Manifest.Build, l.Raw, time.Now(), kind)
	r.Sequence, r.Signed = next.Sequence, w.wouldSign(next)
	forms, err := w.plannedForms(ctx, l)
	r.planned += forms
	return errors.Join(err, checkSequence(w.Store, next))
}

// currentPointer reads the pointer and its ETag. The pointer is nil before the first publication.
func currentPointer(ctx context.Context, s *store.Store) (*release.Pointer, string, error) {
	o, err := readPointer(ctx, s, release.PointerName)
	if err != nil {
		return nil, "", err
	}
	return o.Pointer, o.etag, nil
}

// move replaces the pointer whose ETag is given, "" for none, by next, whose bytes are b. After a lost response
// the retry fails on our own pointer, so the pointer in the store decides.
func move(ctx context.Context, s *store.Store, next *release.Pointer, b []byte, etag string) error {
	if err := checkSequence(s, next); err != nil {
		return err
	}
	o := headers(release.PointerName)
	o.IfMatch, o.IfNew = etag, etag == ""
	_, err := putBytes(ctx, s, release.PointerName, b, o)
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	winner, e := readPointer(ctx, s, release.PointerName)
	if e != nil {
		return errors.Join(err, e)
	}
	if sameText(winner.raw, b) { // or another signer has moved it to the same proposal
		return nil
	}
	if winner.Pointer == nil {
		return err
	}
	return fmt.Errorf("%w: release %s is current now (sequence %d), and %s is not; run again to change that", ErrLost, winner.Build, winner.Sequence, next.Build)
}

func checkSequence(s *store.Store, next *release.Pointer) error {
	if next.Sequence > release.MaxSequence {
		return fmt.Errorf("the pointer of %s has the highest sequence number: run generator releases renew %s --sequence N, with the number that the nodes' logs name", s, s)
	}
	return nil
}

// current is the current release of a store: its manifest, which may have only rows, and the pointer's kind. It is nil
// if the release is published again, or damaged, which publishing repairs.
type current struct {
	*release.Manifest
	kind release.StoreKind
	raw  []byte
}

// complete returns the manifest of a complete release; nil of another one.
func (c *current) complete() *release.Manifest {
	if c == nil || c.kind != release.KindComplete {
		return nil
	}
	return c.Manifest
}

// checkRemoval refuses a release that removes too much of p's, and returns that release.
func checkRemoval(ctx context.Context, s *store.Store, p *release.Pointer, next *release.Manifest, limit removal.Limit, warn func(string)) (*current, error) {
	if p == nil || p.Build == next.Build {
		return nil, nil
	}
	m, raw, _, err := manifest(ctx, s, p.Build)
	var other *release.FormatError
	switch {
	case err == nil:
		old := &current{m, p.Kind, raw}
		return old, old.checkRemoval(ctx, s, next, limit)
	case errors.As(err, &other): // the manifest of an older program has the counts
		return nil, limit.Check(removal.CompareManifests(&release.Manifest{Environments: other.Environments}, next))
	case !isDamaged(err):
		return nil, err
	}
	if warn != nil && !limit.Allow {
		warn(fmt.Sprintf("the current release cannot be read, so removals were not checked: %v", err))
	}
	return nil, nil
}

// checkRemoval refuses a release that removes too much of the current one. Items that are held back on purpose do not
// count. It reads the list of files of the current release, which says which held-back items the release has, only if
// it would refuse the next release otherwise.
func (c *current) checkRemoval(ctx context.Context, s *store.Store, next *release.Manifest, limit removal.Limit) error {
	changes := removal.CompareManifests(c.Manifest, next)
	refused := limit.Check(changes)
	if refused == nil || limit.Withdrawn == nil {
		return refused
	}
	withdrawn := limit.Withdrawn()
	if len(withdrawn) == 0 {
		return refused
	}
	text, _, err := remoteListText(ctx, s, c.kind, c.Manifest)
	if err != nil {
		return err
	}
	files := map[string]int{} // of withdrawn items: the index of their environment
	for i := range changes {
		for _, id := range withdrawn[changes[i].ID] {
			files[address.ItemFile(changes[i].ID, id)] = i
		}
	}
	for list := checksums.NewReader(bytes.NewReader(text)); list.Next(); {
		if i, held := files[string(list.Name())]; held {
			changes[i].Withdraw(1)
		}
	}
	return limit.Check(changes)
}

// isDamaged reports whether an error says that the manifest is damaged or missing, not out of reach.
func isDamaged(err error) bool {
	return errors.Is(err, ErrNoRelease) || errors.Is(err, release.ErrManifest) || errors.Is(err, store.ErrTooLarge)
}
