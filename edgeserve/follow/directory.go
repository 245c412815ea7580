// This file is the directory that a follower fills. Nothing half there is ever under a
// name that a server opens: releases are made durable, then renamed, and one link moves.

package follow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/release"
)

const (
	tempName = release.TempPrefix + "follow"
	fileMode = 0o644
	dirMode  = 0o755
	// stateFormat is the number of the state's format:
	//
	//	1  the first
	stateFormat = 1
)

// directory is the path of a public directory that a follower owns.
type directory string

// state is what a follower has to know after a restart.
type state struct {
	Format         int    `json:"format"`
	Store          string `json:"store"`
	Sequence       int64  `json:"sequence"` // 0: nothing yet
	Build          string `json:"build"`
	ManifestSHA256 string `json:"manifest_sha256"`

	Accepted *release.Pointer `json:"accepted,omitempty"` // by an operator; until it is followed
}

// path is that of a name in the directory.
func (d directory) path(names ...string) string {
	return filepath.Join(append([]string{string(d)}, names...)...)
}

// claim reads the directory's state, and makes a first one where nothing is.
func (d directory) claim(store string) (state, error) {
	s := state{Format: stateFormat, Store: store}
	was, err := d.read(store)
	if errors.Is(err, fs.ErrNotExist) {
		return s, d.found(s)
	}
	return was, err
}

// read reads the directory's state, which must be that of the store.
func (d directory) read(store string) (s state, err error) {
	raw, err := os.ReadFile(d.path(release.FollowName))
	if err != nil {
		return s, err
	}
	var was state
	if err := json.Unmarshal(raw, &was); err != nil || was.Format != stateFormat || was.Build != "" && !release.IsBuild(was.Build) {
		return s, fmt.Errorf("%s is damaged or of another version: empty the directory", d.path(release.FollowName))
	}
	if was.Store != store {
		return s, fmt.Errorf("%s follows %s, not %s: name another directory, or empty it", d, was.Store, store)
	}
	return was, nil
}

// found makes the directory a followed one.
func (d directory) found(s state) error {
	if err := os.MkdirAll(d.path(release.ReleasesDir), dirMode); err != nil {
		return err
	}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != release.ReleasesDir && name != release.LockName && !strings.HasPrefix(name, release.TempPrefix) {
			return fmt.Errorf("%s is not empty and was not filled from a store: name another directory, or empty it", d)
		}
	}
	if inside, err := os.ReadDir(d.path(release.ReleasesDir)); err != nil || len(inside) > 0 {
		return errors.Join(err, fmt.Errorf("%s holds releases that are from no store: name another directory, or empty it", d))
	}
	return d.save(s)
}

// save writes the state, durable.
func (d directory) save(s state) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return d.write(release.FollowName, append(b, '\n'))
}

// write writes a file of the directory, durable, over the one that is there.
func (d directory) write(name string, b []byte) error {
	temp := d.path(release.TempPrefix + strings.TrimPrefix(name, "."))
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeNew(temp, b); err != nil {
		return err
	}
	if err := os.Rename(temp, d.path(name)); err != nil {
		return err
	}
	return syncPath(string(d))
}

// manifest reads the manifest of a release that is there.
func (d directory) manifest(build string) ([]byte, error) {
	path := d.path(release.ReleasesDir, build, release.ManifestName)
	if info, err := os.Stat(path); err != nil || info.Size() > release.MaxManifest {
		return nil, errors.Join(err, errors.New("no manifest"))
	}
	return os.ReadFile(path)
}

// check proves a release that is there.
func (d directory) check(build string, check func(string) error) error {
	return check(d.path(release.ReleasesDir, build))
}

// temp makes an empty place for a release on its way.
func (d directory) temp() (string, error) {
	d.clean()
	path := d.path(release.ReleasesDir, tempName)
	return path, os.MkdirAll(filepath.Join(path, release.SnapshotDir), dirMode)
}

// clean removes what is on its way, or was when a process ended.
func (d directory) clean() { _ = os.RemoveAll(d.path(release.ReleasesDir, tempName)) }

// place gives the release on its way its name. One that has the name already was found
// to be damaged.
func (d directory) place(build string) error {
	final := d.path(release.ReleasesDir, build)
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(d.path(release.ReleasesDir, tempName), final); err != nil {
		return err
	}
	return syncPath(d.path(release.ReleasesDir))
}

// point moves the link to a build and gives the one it pointed to, "" if none.
func (d directory) point(build string) (previous string, err error) {
	if err := d.link(release.CurrentLink+"/"+release.ManifestName, release.ManifestName); err != nil {
		return "", err
	}
	if old, err := os.Readlink(d.path(release.CurrentLink)); err == nil {
		previous = filepath.Base(old)
	}
	if err := d.link(release.ReleasesDir+"/"+build, release.CurrentLink); err != nil {
		return "", err
	}
	return previous, syncPath(string(d))
}

// link makes a symbolic link, over another one if need be.
func (d directory) link(target, name string) error {
	if have, err := os.Readlink(d.path(name)); err == nil && have == target {
		return nil
	}
	temp := d.path(release.TempPrefix + name)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, temp); err != nil {
		return err
	}
	return os.Rename(temp, d.path(name))
}

// prune removes all releases but two. Those who read one still have it open. After a
// restart in between, previous is the build itself and nothing is removed.
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

// create makes a new file.
func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
}

// writeNew writes a new file, durable.
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

// syncPath makes the entries of a directory durable.
func syncPath(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
