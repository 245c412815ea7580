// Package releasetest writes small releases without pages, for tests.
package releasetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// Write writes a release into a directory, and returns its manifest. Each environment has an item named after the text
// of the environment. Snapshots that the release in the directory before has are linked; "" means no previous release.
func Write(t testing.TB, dir string, envs map[string]string, before string) *release.Manifest {
	t.Helper()
	m := &release.Manifest{Defaults: release.Defaults{Sort: address.Standard.Sort, PageSize: 10}}
	m.Checksums.SHA256 = hex.EncodeToString(make([]byte, sha256.Size))
	for _, id := range slices.Sorted(maps.Keys(envs)) {
		b := snaptest.Bytes(t, snaptest.Env{Name: id, Items: []string{fmt.Sprintf(`{"ContentID":"a","Name":%q}`, envs[id])}})
		sum := sha256.Sum256(b)
		s := release.Snapshot{File: release.SnapshotName(id, sum), Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}
		m.Environments = append(m.Environments, release.Environment{ID: id, Items: 1, Snapshot: s})
		name := filepath.FromSlash(s.File)
		if before == "" || os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755) != nil || os.Link(filepath.Join(before, name), filepath.Join(dir, name)) != nil {
			WriteFile(t, filepath.Join(dir, name), b)
		}
	}
	m.SetFormat()
	raw := m.Encode()
	if m.HasParts() {
		for i := range m.Environments {
			e := &m.Environments[i]
			WriteFile(t, filepath.Join(dir, filepath.FromSlash(e.PartFile().Name)), e.Text())
		}
	}
	WriteFile(t, filepath.Join(dir, release.ManifestName), raw)
	return m
}

// WriteFile writes a file with the directories above it.
func WriteFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
		t.Fatal(err)
	}
}
