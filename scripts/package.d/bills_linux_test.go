// This file compares bills of materials and licences with the programs, and with what others say.

package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLicences: an archive has the licences of exactly the modules that its programs link.
func TestLicences(t *testing.T) {
	for _, set := range sets {
		root := unpackArchive(t, artefact(t, set.name+"-VERSION-linux-amd64.tar.gz"))
		dir := filepath.Join(root, inside(t, root))
		want := []string{"Go's standard library and runtime"}
		for _, name := range set.programs {
			want = append(want, modules(t, filepath.Join(dir, name))...)
		}
		page := string(read(t, filepath.Join(dir, licencesFile)))
		head, texts, _ := strings.Cut(page, "\n"+strings.Repeat("=", 80))
		var got []string
		for line := range strings.Lines(head) {
			title, ids, found := strings.Cut(line, ": ")
			if !found {
				continue
			}
			module, _, _ := strings.Cut(title, " v")
			module, _, _ = strings.Cut(module, " go1")
			got = append(got, module)
			if strings.TrimSpace(ids) == "" || !strings.Contains(texts, title) {
				t.Errorf("%s has no licence", title)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("%s: licences of %q, not of %q", set.name, got, want)
		}
	}
}

// modules are the paths of the modules that a program links.
func modules(t *testing.T, program string) (paths []string) {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Main.Version != testVersion {
		t.Errorf("%s is version %s", program, info.Main.Version)
	}
	for _, d := range info.Deps {
		paths = append(paths, d.Path)
	}
	return paths
}

type bill struct {
	SerialNumber string
	Metadata     struct {
		Timestamp string
		Component struct {
			Components []struct {
				Name   string
				Hashes []struct{ Content string }
			}
		}
	}
	Components []struct {
		PURL   string `json:"purl"`
		Hashes []struct{ Content string }
	}
}

// TestBills: the bill of a program has the digest of its binary in the archive, and the time of the
// commit.
func TestBills(t *testing.T) {
	b := parseJSON[bill](t, read(t, artefact(t, "edgeserve-VERSION.cdx.json")))
	root := unpackArchive(t, artefact(t, "edgeserve-VERSION-linux-amd64.tar.gz"))
	want := sha256Hex(read(t, filepath.Join(root, inside(t, root), "edgeserve")))
	first := b.Metadata.Component.Components[0]
	if first.Name != "edgeserve for linux/amd64" || first.Hashes[0].Content != want {
		t.Errorf("%+v, but the program has the digest %s", first, want)
	}
	if b.Metadata.Timestamp != "2026-02-03T03:05:06Z" || !strings.HasPrefix(b.SerialNumber, "urn:uuid:") {
		t.Errorf("time %s, serial number %s", b.Metadata.Timestamp, b.SerialNumber)
	}
}

// TestBillsByOthers compares the components with those that cyclonedx-gomod finds in the program, and
// validates the bill by the schema in CycloneDX's library for Python.
func TestBillsByOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests compile no other program")
	}
	root := unpackArchive(t, artefact(t, "edgeserve-VERSION-linux-amd64.tar.gz"))
	cmd := exec.Command("go", "run", "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0", "bin", "-json", "-std", filepath.Join(root, inside(t, root), "edgeserve"))
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=")
	var log bytes.Buffer
	cmd.Stderr = &log
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("cyclonedx-gomod: %v\n%s", err, log.String())
	}
	ours, theirs := map[string]string{}, map[string]string{}
	for into, text := range map[*map[string]string][]byte{&ours: read(t, artefact(t, "edgeserve-VERSION.cdx.json")), &theirs: text} {
		for _, c := range parseJSON[bill](t, text).Components {
			purl, _, _ := strings.Cut(c.PURL, "?")
			if (*into)[purl] = ""; len(c.Hashes) > 0 {
				(*into)[purl] = c.Hashes[0].Content
			}
		}
	}
	for purl, sum := range ours {
		if got, found := theirs[purl]; !found || got != "" && got != sum {
			t.Errorf("%s %s: cyclonedx-gomod has %q", purl, sum, got)
		}
	}
	for purl := range theirs {
		if _, found := ours[purl]; !found {
			t.Errorf("cyclonedx-gomod has %s", purl)
		}
	}
}

// TestBillsFollowTheSchema validates the bills by the schema in CycloneDX's library for Python.
func TestBillsFollowTheSchema(t *testing.T) {
	python := os.Getenv("TEST_CONTENTEDGE_CYCLONEDX")
	if python == "" {
		t.Skip("TEST_CONTENTEDGE_CYCLONEDX names no Python with the package cyclonedx-python-lib[json-validation]")
	}
	script := `
import sys
from cyclonedx.validation.json import JsonStrictValidator
from cyclonedx.schema import SchemaVersion
for name in sys.argv[1:]:
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(name).read())
    if error: sys.exit(f"{name}: {error}")`
	for _, name := range []string{"edgeserve", "generator", "preview"} {
		if out, err := exec.Command(python, "-c", script, artefact(t, name+"-VERSION.cdx.json")).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
