// Package output writes a release so that readers see the old release or the new one, even
// after a kill, a full disk or a power cut. It does not interpret the bytes.
//
// Files go to a temporary directory, never over an existing file, which an edge server may
// have mapped. Commit makes them durable, renames the directory and moves one symbolic link:
//
//	out/releases/.tmp-build    written, synced
//	out/releases/BUILD         the same directory, renamed
//	out/releases/.spare        what the next build begins with
//	out/releases/.inputs       a note of what the current release was made of
//	out/current -> releases/BUILD     the pointer, replaced by rename(2)
//	out/previous -> releases/BUILD    the release that was current before
//	out/cda, out/manifest.json, out/files.sha256        links through current, made once
//
// A failure leaves the old release current, and the next build removes temporary directories. A file that cannot be
// removed is a Warning, as builds work without the removal. A lock admits one build at a time.
package output

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/wire/release"
)

const tempName = release.TempPrefix + "build"

var links = [][2]string{
	{release.FilesLink, release.CurrentLink + "/" + release.FilesLink},
	{release.ManifestName, release.CurrentLink + "/" + release.ManifestName},
	{release.ChecksumsName, release.CurrentLink + "/" + release.ChecksumsName},
}

// ErrClosed is a write to a transaction that was committed or aborted.
var ErrClosed = errors.New("the release is already committed or aborted")

// Options say how to write a release.
type Options struct {
	FileMode, DirMode fs.FileMode // of everything written; 0: the default

	// NoSync skips syncing: a power cut may then damage the release.
	NoSync bool
}

// Warning is a step that failed and that the build does not need, or a stray file next to a release.
type Warning struct{ Path, Message, Hint string }

// Tx is a release being written. Write and Stream may be called concurrently.
type Tx struct {
	o    Options
	out  string // as the caller named it: errors repeat it
	temp string // out/releases/.tmp-build
	lock *lock

	chmodFiles, chmodDirs bool // the umask takes bits away
	grouped               bool // the output directory hands its group down
	has                   attributes

	dirsMu sync.RWMutex
	dirs   map[string]bool // slash paths below temp that exist; guarded by dirsMu

	// emptied are the directories that Remove took files from; nil without a spare.
	emptied   map[string]bool // guarded by emptiedMu
	emptiedMu sync.Mutex

	streams atomic.Int64
	links   sync.Mutex

	warnings   []Warning // guarded by warningsMu
	warningsMu sync.Mutex

	life   sync.RWMutex // held for reading while files are made
	closed bool         // guarded by life
}

// Begin creates or checks the output directory, locks it and removes what an interrupted
// build left. The caller ends with Commit or Abort.
func Begin(out string, o Options) (*Tx, error) {
	o.FileMode, o.DirMode = cmp.Or(o.FileMode, DefaultFileMode), cmp.Or(o.DirMode, DefaultDirMode)
	t := &Tx{o: o, out: out, dirs: map[string]bool{".": true}}
	if err := t.prepare(); err != nil {
		return nil, err
	}
	var err error
	if t.lock, err = acquire(filepath.Join(out, release.LockName), o.FileMode); err != nil {
		return nil, err
	}
	if why := t.lock.missing; why != nil {
		t.warn(out, fmt.Sprintf("this file system has no locks: %v", why), "see that no two builds write here at once")
	}
	if err := t.begin(); err != nil {
		t.unlock()
		return nil, err
	}
	return t, nil
}

// Check returns the error that Begin would give, without changing anything.
func Check(out string) error {
	if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := examine(out); err != nil {
		return err
	}
	return peek(filepath.Join(out, release.LockName))
}

// Warnings returns the warnings so far. Commit and Abort add the last ones.
func (t *Tx) Warnings() []Warning {
	t.warningsMu.Lock()
	defer t.warningsMu.Unlock()
	return slices.Clone(t.warnings)
}

// warn tells one thing about a path once.
func (t *Tx) warn(path, message, hint string) {
	t.warningsMu.Lock()
	defer t.warningsMu.Unlock()
	if w := (Warning{path, message, hint}); !slices.Contains(t.warnings, w) {
		t.warnings = append(t.warnings, w)
	}
}

func (t *Tx) begin() error {
	releases := filepath.Join(t.out, release.ReleasesDir)
	if err := t.mkdir(releases); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := t.inherit(releases); err != nil {
		return err
	}
	for _, dir := range []string{t.out, releases} {
		if err := t.removeTemps(dir); err != nil {
			return err
		}
	}
	if err := t.makeTemp(); err != nil {
		return err
	}
	return t.probe()
}

// makeTemp makes the directory to write into. Directories of earlier builds may still exist.
func (t *Tx) makeTemp() error {
	return fresh(filepath.Join(t.out, release.ReleasesDir, tempName), func(path string) error {
		t.temp = path
		if err := t.mkdir(path); err != nil {
			return err
		}
		return t.inherit(path)
	})
}

// maxFresh bounds the names that are tried for a temporary entry.
const maxFresh = 1000

// fresh makes an entry under a name, or under one like it where something else stayed.
func fresh(path string, make func(path string) error) (err error) {
	for n := range maxFresh {
		name := path
		if n > 0 {
			name += "-" + strconv.Itoa(n)
		}
		if err = make(name); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

func (t *Tx) prepare() error {
	if _, err := os.Stat(t.out); !errors.Is(err, fs.ErrNotExist) {
		return examine(t.out)
	}
	if err := os.MkdirAll(t.out, t.o.DirMode); err != nil {
		return err
	}
	return t.chmodDir(t.out)
}

func examine(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(out, release.FollowName)); err == nil {
		return fmt.Errorf("%s is kept by an edge server that follows a store: name another directory", out)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && release.VolumeFolder(e.Name()) })
	if len(entries) > 0 && !ours(out) {
		return fmt.Errorf("%s is not empty and was not made by this program: name another directory, or empty it", out)
	}
	for _, l := range append([][2]string{{release.CurrentLink, ""}, {release.PreviousLink, ""}}, links...) {
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

// checkLink refuses an existing name that is not the link it should be.
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

func (t *Tx) removeTemps(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), release.TempPrefix) {
			t.discard(filepath.Join(dir, e.Name()))
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
func (t *Tx) Abort() {
	if t.close() {
		t.discard(t.temp)
		t.unlock()
	}
}

// unlock drops the lock, which the end of the process does too.
func (t *Tx) unlock() {
	if err := t.lock.release(); err != nil {
		t.warn(t.lock.f.Name(), fmt.Sprintf("it still names this build: %v", err), "")
	}
}
