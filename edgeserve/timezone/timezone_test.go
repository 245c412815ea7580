package timezone

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

var update = flag.Bool("update", false, "write zones.gz from the database of the Go toolchain")

// TestTimezone: the archive has each zone of the toolchain's database, and its clocks agree with it.
func TestTimezone(t *testing.T) {
	database := toolchain(t)
	if *update {
		write(t, database)
	}
	all, err := carried()
	if err != nil {
		t.Fatal(err)
	}
	instants := []time.Time{time.Unix(0, 0), time.Date(1995, 7, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 7, 1, 0, 0, 0, 0, time.UTC)}
	for _, f := range database.File {
		want, err := time.LoadLocationFromTZData(f.Name, content(t, f))
		if err != nil {
			continue // a directory
		}
		got, err := time.LoadLocationFromTZData(f.Name, all[f.Name])
		if err != nil {
			t.Errorf("%s: %v: run go test ./edgeserve/timezone -update", f.Name, err)
			continue
		}
		for _, at := range instants {
			if g, w := at.In(got).String(), at.In(want).String(); g != w {
				t.Errorf("%s shows %s, not %s", f.Name, g, w)
			}
		}
	}
}

// TestLoad: names of the database, and what is none.
func TestLoad(t *testing.T) {
	for _, name := range []string{"Europe/Paris", "America/Argentina/Buenos_Aires", "UTC", "", "Asia/Kathmandu"} {
		zone, err := Load(name)
		if err != nil || name != "" && zone.String() != name {
			t.Errorf("%q: %v, %v", name, zone, err)
		}
	}
	for _, name := range []string{"Europe/Pari", "europe", "../etc/passwd", "/etc/localtime", "Europe/", "\x00", strings.Repeat("a", 1<<20)} {
		if zone, err := Load(name); err == nil {
			t.Errorf("%.40q is %v", name, zone)
		}
	}
}

// toolchain opens the database that comes with Go.
func toolchain(t *testing.T) *zip.ReadCloser {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib/time/zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return z
}

func content(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, database *zip.ReadCloser) {
	t.Helper()
	names := map[string][]string{} // of each data
	var order []string
	for _, f := range database.File {
		if b := string(content(t, f)); b != "" {
			if names[b] == nil {
				order = append(order, b)
			}
			names[b] = append(names[b], f.Name)
		}
	}
	slices.Sort(order) // like data is near its like, for the compression
	var text []byte
	for _, b := range order {
		text = append(text, strings.Join(names[b], "\n")+"\n\x00"...)
		text = append(binary.LittleEndian.AppendUint32(text, uint32(len(b))), b...)
	}
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	archive = compressed.Bytes()
	if err := os.WriteFile("zones.gz", archive, 0o644); err != nil {
		t.Fatal(err)
	}
}
