package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

// advised returns the arguments of the commands that a node's last refusal recommends:
// for this node, and for all nodes.
func advised(t *testing.T, n *node) (accept, renew []string) {
	t.Helper()
	advice := regexp.MustCompile(`run edgeserve (--.+?) for this node, or generator (releases renew .+?) for all nodes`)
	var found [][]string
	storetest.WaitFor(t, "advice in the log", func() bool {
		found = advice.FindAllStringSubmatch(n.log.String(), -1)
		return found != nil
	})
	last := found[len(found)-1]
	return strings.Fields(last[1]), strings.Fields(last[2])
}

// TestAdviceOfNodes resets a store to an older sequence number, as a restored backup or
// a forged pointer does, and follows the advice in the nodes' logs.
func TestAdviceOfNodes(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, storetest.Serve(t).URL())
	first, second := p.build("first"), p.build("second")
	dir := filepath.Join(t.TempDir(), "node")
	p.publish(first)
	n := p.follow(dir)
	has(t, n, "first")
	// fall shows the node a number, and then a lower one with another release.
	number := 5000
	fall := func(public string) {
		t.Helper()
		number += 5000
		p.must("releases", "renew", storeURL, "--sequence", strconv.Itoa(number))
		storetest.WaitFor(t, "the node to see the number", func() bool {
			return strings.Contains(file(t, filepath.Join(dir, ".follow.json")), `"sequence":`+strconv.Itoa(number))
		})
		p.must("releases", "renew", storeURL, "--sequence", "7")
		p.publish(public)
		storetest.WaitFor(t, "the refusal", func() bool { return strings.Contains(n.log.String(), "after "+strconv.Itoa(number)) })
	}
	accept := func() {
		t.Helper()
		args, _ := advised(t, n)
		out, err := p.run("edgeserve", args...).CombinedOutput()
		noCanary(t, string(out))
		if err != nil || !strings.Contains(string(out), "accepted: release") {
			t.Fatalf("edgeserve %v: %v, %s", args, err, out)
		}
	}
	fall(second)
	accept()
	has(t, n, "second")

	fall(first)
	n.kill()
	accept()
	n = p.follow(dir)
	has(t, n, "first")

	fall(second)
	_, renew := advised(t, n)
	p.must(renew...)
	has(t, n, "second")

	p.must("releases", "renew", storeURL, "--sequence", "9007199254740991")
	storetest.WaitFor(t, "the refusal", func() bool { return strings.Contains(n.log.String(), "rose too far") })
	if out, err := p.command("publish", storeURL, "--public", first).CombinedOutput(); err == nil || !strings.Contains(string(out), "--sequence N") {
		t.Errorf("publishing beyond the highest number: %v, %s", err, out)
	}
	_, renew = advised(t, n)
	p.must(renew...)
	p.publish(first)
	has(t, n, "first")
}

// TestRepairCommand deletes files of the current release in the store and repairs it.
func TestRepairCommand(t *testing.T) {
	t.Parallel()
	s := storetest.Serve(t)
	p := newPublisher(t, s.URL())
	public := p.build("first")
	p.publish(public)
	build := filepath.Base(mustLink(t, filepath.Join(public, "current")))
	inStore := filepath.Join(s.Dir, storetest.Bucket, "site", "live", "releases", build, "cda/rest/v1/site/contents/Content_0001.json")
	if out := p.must("releases", "repair", storeURL); !strings.Contains(out, build+" is complete: ") || !strings.Contains(out, " 0 repaired") {
		t.Errorf("of a whole release: %s", out)
	}
	if err := os.Remove(inStore); err != nil {
		t.Fatal(err)
	}
	out, err := p.command("releases", "repair", storeURL).CombinedOutput()
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 1 || !strings.Contains(string(out), "Content_0001.json") || !strings.Contains(string(out), "generator releases repair "+storeURL+" --public DIR") {
		t.Fatalf("nothing to mend it from: %v, %s", err, out)
	}
	if out := p.must("releases", "repair", storeURL, "--public", public); !strings.Contains(out, " 1 repaired") {
		t.Errorf("from the public directory: %s", out)
	}
	if _, err := os.Stat(inStore); err != nil {
		t.Error(err)
	}
}

// mustLink returns the target of a link.
func mustLink(t *testing.T, path string) string {
	t.Helper()
	to, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// file returns a file's text.
func file(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
