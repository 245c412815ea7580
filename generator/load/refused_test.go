// These tests are of releases that are not loaded.

package load

import (
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
