// Package source compiles the programs of a checkout, and says which version they are.
package source

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Programs are the commands of the project.
var Programs = []string{"edgeserve", "generator", "preview"}

// Platform is what a program runs on.
type Platform struct{ OS, Arch string }

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Platforms are the platforms of a release.
var Platforms = []Platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"freebsd", "amd64"}, {"freebsd", "arm64"},
}

// Variables of the programs for a version that Go cannot know.
const (
	versionVariable = "contentedge/cmd/cli.sourceVersion"
	commitVariable  = "contentedge/cmd/cli.sourceCommit"
)

// Source is a checkout, or an unpacked archive of one, with its programs.
type Source struct {
	Root     string
	Version  string    // as programs report it, for example v1.2.3
	Revision string    // of the checkout; "" without one
	Time     time.Time // of everything that is made from it
	Go       string    // version of the compiler

	asked string // version by the command line
	bin   string // directory of the programs, by platform
}

// Open reads a source. The version is the one that Go's build information has, unless one is given.
// Programs go below bin.
func Open(root, version, bin string) (*Source, error) {
	s := &Source{Root: root, asked: version, bin: bin}
	if version != "" && !validVersion(version) {
		return nil, fmt.Errorf("--version %q is not a version such as v1.2.3 or v1.2.3-rc.1", version)
	}
	top, err := s.git("rev-parse", "--show-toplevel")
	checkout := err == nil && sameFile(top, root)
	if !checkout && version == "" {
		return nil, fmt.Errorf("%s is not a checkout of git, from which the version comes: give --version", root)
	}
	if checkout {
		if err := s.readCheckout(); err != nil {
			return nil, err
		}
	}
	return s, s.readTime()
}

// readCheckout refuses changed files, as the version would not say what was built.
func (s *Source) readCheckout() error {
	if st, err := os.Stat(filepath.Join(s.Root, ".git")); s.asked == "" && (err != nil || !st.IsDir()) {
		return fmt.Errorf("%s is a linked worktree or a submodule, where Go finds no version: clone it, or give --version", s.Root)
	}
	status, err := s.git("status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" && s.asked == "" {
		return fmt.Errorf("the checkout has files that are not committed; commit them, or give --version:\n%s", status)
	}
	s.Revision, err = s.git("rev-parse", "HEAD")
	return err
}

// readTime takes SOURCE_DATE_EPOCH, or else the time of the commit.
func (s *Source) readTime() error {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" && s.Revision != "" {
		var err error
		if seconds, err = s.git("show", "-s", "--format=%ct", "HEAD"); err != nil {
			return err
		}
	}
	if seconds == "" {
		return errors.New("without a checkout the time of the artefacts is unknown: set SOURCE_DATE_EPOCH to seconds since 1970")
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	// ZIP and tar readers differ on times before 1980 and after 2106.
	if err != nil || n < 315532800 || n > 1<<32-1 {
		return fmt.Errorf("SOURCE_DATE_EPOCH %q is not a time in seconds between 1980 and 2106", seconds)
	}
	s.Time = time.Unix(n, 0).UTC()
	return nil
}

func (s *Source) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", s.Root}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Build compiles all programs for a platform. The first call finds the version out.
func (s *Source) Build(p Platform) error {
	flags := "-s -w -buildid="
	if s.asked != "" {
		flags += " -X " + versionVariable + "=" + s.asked + " -X " + commitVariable + "=" + s.Revision
	}
	stamped := s.Revision != "" && s.asked == "" // by Go, with tag, commit and time of the checkout
	args := []string{"build", "-trimpath", "-mod=readonly", "-ldflags=" + flags, "-buildvcs=" + strconv.FormatBool(stamped)}
	dir := s.dir(p)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	carry, err := s.carryModule()
	if err != nil {
		return err
	}
	args = append(append(args, carry...), "-o", dir+string(filepath.Separator))
	for _, name := range Programs {
		args = append(args, "./cmd/"+name)
	}
	if out, err := s.GoFor(p, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build for %s: %w\n%s", p, err, out)
	}
	if s.Version == "" {
		return s.readVersion(p)
	}
	return nil
}

// GoFor is a command of Go in the source, in which no variable of the user changes bytes.
func (s *Source) GoFor(p Platform, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	return cmd
}

func (s *Source) readVersion(p Platform) error {
	info, err := buildinfo.ReadFile(s.Program(Programs[0], p))
	if err != nil {
		return err
	}
	s.Go = info.GoVersion
	s.Version = s.asked
	if s.Version == "" {
		s.Version = info.Main.Version
	}
	if !validVersion(s.Version) {
		return fmt.Errorf("the programs say that they are version %q; give --version", s.Version)
	}
	return nil
}

// Program is the file of a program that was built.
func (s *Source) Program(name string, p Platform) string { return filepath.Join(s.dir(p), name) }

func (s *Source) dir(p Platform) string { return filepath.Join(s.bin, p.OS+"_"+p.Arch) }
