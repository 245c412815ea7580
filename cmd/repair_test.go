// These tests damage the current release as people and tools do, and build again without an edit.

package cmd

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRepair: a build of unchanged content finds and mends what is wrong with the current release,
// and the build after it finds nothing.
func TestRepair(t *testing.T) {
	const (
		item = "cda/rest/v1/site/contents/Content_0001.json"
		page = "cda/rest/v1/site/contents-list/sort-createdat-desc-10/page-3.json"
	)
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, d *disk, current string)
		says   string // of the repair; "": as after a build
		flags  []string
	}{
		{"nothing", func(*testing.T, *disk, string) {}, "", nil},
		{"an item removed", func(t *testing.T, _ *disk, current string) { must(t, os.Remove(filepath.Join(current, item))) },
			"files of the current release were missing and were written again: 1", nil},
		{"all items removed", func(t *testing.T, _ *disk, current string) {
			must(t, os.RemoveAll(filepath.Join(current, filepath.Dir(item))))
		}, "were missing and were written again: 300", nil},
		{"a precompressed file emptied", func(t *testing.T, _ *disk, current string) {
			must(t, os.Truncate(filepath.Join(current, page+".gz"), 0))
		},
			"had another time and were written again: 1", nil},
		{"a page emptied, its time put back", func(t *testing.T, _ *disk, current string) {
			path := filepath.Join(current, page)
			fi, err := os.Stat(path)
			must(t, err)
			must(t, os.Truncate(path, 0))
			must(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}, "had another size and were written again: 1", nil},
		{"an item emptied, its time put back", func(t *testing.T, _ *disk, current string) {
			path := filepath.Join(current, item)
			fi, err := os.Stat(path)
			must(t, err)
			must(t, os.Truncate(path, 0))
			must(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}, "had another size and were written again: 1", nil},
		{"a file made private", func(t *testing.T, _ *disk, current string) { must(t, os.Chmod(filepath.Join(current, item), 0o600)) },
			"had another mode or group and were written again: 1", nil},
		{"the manifest made private", func(t *testing.T, _ *disk, current string) {
			must(t, os.Chmod(filepath.Join(current, "manifest.json"), 0o600))
		}, "had another mode or group and were written again: 1", nil},
		{"a directory made private", func(t *testing.T, _ *disk, current string) {
			must(t, os.Chmod(filepath.Join(current, filepath.Dir(item)), 0o700))
		}, "had another mode or group and were written again: 1", nil},
		{"a link for a file", func(t *testing.T, _ *disk, current string) {
			must(t, os.Remove(filepath.Join(current, item)))
			must(t, os.Symlink("Content_0002.json", filepath.Join(current, item)))
		}, "were not regular files and were written again: 1", nil},
		{"a directory for a file", func(t *testing.T, _ *disk, current string) {
			must(t, os.Remove(filepath.Join(current, item)))
			must(t, os.Mkdir(filepath.Join(current, item), 0o755))
		}, "were not regular files and were written again: 1", nil},
		{"the snapshot removed", func(t *testing.T, _ *disk, current string) {
			must(t, os.RemoveAll(filepath.Join(current, "snapshots")))
		}, "the current snapshot cannot be read", nil},
		{"the links removed", func(t *testing.T, d *disk, _ string) {
			for _, link := range []string{"cda", "manifest.json", "files.sha256"} {
				must(t, os.Remove(filepath.Join(d.public, link)))
			}
		}, "cda: warning: this link was missing", nil},
		{"times lost in a copy", func(t *testing.T, d *disk, current string) {
			for path := range walk(t, current) {
				must(t, os.Chtimes(path, time.Now(), time.Now()))
			}
		}, "had another time and were written again: ", nil},
		{"a byte changed, its time put back", func(t *testing.T, _ *disk, current string) {
			path := filepath.Join(current, page+".gz")
			fi, err := os.Stat(path)
			must(t, err)
			b, err := os.ReadFile(path)
			must(t, err)
			b[len(b)/2]++
			must(t, os.WriteFile(path, b, 0o644))
			must(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}, "had other bytes and were written again: 1", []string{"--check"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, filepath.Join(t.TempDir(), "public"))
			current, err := filepath.EvalSymlinks(filepath.Join(d.public, "current"))
			must(t, err)
			before := walk(t, current)
			c.damage(t, d, current)
			if said := d.build(c.flags...); !strings.Contains(said, c.says) || c.says == "" && said != "" {
				t.Errorf("the repair said %q", said)
			}
			d.verify()
			if got := walk(t, current); !slices.Equal(sorted(got), sorted(before)) {
				t.Errorf("got\n%v\nwant\n%v", sorted(got), sorted(before))
			}
			for _, link := range []string{"cda", "manifest.json", "files.sha256"} {
				if _, err := os.Stat(filepath.Join(d.public, link)); err != nil {
					t.Error(err)
				}
			}
			out, err := exec.Command(d.generator, "build", "--content", d.content, "--out", d.public, "--check").CombinedOutput()
			if err != nil || !strings.Contains(string(out), "is unchanged") {
				t.Errorf("the build after it: %v\n%s", err, out)
			}
		})
	}
}

// walk returns a line with mode, size and time for each file below a directory; times only where a
// release fixes them.
func walk(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		about := fi.Mode().String()
		if strings.Contains(path, "/cda/") {
			about += fi.ModTime().UTC().String()
		}
		found[path] = about
		return nil
	}))
	return found
}

func sorted(files map[string]string) (lines []string) {
	for path, about := range files {
		lines = append(lines, path+" "+about)
	}
	slices.Sort(lines)
	return lines
}

// TestStrays: a file that is not the release's is named by each build and stays, also through a
// repair and --full; where a file of the release belongs, it stops the build.
func TestStrays(t *testing.T) {
	t.Parallel()
	d := newDisk(t, filepath.Join(t.TempDir(), "public"))
	current, err := filepath.EvalSymlinks(filepath.Join(d.public, "current"))
	must(t, err)
	stray, deep := filepath.Join(current, "cda/.DS_Store"), filepath.Join(current, "cda/new/deep/x")
	must(t, os.MkdirAll(filepath.Dir(deep), 0o755))
	for _, path := range []string{stray, deep} {
		must(t, os.WriteFile(path, []byte("precious"), 0o644))
	}
	item := filepath.Join(current, "cda/rest/v1/site/contents/Content_0001.json")
	for _, c := range []struct {
		damage func()
		flags  []string
	}{{func() {}, nil}, {func() { must(t, os.Remove(item)) }, nil}, {func() {}, []string{"--check"}}, {func() {}, []string{"--full"}}} {
		c.damage()
		said := d.build(c.flags...)
		for _, path := range []string{stray, deep} {
			if strings.Count(said, strings.TrimPrefix(path, current)+": warning: this file is not the release's") != 1 {
				t.Errorf("%v said %q", c.flags, said)
			}
		}
		for _, path := range []string{stray, deep, item} {
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%v: %v", c.flags, err)
			}
		}
	}
	must(t, os.Remove(item))
	must(t, os.Mkdir(item, 0o755))
	must(t, os.WriteFile(filepath.Join(item, "precious"), nil, 0o644))
	out, err := exec.Command(d.generator, "build", "--content", d.content, "--out", d.public).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Content_0001.json/precious is in the way of a file of the release") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(item, "precious")); err != nil {
		t.Error(err)
	}
}

// TestCheckTouched: --check also reads what a changed release takes from the one before.
func TestCheckTouched(t *testing.T) {
	t.Parallel()
	d := newDisk(t, filepath.Join(t.TempDir(), "public"))
	path := filepath.Join(d.public, "cda/rest/v1/site/contents/Content_0001.json")
	fi, err := os.Stat(path)
	must(t, err)
	b, err := os.ReadFile(path)
	must(t, err)
	b[len(b)/2] ^= 1
	must(t, os.WriteFile(path, b, 0o644))
	must(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
	d.edit("d")
	d.build("--check")
	d.verify()
}

// TestModes: what is written has the modes that were asked for, or 0644 and 0755, whatever the umask,
// and the group of a directory with the setgid bit.
func TestModes(t *testing.T) {
	t.Parallel()
	needRoot(t)
	public := filepath.Join(t.TempDir(), "public")
	must(t, os.Mkdir(public, 0o755))
	must(t, os.Chown(public, 0, 4242))
	must(t, os.Chmod(public, 0o2775|os.ModeSetgid))
	d := &disk{t: t, generator: binaries(t, "generator")["generator"], content: t.TempDir(), public: public}
	d.as = []string{"sh", "-c", `umask 077; exec "$0" "$@"`}
	check := func(file, dir string) {
		t.Helper()
		release, err := filepath.EvalSymlinks(filepath.Join(public, "current"))
		must(t, err)
		must(t, filepath.WalkDir(release, func(path string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fi, err := e.Info()
			must(t, err)
			want := file
			if e.IsDir() {
				want = dir
			}
			if fi.Mode().String() != want || fi.Sys().(*syscall.Stat_t).Gid != 4242 {
				t.Errorf("%s: %s of group %d, want %s", path, fi.Mode(), fi.Sys().(*syscall.Stat_t).Gid, want)
			}
			return nil
		}))
		if fi, err := os.Stat(public); err != nil || fi.Mode().String() != "dgrwxrwxr-x" {
			t.Errorf("public: %v, %v", fi.Mode(), err)
		}
	}
	for _, c := range []struct {
		mark, file, dir string
		flags           []string
	}{
		{"a", "-rw-r--r--", "dgrwxr-xr-x", nil},
		{"b", "-rw-r--r--", "dgrwxr-xr-x", nil},
		{"c", "-rw-r--r--", "dgrwxr-xr-x", nil},
		{"c", "-rw-r-----", "dgrwxr-x---", []string{"--file-mode", "0640", "--dir-mode", "750"}},
		{"d", "-rw-r-----", "dgrwxr-x---", []string{"--file-mode", "0640", "--dir-mode", "750"}},
		{"e", "-rw-r--r--", "dgrwxr-xr-x", nil},
		{"f", "-rw-r--r--", "dgrwxr-xr-x", nil},
	} {
		d.edit(c.mark)
		d.build(c.flags...)
		check(c.file, c.dir)
		d.verify()
	}
}

// TestFaintFileSystems has system calls fail as they do on network disks: the build says so and goes
// on.
func TestFaintFileSystems(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ inject, says string }{
		{"flock:error=ENOLCK", "this file system has no locks: flock"},
		{"flock:error=EBADF", "this file system has no locks: flock"},
		{"flock:error=EOPNOTSUPP", "this file system has no locks: flock"},
		{"fsync:error=EINVAL", "this file system does not make files durable"},
		{"syncfs,fsync:error=EINVAL", "this file system does not make files durable"},
		{"fchmod,fchmodat,fchmodat2:error=EPERM", "modes cannot be set here"},
		{"fchmod,fchmodat,fchmodat2:error=EOPNOTSUPP", "modes cannot be set here"},
	} {
		t.Run(c.inject, func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, filepath.Join(t.TempDir(), "public"))
			calls, _, _ := strings.Cut(c.inject, ":")
			d.as = []string{"sh", "-c", `umask 077; exec "$0" "$@"`, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "inject=" + c.inject}
			for _, mark := range []string{"d", "e", "e"} {
				d.edit(mark)
				args := slices.Concat(d.as, []string{d.generator, "build", "--content", d.content, "--out", d.public, "--quiet"})
				out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
				if err != nil && regexp.MustCompile("(?i)ptrace|strace: ").Match(out) {
					t.Skipf("nothing can be traced here: %s", out)
				}
				if said := string(out); err != nil || !strings.Contains(said, c.says) && mark == "d" {
					t.Errorf("%s: %v\n%s", mark, err, said)
				}
			}
			d.shows("e")
			d.verify()
		})
	}
}

// TestPreviewWithoutLocks: preview serves on a file system without locks, and says so.
func TestPreviewWithoutLocks(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	content, temp := t.TempDir(), t.TempDir()
	writeSite(t, content, "a")
	cmd := exec.Command("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK",
		binaries(t, "preview")["preview"], "--content", content, "--addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = cmd.Stdout
	must(t, cmd.Start())
	said := ""
	for lines := bufio.NewScanner(out); !strings.Contains(said, "watching the content") && lines.Scan(); {
		said += lines.Text() + "\n"
	}
	must(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // strace ends by the signal
	if strings.Contains(said, "ptrace") {
		t.Skipf("nothing can be traced here: %s", said)
	}
	if !strings.Contains(said, "is on a file system without locks") || !strings.Contains(said, "watching the content") {
		t.Errorf("preview said\n%s", said)
	}
}
