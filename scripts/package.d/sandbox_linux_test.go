// This file starts programs in an empty root: a namespace of their own, whose root is read-only and
// holds nothing but the artefact, as a user without capabilities.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// sandbox is a root and what happens in it.
type sandbox struct {
	Root   string
	Mounts []mount
	Dir    string // working directory in the root
	Args   []string
	Env    []string
	// Host is for package managers: the root is a copy of this machine's, as far as files differ in
	// this directory, and the user stays root.
	Host string
}

// mount is a directory that the root sees. It must exist in the root.
type mount struct {
	From, To string
	Write    bool
}

const sandboxVariable = "TEST_CONTENTEDGE_SANDBOX"

// TestMain is also the program that enters a sandbox, as a namespace has to be arranged from inside.
func TestMain(m *testing.M) {
	if text := os.Getenv(sandboxVariable); text != "" {
		var s sandbox
		err := json.Unmarshal([]byte(text), &s)
		if err == nil {
			err = s.enter()
		}
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(125)
	}
	code := m.Run()
	made.remove()
	os.Exit(code)
}

// command is a program that will run in the sandbox.
func (s sandbox) command(t *testing.T) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a root of its own needs root")
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = []string{sandboxVariable + "=" + string(text)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// enter arranges the namespace and becomes the program.
func (s sandbox) enter() error {
	runtime.LockOSThread() // rights belong to a thread, and the thread that calls exec keeps its own
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := s.mountRoot(); err != nil {
		return err
	}
	for _, m := range s.Mounts {
		if err := bind(m.From, filepath.Join(s.Root, m.To), !m.Write); err != nil {
			return err
		}
	}
	if err := unix.Chroot(s.Root); err != nil {
		return err
	}
	if err := os.Chdir("/" + s.Dir); err != nil {
		return err
	}
	if s.Host == "" {
		if err := dropRights(); err != nil {
			return err
		}
	}
	return unix.Exec(s.Args[0], s.Args, s.Env)
}

func (s sandbox) mountRoot() error {
	if s.Host == "" {
		return bind(s.Root, s.Root, true)
	}
	upper, work := filepath.Join(s.Host, "upper"), filepath.Join(s.Host, "work")
	for _, dir := range []string{upper, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("overlay", s.Root, "overlay", 0, "lowerdir=/,upperdir="+upper+",workdir="+work); err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	for _, dir := range []string{"/proc", "/dev"} {
		if err := unix.Mount(dir, filepath.Join(s.Root, dir), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return err
		}
	}
	return nil
}

func bind(from, to string, readOnly bool) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s at %s: %w", from, to, err)
	}
	if !readOnly {
		return nil
	}
	return unix.Mount("", to, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "")
}

// dropRights leaves a user that owns nothing and may do nothing.
func dropRights() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

// withoutRights checks that a process is what a sandbox promises.
func withoutRights(t *testing.T, pid int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Uid:\t65532\t65532\t65532\t65532\n", "Gid:\t65532\t65532\t65532\t65532\n", "NoNewPrivs:\t1\n",
		"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n", "CapBnd:\t0000000000000000\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the process is not %q:\n%s", want, text)
		}
	}
}
