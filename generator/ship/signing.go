// This file decides whether and how a command signs the pointer that it writes. It decides before anything is
// sent: a store that nodes trust for its signatures must not lose them, nor change its origin, by a forgotten flag.

package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/checksums"
	"contentedge/generator/signing"
)

// Signing says how a command signs the pointer that it writes. The zero value signs nothing.
type Signing struct {
	Keys    []*signing.Key
	Origin  string        // whose content it is; "" takes the origin of Trust, or of the pointer in the store
	Expires time.Duration // from now, at least a second; 0 takes the validity of the previous pointer
	Forever bool          // the pointer does not expire, whatever the previous one did

	// Trust says which pointers nodes accept. It is checked before the first request that writes. nil means unknown.
	Trust *trust.Policy
	// Propose writes a proposal, which others sign too, instead of the pointer.
	Propose bool
	// Unsigned permits an unsigned pointer after a signed one.
	Unsigned bool

	// Attest returns the record of who built the release whose manifest has a digest, or nil.
	Attest func(ctx context.Context, manifestSHA256 string) ([]byte, error)
}

// Reasons why a command signs nothing, and writes nothing.
var (
	// ErrSigned: the command would replace a signed pointer by an unsigned one.
	ErrSigned = exitcode.NewUsage("the pointer of the store is signed")
	// ErrNoOrigin: neither a flag nor the trust file says whose content it is.
	ErrNoOrigin = exitcode.NewUsage("the pointer has no signature yet")
	// ErrNotVouched: nothing proves that the pointer in the store is genuine.
	ErrNotVouched = trust.NewRefusal("nothing proves that the pointer of the store is genuine")
	// ErrTooFew: nodes would refuse what the command would write.
	ErrTooFew = exitcode.NewUsage("too few keys")
)

// pointerObject is the pointer that a command has read, with its bytes and its ETag. Pointer is nil in a store
// without one.
type pointerObject struct {
	*release.Pointer
	raw  []byte
	etag string
}

func (o *pointerObject) signed() bool {
	return o.Pointer != nil && o.IsSigned()
}

func (o *pointerObject) build() string {
	if o.Pointer == nil {
		return ""
	}
	return o.Build
}

func readPointer(ctx context.Context, s *store.Store, name string) (*pointerObject, error) {
	b, info, err := get(ctx, s, name, release.MaxPointer)
	if errors.Is(err, store.ErrNotFound) {
		return &pointerObject{}, nil
	}
	if err != nil {
		return nil, err
	}
	o := &pointerObject{raw: b}
	if o.Pointer, err = release.ParsePointer(b); err == nil {
		o.etag, err = info.Condition()
	}
	if err != nil && name == release.PointerName && errors.Is(err, release.ErrPointer) {
		return nil, fmt.Errorf("%s/%s: %w; put the pointer that was signed with a release, %s, in its place, or remove it, and publish again", s, name, err, root("BUILD")+name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", s, name, err)
	}
	return o, nil
}

// writer writes the next pointer of a store, or proposes it.
type writer struct {
	PublishConfig
	before   *pointerObject
	replaced *current // the release that a publication replaces; nil if unknown
	origin   string
	genuine  bool          // a key that is given, or Trust, vouches for before
	validity time.Duration // 0: without an end
	seen     []Withdrawal  // the list of withdrawn releases, as the command has read it
	back     bool          // the command rolls back: the current release will be withdrawn
	undo     func()        // takes that withdrawal back; nil before one is written
	// lists has the lists of checksums of the current release and of the next one, by build, for a store in place.
	lists map[string]*checksums.List
}

// newWriter reads the pointer of the store, and refuses what may not follow it.
func newWriter(ctx context.Context, c PublishConfig) (*writer, error) {
	before, err := readPointer(ctx, c.Store, release.PointerName)
	if err != nil {
		return nil, err
	}
	w := &writer{PublishConfig: c, before: before}
	if len(c.Sign.Keys) == 0 {
		if before.signed() && !c.Sign.Unsigned {
			return nil, fmt.Errorf("%w, for the origin %s by %s, and nodes with --trust refuse another one: give the key with --sign FILE, or give up the signatures with --unsigned",
				ErrSigned, before.Origin, strings.Join(claimed(before.raw), ", "))
		}
		return w, nil
	}
	if err := w.checkKeys(time.Now()); err != nil {
		return nil, err
	}
	if err := w.findOrigin(); err != nil {
		return nil, err
	}
	w.validity = w.Sign.Expires
	if w.genuine && w.validity == 0 && !w.Sign.Forever && before.Expires != "" {
		w.validity = before.ExpiresAt().Sub(before.PublishedAt())
	}
	return w, nil
}

// checkKeys refuses a key that is given twice, and keys with which nodes refuse the pointer.
func (w *writer) checkKeys(now time.Time) error {
	s := &w.Sign
	for i, k := range s.Keys {
		if slices.ContainsFunc(s.Keys[:i], func(o *signing.Key) bool { return o.Public() == k.Public() }) {
			return fmt.Errorf("the key %s is given twice", k.ID())
		}
	}
	if s.Trust == nil {
		return nil
	}
	trusted := 0
	for _, k := range s.Keys {
		if err := trusts(s.Trust, k, now); err != nil {
			return err
		}
		trusted++
	}
	if trusted < s.Trust.Threshold && !s.Propose {
		return fmt.Errorf("%w: the trust file wants %d signatures, and %d are given: give more keys, or --propose for others to sign too", ErrTooFew, s.Trust.Threshold, trusted)
	}
	return nil
}

// trusts reports why a policy does not accept the signatures of a key.
func trusts(p *trust.Policy, k *signing.Key, now time.Time) error {
	for i := range p.Keys {
		if have := &p.Keys[i]; have.Name() == k.Name() && have.KeyHash() == k.KeyHash() {
			if have.Expired(now) {
				return fmt.Errorf("%w: the trust file accepts the key %s until %s only", ErrTooFew, k.ID(), have.Until)
			}
			return nil
		}
	}
	return fmt.Errorf("%w: the trust file does not name the key %s", ErrTooFew, k.ID())
}

// findOrigin finds the origin of the next pointer, and whether the previous one is genuine. An origin is taken from a
// store only if a signature proves it: otherwise a writer of the store could choose what is signed.
func (w *writer) findOrigin() error {
	s := &w.Sign
	w.origin = s.Origin
	if s.Trust != nil {
		if w.origin != "" && w.origin != s.Trust.Origin {
			return fmt.Errorf("%w: --origin is %s, and the trust file is of %s", trust.ErrOrigin, w.origin, s.Trust.Origin)
		}
		w.origin = s.Trust.Origin
	}
	if !w.before.signed() {
		if w.origin == "" {
			return fmt.Errorf("%w in %s: name its origin with --origin, for example --origin news.example/production", ErrNoOrigin, w.Store)
		}
		return nil
	}
	if w.origin != "" && w.origin != w.before.Origin {
		return fmt.Errorf("%w: the store has %s, not %s; use another store, or another prefix in it", trust.ErrOrigin, w.before.Origin, w.origin)
	}
	err := w.verify(w.before.raw)
	w.genuine = err == nil
	switch {
	case err == nil:
		w.origin = w.before.Origin
		return nil
	case w.origin == "":
		return fmt.Errorf("%w: %w; name the origin with --origin, or the trust file of the nodes with --trust, to sign a pointer after it", ErrNotVouched, err)
	}
	w.warn("nothing proves that the pointer of the store is genuine, and its number is taken from it: %v", err)
	return nil
}

// proved refuses to sign a release that the command knows only from the store's pointer, unless the pointer is genuine.
func (w *writer) proved() error {
	if len(w.Sign.Keys) == 0 || w.genuine {
		return nil
	}
	return fmt.Errorf("%w, and it names what would be signed: publish the release, or promote another one by its build id", ErrNotVouched)
}

// verify reports why neither Trust nor a key that is given vouches for a pointer.
func (w *writer) verify(raw []byte) error {
	own, err := signing.Trusted(w.before.Origin, w.Sign.Keys)
	if err != nil {
		return err
	}
	if _, err = own.Verify(raw, time.Now()); err != nil && w.Sign.Trust != nil {
		_, err = w.Sign.Trust.Verify(raw, time.Now())
	}
	return err
}

func (w *writer) warn(format string, args ...any) {
	if w.Warn != nil {
		w.Warn(fmt.Sprintf(format, args...))
	}
}

// signs reports whether the pointer has to be written again, though its release stays: it lacks a signature that
// is given, or its time has to be extended.
func (w *writer) signs() bool {
	s := &w.Sign
	if len(s.Keys) == 0 {
		return w.before.signed()
	}
	switch {
	case !w.genuine, s.Expires > 0, s.Forever && w.before.Expires != "":
		return true
	case w.before.Expires != "" && time.Until(w.before.ExpiresAt()) < w.validity/2:
		return true
	case s.Propose:
		return false // others have signed it too
	}
	for _, k := range s.Keys {
		if own, err := signing.Trusted(w.origin, []*signing.Key{k}); err != nil {
			return true
		} else if _, err := own.Verify(w.before.raw, time.Now()); err != nil {
			return true
		}
	}
	return false
}

// next is the pointer to a release, unsigned. It renews the pointer if the release is current, of another kind, too, so
// that the previous release stays known.
func (w *writer) next(build string, manifest []byte, at time.Time, kind release.StoreKind) *release.Pointer {
	p := w.before.Pointer
	if p != nil && p.Build == build && p.ManifestSHA256 == release.HexSHA256(manifest) {
		return p.Renewed(at).Of(kind)
	}
	return p.Next(build, manifest, at).Of(kind)
}

// attestation names the record of who built a release, as the pointer does.
type attestation struct {
	bytes  int64
	sha256 string
}

func attestationOf(b []byte) attestation {
	if len(b) == 0 {
		return attestation{}
	}
	return attestation{int64(len(b)), release.HexSHA256(b)}
}

// encode returns the bytes of a pointer, with its signatures, and the pointer as it is then.
func (w *writer) encode(next *release.Pointer, about attestation) (*release.Pointer, []byte, error) {
	if len(w.Sign.Keys) == 0 {
		return next, next.Encode(), nil
	}
	var expires time.Time
	if w.validity > 0 {
		expires = next.PublishedAt().Add(w.validity)
	}
	p, err := next.ForSigning(w.origin, expires, nil)
	if err != nil {
		return nil, nil, err
	}
	p.AttestationBytes, p.AttestationSHA256 = about.bytes, about.sha256
	b, err := trust.Sign(p.Encode(), w.signers()...)
	return p, b, err
}

func (w *writer) signers() []note.Signer {
	var out []note.Signer
	for _, k := range w.Sign.Keys {
		out = append(out, k)
	}
	return out
}

// claimed returns the names of the keys that are said to have signed a pointer. They prove nothing.
func claimed(raw []byte) []string {
	var names []string
	_, err := note.Open(raw, nil)
	if unverified, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		for _, s := range unverified.Note.UnverifiedSigs {
			names = append(names, s.Name)
		}
	}
	return names
}

// sameText reports whether two pointers say the same, whoever has signed them.
func sameText(a, b []byte) bool {
	return len(a) > 0 && bytes.Equal(release.PointerText(a), release.PointerText(b))
}
