// These tests build where people build: in layers of containers, beside other users' files and
// mount points, on disks that keep whole seconds or no locks. Most need root, and skip without.

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// disk is an output directory that was built into, and the content.
type disk struct {
	t                          *testing.T
	generator, content, public string
	as                         []string // the command that builds run under
}

// newDisk builds three releases, so that there is a spare.
func newDisk(t *testing.T, public string) *disk {
	t.Helper()
	d := &disk{t: t, generator: binaries(t, "generator")["generator"], content: t.TempDir(), public: public}
	for _, mark := range []string{"a", "b", "c"} {
		d.edit(mark)
		d.build()
	}
	return d
}

func (d *disk) edit(mark string) { d.t.Helper(); writeSite(d.t, d.content, mark) }

// build builds, which has to succeed. It gives what the build warned of.
func (d *disk) build(flags ...string) (warnings string) {
	d.t.Helper()
	args := slices.Concat(d.as, []string{d.generator, "build", "--content", d.content, "--out", d.public, "--quiet", "--no-sync"}, flags)
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	var kept []string
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "ContentIDs are not of the form") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func (d *disk) verify() {
	d.t.Helper()
	if out, err := exec.Command(d.generator, "verify", d.public).CombinedOutput(); err != nil {
		d.t.Fatalf("%v\n%s", err, out)
	}
}

// shows fails unless the current release has a mark.
func (d *disk) shows(mark string) {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.public, "cda/rest/v1/site/contents/Content_0000.json"))
	if err != nil || !bytes.Contains(b, []byte(`"`+mark+`"`)) {
		d.t.Fatalf("the item is not of %q: %v\n%s", mark, err, b)
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
}

// mount mounts until the test ends, wherever a build moves the directory.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	needRoot(t)
	if err := mountAt(source, target, kind, flags, data); err != nil {
		t.Skipf("no %s can be mounted here: %v", kind, err)
	}
}

// immutable makes a file that not even root removes, until the test ends.
func immutable(t *testing.T, path string) {
	t.Helper()
	needRoot(t)
	if out, err := exec.Command("chattr", "+i", path).CombinedOutput(); err != nil {
		t.Skipf("nothing can be made immutable here: %v %s", err, out)
	}
}

// release undoes mounts and immutable files below a directory.
func release(t *testing.T, dir string) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return // nothing is mounted here
	}
	for line := range strings.Lines(string(mounts)) {
		if at := strings.Fields(line)[1]; strings.HasPrefix(at, dir+"/") {
			if err := unmount(at); err != nil {
				t.Error(err)
			}
		}
	}
	_ = exec.Command("chattr", "-R", "-f", "-i", dir).Run() // complains of links
}

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found
}

// TestStuckDisks: whatever cannot be removed, each build makes its release current, exits 0 and
// names what stays.
func TestStuckDisks(t *testing.T) {
	const item = "cda/rest/v1/site/contents/Content_0000.json"
	for _, c := range []struct {
		name  string
		stick func(t *testing.T, d *disk)
		warns string // what each build says; "": nothing is left
	}{
		{"an immutable file of the spare", func(t *testing.T, d *disk) {
			immutable(t, filepath.Join(d.public, "releases/.spare", item))
		}, "operation not permitted"},
		{"an immutable file of each release", func(t *testing.T, d *disk) {
			for _, path := range mustGlob(t, filepath.Join(d.public, "releases/????????????????", item)) {
				immutable(t, path)
			}
		}, ""},
		{"an immutable temporary directory", func(t *testing.T, d *disk) {
			temp := filepath.Join(d.public, "releases/.tmp-build")
			must(t, os.MkdirAll(filepath.Join(temp, "cda"), 0o755))
			immutable(t, temp)
		}, "operation not permitted"},
		{"an immutable old release", func(t *testing.T, d *disk) {
			old := filepath.Join(d.public, "releases/0123456789abcdef")
			must(t, os.Mkdir(old, 0o755))
			must(t, os.WriteFile(filepath.Join(old, "manifest.json"), nil, 0o644))
			immutable(t, old)
		}, "operation not permitted"},
		{"mount points in releases", func(t *testing.T, d *disk) {
			for _, path := range mustGlob(t, filepath.Join(d.public, "releases/????????????????/cda/rest/v1/site/contents")) {
				mount(t, "tmpfs", path, "tmpfs", 0, "size=1m")
			}
		}, ""},
		{"a mount point for an old release", func(t *testing.T, d *disk) {
			old, outside := filepath.Join(d.public, "releases/0123456789abcdef"), t.TempDir()
			must(t, os.Mkdir(old, 0o755))
			must(t, os.WriteFile(filepath.Join(outside, "manifest.json"), nil, 0o644))
			mount(t, outside, old, "directory", bind, "")
			t.Cleanup(func() {
				if _, err := os.Stat(filepath.Join(outside, "manifest.json")); err != nil {
					t.Error("the mounted directory lost a file:", err)
				}
			})
		}, "it is a mount point"},
		{"another user's releases", func(t *testing.T, d *disk) {
			needRoot(t)
			d.as = []string{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"}
			if out, err := exec.Command(d.as[0], append(d.as[1:], d.generator, "build", "--help")...).CombinedOutput(); err != nil {
				t.Skipf("no other user runs a build here: %v %s", err, out)
			}
			must(t, os.Chown(d.public, 65534, 65534))
			must(t, os.Chown(filepath.Join(d.public, "releases"), 65534, 65534))
		}, "permission denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, filepath.Join(openDir(t), "public"))
			must(t, os.Chmod(d.content, 0o755))
			c.stick(t, d)
			var said string
			for _, mark := range []string{"d", "e", "e", "d", "f", "g"} {
				d.edit(mark)
				said = d.build()
				d.shows(mark)
				d.verify()
			}
			d.build("--full")
			d.verify()
			if c.warns != "" && (!strings.Contains(said, c.warns) || !strings.Contains(said, "it only takes room")) {
				t.Errorf("the last build said\n%s", said)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openDir is a temporary directory that other users may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { release(t, dir) })
	for up := dir; strings.HasPrefix(up, os.TempDir()+"/"); up = filepath.Dir(up) {
		must(t, os.Chmod(up, 0o755))
	}
	must(t, os.Chmod(binDir, 0o755))
	return dir
}

// TestLowerLayer builds over releases in an image's layer, whose directories cannot be renamed.
func TestLowerLayer(t *testing.T) {
	t.Parallel()
	needRoot(t)
	base := openDir(t)
	dir := func(name string) string {
		path := filepath.Join(base, name)
		must(t, os.Mkdir(path, 0o755))
		return path
	}
	lower, merged := dir("lower"), dir("merged")
	d := newDisk(t, filepath.Join(lower, "public"))
	mount(t, "overlay", merged, "overlay", 0, "redirect_dir=off,lowerdir="+lower+",upperdir="+dir("upper")+",workdir="+dir("work"))
	d.public = filepath.Join(merged, "public")
	if err := os.Rename(filepath.Join(d.public, "releases/.spare"), filepath.Join(d.public, "releases/moved")); !errorsIs(err, syscall.EXDEV) {
		t.Skipf("directories of the lower layer are renamed: %v", err)
	}
	// The current release, damaged, is exchanged file by file.
	item := mustGlob(t, filepath.Join(d.public, "releases/????????????????/cda/rest/v1/site/contents/Content_0001.json"))
	for _, path := range item {
		must(t, os.Remove(path))
	}
	if said := d.build(); !strings.Contains(said, "files of the current release were missing and were written again: 1") {
		t.Errorf("the repair said %q", said)
	}
	d.verify()
	for _, mark := range []string{"d", "e", "c", "b", "f"} {
		d.edit(mark)
		if said := d.build(); said != "" {
			t.Errorf("%s: %s", mark, said)
		}
		d.shows(mark)
		d.verify()
	}
	d.build("--full")
	d.verify()
	if left := mustGlob(t, filepath.Join(d.public, "releases/*")); len(left) != 4 { // with .spare and .inputs
		t.Errorf("releases: %v", left)
	}
}

// TestMountedRelease repairs a current release that is a volume of its own: files are copied into it.
func TestMountedRelease(t *testing.T) {
	t.Parallel()
	needRoot(t)
	d := newDisk(t, filepath.Join(openDir(t), "public"))
	current, err := filepath.EvalSymlinks(filepath.Join(d.public, "current"))
	must(t, err)
	aside := d.public + "/aside"
	must(t, os.Rename(current, aside))
	must(t, os.Mkdir(current, 0o755))
	mount(t, "tmpfs", current, "tmpfs", 0, "size=16m,mode=755")
	if out, err := exec.Command("cp", "-a", aside+"/.", current).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	must(t, os.RemoveAll(aside))
	before := walk(t, current)
	must(t, os.Remove(filepath.Join(current, "cda/rest/v1/site/contents/Content_0001.json")))
	must(t, os.Truncate(filepath.Join(current, "cda/rest/v1/site/contents/Content_0002.json"), 3))
	must(t, os.Chmod(filepath.Join(current, "cda/rest/v1/site/contents"), 0o700))
	stray := filepath.Join(current, "cda/stray")
	must(t, os.WriteFile(stray, nil, 0o644))
	if said := d.build(); !strings.Contains(said, "were missing and were written again: 1") || !strings.Contains(said, "stray: warning") {
		t.Errorf("the repair said %q", said)
	}
	must(t, os.Remove(stray))
	d.verify()
	if got := walk(t, current); !slices.Equal(sorted(got), sorted(before)) {
		t.Errorf("got\n%v\nwant\n%v", sorted(got), sorted(before))
	}
	if said := d.build(); said != "" {
		t.Errorf("the build after it said %q", said)
	}
	for _, mark := range []string{"d", "e", "f"} {
		d.edit(mark)
		d.build()
		d.shows(mark)
		d.verify()
	}
}

func errorsIs(err error, want syscall.Errno) bool {
	e, ok := err.(*os.LinkError)
	return ok && e.Err == want
}
