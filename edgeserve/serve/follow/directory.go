// This file manages the follower's directory. No server opens a partial release: files are synced,
// the release is renamed into place, and then the current link is replaced.

package follow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

const (
	tempName = release.TempPrefix + "follow"
	fileMode = 0o644
	dirMode  = 0o755
	// stateFormat is the version of the state file's format:
	//
	//	1  the first
	stateFormat = 1
)

type directory string

type state struct {
	Format         int    `json:"format"`
	Store          string `json:"store"`
	Sequence       int64  `json:"sequence"` // 0 before the first release
	Build          string `json:"build"`
	ManifestSHA256 string `json:"manifest_sha256"`

	// Pointer is the installed one, as the store sent it, with its signatures: another text of this sequence
	// number is a fork, and a restarted node verifies it again. "" if an older version installed it.
	Pointer string `json:"pointer,omitempty"`
	// TrustVersion is the version of the trust file that accepted Pointer; 0 without one.
	TrustVersion int64 `json:"trust_version,omitempty"`
	// Newest is the latest publication that this version accepted. The clock does not fall below it.
	Newest string `json:"newest_published,omitempty"`
	// Before is the release that was current before, if a trust file accepted it too. Its media stay served.
	Before       string `json:"before,omitempty"`
	BeforeSHA256 string `json:"before_manifest_sha256,omitempty"`

	Accepted string `json:"accepted_pointer,omitempty"` // accepted by an operator, not yet installed; as the store sent it
}

func (d directory) path(names ...string) string {
	return filepath.Join(append([]string{string(d)}, names...)...)
}

// claim reads the directory's state, and initializes an empty directory.
func (d directory) claim(store string) (state, error) {
	s := state{Format: stateFormat, Store: store}
	was, err := d.read(store)
	if errors.Is(err, fs.ErrNotExist) {
		return s, d.initialize(s)
	}
	return was, err
}

// read reads the directory's state and refuses the state of another store.
func (d directory) read(store string) (was state, err error) {
	raw, err := os.ReadFile(d.path(release.FollowName))
	if err != nil {
		return was, err
	}
	if err := json.Unmarshal(raw, &was); err != nil || was.Format != stateFormat || !was.sound() {
		return state{}, fmt.Errorf("%s is damaged or has an unknown version: empty the directory", d.path(release.FollowName))
	}
	if was.Store != store {
		return state{}, fmt.Errorf("%s follows %s, not %s: name another directory, or empty it", d, was.Store, store)
	}
	return was, nil
}

// sound reports whether names that are made of the state stay inside the directory.
func (s state) sound() bool {
	return (s.Build == "" || release.IsBuild(s.Build)) && (s.Before == "" || release.IsBuild(s.Before))
}

func (d directory) initialize(s state) error {
	if err := os.MkdirAll(d.path(release.ReleasesDir), dirMode); err != nil {
		return err
	}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != release.ReleasesDir && name != release.LockName && !strings.HasPrefix(name, release.TempPrefix) && !release.VolumeFolder(name) {
			return fmt.Errorf("%s is not empty and does not follow a store: name another directory, or empty it", d)
		}
	}
	if inside, err := os.ReadDir(d.path(release.ReleasesDir)); err != nil || len(inside) > 0 {
		return errors.Join(err, fmt.Errorf("%s contains releases that did not come from a store: name another directory, or empty it", d))
	}
	return d.save(s)
}

func (d directory) save(s state) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return d.write(release.FollowName, append(b, '\n'))
}

// write replaces a file of the directory atomically and durably.
func (d directory) write(name string, b []byte) error {
	if err := d.replace(name, func(temp string) error { return writeNew(temp, b) }); err != nil {
		return err
	}
	return syncPath(string(d))
}

// replace makes a file under a temporary name and renames it.
func (d directory) replace(name string, make func(temp string) error) error {
	temp := d.path(release.TempPrefix + strings.TrimPrefix(name, "."))
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := make(temp); err != nil {
		return err
	}
	return os.Rename(temp, d.path(name))
}

// readManifest reads the manifest of a release.
func readManifest(dir string) ([]byte, error) {
	path := filepath.Join(dir, release.ManifestName)
	if info, err := os.Stat(path); err != nil || info.Size() > release.MaxManifest {
		return nil, errors.Join(err, errors.New("no manifest"))
	}
	return os.ReadFile(path)
}

// parseManifest parses the manifest of a release, whose parts are in the directory.
func parseManifest(dir string, raw []byte) (*release.Manifest, error) {
	return release.Read(raw, nil, func(p release.PartFile) ([]byte, error) { return releasedir.ReadPart(dir, p) })
}

// openTemp makes the temporary release, unless an earlier attempt left it.
func (d directory) openTemp() (string, error) {
	path := d.path(release.ReleasesDir, tempName)
	return path, os.MkdirAll(filepath.Join(path, release.SnapshotDir), dirMode)
}

// removeTemp removes the temporary release, which nothing will complete.
func (d directory) removeTemp() { _ = os.RemoveAll(d.path(release.ReleasesDir, tempName)) }

// promote gives the temporary release its name. One that has it already is damaged and removed.
func (d directory) promote(build string) error {
	final := d.path(release.ReleasesDir, build)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(d.path(release.ReleasesDir, tempName), final); err != nil {
		return err
	}
	return syncPath(d.path(release.ReleasesDir))
}

// setCurrent points the current link to a build and returns the build that was current locally, or "". before is the
// build that was current in the store, or "": its media stay served.
func (d directory) setCurrent(build, before string) (previous string, err error) {
	if err := d.link(release.CurrentLink+"/"+release.ManifestName, release.ManifestName); err != nil {
		return "", err
	}
	if old, err := os.Readlink(d.path(release.CurrentLink)); err == nil {
		previous = filepath.Base(old)
	}
	if before = cmp.Or(before, previous); before != "" && before != build {
		if err := d.link(release.ReleasesDir+"/"+before, release.PreviousLink); err != nil {
			return "", err
		}
	}
	if err := d.link(release.ReleasesDir+"/"+build, release.CurrentLink); err != nil {
		return "", err
	}
	return previous, syncPath(string(d))
}

func (d directory) link(target, name string) error {
	if have, err := os.Readlink(d.path(name)); err == nil && have == target {
		return nil
	}
	return d.replace(name, func(temp string) error { return os.Symlink(target, temp) })
}

// prune removes all releases except build and previous. Readers of a removed release
// still have it open. After a restart previous equals build, and prune removes nothing.
func (d directory) prune(build, previous string) error {
	if previous == build {
		return nil
	}
	entries, err := os.ReadDir(d.path(release.ReleasesDir))
	for _, e := range entries {
		if n := e.Name(); n != build && n != previous {
			err = errors.Join(err, os.RemoveAll(d.path(release.ReleasesDir, n)))
		}
	}
	return err
}

func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}

func writeNew(path string, b []byte) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writeVerified writes a file with verified content, in place of an unverified one.
func writeVerified(path string, b []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writeNew(path, b)
}

func syncPath(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
