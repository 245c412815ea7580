// This file holds the image to the specification, and to programs that others wrote for it.

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/opencontainers/image-spec/schema"
)

// TestImageFollowsTheSchemas validates each document of the image by the schemas of the specification.
func TestImageFollowsTheSchemas(t *testing.T) {
	l := openLayout(t, artefact(t, "edgeserve-VERSION-oci.tar"))
	validate := func(v schema.Validator, name string, data []byte) {
		t.Helper()
		if len(data) == 0 {
			t.Fatalf("there is no %s", name)
		}
		if err := v.Validate(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
	validate(schema.ValidatorMediaTypeLayoutHeader, "oci-layout", l["oci-layout"])
	validate(schema.ValidatorMediaTypeImageIndex, "index.json", l["index.json"])
	top := parseJSON[indexOrManifest](t, l["index.json"]).Manifests[0]
	validate(schema.ValidatorMediaTypeImageIndex, "the index", l.blob(t, top))
	blobs := 2 // directory and index
	for _, d := range parseJSON[indexOrManifest](t, l.blob(t, top)).Manifests {
		validate(schema.ValidatorMediaTypeManifest, "the manifest", l.blob(t, d))
		m := parseJSON[indexOrManifest](t, l.blob(t, d))
		validate(schema.ValidatorMediaTypeImageConfig, "the configuration", l.blob(t, m.Config))
		if m.Config.MediaType != string(schema.ValidatorMediaTypeImageConfig) || m.Layers[0].MediaType != "application/vnd.oci.image.layer.v1.tar+gzip" {
			t.Errorf("media types %s and %s", m.Config.MediaType, m.Layers[0].MediaType)
		}
		blobs += 2 + len(m.Layers)
	}
	if got := len(l) - len([]string{"oci-layout", "index.json", "blobs", "blobs/sha256"}); got != blobs-1 {
		t.Errorf("the layout has %d blobs, of which %d are named", got, blobs-1)
	}
}

// TestImageByOthers lets skopeo copy the image and umoci unpack it. What umoci unpacks then serves.
func TestImageByOthers(t *testing.T) {
	for _, program := range []string{"skopeo", "umoci"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here (Debian has it)", program)
		}
	}
	release := buildRelease(t)
	file := artefact(t, "edgeserve-VERSION-oci.tar")
	for arch := range openLayout(t, file).images(t) {
		t.Run(arch, func(t *testing.T) {
			dir := t.TempDir()
			run := func(name string, args ...string) {
				t.Helper()
				cmd := exec.Command(name, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s %q: %v\n%s", name, args, err, out)
				}
			}
			run("skopeo", "--insecure-policy", "--override-arch", arch, "copy", "oci-archive:"+file, "oci:copy:test")
			run("umoci", "unpack", "--image", "copy:test", "bundle")
			root := filepath.Join(dir, "bundle", "rootfs")
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, d := range []string{dir, filepath.Join(dir, "bundle")} {
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			own, config := openLayout(t, file).unpack(t, arch)
			if out, err := exec.Command("diff", "--recursive", "--no-dereference", own, root).CombinedOutput(); err != nil {
				t.Errorf("umoci unpacks other files: %v\n%s", err, out)
			}
			var behind []string
			if arch == "arm64" {
				behind = []string{emulator(t, root)}
			}
			startImage(t, sandbox{Root: root}, behind, config, release)
		})
	}
}
