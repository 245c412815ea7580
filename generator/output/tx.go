// Package output writes a release so that readers see the old release or the new one, even
// after a kill, a full disk or a power cut. It does not interpret the bytes.
//
// Files go to a temporary directory, never over an existing file, which an edge server may
// have mapped. Commit makes them durable, renames the directory and moves one symbolic link:
//
//	out/releases/.tmp-build    written, synced
//	out/releases/BUILD         the same directory, renamed
//	out/releases/.spare        what the next build begins with
//	out/current -> releases/BUILD     the pointer, replaced by rename(2)
//	out/cda, out/manifest.json, out/files.sha256        links through current, made once
//
// A failure leaves the old release current; the next build removes temporary directories. A
// lock admits one build at a time.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/release"
)

const tempName = release.TempPrefix + "build"

var links = [][2]string{
	{release.FilesLink, release.CurrentLink + "/" + release.FilesLink},
	{release.ManifestName, release.CurrentLink + "/" + release.ManifestName},
	{release.ChecksumsName, release.CurrentLink + "/" + release.ChecksumsName},
}

// Modes of everything written, whatever the umask.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// ErrClosed is a write to a transaction that was committed or aborted.
var ErrClosed = errors.New("the release is already committed or aborted")

// Tx is a release being written. Write and Stream may be called concurrently.
type Tx struct {
	out  string // as the caller named it: errors repeat it
	temp string // out/releases/.tmp-build
	lock *lock

	chmodFiles, chmodDirs bool // the umask takes bits away

	dirsMu sync.RWMutex
	dirs   map[string]bool // slash paths below temp that exist; guarded by dirsMu

	// emptied are the directories that Remove took files from; nil without a spare.
	emptied   map[string]bool // guarded by emptiedMu
	emptiedMu sync.Mutex

	streams atomic.Int64
	links   sync.Mutex

	// NoSync skips syncing: a power cut may then damage the release.
	NoSync bool

	life   sync.RWMutex // held for reading while files are made
	closed bool         // guarded by life
}

// Begin creates or checks the output directory, locks it and removes what an interrupted
// build left. The caller ends with Commit or Abort.
func Begin(out string) (*Tx, error) {
	if err := prepare(out); err != nil {
		return nil, err
	}
	l, err := acquire(filepath.Join(out, release.LockName))
	if err != nil {
		return nil, err
	}
	t := &Tx{out: out, temp: filepath.Join(out, release.ReleasesDir, tempName), lock: l, dirs: map[string]bool{".": true}}
	if err := t.begin(); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return t, nil
}

// Check gives the error that Begin would give, without changing anything.
func Check(out string) error {
	if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := examine(out); err != nil {
		return err
	}
	return peek(filepath.Join(out, release.LockName))
}

func (t *Tx) begin() error {
	releases := filepath.Join(t.out, release.ReleasesDir)
	if err := mkdir(releases); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, dir := range []string{t.out, releases} {
		if err := removeTemps(dir); err != nil {
			return err
		}
	}
	if err := mkdir(t.temp); err != nil {
		return err
	}
	return t.probe()
}

// probe learns whether the umask makes chmod necessary, which costs a system call a file.
func (t *Tx) probe() error {
	file, dir := filepath.Join(t.temp, "probe"), filepath.Join(t.temp, "probe.d")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Mkdir(dir, dirMode)); err != nil {
		return err
	}
	fi, err := os.Stat(file)
	if err != nil {
		return err
	}
	di, err := os.Stat(dir)
	if err != nil {
		return err
	}
	t.chmodFiles, t.chmodDirs = fi.Mode() != fileMode, di.Mode().Perm() != dirMode
	return errors.Join(os.Remove(file), os.Remove(dir))
}

func mkdir(path string) error {
	if err := os.Mkdir(path, dirMode); err != nil {
		return err
	}
	return os.Chmod(path, dirMode)
}

func prepare(out string) error {
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		return examine(out)
	}
	if err := os.MkdirAll(out, dirMode); err != nil {
		return err
	}
	return os.Chmod(out, dirMode)
}

func examine(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(out, release.FollowName)); err == nil {
		return fmt.Errorf("%s is kept by an edge server that follows a store: name another directory", out)
	}
	if len(entries) > 0 && !ours(out) {
		return fmt.Errorf("%s is not empty and was not made by this program: name another directory, or empty it", out)
	}
	for _, l := range append([][2]string{{release.CurrentLink, ""}}, links...) {
		if err := checkLink(filepath.Join(out, l[0]), l[1]); err != nil {
			return err
		}
	}
	return nil
}

func ours(out string) bool {
	if fi, err := os.Lstat(filepath.Join(out, release.LockName)); err == nil && fi.Mode().IsRegular() {
		return true
	}
	target, err := os.Readlink(filepath.Join(out, release.CurrentLink))
	return err == nil && release.IsBuild(strings.TrimPrefix(target, release.ReleasesDir+"/"))
}

// checkLink refuses a name that is there but is not the link it should be.
func checkLink(path, target string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is in the way: a release puts a symbolic link there", path)
	}
	have, err := os.Readlink(path)
	if err == nil && target != "" && have != target {
		return fmt.Errorf("%s is in the way: it points to %s, a release points it to %s", path, have, target)
	}
	return err
}

func removeTemps(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), release.TempPrefix) {
			continue
		}
		if err := removeTree(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// close ends the transaction once running writes are done. It reports whether it was open.
func (t *Tx) close() bool {
	t.life.Lock()
	defer t.life.Unlock()
	open := !t.closed
	t.closed = true
	return open
}

// Abort removes what was written and unlocks the directory. Stream may still be running; its
// output is lost. After Commit, Abort does nothing.
func (t *Tx) Abort() error {
	if !t.close() {
		return nil
	}
	return errors.Join(removeTree(t.temp), t.lock.release())
}
