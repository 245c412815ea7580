package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/cmd/wasm/module"
	"contentedge/generator"
	"contentedge/generator/hosts"
)

// moduleFiles are the files of the module, which scripts/wasm makes.
func moduleFiles(t *testing.T) []module.File {
	t.Helper()
	dir := os.Getenv("TEST_CONTENTEDGE_WASM")
	if dir == "" {
		t.Skip("TEST_CONTENTEDGE_WASM names no directory with the module: scripts/wasm test makes one")
	}
	var files []module.File
	for _, name := range []string{module.WebAssembly, module.Script, module.Types} {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, module.File{Name: name, Body: body})
	}
	return files
}

// buildSample builds a release of content into a public directory.
func buildSample(t *testing.T, content, public string) {
	t.Helper()
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: public, NoSync: true}); err != nil {
		t.Fatal(err)
	}
}

// publishSample publishes the search of a release for a host, and returns what was printed.
func publishSample(t *testing.T, host, public, out string, files []module.File) (text string) {
	t.Helper()
	var printed bytes.Buffer
	m, err := readManifest(public)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts.All() {
		if h.Name == host {
			p := publisher{host: h, config: hosts.Deployment{Manifest: m}, public: public, out: out, c: console{out: &printed, err: io.Discard},
				module: func(context.Context) ([]module.File, error) { return files, nil }}
			if err := p.publish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return printed.String()
}

// A release of preview has no files of items.
func TestSearchOfPreview(t *testing.T) {
	public, out := filepath.Join(t.TempDir(), "public"), filepath.Join(t.TempDir(), "out")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: "../../content", Out: public, NoSync: true, SnapshotOnly: true}); err != nil {
		t.Fatal(err)
	}
	err := (&publisher{public: public, out: out}).publish(t.Context())
	if err == nil || !strings.Contains(err.Error(), "use one of generator build") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}
