package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	releases "contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

const newerBuild = "1111111111111111"

// newer returns a manifest as a program with a newer format would write it.
func newer(manifest []byte) []byte {
	rest := bytes.TrimLeft(bytes.TrimPrefix(manifest, []byte(`{"format":`)), "0123456789")
	return append(fmt.Appendf(nil, `{"format":%d`, releases.NewestFormat+1), rest...)
}

// publishNewer publishes a release to a store as a newer program would, and returns its pointer.
func publishNewer(t *testing.T, s *store.Store) *releases.Pointer {
	t.Helper()
	raw, _, err := s.ReadAll(t.Context(), releases.PointerName, store.GetOptions{Max: releases.MaxPointer})
	if err != nil {
		t.Fatal(err)
	}
	p, err := releases.ParsePointer(raw)
	if err != nil {
		t.Fatal(err)
	}
	key := releases.ReleaseKey(p.Build, releases.ManifestName)
	m, _, err := s.ReadAll(t.Context(), key, store.GetOptions{Max: releases.MaxManifest})
	if err != nil {
		t.Fatal(err)
	}
	next := p.Next(newerBuild, newer(m), time.Now()).Of(p.Kind)
	for key, b := range map[string][]byte{releases.ReleaseKey(newerBuild, releases.ManifestName): newer(m), releases.PointerName: next.Encode()} {
		if _, err := s.Put(t.Context(), key, bytes.NewReader(b), int64(len(b)), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return next
}

// installNewer leaves the directory of a node as a newer program does that has installed a release of its own format.
func installNewer(t *testing.T, dir string, p *releases.Pointer) {
	t.Helper()
	state := map[string]any{}
	name := filepath.Join(dir, releases.FollowName)
	if err := json.Unmarshal([]byte(file(t, name)), &state); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, releases.ReleasesDir, state["build"].(string))
	to := filepath.Join(dir, releases.ReleasesDir, newerBuild)
	state["sequence"], state["build"], state["manifest_sha256"], state["pointer"] = p.Sequence, p.Build, p.ManifestSHA256, string(p.Encode())
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, releases.CurrentLink)
	for _, do := range []func() error{
		func() error { return os.CopyFS(to, os.DirFS(old)) },
		func() error { return os.Chmod(filepath.Join(to, releases.ManifestName), 0o644) },
		func() error {
			return os.WriteFile(filepath.Join(to, releases.ManifestName), newer([]byte(file(t, filepath.Join(old, releases.ManifestName)))), 0o644)
		},
		func() error { return os.WriteFile(name, text, 0o644) },
		func() error { return os.RemoveAll(old) }, // a node keeps one release after a restart
		func() error { return os.Remove(link) },
		func() error { return os.Symlink(releases.ReleasesDir+"/"+newerBuild, link) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNodeOfAnOlderProgram takes a node back to this program after a newer one has installed a release of a newer
// format. The node is started before the store has a release that it reads, then after.
func TestNodeOfAnOlderProgram(t *testing.T) {
	for _, kind := range []string{"all", "nodes"} {
		t.Run(kind, func(t *testing.T) {
			service := storetest.Serve(t)
			storetest.Environment(t, service.URL())
			s, err := store.Open(storeURL, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p := newPublisher(t, service.URL())
			p.must("publish", storeURL, "--public", p.build("a"), "--for", kind)
			dir := filepath.Join(p.dir, "node")
			n := p.follow(dir)
			has(t, n, "a")
			n.kill()
			installNewer(t, dir, publishNewer(t, s))

			n = p.follow(dir)
			says := "a newer program made the release (format " + fmt.Sprint(releases.NewestFormat+1)
			storetest.WaitFor(t, "the reason in the log", func() bool { return strings.Contains(n.log.String(), says) })
			if out, code := p.exits("verify", dir); code != 3 || !strings.Contains(out, says) || strings.Contains(out, "damaged") {
				t.Errorf("verify: %d, %s", code, out)
			}
			if out := p.must("releases", "list", storeURL); !strings.Contains(out, newerBuild+"  ") || strings.Count(out, "\n") != 3 {
				t.Errorf("listed: %s", out)
			}
			if out := p.must("releases", "rollback", storeURL); !strings.Contains(out, newerBuild+" is withdrawn") {
				t.Errorf("rolled back: %s", out)
			}
			has(t, n, "a") // without a restart
			n.kill()
			n = p.follow(dir)
			has(t, n, "a")
		})
	}
}
