// This file runs the script that jobs of users' repositories run, with real git and a real store.

package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

// job is a job of a repository of content.
type job struct {
	t       *testing.T
	dir     string // the repository
	outputs string // the file of the job's outputs
	env     []string
}

func newJob(t *testing.T) *job {
	t.Helper()
	for _, program := range []string{"bash", "git", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	j := &job{t: t, dir: t.TempDir(), outputs: filepath.Join(t.TempDir(), "outputs")}
	j.env = append(os.Environ(),
		"GENERATOR="+binaries(t, "generator")["generator"], "GITHUB_OUTPUT="+j.outputs, "GITHUB_ACTIONS=", "GITLAB_CI=",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	j.git("init", "-q")
	return j
}

func (j *job) git(args ...string) string {
	j.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = j.dir, j.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		j.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits all files and returns the commit.
func (j *job) commit() string {
	j.t.Helper()
	j.git("add", ".")
	j.git("commit", "-q", "-m", "content")
	return j.git("rev-parse", "HEAD")
}

func (j *job) write(name, text string) {
	j.t.Helper()
	path := filepath.Join(j.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		j.t.Fatal(err)
	}
}

// item writes an item with a name.
func (j *job) item(id, name string) {
	j.t.Helper()
	j.write("content/site/"+id+".json", fmt.Sprintf(`{"ContentID":%q,"Name":%q,"TemplateName":"Page","CreatedAt":"2024-01-01T00:00:00Z","Data":{"title":%q}}`, id, name, name))
}

// script returns the path of the script. The cache of go test notices changes of files that a test asks for.
func script(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(templates + "deliver")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// deliver runs a step and returns its exit code and output.
func (j *job) deliver(step string, env ...string) (int, string) {
	j.t.Helper()
	cmd := exec.Command("bash", script(j.t), step)
	cmd.Dir, cmd.Env = j.dir, append(j.env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		j.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (j *job) must(step string, env ...string) string {
	j.t.Helper()
	code, out := j.deliver(step, env...)
	if code != 0 {
		j.t.Fatalf("deliver %s ended with %d:\n%s", step, code, out)
	}
	return out
}

func (j *job) read(name string) string {
	j.t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		j.t.Fatal(err)
	}
	return string(b)
}

// comment is what deliver diff wrote.
func (j *job) comment() string { return j.read(filepath.Join(j.dir, "deliver.md")) }

// TestDeliver builds, tests and compares content as a job does.
func TestDeliver(t *testing.T) {
	t.Parallel()
	j := newJob(t)
	j.write("README.md", "a repository")
	before := j.commit()
	j.item("Content_1", "Bread")
	one := j.commit()
	j.must("build")
	build := strings.TrimSpace(j.read(j.outputs))
	if !strings.HasPrefix(build, "build=") || len(build) != len("build=")+16 {
		t.Errorf("the output is %q", build)
	}

	j.write("tests/good.json", `{"env":"site","tests":[{"name":"one page","q":"bread","total":1}]}`)
	if out := j.must("test", "DELIVER_TESTS=\n tests/*.json\n"); !strings.Contains(out, "1") {
		t.Errorf("a test that passes says %q", out)
	}
	j.write("tests/bad.json", `{"env":"site","tests":[{"name":"two pages","q":"bread","total":2}]}`)
	if code, out := j.deliver("test", "DELIVER_TESTS=tests/*.json"); code != 2 || !strings.Contains(out, "two pages") {
		t.Errorf("a test that fails ends with %d: %s", code, out)
	}

	j.must("diff", "DELIVER_BASE="+before)
	if got := j.comment(); !strings.Contains(got, "The content is new") {
		t.Errorf("against a commit without content: %s", got)
	}
	j.item("Content_1", "Bread ``` and </details> @everyone")
	j.must("build")
	j.must("diff", "DELIVER_BASE="+one)
	if got := j.comment(); !strings.Contains(got, "\n````\n") || !strings.Contains(got, "Bread ``` and </details> @everyone\n") || !strings.Contains(got, "changed 1") || !strings.HasPrefix(got, "<!-- contentedge") {
		t.Errorf("a changed item: %s", got)
	}

	j.write("content/site/Content_2.json", "{")
	broken := j.commit()
	if code, out := j.deliver("build"); code != 2 || !strings.Contains(out, "Content_2.json:1:") {
		t.Errorf("wrong content ends with %d: %s", code, out)
	}
	j.item("Content_2", "Salt")
	j.must("build")
	j.must("diff", "DELIVER_BASE="+broken)
	if got := j.comment(); !strings.Contains(got, "cannot be built") {
		t.Errorf("against wrong content: %s", got)
	}
	for i := range 1500 {
		j.item(fmt.Sprintf("Content_%04d", i+10), strings.Repeat("word ", 10))
	}
	j.must("build")
	out := j.must("diff", "DELIVER_BASE="+one)
	if got := j.comment(); len(got) > 60000 || !strings.Contains(got, "the list is longer") || !strings.Contains(out, "Content_1509") {
		t.Errorf("a long list: %d bytes of comment, %d of log", len(got), len(out))
	}
	if code, out := j.deliver("diff", "DELIVER_BASE=0123456789012345678901234567890123456789"); code != 3 || !strings.Contains(out, "fetch-depth: 0") {
		t.Errorf("an unknown commit: %d, %s", code, out)
	}
}

// TestDeliverPublish: the job's outputs say whether the store has a new release.
func TestDeliverPublish(t *testing.T) {
	t.Parallel()
	s := storetest.Serve(t)
	j := newJob(t)
	for name, value := range storetest.Variables(s.URL()) {
		j.env = append(j.env, name+"="+value)
	}
	j.item("Content_1", "Bread")
	j.must("build")
	if code, out := j.deliver("publish"); code != 3 || !strings.Contains(out, "DELIVER_STORE") {
		t.Errorf("without a store: %d, %s", code, out)
	}
	var changed []string
	for range 2 {
		noCanary(t, j.must("publish", "DELIVER_STORE="+storeURL))
		lines := strings.Fields(j.read(j.outputs))
		changed = append(changed, lines[len(lines)-1])
	}
	if got := strings.Join(changed, " "); got != "changed=true changed=false" {
		t.Errorf("two publications of one release: %s", got)
	}
}

// TestDeliverComment: the second run edits the comment of the first. The services cannot be had
// here: a program stands in for gh, a server for GitLab.
func TestDeliverComment(t *testing.T) {
	t.Parallel()
	t.Run("GitHub", func(t *testing.T) {
		j := newJob(t)
		j.write("deliver.md", "<!-- contentedge: x -->\ntext\n")
		bin := t.TempDir()
		calls := filepath.Join(bin, "calls")
		gh := "#!/bin/sh\necho \"$*\" >>" + calls + "\ncase \"$*\" in *--jq*) cat " + bin + "/found ;; esac\n"
		if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(gh), 0o755); err != nil {
			t.Fatal(err)
		}
		env := []string{"GITHUB_ACTIONS=true", "GITHUB_REF=refs/pull/7/merge", "GITHUB_REPOSITORY=o/r", "PATH=" + bin + ":" + os.Getenv("PATH")}
		for _, found := range []string{"", "11\n12\n"} {
			if err := os.WriteFile(filepath.Join(bin, "found"), []byte(found), 0o644); err != nil {
				t.Fatal(err)
			}
			j.must("comment", env...)
		}
		got := j.read(calls)
		for _, want := range []string{"--method POST repos/o/r/issues/7/comments --field body=@deliver.md\n", "--method PATCH repos/o/r/issues/comments/11 --field body=@deliver.md\n"} {
			if strings.Count(got, want) != 1 {
				t.Errorf("no call %q in\n%s", want, got)
			}
		}
		if code, out := j.deliver("comment", append(env, "GITHUB_REF=refs/heads/main")...); code != 3 || !strings.Contains(out, "not of a pull request") {
			t.Errorf("a push: %d, %s", code, out)
		}
	})
	t.Run("GitLab", func(t *testing.T) {
		for _, program := range []string{"curl", "jq"} {
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("%s is not here", program)
			}
		}
		j := newJob(t)
		j.write("deliver.md", "<!-- contentedge: what this change does to the content -->\ntext & more\n")
		var mu sync.Mutex
		var calls []string
		notes := `[]`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if r.Header.Get("PRIVATE-TOKEN") != "secret" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			b, _ := io.ReadAll(r.Body)
			if form, err := url.ParseQuery(string(b)); err == nil && r.Method != http.MethodGet {
				calls = append(calls, r.Method+" "+r.URL.Path+" "+form.Get("body"))
				notes = `[{"id":3,"body":"hello"},{"id":4,"body":"<!-- contentedge: what this change does to the content -->\nold"}]`
			}
			_, _ = io.WriteString(w, notes)
		}))
		defer server.Close()
		env := []string{"GITLAB_CI=true", "CI_API_V4_URL=" + server.URL + "/api/v4", "CI_PROJECT_ID=5", "CI_MERGE_REQUEST_IID=7", "GITLAB_TOKEN=secret", "http_proxy="}
		j.must("comment", env...)
		j.must("comment", env...)
		text := j.comment()
		want := "POST /api/v4/projects/5/merge_requests/7/notes " + text + "|PUT /api/v4/projects/5/merge_requests/7/notes/4 " + text
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(calls, "|"); got != want {
			t.Errorf("the calls are %q, not %q", got, want)
		}
	})
}
