// This file holds Accept, by which an operator overrules a follower that refuses a pointer.

package follow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"contentedge/edgeserve/wire/release"
)

const (
	acceptName = ".accept.json"
	// acceptInterval is how often a waiting follower looks for an accepted pointer.
	acceptInterval = time.Second
)

// Acceptance reports which pointer was accepted, and the state before it.
type Acceptance struct {
	Pointer  *release.Pointer
	SignedBy []string // the trusted keys; nil without a trust file
	Sequence int64    // of the current release
	Build    string   // of the current release
}

// Accept makes the follower of cfg.Dir accept the store's current pointer, even if it is older, has expired or has an
// implausible sequence number. The trust file of cfg and the trust file of the follower must accept its signatures. A
// running follower applies it at once, a stopped one when it starts.
func Accept(ctx context.Context, cfg FollowerConfig) (*Acceptance, error) {
	d := directory(cfg.Dir)
	was, err := d.read(cfg.Store.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s follows no store yet: start edgeserve without --accept-pointer, because a new node accepts any sequence number", cfg.Dir)
	}
	if err != nil {
		return nil, err
	}
	policy, err := cfg.policy()
	if err != nil {
		return nil, err
	}
	raw, _, err := readPointer(ctx, cfg.Store, "", pointerTime)
	if err != nil {
		return nil, err
	}
	p, err := readShown(policy, raw, time.Now())
	if err != nil {
		return nil, err
	}
	return &Acceptance{p.Pointer, p.signedBy, was.Sequence, was.Build}, d.write(acceptName, raw)
}

// base is what new pointers are compared with.
type base struct {
	Sequence              int64
	Build, ManifestSHA256 string
	text                  string // "" until it is verified
}

// base is the pointer that the node accepted last. A trust file of a higher version starts again without one.
func (f *Follower) base() base {
	if p, err := release.ParsePointer([]byte(f.state.Accepted)); err == nil {
		return base{p.Sequence, p.Build, p.ManifestSHA256, string(release.PointerText([]byte(f.state.Accepted)))}
	}
	s := f.state
	if f.used != nil && 0 < s.TrustVersion && s.TrustVersion < f.used.Version {
		return base{}
	}
	b := base{s.Sequence, s.Build, s.ManifestSHA256, ""}
	if f.used != nil && f.held != nil {
		b.text = f.held.text()
	}
	return b
}

func (f *Follower) applyAccepted() error {
	b, err := os.ReadFile(f.dir.path(acceptName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := readShown(f.used, b, f.cfg.now()) // not f.now: a publication from the future may be what is overruled
	if err != nil {
		err = errors.Join(fmt.Errorf("%s was damaged, or is not signed as the trust file says, and has been removed; run %s again", f.dir.path(acceptName), f.acceptCommand()), err)
		return errors.Join(err, os.Remove(f.dir.path(acceptName)))
	}
	next := f.state
	next.Accepted = string(b)
	if f.used != nil {
		next.Newest = p.Published
	}
	if err := f.dir.save(next); err != nil {
		return err
	}
	f.state, f.etag = next, ""
	f.mu.Lock()
	f.newest = timeOf(next.Newest)
	f.mu.Unlock()
	f.log.Warn("using the pointer that an operator accepted", "build", p.Build, "sequence", p.Sequence, "sequence_before", next.Sequence)
	return os.Remove(f.dir.path(acceptName))
}

func (d directory) has(name string) bool {
	_, err := os.Lstat(d.path(name))
	return err == nil
}

func (f *Follower) withAdvice(err error) error {
	return fmt.Errorf("%w; if the store's pointer is correct, run %s for this node, or generator releases renew %s --sequence %d for all nodes",
		err, f.acceptCommand(), f.bucket(), f.base().Sequence+1)
}

// expired refuses a pointer that has expired before it was installed.
func (f *Follower) expired(p *shown) error {
	return fmt.Errorf("%w: at %s; if the release is still right, run %s for this node, or generator releases renew %s for all nodes",
		ErrExpired, stamp(p.ends), f.acceptCommand(), f.bucket())
}

// bucket is the store as its writers name it.
func (f *Follower) bucket() string {
	if name := f.cfg.Store.String(); strings.HasPrefix(name, "s3://") {
		return shellWord(name)
	}
	return "s3://BUCKET/PREFIX"
}

func (f *Follower) acceptCommand() string {
	more := ""
	if f.cfg.Store.Insecure() {
		more = " --follow-insecure"
	}
	if f.cfg.TrustFile != "" {
		more += " --trust " + shellWord(f.cfg.TrustFile)
	}
	return fmt.Sprintf("edgeserve --follow %s%s --public %s --accept-pointer", shellWord(f.cfg.Store.String()), more, shellWord(string(f.dir)))
}

func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
