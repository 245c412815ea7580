package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	releases "contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestManyEnvironments takes a release with more environments than a manifest describes by itself through everything:
// builds, incremental and whole, verify, hosts, diff, a store, and a node that follows it, is restarted and goes back.
func TestManyEnvironments(t *testing.T) {
	t.Parallel()
	const environments = releases.MaxWhole + 3
	p := newPublisher(t, storetest.Serve(t).URL())
	content, public := filepath.Join(p.dir, "content"), filepath.Join(p.dir, "public")
	write := func(env int, name string) {
		dir := filepath.Join(content, fmt.Sprintf("tenant%03d", env))
		text := fmt.Sprintf(`{"ContentID":"Content_1","Name":%q,"TemplateName":"Page","CreatedAt":"2026-01-02T09:00:00Z"}`, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "item.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for env := range environments {
		write(env, "first")
	}
	buildInto := func(public string, flags ...string) {
		t.Helper()
		p.must(append([]string{"build", "--content", content, "--out", public, "--quiet", "--lists", "-"}, flags...)...)
	}
	build := func(public string) {
		t.Helper()
		buildInto(public)
		p.must("verify", public)
	}
	build(public)
	parts := func() int {
		t.Helper()
		found, err := os.ReadDir(filepath.Join(public, "current", releases.PartsDir))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if n := parts(); n != environments {
		t.Errorf("%d parts", n)
	}
	p.publish(public)
	node := p.follow(filepath.Join(p.dir, "node"))
	item := func(env int) string {
		return get(t, fmt.Sprintf("%s/cda/rest/v1/tenant%03d/contents/Content_1", node.base, env))
	}
	waitReady(t, node.base)
	if got := item(7); !strings.Contains(got, `"first"`) {
		t.Errorf("the node says %s", got)
	}

	write(7, "second")
	build(public)
	whole := filepath.Join(p.dir, "whole")
	build(whole)
	if a, b := readFile(t, filepath.Join(public, releases.ManifestName)), readFile(t, filepath.Join(whole, releases.ManifestName)); a != b {
		t.Error("an incremental build has another manifest than a whole one")
	}
	if n := parts(); n != environments {
		t.Errorf("%d parts after an edit", n)
	}
	if got := p.must("diff", storeURL, "--public", public); !strings.Contains(got, "tenant007") || strings.Contains(got, "tenant008") {
		t.Errorf("diff says %s", got)
	}
	p.must("hosts", "nginx", "--public", public, "--out", filepath.Join(p.dir, "nginx"))
	p.publish(public)
	arrives := func(name string) {
		t.Helper()
		storetest.WaitFor(t, "the node to serve "+name, func() bool { return strings.Contains(item(7), `"`+name+`"`) })
		if got := item(8); !strings.Contains(got, `"first"`) {
			t.Errorf("another environment has %s", got)
		}
	}
	arrives("second")
	node.kill()
	node = p.follow(filepath.Join(p.dir, "node"))
	waitReady(t, node.base)
	arrives("second")
	p.must("releases", "rollback", storeURL)
	arrives("first")

	part, rest := filepath.Join(p.dir, "part"), filepath.Join(p.dir, "rest")
	write(7, "joined")
	buildInto(part, "--part", "--env", "tenant007")
	others := []string{"--part"}
	for env := range environments {
		if env != 7 {
			others = append(others, "--env", fmt.Sprintf("tenant%03d", env))
		}
	}
	buildInto(rest, others...)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"publish", storeURL, "--public", part}, "it is a partial release: generator releases join makes"},
		{[]string{"releases", "join", rest, "--out", filepath.Join(p.dir, "new"), "--against", storeURL}, "tenant007: 1 item now; the new release does not have the environment"},
		{[]string{"releases", "join", rest, part, part, "--out", public}, `environment "tenant007" is in ` + part + " and in " + part},
	} {
		if out, err := p.command(c.args...).CombinedOutput(); err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v, %s", c.args, err, out)
		}
	}
	p.must("releases", "join", rest, part, "--out", public, "--against", storeURL)
	p.must("verify", public)
	p.publish(public)
	arrives("joined")

	if err := os.RemoveAll(filepath.Join(content, "tenant000")); err != nil {
		t.Fatal(err)
	}
	buildInto(public, "--allow-removal")
	p.must("verify", public)
	p.must("publish", storeURL, "--public", public, "--allow-removal")
	arrives("joined")
}
