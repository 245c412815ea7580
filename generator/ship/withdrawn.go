// This file remembers which releases were rolled back from. The list is one object, which only publishers read. A
// rollback writes the list before it moves the pointer. A publication reads the list after the pointer. So a publisher that
// has seen the new pointer also sees the withdrawal. A publisher that has seen the old pointer cannot move it.

package ship

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const (
	// WithdrawnName is the key of the list, next to the pointer.
	WithdrawnName = "withdrawn.json"

	withdrawnFormat = 1
	maxWithdrawn    = 1000    // entries of the list: the newest ones stay
	maxWithdrawnDoc = 1 << 20 // bytes of the list
	maxSigners      = 16      // names of keys in an entry
	// maxExchanges is how often a change of the list meets another one.
	maxExchanges = 32
)

// ErrWithdrawn says that the release was rolled back from.
var ErrWithdrawn = exitcode.NewRefusal("the release was withdrawn by a rollback", "the release was withdrawn")

// Withdrawal says that a rollback replaced a release.
type Withdrawal struct {
	ID       string   `json:"id"` // a random name: of two rollbacks at once, each takes back only its own
	Build    string   `json:"build"`
	At       string   `json:"at"`           // when: RFC 3339, UTC
	Sequence int64    `json:"sequence"`     // of the pointer that replaced the release
	For      string   `json:"for"`          // the build that this pointer names
	By       []string `json:"by,omitempty"` // the names of the keys that signed the rollback
	Proposed bool     `json:"proposed,omitempty"`
}

// counts reports whether the release is withdrawn. A proposed rollback counts once the pointer is the proposed one.
func (w *Withdrawal) counts(p *release.Pointer) bool {
	return !w.Proposed || p != nil && w.of(p)
}

func (w *Withdrawal) of(p *release.Pointer) bool { return w.Sequence == p.Sequence && w.For == p.Build }

// withdrawals is the list, as it is stored.
type withdrawals struct {
	Format    int          `json:"format"`
	Withdrawn []Withdrawal `json:"withdrawn"`
}

// findWithdrawal returns the withdrawal of a build that counts, or nil.
func findWithdrawal(l []Withdrawal, build string, p *release.Pointer) *Withdrawal {
	for i := range l {
		if w := &l[i]; w.Build == build && w.counts(p) {
			return w
		}
	}
	return nil
}

// readWithdrawals reads the list and its ETag, which is empty in a store without a list.
func readWithdrawals(ctx context.Context, s *store.Store) (*withdrawals, string, error) {
	l := &withdrawals{Format: withdrawnFormat}
	b, info, err := get(ctx, s, WithdrawnName, maxWithdrawnDoc)
	if errors.Is(err, store.ErrNotFound) {
		return l, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(b, l); err != nil {
		return nil, "", fmt.Errorf("%s/%s: the list of withdrawn releases is damaged (%.200s): remove that object", s, WithdrawnName, err.Error())
	}
	if l.Format != withdrawnFormat {
		return nil, "", fmt.Errorf("%s/%s: the list of withdrawn releases has format %d instead of %d: use a newer version", s, WithdrawnName, l.Format, withdrawnFormat)
	}
	for i := range l.Withdrawn {
		if w := &l.Withdrawn[i]; !release.IsBuild(w.Build) || !release.IsBuild(w.For) {
			return nil, "", fmt.Errorf("%s/%s: the list of withdrawn releases is damaged (entry %d names %.20q and %.20q): remove that object", s, WithdrawnName, i+1, w.Build, w.For)
		}
	}
	etag, err := info.Condition()
	return l, etag, err
}

// changeWithdrawals replaces the list by what change returns. Of two changes at the same moment none is lost.
func changeWithdrawals(ctx context.Context, s *store.Store, change func([]Withdrawal) []Withdrawal) error {
	for range maxExchanges {
		l, etag, err := readWithdrawals(ctx, s)
		if err != nil {
			return err
		}
		next := change(slices.Clone(l.Withdrawn))
		if slices.EqualFunc(next, l.Withdrawn, func(a, b Withdrawal) bool { return a.ID == b.ID && a.Proposed == b.Proposed }) {
			return nil
		}
		l.Withdrawn = next[max(0, len(next)-maxWithdrawn):]
		b, err := json.MarshalIndent(l, "", "  ")
		if err != nil {
			return err
		}
		o := headers(WithdrawnName)
		o.IfMatch, o.IfNew = etag, etag == ""
		if _, err = putBytes(ctx, s, WithdrawnName, append(b, '\n'), o); !errors.Is(err, store.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%w: %s changes all the time", ErrLost, WithdrawnName)
}

// readWithdrawn reads the list that the command decides by.
func (w *writer) readWithdrawn(ctx context.Context) error {
	l, _, err := readWithdrawals(ctx, w.Store)
	if err == nil {
		w.seen = l.Withdrawn
	}
	return err
}

// withdrawal returns the withdrawal of a build that counts, or nil.
func (w *writer) withdrawal(build string) *Withdrawal {
	return findWithdrawal(w.seen, build, w.before.Pointer)
}

// checkWithdrawn refuses a release that was rolled back from, unless the command takes the withdrawal back.
func (w *writer) checkWithdrawn(ctx context.Context, build string) error {
	if err := w.readWithdrawn(ctx); err != nil {
		return err
	}
	is := w.withdrawal(build)
	if is == nil || w.Again {
		return nil
	}
	return fmt.Errorf("%s: %w: release %s was replaced by %s on %.40s%s; build a release without its fault, or publish this one with --again",
		w.Store, ErrWithdrawn, build, is.For, is.At, byWhom(is.By))
}

func byWhom(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(", by %.80s", names[0])
}

// withdraw records that a pointer which is about to be written replaces the current release by an earlier one. It sets
// undo, which deletes the note if the pointer is not written.
func (w *writer) withdraw(ctx context.Context, next *release.Pointer, raw []byte) error {
	by := claimed(raw)
	note := Withdrawal{
		ID: rand.Text(), Build: w.before.Build, At: next.Published, Sequence: next.Sequence, For: next.Build,
		By: by[:min(len(by), maxSigners)], Proposed: w.Sign.Propose,
	}
	w.undo = func() {
		last, cancel := lastRequest(ctx)
		defer cancel()
		err := changeWithdrawals(last, w.Store, func(l []Withdrawal) []Withdrawal {
			return slices.DeleteFunc(l, func(o Withdrawal) bool { return o.ID == note.ID })
		})
		if err != nil {
			w.warn("release %s stays withdrawn in %s/%s, although it was not replaced: %v", note.Build, w.Store, WithdrawnName, err)
		}
	}
	return changeWithdrawals(ctx, w.Store, func(l []Withdrawal) []Withdrawal { return append(l, note) })
}

// settleWithdrawals makes the list follow a pointer that was written: a proposed rollback counts from now on, and the
// current release is no longer withdrawn. A withdrawal that the command has not seen stays, as a later rollback wrote
// it.
func (w *writer) settleWithdrawals(ctx context.Context, p *release.Pointer) {
	settled := func(l []Withdrawal) []Withdrawal {
		l = slices.DeleteFunc(l, func(o Withdrawal) bool {
			return o.Build == p.Build && o.counts(w.before.Pointer) && slices.ContainsFunc(w.seen, func(s Withdrawal) bool { return s.ID == o.ID })
		})
		for i := range l {
			l[i].Proposed = l[i].Proposed && !l[i].of(p)
		}
		return l
	}
	if !slices.ContainsFunc(w.seen, func(o Withdrawal) bool { return o.Build == p.Build || o.Proposed && o.of(p) }) {
		return
	}
	if err := changeWithdrawals(ctx, w.Store, settled); err != nil {
		w.warn("release %s is current, but %s/%s does not say so: %v", p.Build, w.Store, WithdrawnName, err)
	}
}

// previous returns the build to roll back to: the last one before the current release that was not withdrawn. The
// copies of pointers next to releases say in which order releases became current.
func (w *writer) previous(ctx context.Context) (string, error) {
	if err := w.readWithdrawn(ctx); err != nil {
		return "", err
	}
	if p := w.before.Previous; p != "" && p != w.before.Build && w.withdrawal(p) == nil {
		if _, _, _, err := manifest(ctx, w.Store, p); !errors.Is(err, release.ErrFormat) {
			return p, nil // the command then reads the release, and finds any other error
		}
	}
	builds, err := storedBuilds(ctx, w.Store)
	if err != nil {
		return "", err
	}
	builds = slices.DeleteFunc(builds, func(b string) bool {
		return b == w.before.Build || w.withdrawal(b) != nil
	})
	sequences := make([]int64, len(builds))
	err = each(ctx, DefaultJobs, len(builds), func(i int) (err error) {
		sequences[i], err = w.wasCurrent(ctx, builds[i])
		return err
	})
	if err != nil {
		return "", err
	}
	last := -1
	for i, n := range sequences {
		if n > 0 && (last < 0 || n > sequences[last]) {
			last = i
		}
	}
	if last < 0 {
		return "", fmt.Errorf("%s: %w: no earlier release that was current and is not withdrawn; choose one with releases list, then run releases promote %s BUILD", w.Store, ErrNoRelease, w.Store)
	}
	return builds[last], nil
}

// wasCurrent returns the sequence number with which a release became current; zero if nothing proves that it was, if
// the store has lost the release, or if this program cannot read it.
func (w *writer) wasCurrent(ctx context.Context, build string) (int64, error) {
	was, err := readCopy(ctx, w.Store, build)
	if err != nil || was.Pointer == nil {
		return 0, err
	}
	if len(w.Sign.Keys) > 0 && (was.Origin != w.origin || w.verify(was.raw) != nil) {
		return 0, nil
	}
	_, raw, _, err := manifest(ctx, w.Store, build)
	if isDamaged(err) || errors.Is(err, release.ErrFormat) || err == nil && release.HexSHA256(raw) != was.ManifestSHA256 {
		return 0, nil
	}
	return was.Sequence, err
}

// readCopy reads the pointer that made a release current. Its Pointer is nil if the copy is missing or this version
// cannot read it.
func readCopy(ctx context.Context, s *store.Store, build string) (*pointerObject, error) {
	was, err := readPointer(ctx, s, root(build)+release.PointerName)
	if errors.Is(err, release.ErrPointer) || errors.Is(err, release.ErrFormat) || errors.Is(err, store.ErrTooLarge) || err == nil && was.build() != build {
		return &pointerObject{}, nil
	}
	return was, err
}
