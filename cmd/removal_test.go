package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

// cut keeps only the first items of a directory from writeSite.
func cut(t *testing.T, content string, items int) {
	t.Helper()
	path := filepath.Join(content, "site", "items.ndjson")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte{'\n'})
	if err := os.WriteFile(path, bytes.Join(lines[:items], nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

// refused runs a command that must exit with status 2 and print some words.
func (p *publisher) refused(words string, args ...string) {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	noCanary(p.t, string(out))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), words) || !strings.Contains(string(out), "--allow-removal") {
		p.t.Errorf("generator %v: %v\n%s", args, err, out)
	}
}

// TestRefusedRemovalsAreServedOn builds, publishes and promotes half a site by mistake.
// The edge serves the whole site until the removal is permitted.
func TestRefusedRemovalsAreServedOn(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, storetest.Serve(t).URL())
	content, public := filepath.Join(p.dir, "content-whole"), p.build("whole")
	p.publish(public)
	n := p.follow(filepath.Join(t.TempDir(), "node"))
	has(t, n, "whole")
	local := &node{base: serve(t, p.bin["edgeserve"], public)}
	followed, served := n.answer(), local.answer()

	cut(t, content, 100)
	const words = "site: 300 items now, 100 in the new release, which lacks 200 of the current items: 66.7% (at most 50% may go)"
	p.refused(words, "build", "--content", content, "--out", public)
	if got := local.answer(); got != served {
		t.Errorf("after a refused build: %.200s", got)
	}
	ci := filepath.Join(p.dir, "ci")
	p.must("build", "--content", content, "--out", ci, "--quiet")
	p.refused(words, "publish", storeURL, "--public", ci)
	p.refused(words, "publish", storeURL, "--public", ci, "--dry-run", "--max-removed", "50")
	p.refused(`"removals":[{"id":"site","before":300,"after":100,"removed":200}]`, "publish", storeURL, "--public", ci, "--max-removed=50", "--json")
	if list := p.must("releases", "list", storeURL); strings.Count(list, "\n") != 2 {
		t.Errorf("a refused release was sent: %s", list)
	}
	var cutRelease struct{ Build string }
	if err := json.Unmarshal([]byte(p.must("publish", storeURL, "--public", ci, "--max-removed", "67", "--json")), &cutRelease); err != nil {
		t.Fatal(err)
	}
	storetest.WaitFor(t, "the cut site", func() bool { return strings.Contains(n.answer(), `"totalItems":100}`) })

	p.must("releases", "rollback", storeURL)
	storetest.WaitFor(t, "the whole site again", func() bool { return n.answer() == followed })
	p.refused(words, "releases", "promote", storeURL, cutRelease.Build)
	if got := n.answer(); got != followed {
		t.Errorf("after a refused promotion: %.200s", got)
	}
	p.must("releases", "promote", storeURL, cutRelease.Build, "--allow-removal")
	storetest.WaitFor(t, "the cut site again", func() bool { return strings.Contains(n.answer(), `"totalItems":100}`) })
}
