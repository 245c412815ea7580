package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSource: each kind of version has a form for each package manager, or an error says why not.
func TestSource(t *testing.T) {
	for _, c := range []struct{ version, file, debian, alpine string }{
		{"v1.2.3", "1.2.3", "1.2.3", "1.2.3"},
		{"v1.2.3-rc.1", "1.2.3-rc.1", "1.2.3~rc.1", "1.2.3_rc1"},
		{"v1.2.3-beta2", "1.2.3-beta2", "1.2.3~beta2", "1.2.3_beta2"},
		{"v0.0.0-20261125102508-c6ab7ca7ce8b", "0.0.0-20261125102508-c6ab7ca7ce8b", "0.0.0~20261125102508.c6ab7ca7ce8b", "0.0.0_pre20261125102508"},
		{"v1.2.4-0.20261125102508-c6ab7ca7ce8b", "1.2.4-0.20261125102508-c6ab7ca7ce8b", "1.2.4~0.20261125102508.c6ab7ca7ce8b", "1.2.4_pre20261125102508"},
		{"v1.2.3-nightly", "1.2.3-nightly", "1.2.3~nightly", ""},
	} {
		s := Source{Version: c.version}
		alpine, err := s.AlpineVersion()
		if !validVersion(c.version) || s.FileVersion() != c.file || s.DebianVersion() != c.debian || alpine != c.alpine || (err == nil) != (alpine != "") {
			t.Errorf("%s: %s, %s, %s, %v", c.version, s.FileVersion(), s.DebianVersion(), alpine, err)
		}
	}
	for _, v := range []string{"", "1.2.3", "v1.2", "v1.2.3+dirty", "(devel)", "v01.2.3", "v1.2.3-", "v1.2.3 -X main.x=y", "v1.2.3-../x"} {
		if validVersion(v) {
			t.Errorf("%q is a version", v)
		}
	}
}

// TestOrderOfVersions: dpkg orders versions as Go does.
func TestOrderOfVersions(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not here")
	}
	ordered := []string{"v0.0.0-20261125102508-c6ab7ca7ce8b", "v1.2.3-alpha.1", "v1.2.3-rc.1", "v1.2.3-rc.2", "v1.2.3", "v1.2.4-0.20261125102508-c6ab7ca7ce8b", "v1.2.4", "v1.10.0"}
	for i := 1; i < len(ordered); i++ {
		a, b := (&Source{Version: ordered[i-1]}).DebianVersion(), (&Source{Version: ordered[i]}).DebianVersion()
		if err := exec.Command("dpkg", "--compare-versions", a+"-1", "lt", b+"-1").Run(); err != nil {
			t.Errorf("%s is not older than %s: %v", a, b, err)
		}
	}
}

// TestOpen: a version and a time are needed, and changed files need a version.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	fails := func(version, want string) {
		t.Helper()
		if _, err := Open(dir, version, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", version, err, want)
		}
	}
	fails("", "is not a checkout of git")
	fails("1.2.3", "is not a version such as v1.2.3")
	fails("v1.2.3", "set SOURCE_DATE_EPOCH")
	for _, wrong := range []string{"yesterday", "0", "-1", "99999999999"} {
		t.Setenv("SOURCE_DATE_EPOCH", wrong)
		fails("v1.2.3", "is not a time in seconds")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1770000000")
	if s, err := Open(dir, "v1.2.3", ""); err != nil || s.Time.Unix() != 1770000000 || s.Revision != "" {
		t.Errorf("%+v, %v", s, err)
	}

	t.Setenv("SOURCE_DATE_EPOCH", "")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-02-03T04:05:06Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "-m", "first")
	if s, err := Open(dir, "", ""); err != nil || s.Time.Format("2006-01-02") != "2026-02-03" || len(s.Revision) != 40 {
		t.Errorf("%+v, %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "new.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fails("", "not committed")
	fails("", "new.go")
	if _, err := Open(dir, "v1.2.3", ""); err != nil {
		t.Error(err)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	git("worktree", "add", "--quiet", "--detach", tree)
	if _, err := Open(tree, "", ""); err == nil || !strings.Contains(err.Error(), "is a linked worktree") {
		t.Errorf("a linked worktree: %v", err)
	}
}
