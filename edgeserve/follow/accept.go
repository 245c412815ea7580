// This file is how an operator overrules a follower's distrust: a command leaves the
// pointer that the store shows now in the directory, and the follower begins again from
// there. Only that pointer and later ones are believed then, not whatever comes.

package follow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

const (
	// acceptName is the file with an accepted pointer.
	acceptName = ".accept.json"
	// acceptInterval is between two looks for the file: nobody waits for a long pause.
	acceptInterval = time.Second
)

// Acceptance says which pointer was accepted, and after which one.
type Acceptance struct {
	Pointer  *release.Pointer
	Sequence int64  // that the directory has
	Build    string // that the directory has
}

// Accept has the follower of a directory believe the pointer that its store shows now,
// even if it is older than one seen before or has an implausible number. A follower that
// runs takes it at once, another one when it starts.
func Accept(ctx context.Context, s *store.Store, dir string) (*Acceptance, error) {
	d := directory(dir)
	was, err := d.read(s.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s follows no store yet: start edgeserve without --accept-pointer, a new node believes the first pointer that it sees", dir)
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

// base is the state that pointers are compared with.
func (s state) base() state {
	if a := s.Accepted; a != nil {
		s.Sequence, s.Build, s.ManifestSHA256 = a.Sequence, a.Build, a.ManifestSHA256
	}
	return s
}

// takeAccepted makes an accepted pointer part of the state.
func (f *Follower) takeAccepted() error {
	b, err := os.ReadFile(f.dir.path(acceptName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := release.ParsePointer(b)
	if err != nil {
		err = errors.Join(fmt.Errorf("%s is damaged and was removed; run %s", f.dir.path(acceptName), f.acceptCommand()), err)
		return errors.Join(err, os.Remove(f.dir.path(acceptName)))
	}
	next := f.state
	next.Accepted = p
	if err := f.dir.save(next); err != nil {
		return err
	}
	f.state, f.etag = next, ""
	f.log.Warn("a pointer was accepted by an operator", "build", p.Build, "sequence", p.Sequence, "sequence_before", next.Sequence)
	return os.Remove(f.dir.path(acceptName))
}

// has tells whether the directory has a file.
func (d directory) has(name string) bool {
	_, err := os.Lstat(d.path(name))
	return err == nil
}

// refuse adds to an error what an operator can do: here, or in the store for all nodes.
func (f *Follower) refuse(err error) error {
	bucket := f.cfg.Store.String()
	if !strings.HasPrefix(bucket, "s3://") {
		bucket = "s3://BUCKET/PREFIX"
	}
	return fmt.Errorf("%w; if the store is right, run %s (for this node) or generator releases renew %s --sequence %d (for all nodes)",
		err, f.acceptCommand(), shellWord(bucket), f.state.base().Sequence+1)
}

// acceptCommand is the command that calls Accept.
func (f *Follower) acceptCommand() string {
	insecure := ""
	if f.cfg.Store.Insecure() {
		insecure = " --follow-insecure"
	}
	return fmt.Sprintf("edgeserve --follow %s%s --public %s --accept-pointer", shellWord(f.cfg.Store.String()), insecure, shellWord(string(f.dir)))
}

// shellWord quotes a word for a shell where that is needed.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
