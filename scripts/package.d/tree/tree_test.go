package tree

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 2, 3, 4, 5, 6, 7, time.FixedZone("", 3600))

// TestTree: the bytes of an archive depend on no order and no zone, and parents come before files.
func TestTree(t *testing.T) {
	files := []File{New("b/c", 0o755, []byte("x")), {Path: "a", Mode: fs.ModeDir | fs.ModeSticky | 0o777, Owner: 7}, New("b/a", 0o644, nil)}
	var one, two bytes.Buffer
	if err := TarGz(&one, files, at); err != nil {
		t.Fatal(err)
	}
	if err := TarGz(&two, []File{files[2], files[0], files[1]}, at.UTC()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the order or the zone makes other bytes")
	}
	var plain bytes.Buffer
	if err := Tar(&plain, files, at); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(&plain); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uname+h.Gname != "" || !h.ModTime.Equal(at.Truncate(time.Second)) {
			t.Errorf("%+v", h)
		}
		got = append(got, h.Name+" "+h.FileInfo().Mode().String())
	}
	if want := "a/ dtrwxrwxrwx|b/ drwxr-xr-x|b/a -rw-r--r--|b/c -rwxr-xr-x"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

// TestTreeRefuses: no path leaves the archive, and none is in it twice.
func TestTreeRefuses(t *testing.T) {
	for _, paths := range [][]string{{"/a"}, {"../a"}, {"a/"}, {""}, {"."}, {"a", "a"}} {
		var files []File
		for _, p := range paths {
			files = append(files, New(p, 0o644, nil))
		}
		if err := Tar(io.Discard, files, at); err == nil {
			t.Errorf("%q is accepted", paths)
		}
	}
}
