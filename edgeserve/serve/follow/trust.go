// This file decides whether the store's pointer and the release on this machine may be believed. With a trust file
// a node serves only what a pointer names that is signed as the file says. Each link of the chain has a digest of
// the next one: pointer, manifest, snapshots; manifest, list of checksums, media (see signed_media.go).

package follow

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
)

// ErrExpired: the pointer is signed, but only until a time that is over.
var ErrExpired = errors.New("the store's pointer has expired")

var (
	errAltered = errors.New("the state of this node names another release than its signed pointer")
	errForeign = errors.New("no signed pointer names its manifest")
)

// shown is a pointer that a store showed.
type shown struct {
	*release.Pointer
	raw      []byte    // as it was sent, with its signatures
	signedBy []string  // nil without a trust file
	ends     time.Time // when the trust file accepts it no more; zero means never
}

// text is what the signatures sign.
func (p *shown) text() string { return string(release.PointerText(p.raw)) }

// over reports whether the trust file no longer accepts the pointer.
func (p *shown) over(now time.Time) bool { return !p.ends.IsZero() && !now.Before(p.ends) }

// readShown parses a pointer and verifies it, if there is a policy.
func readShown(policy *trust.Policy, raw []byte, now time.Time) (*shown, error) {
	if policy == nil {
		p, err := release.ParsePointer(raw)
		return &shown{Pointer: p, raw: raw}, err
	}
	v, err := policy.Verify(raw, now)
	if err != nil {
		return nil, err
	}
	return &shown{v.Pointer, raw, v.SignedBy, v.Ends}, nil
}

// held verifies the pointer of the installed release; nil without one. Keys count as on the day of its
// publication: a pointer that was accepted does not become a forgery when a key's last day is over. It expires.
func (s state) held(policy *trust.Policy) (*shown, error) {
	if s.Build == "" || s.Pointer == "" && policy == nil {
		return nil, nil
	}
	if s.Pointer == "" {
		return nil, fmt.Errorf("%w: no signatures are kept of the release on this machine", trust.ErrUnsigned)
	}
	p, err := release.ParsePointer([]byte(s.Pointer))
	if err != nil {
		return nil, err
	}
	if p.Sequence != s.Sequence || p.Build != s.Build || p.ManifestSHA256 != s.ManifestSHA256 {
		return nil, errAltered
	}
	return readShown(policy, []byte(s.Pointer), p.PublishedAt())
}

// trusted is a release that may be served.
type trusted struct{ build, manifestSHA256 string }

// hold verifies the installed release by the trust file. A node that starts serves nothing else; one that runs
// keeps its release.
func (f *Follower) hold(start bool) error {
	policy := f.policy.Load()
	if policy != nil && policy.Version < f.state.TrustVersion {
		return olderTrust(policy, f.state.TrustVersion)
	}
	held, err := f.state.held(policy)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.used, f.newest = policy, (time.Time{}); policy != nil && policy.Version == f.state.TrustVersion {
		f.newest = timeOf(f.state.Newest) // another version starts again
	}
	if start && err == nil && held != nil && f.cfg.RefuseExpired && held.over(f.clock()) {
		held, err = nil, fmt.Errorf("%w: at %s, and --refuse-expired is given", ErrExpired, stamp(held.ends))
	}
	f.held, f.unverified = held, err
	if held != nil {
		f.allowed = f.state.allowed()
	} else if start {
		f.allowed = nil
	}
	return nil
}

func olderTrust(policy *trust.Policy, used int64) error {
	return fmt.Errorf("the trust file has version %d, but this node has used version %d: raise the version, or empty the directory", policy.Version, used)
}

// allowed are the releases that the state vouches for: the current one, and the previous one for its media.
func (s state) allowed() []trusted {
	all := []trusted{{s.Build, s.ManifestSHA256}}
	if s.Before != "" {
		all = append(all, trusted{s.Before, s.BeforeSHA256})
	}
	return all
}

// Trusted refuses a release whose manifest no signed pointer names. A server asks before it serves a release.
func (f *Follower) Trusted(manifestSHA256 string) error {
	if f.policy.Load() == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.allows(manifestSHA256) {
		return nil
	}
	f.learn()
	if f.allows(manifestSHA256) {
		return nil
	}
	return fmt.Errorf("the release on this machine is not served before the store shows a pointer that the trust file accepts: %w", cmp.Or(f.unverified, errForeign))
}

// allows reports whether a server may serve a release. The caller holds mu.
func (f *Follower) allows(manifestSHA256 string) bool {
	return slices.ContainsFunc(f.allowed, func(t trusted) bool { return t.manifestSHA256 == manifestSHA256 })
}

// learn reads what another process has installed: during a handover the old process still installs releases. The caller
// holds mu.
func (f *Follower) learn() {
	s, err := f.dir.read(f.cfg.Store.String())
	if err != nil || f.allows(s.ManifestSHA256) {
		return
	}
	held, err := s.held(f.policy.Load())
	if err != nil || held == nil || f.cfg.RefuseExpired && held.over(f.clock()) {
		return
	}
	f.vouch(s.allowed()...)
}

// vouch puts releases before the releases that a server may serve already, each once. The caller holds mu.
func (f *Follower) vouch(first ...trusted) {
	for _, t := range f.allowed {
		if !slices.Contains(first, t) {
			first = append(first, t)
		}
	}
	f.allowed = first
}

// allow lets a server serve a release that is about to become current, in addition to the previous ones.
func (f *Follower) allow(p *shown) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.vouch(trusted{p.Build, p.ManifestSHA256})
}

// relink makes the verified release current again: a process ended between link and state, or the link was moved. A
// server serves no other release.
func (f *Follower) relink() error {
	if f.used == nil || f.held == nil || f.damaged {
		return nil
	}
	if to, err := os.Readlink(f.dir.path(release.CurrentLink)); err == nil && filepath.Base(to) == f.state.Build {
		return nil
	}
	if _, err := f.dir.setCurrent(f.state.Build, f.state.Before); err != nil {
		return err
	}
	if f.cfg.Installed != nil {
		f.cfg.Installed(f.state.Build)
	}
	return nil
}

// keep makes a pointer the one of the installed release. It reports whether a server refused that release until now.
func (f *Follower) keep(p *shown) (arrived bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	arrived = f.used != nil && f.held == nil
	f.held, f.unverified, f.newest = p, nil, timeOf(f.state.Newest)
	f.allowed = f.state.allowed()
	return arrived
}

// with is the state after a pointer's release was installed.
func (s state) with(p *shown, policy *trust.Policy, verified bool) state {
	if policy == nil || !verified || s.TrustVersion != policy.Version {
		s.Before, s.BeforeSHA256 = "", "" // its media are not verified
	} else if p.Build != s.Build {
		s.Before, s.BeforeSHA256 = s.Build, s.ManifestSHA256
	}
	s.Sequence, s.Build, s.ManifestSHA256, s.Pointer = p.Sequence, p.Build, p.ManifestSHA256, string(p.raw)
	if policy == nil {
		s.Accepted, s.TrustVersion, s.Newest = "", 0, ""
		return s
	}
	if s.TrustVersion != policy.Version || timeOf(s.Newest).Before(p.PublishedAt()) {
		s.Newest = p.Published // a new count, or a later time
	}
	s.Accepted, s.TrustVersion = "", policy.Version
	return s
}

// timeOf is a time of a state or of a pointer; the zero time without one.
func timeOf(s string) time.Time {
	at, _ := time.Parse(time.RFC3339, s)
	return at
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// clock is the time by which pointers expire. It does not fall below the newest publication that was accepted, so that
// setting the clock back does not revive a pointer. The caller holds mu.
func (f *Follower) clock() time.Time {
	now := f.cfg.now()
	if now.Before(f.newest) {
		return f.newest
	}
	return now
}

func (f *Follower) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clock()
}

// checkExpiry refuses the pointer that is installed, once it has expired: then the store should have another one.
func (f *Follower) checkExpiry() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held == nil || !f.held.over(f.clock()) {
		return nil
	}
	return fmt.Errorf("%w: at %s, and the store has no newer one: publish, or run generator releases renew", ErrExpired, stamp(f.held.ends))
}

// ReloadTrust reads the trust file again. If it is wrong, or older, the previous one stays. The next poll uses it.
func (f *Follower) ReloadTrust() error {
	before := f.policy.Load()
	if before == nil {
		return nil
	}
	next, err := trust.ReadFile(f.cfg.TrustFile)
	if err == nil && next.Version < before.Version {
		err = fmt.Errorf("%s: %w", f.cfg.TrustFile, olderTrust(next, before.Version))
	}
	if err != nil {
		f.log.Error("the new trust file is not used; the previous one stays", "error", err, "version", before.Version)
		return err
	}
	f.policy.Store(next)
	f.log.Info("using the trust file", "file", f.cfg.TrustFile, "version", next.Version, "origin", next.Origin, "threshold", next.Threshold, "keys", len(next.Keys))
	f.Wake()
	return nil
}

// usePolicy takes a trust file that was read again. The store's pointer is verified by it, also if it has not
// changed.
func (f *Follower) usePolicy() error {
	if f.policy.Load() == f.used {
		return nil
	}
	f.etag = ""
	if err := f.hold(false); err != nil {
		return err
	}
	if f.unverified != nil {
		f.log.Warn("the new trust file does not accept the release that is served; it stays until the store shows another, or until this node restarts", "error", f.unverified)
	}
	return nil
}
