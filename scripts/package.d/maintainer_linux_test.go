// This file runs the scripts of packages in a root that has a shell and little else.

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// shellRoot makes a root with a shell, but without /dev, and with programs that fail after they have printed and logged
// how they were called.
func shellRoot(t *testing.T, programs ...string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a root of its own needs root")
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Skip(err)
	}
	libraries, err := exec.Command("ldd", shell).Output()
	if err != nil {
		t.Skipf("ldd: %v", err)
	}
	root := t.TempDir()
	place := func(from, to string, mode fs.FileMode) {
		to = filepath.Join(root, to)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, read(t, from), mode)); err != nil {
			t.Fatal(err)
		}
	}
	place(shell, "/bin/sh", 0o755)
	for _, word := range strings.Fields(string(libraries)) {
		if strings.HasPrefix(word, "/") {
			place(word, word, 0o755)
		}
	}
	for _, name := range programs {
		text := "#!/bin/sh\necho \"" + name + " $*\" | while read -r line; do echo \"$line\"; echo \"$line\" >>/log; done\nexit 1\n"
		if err := os.WriteFile(filepath.Join(root, "bin", name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestMaintainerScripts runs each script as its package manager does: it prints nothing, succeeds whatever the programs of
// the system say, and calls them.
func TestMaintainerScripts(t *testing.T) {
	for _, c := range []struct {
		script  string
		args    []string
		systemd bool
		calls   []string
	}{
		{"deb/post-install", []string{"configure", ""}, false, []string{"deb-systemd-helper update-state edgeserve.service", "deb-systemd-helper update-state edgeserve.socket"}},
		{"deb/post-install", []string{"configure", "1.2.3"}, true, []string{"deb-systemd-helper update-state edgeserve.service", "deb-systemd-helper update-state edgeserve.socket",
			"systemctl --system daemon-reload", "deb-systemd-invoke try-restart edgeserve.service"}},
		{"deb/post-install", []string{"abort-upgrade", "1.2.3"}, true, nil},
		{"deb/pre-remove", []string{"remove"}, true, []string{"deb-systemd-invoke stop edgeserve.socket edgeserve.service"}},
		{"deb/pre-remove", []string{"remove"}, false, nil},
		{"deb/pre-remove", []string{"upgrade", "1.2.4"}, true, nil},
		{"deb/post-remove", []string{"remove"}, true, []string{"systemctl --system daemon-reload"}},
		{"deb/post-remove", []string{"purge"}, false, []string{"deb-systemd-helper purge edgeserve.service edgeserve.socket"}},
		{"apk/pre-install", []string{"1.2.3-r1"}, false, []string{"addgroup -S edgeserve", "adduser -S -D -H -h /var/lib/contentedge -s /sbin/nologin -G edgeserve -g edgeserve edgeserve"}},
	} {
		t.Run(c.script+" "+strings.Join(c.args, " "), func(t *testing.T) {
			root := shellRoot(t, "deb-systemd-helper", "deb-systemd-invoke", "systemctl", "addgroup", "adduser")
			if c.systemd {
				if err := os.MkdirAll(filepath.Join(root, "run/systemd/system"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(root, "script"), read(t, filepath.Join("maintainer", c.script)), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("/script", c.args...)
			cmd.Env, cmd.Dir = []string{"PATH=/bin"}, "/"
			cmd.Stdin = strings.NewReader("")
			cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v, printed %q", err, out)
			}
			log, err := os.ReadFile(filepath.Join(root, "log"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if got := strings.Split(strings.TrimSuffix(string(log), "\n"), "\n"); !slices.Equal(got, c.calls) && !(len(log) == 0 && c.calls == nil) {
				t.Errorf("called %q, want %q", got, c.calls)
			}
		})
	}
}
