// This file writes a signed pointer with the record of who built the release, and a copy of the pointer next to the
// release, in the store and on disk. The copies let promote and rollback know what was signed when the release was
// published, and let verify compare a site with it.

package ship

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
)

// Signed describes a signed pointer, as it says itself. The zero value is an unsigned one.
type Signed struct {
	Origin  string `json:"origin,omitempty"`
	Expires string `json:"expires,omitempty"`
	Signatures
}

// Signatures are the signatures of a pointer or a proposal.
type Signatures struct {
	SignedBy []string `json:"signedBy,omitempty"` // the names of the keys
	Wanted   int      `json:"wanted,omitempty"`   // how many signatures nodes want; 0: not known
	Proposed bool     `json:"proposed,omitempty"` // it waits for more signatures, and no node reads it
}

func signedBy(o *pointerObject) Signed {
	if !o.signed() {
		return Signed{}
	}
	return Signed{o.Origin, o.Expires, Signatures{SignedBy: claimed(o.raw)}}
}

// wouldSign describes the signatures of the pointer that a dry run does not write.
func (w *writer) wouldSign(next *release.Pointer) Signed {
	p, raw, err := w.encode(next, attestation{})
	if err != nil || len(w.Sign.Keys) == 0 {
		return Signed{}
	}
	s := signedBy(&pointerObject{Pointer: p, raw: raw})
	s.Proposed, s.Wanted = w.Sign.Propose, w.threshold()
	return s
}

func (w *writer) threshold() int {
	if w.Sign.Trust == nil {
		return 0
	}
	return w.Sign.Trust.Threshold
}

// written is the pointer that a command wrote or proposed.
type written struct {
	*release.Pointer
	Signatures
	raw []byte
}

// signed describes the pointer.
func (d *written) signed() Signed {
	if !d.IsSigned() {
		return Signed{}
	}
	return Signed{d.Origin, d.Expires, d.Signatures}
}

// write signs the next pointer, and moves it or proposes it.
func (w *writer) write(ctx context.Context, next *release.Pointer, about attestation) (*written, error) {
	p, raw, err := w.encode(next, about)
	if err != nil {
		return nil, err
	}
	if !w.back {
		return w.put(ctx, p, raw)
	}
	if err := w.withdraw(ctx, p, raw); err != nil {
		return nil, err
	}
	done, err := w.put(ctx, p, raw)
	if done == nil {
		w.undo()
	}
	return done, err
}

// put moves the pointer or proposes it.
func (w *writer) put(ctx context.Context, p *release.Pointer, raw []byte) (*written, error) {
	if w.Sign.Propose {
		return w.propose(ctx, p, raw)
	}
	if n := len(w.Sign.Keys); n > 0 && w.Sign.Trust == nil && w.genuine && n < len(claimed(w.before.raw)) {
		w.warn("the previous pointer had %d signatures, this one has %d: nodes refuse it if their trust files want more", len(claimed(w.before.raw)), n)
	}
	return w.moveTo(ctx, p, raw)
}

// moveTo writes the pointer of the store, and leaves a copy in the directory of its release: the copies say in which
// order releases became current.
func (w *writer) moveTo(ctx context.Context, p *release.Pointer, raw []byte) (*written, error) {
	w.writeChanges(ctx, p.Build)
	if err := move(ctx, w.Store, p, raw, w.before.etag); err != nil {
		return nil, err
	}
	w.settleWithdrawals(ctx, p)
	done := &written{Pointer: p, Signatures: signedBy(&pointerObject{Pointer: p, raw: raw}).Signatures, raw: raw}
	done.Wanted = w.threshold()
	w.leaveLive(ctx, p, raw)
	name := root(p.Build) + release.PointerName
	if _, err := putBytes(ctx, w.Store, name, raw, headers(release.PointerName)); err != nil {
		w.warn("release %s is current, but its pointer is not kept in its directory: %v", p.Build, err)
	}
	return done, nil
}

// leaveLive writes the signed pointer next to the files of a store in place, for the verification of sites. For an
// unsigned release it deletes the old pointer. A failure is a warning.
func (w *writer) leaveLive(ctx context.Context, p *release.Pointer, raw []byte) {
	key, err := release.LiveKey(release.PointerName), error(nil)
	switch {
	case p.Kind != release.KindInPlace:
	case p.IsSigned():
		_, err = putBytes(ctx, w.Store, key, raw, headers(release.PointerName))
	case w.before.signed():
		err = remove(ctx, w.Store, key)
	}
	if err != nil {
		w.warn("release %s is current, but %s/%s is not its signed pointer: %v", p.Build, w.Store, key, err)
	}
}

// vouchedAttestation names the record of the previous pointer, if that pointer is genuine.
func (w *writer) vouchedAttestation() attestation {
	if !w.genuine {
		return attestation{}
	}
	return attestation{w.before.AttestationBytes, w.before.AttestationSHA256}
}

// record returns the record of who built a release, and sends it, unless the store has it. A release that is current
// already keeps the record that its pointer names.
func (w *writer) record(ctx context.Context, l *local, changed bool) ([]byte, error) {
	build, sum := l.Manifest.Build, release.HexSHA256(l.Raw)
	if len(w.Sign.Keys) == 0 {
		return nil, w.unsignedRecord(ctx, build, sum)
	}
	named, err := w.namedRecord(ctx, sum)
	if err != nil {
		return nil, err
	}
	if named.bytes > 0 {
		b, err := readRecord(ctx, w.Store, build, named)
		if err == nil || !errors.Is(err, ErrRecord) {
			return b, err
		}
	}
	if w.Sign.Attest == nil || !changed && named.bytes == 0 {
		return nil, nil
	}
	b, err := w.Sign.Attest(ctx, sum)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	if !changed && attestationOf(b) != named {
		w.warn("the store has lost the record of who built release %s, and this run would write another one", build)
		return nil, nil
	}
	return b, putRecord(ctx, w.Store, build, b)
}

// namedRecord is the record of a manifest that the pointer names, or a proposal that this one may join.
func (w *writer) namedRecord(ctx context.Context, manifestSHA256 string) (attestation, error) {
	if w.genuine && w.before.ManifestSHA256 == manifestSHA256 {
		return w.vouchedAttestation(), nil
	}
	if !w.Sign.Propose {
		return attestation{}, nil
	}
	p, err := readProposal(ctx, w.Store)
	if err != nil || !p.follows(w.before.Pointer) || p.ManifestSHA256 != manifestSHA256 || w.checkProposal(p) != nil {
		return attestation{}, err
	}
	return attestation{p.AttestationBytes, p.AttestationSHA256}, nil
}

// unsignedRecord sends the record of who built an unsigned release, for people who list releases. It does not replace a
// record in the store, as a signed pointer may name that record.
func (w *writer) unsignedRecord(ctx context.Context, build, manifestSHA256 string) error {
	if w.Sign.Attest == nil {
		return nil
	}
	b, err := w.Sign.Attest(ctx, manifestSHA256)
	if err != nil || len(b) == 0 {
		return err
	}
	o := headers(release.AttestationName)
	o.IfNew = true
	if _, err = putBytes(ctx, w.Store, root(build)+release.AttestationName, b, o); errors.Is(err, store.ErrChanged) {
		return nil
	}
	return err
}

func putRecord(ctx context.Context, s *store.Store, build string, b []byte) error {
	_, err := putBytes(ctx, s, root(build)+release.AttestationName, b, headers(release.AttestationName))
	return err
}

// ErrRecord: the store lacks the record of who built a release, or has another one than was signed.
var ErrRecord = errors.New("the store does not have the signed record of who built the release")

// readRecord reads the record that a pointer names.
func readRecord(ctx context.Context, s *store.Store, build string, a attestation) ([]byte, error) {
	b, _, err := get(ctx, s, root(build)+release.AttestationName, release.MaxAttestation)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if err == nil && attestationOf(b) != a {
		err = fmt.Errorf("%w: its digest differs from the one in the pointer", ErrRecord)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// restoreRecord sends the record again if another publisher of the same release has replaced it.
func restoreRecord(ctx context.Context, s *store.Store, build string, record []byte) error {
	if len(record) == 0 {
		return nil
	}
	if _, err := readRecord(ctx, s, build, attestationOf(record)); !errors.Is(err, ErrRecord) {
		return err
	}
	p, err := readPointer(ctx, s, release.PointerName)
	if err != nil || p.Pointer != nil && p.Build == build && p.AttestationSHA256 != release.HexSHA256(record) {
		return err // theirs is current
	}
	return putRecord(ctx, s, build, record)
}

// signedBefore finds the record of a release that a command makes current, whose manifest in the store is given.
// The store is not trusted: only a pointer that was signed for this release proves what belongs to it.
func (w *writer) signedBefore(ctx context.Context, build string, manifest []byte) (attestation, error) {
	if len(w.Sign.Keys) == 0 {
		return attestation{}, nil
	}
	was, err := readPointer(ctx, w.Store, root(build)+release.PointerName)
	if err != nil && !errors.Is(err, release.ErrPointer) && !errors.Is(err, release.ErrFormat) {
		return attestation{}, err
	}
	switch {
	case err == nil && was.Pointer == nil:
		err = errors.New("the store has no signed pointer to the release")
	case err == nil:
		err = w.verify(was.raw)
	}
	if err == nil && (was.Build != build || was.Origin != w.origin) {
		err = errors.New("its signed pointer names another release")
	}
	if err != nil {
		w.warn("nothing proves that release %s was ever published as it is in the store, and it is signed as it is: %v", build, err)
		return attestation{}, nil
	}
	if was.ManifestSHA256 != release.HexSHA256(manifest) {
		return attestation{}, fmt.Errorf("%w: the manifest of release %s in the store is not the one that was signed: publish the release again", trust.ErrSignature, build)
	}
	return attestation{was.AttestationBytes, was.AttestationSHA256}, nil
}

// leave writes a signed pointer, and the record that it names, into the directory of the release that was published.
// Of a pointer without signatures it removes what an earlier publication left. That it fails is a warning.
func (w *writer) leave(l *local, raw, record []byte) {
	p, err := release.ParsePointer(raw)
	if err == nil {
		err = leave(l, w.Public, raw, record, p.IsSigned())
	}
	if err != nil {
		w.warn("the signed pointer is not kept in %s: %v", l.Dir, err)
	}
}

func leave(l *local, public string, raw, record []byte, signed bool) error {
	if !signed {
		return errors.Join(discard(filepath.Join(l.Dir, release.PointerName)), discard(filepath.Join(l.Dir, release.AttestationName)))
	}
	if len(record) == 0 {
		if err := discard(filepath.Join(l.Dir, release.AttestationName)); err != nil {
			return err
		}
	} else if err := replace(filepath.Join(l.Dir, release.AttestationName), record); err != nil {
		return err
	}
	if err := replace(filepath.Join(l.Dir, release.PointerName), raw); err != nil {
		return err
	}
	if fi, err := os.Lstat(filepath.Join(public, release.CurrentLink)); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		return nil // the directory is the release itself
	}
	err := os.Symlink(release.CurrentLink+"/"+release.PointerName, filepath.Join(public, release.PointerName))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// leftRecord returns the record that a publication left next to a release, if the pointer names that record.
func leftRecord(l *local, p *release.Pointer) []byte {
	info, err := os.Stat(filepath.Join(l.Dir, release.AttestationName))
	if err != nil || info.Size() != p.AttestationBytes {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(l.Dir, release.AttestationName))
	if err != nil || attestationOf(b) != (attestation{p.AttestationBytes, p.AttestationSHA256}) {
		return nil
	}
	return b
}

func discard(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replace writes a file in one step, with the mode of the manifest next to it. A web server may be reading the file.
func replace(name string, b []byte) error {
	if have, err := os.ReadFile(name); err == nil && string(have) == string(b) {
		return nil
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(name), release.ManifestName))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), release.TempPrefix)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // err is the one to report
	}
	return err
}
