// This file runs the scenarios again where the kernel has no watches to give: in a user
// namespace of their own, whose limits can be set without harm to anyone else.

package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// These hand a limit, name=value, and what it leads to to the process in the namespace.
const (
	limitVariable    = "WATCH_TEST_LIMIT"
	warningsVariable = "WATCH_TEST_WARNINGS"
)

// expectedWarnings is how often a mirror is told that events cannot be had.
var expectedWarnings int64

// takeLimit sets the limit that this process was started to live with.
func takeLimit() error {
	name, value, ok := strings.Cut(os.Getenv(limitVariable), "=")
	if !ok {
		return nil
	}
	if _, err := fmt.Sscan(os.Getenv(warningsVariable), &expectedWarnings); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("/proc/sys/user", name), []byte(value), 0)
}

func TestLimits(t *testing.T) {
	for _, c := range []struct{ name, limit, tests, warnings string }{
		{"no inotify", "max_inotify_instances=0", "TestWatch|TestStorms|TestMissing", "1"},
		{"too few watches", "max_inotify_watches=3", "TestStorms|TestMissing", "1"},
		{"watches for one scan, not for two", "max_inotify_watches=7", "TestOften", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^("+c.tests+")$")
			cmd.Env = append(os.Environ(), limitVariable+"="+c.limit, warningsVariable+"="+c.warnings)
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if cmd.Process == nil || strings.Contains(string(out), "/proc/sys/user") {
				t.Skipf("no user namespace here: %v %s", err, out)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
