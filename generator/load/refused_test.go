// These tests are of releases that are not loaded.

package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"site-0123456789abcdef": true, "a.b-0123456789abcdef": true, "": false, "-a": false, "_a": false, ".a": false, "a b": false, "a*": false, "a:b": false, "A": false,
		strings.Repeat("a", maxName): true, strings.Repeat("a", maxName+1): false,
	} {
		if err := checkName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, client := newFake(t)
	for _, change := range []func(c *Config){
		func(c *Config) { c.Envs = []string{"none"} },
		func(c *Config) { c.Shards = maxShards + 1 },
		func(c *Config) { c.Replicas = -1 },
		ofOlderGenerator(t),
	} {
		c := config(t, client, 0)
		change(&c)
		_, err := Run(t.Context(), c)
		if _, ok := errors.AsType[*UsageError](err); !ok {
			t.Errorf("%v", err)
		}
	}
}

// ofOlderGenerator lets a load read a release whose lists order dates by their text.
func ofOlderGenerator(t *testing.T) func(c *Config) {
	return func(c *Config) {
		m, _, err := releasedir.ReadManifest(c.From)
		if err != nil {
			t.Fatal(err)
		}
		const older = 3
		m.Format = older
		for i := range m.Environments {
			m.Environments[i].Templates = nil
		}
		c.From = t.TempDir()
		if err := os.WriteFile(filepath.Join(c.From, release.ManifestName), m.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, _, err := releasedir.ReadManifest(c.From); err != nil || m.Format != older {
			t.Fatal(m, err)
		}
	}
}

// TestParts reads a manifest whose parts lie beside it, where --from has a link to it.
func TestParts(t *testing.T) {
	root := t.TempDir()
	content, public := filepath.Join(root, "content"), filepath.Join(root, "public")
	for i := range release.MaxWhole + 1 {
		dir := filepath.Join(content, fmt.Sprint("env", i))
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"ContentID":"a","Name":"A","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: public, Lists: "-", Compress: "none", SnapshotOnly: true, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	_, client := newFake(t)
	r, err := Check(t.Context(), Config{Client: client, From: public, Jobs: 2, Replicas: 1, MaxWait: time.Minute})
	if err != nil || len(r.Missing()) != release.MaxWhole+1 {
		t.Errorf("%+v %v", r, err)
	}
}
