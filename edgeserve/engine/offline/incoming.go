// This file receives a snapshot into the memory from which it is read.

package offline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// Incoming is a snapshot on its way, or the part of the manifest that names it. The caller writes the bytes into Rest
// in any portions.
type Incoming struct {
	env  *release.Environment
	want release.Snapshot
	part *release.PartFile // nil for a snapshot
	open func([]byte) (*snapshot.Reader, error)
	data []byte
	n    int
	sum  hash.Hash
}

// Receive returns memory for the snapshot of an environment of the release, or first for its part of the manifest.
func (r *Release) Receive(environment string) (*Incoming, error) {
	env, err := r.environment(environment)
	if err != nil {
		return nil, err
	}
	if part, incomplete := env.Missing(); incomplete {
		return &Incoming{part: &part, data: make([]byte, part.Bytes), sum: sha256.New()}, nil
	}
	return &Incoming{env: env, want: env.Snapshot, open: snapshot.OpenBytes, data: make([]byte, env.Snapshot.Bytes), sum: sha256.New()}, nil
}

// ReceiveSearchOnly is Receive for the search-only snapshot of an environment. The manifest does not name it: s comes
// from its publisher.
func (r *Release) ReceiveSearchOnly(environment string, s release.Snapshot) (*Incoming, error) {
	env, err := r.environment(environment)
	switch {
	case err != nil:
		return nil, err
	case s.Bytes < 0 || s.Bytes > env.Snapshot.Bytes+searchOnlyMore:
		return nil, fmt.Errorf("%s has %d bytes, more than the snapshot of environment %q that it is made of", s.File, s.Bytes, environment)
	}
	return &Incoming{env: env, want: s, open: snapshot.OpenAny, data: make([]byte, s.Bytes), sum: sha256.New()}, nil
}

// searchOnlyMore is by how many bytes a search-only snapshot may be larger than the snapshot with tiny items: it has a
// checksum for each.
const searchOnlyMore = 1 << 20

func (r *Release) environment(id string) (*release.Environment, error) {
	if env := r.content.Manifest.Environment(id); env != nil {
		return env, nil
	}
	return nil, fmt.Errorf("release %s has no environment %q", r.Build(), id)
}

// Rest is the memory for the bytes that have not arrived.
func (in *Incoming) Rest() []byte { return in.data[in.n:] }

// Arrived reports that n more bytes are at the beginning of Rest.
func (in *Incoming) Arrived(n int) {
	_, _ = in.sum.Write(in.data[in.n : in.n+n]) // a hash never fails
	in.n += n
}

// reader opens the snapshot, once its bytes are the promised ones. The digest covers every byte, so the snapshot's own
// checksums would find nothing more.
func (in *Incoming) reader() (*snapshot.Reader, error) {
	want := in.want
	if in.n < len(in.data) {
		return nil, fmt.Errorf("%s has %d bytes, it should have %d: the file is cut off or belongs to another release", want.File, in.n, want.Bytes)
	}
	if sum := hex.EncodeToString(in.sum.Sum(nil)); sum != want.SHA256 {
		return nil, fmt.Errorf("%s has the SHA-256 %s, it should have %s: the file is damaged or belongs to another release", want.File, sum, want.SHA256)
	}
	reader, err := in.open(in.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", want.File, err)
	}
	if reader.Env() != in.env.ID || reader.Items() != in.env.Items {
		return nil, fmt.Errorf("%s holds %d items of environment %q, the manifest says %d items of %q", want.File, reader.Items(), reader.Env(), in.env.Items, in.env.ID)
	}
	return reader, nil
}
