// This file runs the script in repositories of Markdown whose dates come from git.

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

// page writes a page without a date.
func (j *job) page(name, title string) {
	j.t.Helper()
	j.write("content/blog/"+name+".md", fmt.Sprintf("---\ntitle: %s\n---\nHi\n", title))
}

// noWorktree fails the test if a worktree of the base is left.
func (j *job) noWorktree() {
	j.t.Helper()
	if out := j.git("worktree", "list", "--porcelain"); strings.Count(out, "worktree ") != 1 {
		j.t.Errorf("worktrees are left:\n%s", out)
	}
}

// clone returns a job in a shallow clone of the repository.
func (j *job) clone() *job {
	j.t.Helper()
	c := &job{t: j.t, dir: filepath.Join(j.t.TempDir(), "clone"), outputs: j.outputs, env: j.env}
	j.git("clone", "-q", "--depth=1", "file://"+j.dir, c.dir)
	return c
}

// TestDeliverDiffOfDatesFromGit shows an edit where the dates of both sides come from the history.
func TestDeliverDiffOfDatesFromGit(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.page("about", "About")
	one := j.commit()
	j.page("about", "About us")
	two := j.commit()
	j.must("build")
	j.must("diff", "DELIVER_BASE=HEAD~1")
	if got := j.comment(); !strings.Contains(got, "About us") || !strings.Contains(got, "changed 1") {
		t.Errorf("an edited page: %s", got)
	}
	j.noWorktree()

	t.Run("a shallow clone", func(t *testing.T) {
		c := j.clone()
		if code, out := c.deliver("build"); code != 2 || !strings.Contains(out, "fetch-depth: 0") {
			t.Errorf("a build without the history: %d, %s", code, out)
		}
		c.write("content/blog/about.md", "---\ntitle: About us\ndate: 2024-01-01\n---\nHi\n")
		c.commit()
		c.must("build")
		c.must("diff", "DELIVER_BASE="+one)
		if got := c.comment(); !strings.Contains(got, "changed 1") {
			t.Errorf("the history was not fetched: %s", got)
		}
		c.noWorktree()
	})
	t.Run("a shallow clone that cannot fetch", func(t *testing.T) {
		c := j.clone()
		c.write("content/blog/about.md", "---\ntitle: About us\ndate: 2024-01-01\n---\nHi\n")
		c.commit()
		c.must("build")
		c.git("remote", "set-url", "origin", "file://"+filepath.Join(t.TempDir(), "none"))
		if out := c.must("diff", "DELIVER_BASE="+two); !strings.Contains(out, "set fetch-depth: 0") {
			t.Errorf("no advice: %s", out)
		}
		if got := c.comment(); !strings.Contains(got, "content/blog/about.md:1:1: no date") {
			t.Errorf("the comment gives no reason: %s", got)
		}
		if code, out := c.deliver("diff", "DELIVER_BASE="+one); code != 3 || !strings.Contains(out, `GIT_DEPTH: "0"`) {
			t.Errorf("a base that cannot be fetched: %d, %s", code, out)
		}
		c.noWorktree()
	})
}

// TestDeliverQuotesTheFirstFault quotes why the base cannot be built, and nothing gets out of the quotation.
func TestDeliverQuotesTheFirstFault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, title, want string }{
		{"about", "[", "```\ncontent/blog/about.md:2:8: "},
		{"a``` x", "[", "\n````\ncontent/blog/a``` x.md:2:8: "},
		{"esc\x1b[31m", "[", `esc\x1b[31m.md":2:8: `},
		{"\u202etxt", "[", ".md"},
		{"long", "\"" + strings.Repeat("\\q", 10) + strings.Repeat("ä", 4000), "long.md:"},
	} {
		j := newJob(t)
		j.page(test.name, test.title)
		base := j.commit()
		j.page(test.name, "Title")
		j.commit()
		j.must("build")
		j.must("diff", "DELIVER_BASE="+base)
		got := j.comment()
		if !strings.Contains(got, "cannot be built") || !strings.Contains(got, test.want) || len(got) > 2000 ||
			strings.ContainsAny(got, "\x1b\u202e\ufffd") || strings.Contains(got, "/base/") || strings.ToValidUTF8(got, "!") != got {
			t.Errorf("%q: %q", test.name, got)
		}
		j.noWorktree()
	}
}

// TestDeliverRemovesTheWorktree removes the worktree of the base also if the generator fails.
func TestDeliverRemovesTheWorktree(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.page("about", "About")
	base := j.commit()
	j.must("build")
	failing := filepath.Join(t.TempDir(), "generator")
	if err := os.WriteFile(failing, []byte("#!/bin/sh\necho disk >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, out := j.deliver("diff", "DELIVER_BASE="+base, "GENERATOR="+failing); code != 1 || !strings.Contains(out, "disk") {
		t.Errorf("%d, %s", code, out)
	}
	j.noWorktree()
}

// TestDeliverAt builds the base at the time of the release, if its manifest says one.
func TestDeliverAt(t *testing.T) {
	t.Parallel()
	const from = "2024-01-01T00:00:00Z"
	for _, test := range []struct{ manifest, env, want string }{
		{`{"build":"0123456789abcdef"}`, "", ""},
		{`{"build":"0123456789abcdef"}`, "2025-01-01T00:00:00Z", ""},
		{`{"visible":{"from":"` + from + `"},"build":"0123456789abcdef"}`, "", "--at " + from},
		{"{\n \"visible\": {\n  \"from\": \"" + from + "\"}}", "", "--at " + from},
		{`{"visible":{"from":"` + from + `"}}`, "2025-01-01T00:00:00Z", "--at 2025-01-01T00:00:00Z"},
	} {
		j := newJob(t)
		j.page("about", "About")
		base := j.commit()
		j.write("public/manifest.json", test.manifest)
		calls := filepath.Join(t.TempDir(), "calls")
		recording := filepath.Join(t.TempDir(), "generator")
		if err := os.WriteFile(recording, []byte("#!/bin/sh\necho \"$*\" >>"+calls+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		j.must("diff", "DELIVER_BASE="+base, "GENERATOR="+recording, "DELIVER_AT="+test.env)
		build, _, _ := strings.Cut(j.read(calls), "\n")
		if _, got, _ := strings.Cut(build, "--quiet"); strings.TrimSpace(got) != test.want {
			t.Errorf("%s: %q, not %q", test.manifest, got, test.want)
		}
	}
}

// TestDeliverWithoutExpectations accepts a pattern that matches nothing, but not the name of a missing file.
func TestDeliverWithoutExpectations(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.page("about", "About")
	j.commit()
	j.must("build")
	for _, test := range []struct {
		tests, want string
		code        int
	}{
		{"tests/*.json", "no expectations", 0},
		{"tests/[a-z].json\ntests/?.json", "no expectations", 0},
		{"tests/search.json", "no file tests/search.json", 3},
		{"tests/*.json\ntests/search.json", "no file tests/search.json", 3},
		{"", "names no file", 3},
	} {
		if code, out := j.deliver("test", "DELIVER_TESTS="+test.tests); code != test.code || !strings.Contains(out, test.want) {
			t.Errorf("%q: %d, %s", test.tests, code, out)
		}
	}
}

// event returns the variables of a GitHub job of pull request 7 from one repository to another, each as JSON.
func event(t *testing.T, head, base string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "event.json")
	text := fmt.Sprintf(`{"pull_request":{"number":7,"head":{"repo":%s},"base":{"repo":%s}}}`, head, base)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"GITHUB_ACTIONS=true", "GITHUB_EVENT_PATH=" + path}
}

const (
	ownRepo = `{"full_name":"o/r"}`
	aFork   = `{"full_name":"x/r"}`
)

// TestDeliverPreviewRefuses publishes no change of a fork, and no preview to where nodes of production follow.
func TestDeliverPreviewRefuses(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	gitlab := func(source string) []string {
		return []string{"GITLAB_CI=true", "CI_MERGE_REQUEST_IID=7", "CI_MERGE_REQUEST_PROJECT_ID=5", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=" + source}
	}
	same := event(t, ownRepo, ownRepo)
	stores := func(preview, live string) []string {
		return append([]string{"DELIVER_PREVIEW_STORE=" + preview, "DELIVER_STORE=" + live}, same...)
	}
	for _, test := range []struct {
		name, want string
		code       int
		env        []string
	}{
		{"a fork", "from a fork", 0, event(t, aFork, ownRepo)},
		{"a deleted fork", "from a fork", 0, event(t, "null", ownRepo)},
		{"an event without repositories", "from a fork", 0, event(t, "null", "null")},
		{"a fork on GitLab", "from a fork", 0, gitlab("6")},
		{"an unknown project", "from a fork", 0, gitlab("")},
		{"no store", "names no store", 3, same},
		{"no store on GitLab", "names no store", 3, gitlab("5")},
		{"the store of production", "not apart", 3, stores("s3://b/live", "s3://b/live/")},
		{"below it", "not apart", 3, stores("s3://b/live/previews/", "s3://b/live")},
		{"above it", "not apart", 3, stores("s3://b/sites", "s3://b/sites/live")},
		{"a bucket", "not apart", 3, stores("s3://b", "s3://b/live")},
		{"another spelling", "want s3://BUCKET/PREFIX", 3, stores("s3://b/l%69ve", "s3://b/live")},
		{"another spelling of production", "want s3://BUCKET/PREFIX", 3, stores("s3://b/live", "s3://b/l%69ve")},
		{"a path upwards", "want s3://BUCKET/PREFIX", 3, stores("s3://b/x/../live", "s3://b/live")},
		{"outside of a job", "neither GitHub nor GitLab", 3, nil},
	} {
		env := append([]string{"GENERATOR=false"}, test.env...)
		for _, step := range []string{"preview", "clean"} {
			if code, out := j.deliver(step, env...); code != test.code || !strings.Contains(out, test.want) && !strings.Contains(out, "a fork has no preview") {
				t.Errorf("%s, %s: %d, %s", test.name, step, code, out)
			}
		}
	}
}

// emptyEvent returns the file of an event that is not of a pull request.
func emptyEvent(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(path, []byte(`{"schedule":"0 3 * * *"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// age makes the files of a directory older.
func age(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, then, then))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// generator runs the generator in the job and returns its output.
func (j *job) generator(args ...string) string {
	j.t.Helper()
	cmd := exec.Command(binaries(j.t, "generator")["generator"], args...)
	cmd.Dir, cmd.Env = j.dir, j.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		j.t.Fatalf("generator %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestDeliverPreview publishes a preview, shows drafts in it only if asked, and removes it.
func TestDeliverPreview(t *testing.T) {
	t.Parallel()
	s := storetest.Serve(t)
	j := newJob(t)
	for name, value := range storetest.Variables(s.URL()) {
		j.env = append(j.env, name+"="+value)
	}
	j.page("about", "About")
	j.write("content/blog/draft.md", "---\ntitle: Draft\ndraft: true\n---\nHi\n")
	j.commit()
	env := append(event(t, ownRepo, ownRepo), "DELIVER_STORE="+storeURL, "DELIVER_PREVIEW_STORE=s3://releases/previews/", "DELIVER_PREVIEW_URL=https://pr-{n}.example.com", "DELIVER_BUILD=--status\nPublished")
	j.must("build", env...)
	j.write("deliver.md", "text\n")
	published := j.must("publish", env...)
	if out := j.must("preview", env...); !strings.Contains(out, "s3://releases/previews/pr-7") || !strings.Contains(out, "14d") {
		t.Errorf("a preview: %s", out)
	}
	if got := j.comment(); got != "text\n\nPreview: https://pr-7.example.com\n" {
		t.Errorf("the comment: %q", got)
	}
	if got := j.read(j.outputs); !strings.HasSuffix(got, "preview=https://pr-7.example.com\n") {
		t.Errorf("the outputs: %s", got)
	}
	releases := func(store string) string { return j.generator("releases", "list", store) }
	first := releases("s3://releases/previews/pr-7")
	if out := j.must("preview", env...); !strings.Contains(out, "sequence 2") {
		t.Errorf("a run without a change does not renew the preview: %s", out)
	}
	j.generator("build", "--content", "content", "--out", "drafts", "--status", "Published", "--status", "Draft")
	var manifest struct{ Build string }
	j.readYAML(filepath.Join(j.dir, "drafts", "current", "manifest.json"), &manifest)
	for _, flags := range []string{"", "--status\nPublished"} {
		j.must("preview", append(env, "DELIVER_BUILD="+flags, "DELIVER_PREVIEW_STATUS=Draft")...)
		if now := releases("s3://releases/previews/pr-7"); strings.Contains(first, manifest.Build) || !strings.Contains(now, manifest.Build) {
			t.Errorf("the preview with the flags %q has not all items of both statuses:\n%s", flags, now)
		}
	}

	scheduled := append(env, "GITHUB_EVENT_PATH="+emptyEvent(t))
	if out := j.must("clean", scheduled...); !strings.Contains(out, "removed 0 stores, 1 stay") {
		t.Errorf("a scheduled clean of a new preview: %s", out)
	}
	age(t, filepath.Join(s.Dir, storetest.Bucket, "previews", "pr-7"), 15*24*time.Hour)
	if out := j.must("clean", scheduled...); !strings.Contains(out, "removed s3://releases/previews/pr-7: ") {
		t.Errorf("a scheduled clean of an old preview: %s", out)
	}
	j.must("preview", env...)
	if out := j.must("clean", env...); !strings.Contains(out, "removed s3://releases/previews/pr-7: ") {
		t.Errorf("clean: %s", out)
	}
	if out := releases("s3://releases/previews/pr-7"); strings.Contains(out, "current") {
		t.Errorf("the preview is still there: %s", out)
	}
	if out := releases(storeURL); !strings.Contains(out, "current") {
		t.Errorf("the store of production lost its release: %s\n%s", out, published)
	}
}
