// These tests hold the files for other programs to those programs' own rules.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// holds runs a linter, which fails the test if it finds something.
func holds(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%q: %v\n%s", args, err, out)
	}
}

// notShort skips a test whose linter is fetched.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("fetches a linter: scripts/package test runs it")
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPinnedActions: actions of others are named by a commit, as whoever owns a tag can move it.
func TestPinnedActions(t *testing.T) {
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(\S+)`)
	pinned := regexp.MustCompile(`^[^@]+@[0-9a-f]{40}$`)
	for name, least := range map[string]int{"../../action.yml": 1, "../../.github/workflows/release.yml": 2, "ci/github.yml": 2} {
		found := uses.FindAllStringSubmatch(text(t, name), -1)
		if len(found) < least {
			t.Errorf("%s: only the actions %q are found", name, found)
		}
		for _, m := range found {
			if !pinned.MatchString(m[1]) && !strings.HasPrefix(m[1], "OWNER/contentedge@") {
				t.Errorf("%s: %s is not named by a commit", name, m[1])
			}
		}
	}
}

// TestWorkflows: actionlint knows each key and expression of the workflows, and each input of the action.
func TestWorkflows(t *testing.T) {
	notShort(t)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"action.yml":                    text(t, "../../action.yml"),
		".github/workflows/content.yml": strings.ReplaceAll(text(t, "ci/github.yml"), "OWNER/contentedge@v1", "./"),
		".github/workflows/release.yml": text(t, "../../.github/workflows/release.yml"),
		".git/HEAD":                     "ref: refs/heads/main\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, dir, "go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12", "-no-color", ".github/workflows/content.yml", ".github/workflows/release.yml")
}

// TestShell: shellcheck finds nothing in the script of users' jobs.
func TestShell(t *testing.T) {
	need(t, "shellcheck")
	holds(t, ".", "shellcheck", "ci/deliver")
}

// TestKubernetes: the manifests have the shapes of the newest version, and no member that it does not know.
func TestKubernetes(t *testing.T) {
	notShort(t)
	need(t, "python3")
	dir := t.TempDir()
	holds(t, dir, "python3", "-m", "venv", "venv")
	holds(t, dir, "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "kubernetes-validate==1.37.0")
	if !t.Failed() {
		holds(t, ".", filepath.Join(dir, "venv/bin/kubernetes-validate"), "--strict", "kubernetes/edgeserve.yaml")
	}
}

// TestCompose: docker-compose understands the file, and asks for the store.
func TestCompose(t *testing.T) {
	need(t, "docker-compose")
	t.Setenv("STORE", "s3://bucket/prefix")
	holds(t, "compose", "docker-compose", "config", "--quiet")
	t.Setenv("STORE", "")
	out, err := exec.Command("docker-compose", "--file", "compose/compose.yaml", "config", "--quiet").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "set STORE") {
		t.Errorf("without a store: %v, %s", err, out)
	}
}
