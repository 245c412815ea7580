// These tests write to everything that a name can be of. Devices are nodes of their own in a
// temporary directory, never those of the machine.

package outfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := Write(name, []byte(text), io.Discard); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	if b, err := os.ReadFile(name); err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v; want %q", name, b, err, want)
	}
}

// modeOf is the mode of a name itself, not of a link's target.
func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// onlyNames fails if a temporary file stayed.
func onlyNames(t *testing.T, dir string) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*"))
	if len(left) > 0 {
		t.Errorf("%v stayed", left)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "results.xml")
	write(t, name, "first")
	if holds(t, name, "first"); modeOf(t, name) != 0o644 {
		t.Errorf("a new file has the mode %v", modeOf(t, name))
	}
	reader, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	write(t, name, "second")
	if holds(t, name, "second"); modeOf(t, name) != 0o640 {
		t.Errorf("a replaced file has the mode %v", modeOf(t, name))
	}
	if b, err := io.ReadAll(reader); err != nil || string(b) != "first" {
		t.Errorf("who had it open reads %q, %v", b, err)
	}
	onlyNames(t, dir)
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "far", "results.xml")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "far"), 0o755), os.Symlink("far/results.xml", filepath.Join(dir, "link")),
		os.Symlink("link", filepath.Join(dir, "link of a link")), os.Symlink("loop", filepath.Join(dir, "loop"))); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"of what is not there", "again"} {
		write(t, filepath.Join(dir, "link of a link"), text)
		holds(t, target, text)
		for _, link := range []string{"link", "link of a link"} {
			if modeOf(t, filepath.Join(dir, link))&fs.ModeSymlink == 0 {
				t.Errorf("%s was replaced", link)
			}
		}
	}
	if err := Write(filepath.Join(dir, "loop"), nil, io.Discard); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a loop: %v", err)
	}
	onlyNames(t, dir)
}

func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	link := name + " by a link"
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{name, link} {
		got := make(chan string)
		go func() {
			b, _ := os.ReadFile(name)
			got <- string(b)
		}()
		write(t, to, "results")
		if text := <-got; text != "results" || modeOf(t, name)&fs.ModeNamedPipe == 0 {
			t.Errorf("%s: the reader got %q, and its mode is %v", to, text, modeOf(t, name))
		}
	}
}

func TestDevices(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("device numbers differ")
	}
	const memory = 1 << 8 // the major number of null and full
	dir := t.TempDir()
	null, full := filepath.Join(dir, "null"), filepath.Join(dir, "full")
	if err := errors.Join(syscall.Mknod(null, syscall.S_IFCHR|0o666, memory|3), syscall.Mknod(full, syscall.S_IFCHR|0o666, memory|7)); err != nil {
		t.Skip(err)
	}
	if f, err := os.OpenFile(null, os.O_WRONLY, 0); err != nil {
		t.Skipf("no devices work here: %v", err)
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, null, "results")
	if err := Write(full, []byte("results"), io.Discard); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full device: %v", err)
	}
	for _, name := range []string{null, full} {
		if modeOf(t, name)&fs.ModeCharDevice == 0 {
			t.Errorf("%s became %v", name, modeOf(t, name))
		}
	}
	onlyNames(t, dir)
}

func TestStandardOutput(t *testing.T) {
	var out bytes.Buffer
	if err := Write(StandardOutput, []byte("one "), &out); err != nil || out.String() != "one " {
		t.Errorf("%q, %v", out.String(), err)
	}
	redirected := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(redirected)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := os.Stdout
	os.Stdout = f
	defer func() { os.Stdout = before }()
	if err := Write(redirected, []byte("two"), &out); err != nil || out.String() != "one two" {
		t.Errorf("a name of the file that is standard output: %q, %v", out.String(), err)
	}
	holds(t, redirected, "")
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, nil, io.Discard); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	name := filepath.Join(dir, "none", "results.xml")
	if err := Write(name, nil, io.Discard); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), " "+name+": ") {
		t.Errorf("a directory that is not there: %v", err)
	}
}
