// Package publish puts releases into a store and says which of them is current.
//
//	PREFIX/releases/BUILD/…   the files of a release, as in its directory
//	PREFIX/current.json       the pointer
//	PREFIX/locks/…            who is about to make a release current, or removes some
//
// The objects of a release are written before its manifest, and the pointer last, by a
// put that succeeds only if nobody else changed it: nobody ever sees half a release, and
// of two publishers at once one is told that it lost. What the current release has too
// is copied inside the store; what an interrupted run left is not sent again.
//
// That two objects are alike is told from their MD5, which is the ETag of an object put
// in one piece. In a bucket that is encrypted with keys of one's own it is not, and all
// is sent every time.
// # Publications beside gc
//
// S3 has conditional puts, and who reads after a write sees it; it has no transactions
// and no conditional deletes. Keys follow from the build, so an object that gc deletes may
// be one that a publication has just found there or sent. The steps
// of all of them may interleave in any order, and each may stop in between, for good or for
// a while. gc lists, decides and deletes. A publication lists what it need not send, sends
// the rest, and moves the pointer. promote and rollback look at a release and move the
// pointer.
//
// So each side first writes down what it is about to do, and then looks at what the other
// wrote. Of two that do so at once, at least one sees the other.
//
//   - Who makes a build current puts locks/current/BUILD-RANDOM before it looks at the
//     build, and then waits while locks/removing.json names the build. It deletes its
//     object when the pointer has moved.
//   - gc writes what it is about to remove to locks/removing.json, then lists
//     locks/current/, then reads the pointer, and leaves alone what either names. In this
//     order: who is in the list no more has moved the pointer.
//   - locks/removing.json is a lease: gc renews it before each batch and gives up a batch
//     after half of its time. Who waits and sees it unchanged for the whole time takes it,
//     by a conditional put; gc then cannot renew it and stops. An object in
//     locks/current/ counts for a day, as long as a publication may take.
//
// That leaves processes that stand still beyond those times. So publish lists the release
// again once the pointer names it, and sends what lacks; promote lists it and moves the
// pointer back; rollback says what lacks; and gc looks at the pointer again when it has
// deleted. Whichever of them looks last either mends what lacks or ends with an error that
// names the command that does (Repair). A command that was killed says nothing, and has
// its exit status.
//
// Nobody sees a delete that the network holds back until all of them have looked: no
// store without conditional deletes can refuse it. Repair finds what it took. Nor does a
// program of before the locks see them: no gc should run beside one.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
	"contentedge/generator/removal"
)

// DefaultJobs is how many requests are under way at once: enough to hide the time to a
// distant store, few enough that none asks to slow down.
const DefaultJobs = 16

// Config says what to publish, where and how.
type Config struct {
	Store  *store.Store
	Public string // holds manifest.json, or a link to it
	Jobs   int    // DefaultJobs if 0
	DryRun bool   // look and report, write nothing

	Removal removal.Limit        // what the release may remove of the store's current one
	Warn    func(message string) // told what may go unnoticed; may be nil

	Progress func(Progress) // told now and then, by one goroutine at a time; may be nil
}

// Progress says how far the sending is.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}

// Report says what was done, or in a dry run what would be.
type Report struct {
	Build    string `json:"build"`
	Sequence int64  `json:"sequence"` // of the pointer that names it
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`

	Sent      int   `json:"sent"`
	SentBytes int64 `json:"sentBytes"`
	Copied    int   `json:"copied"`  // inside the store, from the release before
	Kept      int   `json:"kept"`    // were there already
	Changed   bool  `json:"changed"` // the pointer was moved
	Resent    int   `json:"resent"`  // were gone when the pointer had moved
}

// ErrLost is a pointer that somebody else moved meanwhile.
var ErrLost = errors.New("somebody else published meanwhile")

// Publish makes the release in a public directory the current one of a store. Its error
// is a *removal.Error if that would remove too much; nothing is sent then.
func Publish(ctx context.Context, c Config) (*Report, error) {
	if c.Jobs == 0 {
		c.Jobs = DefaultJobs
	}
	before, etag, err := current(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	l, err := readLocal(ctx, c.Public, c.Jobs)
	if err != nil {
		return nil, err
	}
	defer l.close()
	old, err := guard(ctx, c.Store, before, l.Manifest, c.Removal, c.Warn)
	if err != nil {
		return nil, err
	}
	if !c.DryRun {
		end, err := announce(ctx, c.Store, l.Manifest.Build, c.Warn)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	p, err := compare(ctx, &c, l, old)
	if err != nil {
		return nil, err
	}
	r := p.report()
	next := before.Next(l.Manifest.Build, l.Raw, time.Now())
	r.Sequence, r.Changed = next.Sequence, before == nil || before.ManifestSHA256 != next.ManifestSHA256
	if !r.Changed {
		r.Sequence = before.Sequence
	}
	if c.DryRun {
		return r, nil
	}
	if err := send(ctx, c, p, r); err != nil {
		return nil, err
	}
	if r.Changed {
		next = before.Next(l.Manifest.Build, l.Raw, time.Now()) // sending took its time
		if err := move(ctx, c.Store, next, etag); err != nil {
			return r, err
		}
	}
	return r, settle(ctx, c, l, r)
}

// current reads the pointer and its ETag; nil if there is none yet.
func current(ctx context.Context, s *store.Store) (*release.Pointer, string, error) {
	b, info, err := get(ctx, s, release.PointerName, release.MaxPointer)
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	p, err := release.ParsePointer(b)
	if err != nil {
		return nil, "", fmt.Errorf("%s/%s: %w", s, release.PointerName, err)
	}
	if info.ETag == "" {
		return nil, "", fmt.Errorf("%s gives no ETags: two publishers could not be told apart", s)
	}
	return p, info.ETag, nil
}

// get reads an object whole.
func get(ctx context.Context, s *store.Store, key string, max int64) (b []byte, info store.Info, err error) {
	err = again(ctx, func() error {
		obj, err := s.Get(ctx, key, store.GetOptions{Max: max})
		if err != nil {
			return err
		}
		defer func() { _ = obj.Close() }()
		b, err = io.ReadAll(obj)
		info = obj.Info
		return err
	})
	return b, info, err
}

// move puts a pointer in the place of the one whose ETag is given, "" for none. An
// answer that was lost makes the next attempt fail on our own pointer, so what counts
// is what is there in the end.
func move(ctx context.Context, s *store.Store, next *release.Pointer, etag string) error {
	if next.Sequence > release.MaxSequence {
		return fmt.Errorf("the pointer of %s has the highest sequence number: run generator releases renew %s --sequence N, with the number that the nodes' logs name", s, s)
	}
	b := next.Encode()
	o := headers(release.PointerName)
	o.IfMatch, o.IfNew, o.SHA256 = etag, etag == "", sum256(b)
	err := again(ctx, func() error {
		_, err := s.Put(ctx, release.PointerName, bytes.NewReader(b), int64(len(b)), o)
		return err
	})
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	now, _, e := get(ctx, s, release.PointerName, release.MaxPointer)
	if e != nil {
		return errors.Join(err, e)
	}
	if bytes.Equal(now, b) {
		return nil
	}
	winner, e := release.ParsePointer(now)
	if e != nil {
		return errors.Join(err, e)
	}
	return fmt.Errorf("%w: release %s is current now (sequence %d), and %s is not; run again to change that", ErrLost, winner.Build, winner.Sequence, next.Build)
}
