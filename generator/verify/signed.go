// This file compares a release with the signed pointer that a publication left next to it.

package verify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
)

// ErrUnsigned: the release has no signed pointer next to it.
var ErrUnsigned = trust.NewRefusal("the release has no signed pointer next to it")

const signHint = "generator publish --sign leaves one, and a site needs it next to its manifest"

// Signed verifies that nodes with a policy would accept the release in a directory, by the pointer next to its
// manifest.
func Signed(dir string, policy *trust.Policy) (*trust.Verified, error) {
	manifest, err := readBounded(filepath.Join(dir, release.ManifestName), release.MaxManifest)
	if err != nil {
		return nil, err
	}
	raw, err := leftPointer(dir)
	if err != nil {
		return nil, err
	}
	v, err := vouches(policy, raw, manifest)
	if err != nil || v.AttestationBytes == 0 {
		return v, err
	}
	record, err := readBounded(filepath.Join(dir, release.CurrentLink, release.AttestationName), release.MaxAttestation)
	if errors.Is(err, fs.ErrNotExist) {
		record, err = readBounded(filepath.Join(dir, release.AttestationName), release.MaxAttestation)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil // only stores need it
	}
	if err == nil && release.HexSHA256(record) != v.AttestationSHA256 {
		err = fmt.Errorf("%w: %s is not the signed one", trust.ErrSignature, release.AttestationName)
	}
	return v, err
}

// leftPointer reads the pointer that a publication left in a directory.
func leftPointer(dir string) ([]byte, error) {
	raw, err := readBounded(filepath.Join(dir, release.PointerName), release.MaxPointer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s: %s", ErrUnsigned, dir, signHint)
	}
	return raw, err
}

func readBounded(name string, max int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(b)) > max {
		err = fmt.Errorf("%s has more than %d bytes", name, max)
	}
	return b, err
}

// vouches verifies a pointer, that its time is not over, and that it is about the manifest.
func vouches(policy *trust.Policy, raw, manifest []byte) (*trust.Verified, error) {
	now := time.Now()
	v, err := policy.Verify(raw, now)
	if err != nil {
		return nil, err
	}
	if v.ManifestBytes != int64(len(manifest)) || v.ManifestSHA256 != release.HexSHA256(manifest) {
		return nil, fmt.Errorf("%w: %s was signed for release %s, and the manifest is another one", trust.ErrSignature, release.PointerName, v.Build)
	}
	if v.Expired(now) {
		return nil, fmt.Errorf("the signed pointer of release %s was valid until %s: generator releases renew writes another one", v.Build, v.Expires)
	}
	return v, nil
}
