// This file makes the artefacts that tests look at: twice, so that they can be compared.

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// testVersion is the tag of the checkouts that are built.
const testVersion = "v1.2.3-rc.1"

// made has the artefacts of this run.
var made artefacts

type artefacts struct {
	once   sync.Once
	dir    string
	err    error
	first  string // directory of the artefacts
	second string
}

func (a *artefacts) remove() {
	if a.dir != "" {
		os.RemoveAll(a.dir)
	}
}

// dist is a directory with the artefacts of this working tree. Short tests make those for this
// machine's programs of Linux alone.
func dist(t *testing.T) string {
	t.Helper()
	made.once.Do(func() { made.err = made.make() })
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.first
}

// make builds two clones of one repository at different paths, whose files have different times. The second one is
// another user's, with another umask, time zone and language; but for short tests it compiles everything again.
func (a *artefacts) make() (err error) {
	if a.dir, err = os.MkdirTemp("", "packaging-*"); err != nil {
		return err
	}
	if err := os.Chmod(a.dir, 0o755); err != nil {
		return err
	}
	a.first, a.second = filepath.Join(a.dir, "dist"), filepath.Join(a.dir, "another", "directory", "dist")
	checkout, other := filepath.Join(a.dir, "a"), filepath.Join(a.dir, "another", "directory", "source")
	repository := filepath.Join(a.dir, "repository")
	if err := commitWorkingTree(repository); err != nil {
		return err
	}
	for dir, at := range map[string]time.Time{checkout: time.Unix(1e9, 5e8), other: time.Unix(1.7e9, 25e7)} {
		if err := clone(repository, dir, at); err != nil {
			return err
		}
	}
	if err := pack(checkout, a.first, 0o022, nil, "TZ=UTC", "LC_ALL=C"); err != nil {
		return err
	}
	return a.makeAgain(other)
}

func (a *artefacts) makeAgain(checkout string) error {
	home := filepath.Join(a.dir, "another", "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	env := []string{"TZ=Asia/Kathmandu", "LC_ALL=tr_TR.UTF-8", "GOFLAGS=-tags=other", "GOAMD64=v3", "GOMODCACHE=" + goEnv("GOMODCACHE"), "GOCACHE=" + goEnv("GOCACHE"), "HOME=" + home, "USER=somebody"}
	if !testing.Short() {
		env = append(env, "GOCACHE="+filepath.Join(home, "cache"))
	}
	var attr *syscall.SysProcAttr
	if os.Getuid() == 0 {
		const other = 65533
		err := filepath.WalkDir(filepath.Join(a.dir, "another"), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, other, other)
		})
		if err != nil {
			return err
		}
		// Another user may not read root's cache of modules without this capability.
		attr = &syscall.SysProcAttr{
			Credential:  &syscall.Credential{Uid: other, Gid: other},
			AmbientCaps: []uintptr{unix.CAP_DAC_OVERRIDE},
		}
	}
	return pack(checkout, a.second, 0o077, attr, env...)
}

func goEnv(name string) string {
	out, _ := exec.Command("go", "env", name).Output()
	return strings.TrimSpace(string(out))
}

// commitWorkingTree copies the repository with the files of this working tree, and tags the copy.
func commitWorkingTree(to string) error {
	script := `
		set -eu
		git clone --quiet --no-local --depth 1 "file://$(git rev-parse --show-toplevel)" "$1"
		cd "$(git rev-parse --show-toplevel)"
		git -C "$1" rm -rfq --ignore-unmatch .
		git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done | tar -c --null -T - | tar -x --no-same-owner -C "$1"
		cd "$1"
		git add -A
		git -c user.name=t -c user.email=t@localhost commit --quiet --allow-empty -m 'The working tree'
		git -c user.name=t -c user.email=t@localhost tag -a "$2" -m "$2"`
	cmd := exec.Command("bash", "-c", script, "clone", to, testVersion)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-02-03T04:05:06+01:00", "GIT_COMMITTER_DATE=2026-02-03T04:05:06+01:00")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("commit the working tree: %w\n%s", err, out)
	}
	return nil
}

// clone clones a repository as users do, and gives the files a time: two users never clone at the same moment.
func clone(repository, to string, at time.Time) error {
	if out, err := exec.Command("git", "clone", "--quiet", "--no-local", "file://"+repository, to).CombinedOutput(); err != nil {
		return fmt.Errorf("clone: %w\n%s", err, out)
	}
	return filepath.WalkDir(to, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == ".git" {
			return cmp.Or(err, fs.SkipDir)
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		return os.Chtimes(path, at, at)
	})
}

// pack runs scripts/package in a checkout, under an umask.
func pack(checkout, out string, umask int, attr *syscall.SysProcAttr, env ...string) error {
	args := []string{"-c", fmt.Sprintf("umask %04o; exec scripts/package \"$@\"", umask), "pack", "--out", out}
	if testing.Short() {
		args = append(args, "--platforms", "linux/amd64", "archives", "oci", "sbom")
	}
	cmd := exec.Command("bash", args...)
	cmd.Dir, cmd.SysProcAttr = checkout, attr
	cmd.Env = append(append(os.Environ(), "TMPDIR="+filepath.Dir(out)), env...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("scripts/package: %w\n%s", err, output.String())
	}
	return nil
}

// artefact is the path of an artefact, for example edgeserve-VERSION-linux-amd64.tar.gz.
func artefact(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(dist(t), strings.Replace(name, "VERSION", strings.TrimPrefix(testVersion, "v"), 1))
}
