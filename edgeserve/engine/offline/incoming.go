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

// Incoming is a snapshot on its way. The caller writes the bytes into Rest in any portions.
type Incoming struct {
	env  *release.Environment
	data []byte
	n    int
	sum  hash.Hash
}

// Receive returns memory for the snapshot of an environment of the release.
func (r *Release) Receive(environment string) (*Incoming, error) {
	for i := range r.content.Manifest.Environments {
		if env := &r.content.Manifest.Environments[i]; env.ID == environment {
			return &Incoming{env: env, data: make([]byte, env.Snapshot.Bytes), sum: sha256.New()}, nil
		}
	}
	return nil, fmt.Errorf("release %s has no environment %q", r.Build(), environment)
}

// Rest is the memory for the bytes that have not arrived.
func (in *Incoming) Rest() []byte { return in.data[in.n:] }

// Arrived says that n more bytes lie at the beginning of Rest.
func (in *Incoming) Arrived(n int) {
	_, _ = in.sum.Write(in.data[in.n : in.n+n]) // a hash never fails
	in.n += n
}

// open opens the snapshot, once its bytes are those that the manifest names. The digest covers every byte, so the
// snapshot's own checksums would find nothing more.
func (in *Incoming) open() (*snapshot.Reader, error) {
	want := in.env.Snapshot
	if in.n < len(in.data) {
		return nil, fmt.Errorf("%s has %d bytes, the manifest says %d: the file is cut off or belongs to another release", want.File, in.n, want.Bytes)
	}
	if sum := hex.EncodeToString(in.sum.Sum(nil)); sum != want.SHA256 {
		return nil, fmt.Errorf("%s has the SHA-256 %s, the manifest says %s: the file is damaged or belongs to another release", want.File, sum, want.SHA256)
	}
	reader, err := snapshot.OpenBytes(in.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", want.File, err)
	}
	if reader.Env() != in.env.ID || reader.Items() != in.env.Items {
		return nil, fmt.Errorf("%s holds %d items of environment %q, the manifest says %d items of %q", want.File, reader.Items(), reader.Env(), in.env.Items, in.env.ID)
	}
	return reader, nil
}
