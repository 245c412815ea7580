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
	"contentedge/edgeserve/wire/store"
)

const (
	acceptName = ".accept.json"
	// acceptInterval is how often a waiting follower looks for an accepted pointer.
	acceptInterval = time.Second
)

// Acceptance reports which pointer was accepted, and the state before it.
type Acceptance struct {
	Pointer  *release.Pointer
	Sequence int64  // of the current release
	Build    string // of the current release
}

// Accept makes the follower of dir trust the store's current pointer, even if it is older or its
// sequence number implausible. A running follower applies it at once, a stopped one when it starts.
func Accept(ctx context.Context, s *store.Store, dir string) (*Acceptance, error) {
	d := directory(dir)
	was, err := d.read(s.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s follows no store yet: start edgeserve without --accept-pointer, because a new node trusts the first pointer it reads", dir)
	}
	if err != nil {
		return nil, err
	}
	p, _, err := readPointer(ctx, s, "", pointerTime)
	if err != nil {
		return nil, err
	}
	return &Acceptance{p, was.Sequence, was.Build}, d.write(acceptName, p.Encode())
}

// base is the state that new pointers are compared with.
func (s state) base() state {
	if a := s.Accepted; a != nil {
		s.Sequence, s.Build, s.ManifestSHA256 = a.Sequence, a.Build, a.ManifestSHA256
	}
	return s
}

func (f *Follower) applyAccepted() error {
	b, err := os.ReadFile(f.dir.path(acceptName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := release.ParsePointer(b)
	if err != nil {
		err = errors.Join(fmt.Errorf("%s was damaged and has been removed; run %s again", f.dir.path(acceptName), f.acceptCommand()), err)
		return errors.Join(err, os.Remove(f.dir.path(acceptName)))
	}
	next := f.state
	next.Accepted = p
	if err := f.dir.save(next); err != nil {
		return err
	}
	f.state, f.etag = next, ""
	f.log.Warn("using the pointer that an operator accepted", "build", p.Build, "sequence", p.Sequence, "sequence_before", next.Sequence)
	return os.Remove(f.dir.path(acceptName))
}

func (d directory) has(name string) bool {
	_, err := os.Lstat(d.path(name))
	return err == nil
}

func (f *Follower) withAdvice(err error) error {
	bucket := f.cfg.Store.String()
	if !strings.HasPrefix(bucket, "s3://") {
		bucket = "s3://BUCKET/PREFIX"
	}
	return fmt.Errorf("%w; if the store's pointer is correct, run %s for this node, or generator releases renew %s --sequence %d for all nodes",
		err, f.acceptCommand(), shellWord(bucket), f.state.base().Sequence+1)
}

func (f *Follower) acceptCommand() string {
	insecure := ""
	if f.cfg.Store.Insecure() {
		insecure = " --follow-insecure"
	}
	return fmt.Sprintf("edgeserve --follow %s%s --public %s --accept-pointer", shellWord(f.cfg.Store.String()), insecure, shellWord(string(f.dir)))
}

func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
