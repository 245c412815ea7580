package provenance

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

const (
	digest = "62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a"
	commit = "0123456789abcdef0123456789abcdef01234567"
)

var github = map[string]string{
	"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "example/news", "GITHUB_SHA": commit,
	"GITHUB_REF": "refs/heads/main", "GITHUB_RUN_ID": "42", "GITHUB_RUN_ATTEMPT": "2", "RUNNER_ENVIRONMENT": "github-hosted",
	"GITHUB_TOKEN": "canary", "GITHUB_ACTOR": "canary",
}

var gitlab = map[string]string{
	"GITLAB_CI": "true", "CI_PROJECT_URL": "https://gitlab.com/example/news", "CI_COMMIT_SHA": commit, "CI_COMMIT_REF_NAME": "main",
	"CI_JOB_URL": "https://gitlab.com/example/news/-/jobs/7", "CI_RUNNER_ID": "12",
	"CI_JOB_TOKEN": "canary", "CI_REPOSITORY_URL": "https://gitlab-ci-token:canary@gitlab.com/example/news.git", "GITLAB_USER_LOGIN": "canary",
}

func with(m map[string]string, changes ...string) func(string) string {
	m = maps.Clone(m)
	for i := 0; i < len(changes); i += 2 {
		m[changes[i]] = changes[i+1]
	}
	return func(name string) string { return m[name] }
}

// TestProvenance writes the record of a job of GitHub's, reads it, and says it in a line.
func TestProvenance(t *testing.T) {
	s, err := FromCI.Find(t.Context(), ".", with(github))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Encode("manifest.json", digest)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [
    {
      "name": "manifest.json",
      "digest": {
        "sha256": "` + digest + `"
      }
    }
  ],
  "predicateType": "https://slsa.dev/provenance/v1",
  "predicate": {
    "buildDefinition": {
      "buildType": "urn:contentedge:buildtype:release:1",
      "externalParameters": {
        "repository": "https://github.com/example/news",
        "ref": "refs/heads/main"
      },
      "resolvedDependencies": [
        {
          "uri": "git+https://github.com/example/news@refs/heads/main",
          "digest": {
            "gitCommit": "` + commit + `"
          }
        }
      ]
    },
    "runDetails": {
      "builder": {
        "id": "https://github.com/actions/runner/github-hosted"
      },
      "metadata": {
        "invocationId": "https://github.com/example/news/actions/runs/42/attempts/2"
      }
    }
  }
}
`
	if string(b) != want {
		t.Errorf("got %s\nwant %s", b, want)
	}
	back, err := Decode(b, digest)
	if err != nil || *back != *s {
		t.Errorf("read back %+v, %v", back, err)
	}
	const line = "commit " + commit + " of https://github.com/example/news on refs/heads/main built by https://github.com/actions/runner/github-hosted in https://github.com/example/news/actions/runs/42/attempts/2"
	if got := back.String(); got != line {
		t.Errorf("got  %s\nwant %s", got, line)
	}
}

// TestFindInCI: secrets of a job, and who started it, are in no record.
func TestFindInCI(t *testing.T) {
	for _, c := range []struct {
		name string
		env  func(string) string
		mode Mode
		want Source // the zero value: no record
		err  string
	}{
		{"GitLab", with(gitlab), FromCI, Source{Repository: "https://gitlab.com/example/news", Commit: commit, Ref: "refs/heads/main",
			Builder: "https://gitlab.com/example/news/-/runners/12", Invocation: "https://gitlab.com/example/news/-/jobs/7"}, ""},
		{"a tag of GitLab", with(gitlab, "CI_COMMIT_TAG", "v1"), FromGit, Source{Repository: "https://gitlab.com/example/news", Commit: commit, Ref: "refs/tags/v1",
			Builder: "https://gitlab.com/example/news/-/runners/12", Invocation: "https://gitlab.com/example/news/-/jobs/7"}, ""},
		{"a password in an address", with(gitlab, "CI_JOB_URL", "https://u:canary@gitlab.com/x?private_token=canary#canary"), FromCI, Source{Repository: "https://gitlab.com/example/news", Commit: commit,
			Ref: "refs/heads/main", Builder: "https://gitlab.com/example/news/-/runners/12", Invocation: "https://gitlab.com/x"}, ""},
		{"a runner without a kind", with(github, "RUNNER_ENVIRONMENT", "", "GITHUB_RUN_ATTEMPT", ""), FromCI, Source{Repository: "https://github.com/example/news", Commit: commit, Ref: "refs/heads/main",
			Builder: "https://github.com/actions/runner/unknown", Invocation: "https://github.com/example/news/actions/runs/42/attempts/1"}, ""},
		{"no CI", with(nil), FromCI, Source{}, ""},
		{"no record", with(github), None, Source{}, ""},
		{"a wrong commit", with(github, "GITHUB_SHA", "main"), FromCI, Source{}, "not a commit of git"},
		{"no server", with(github, "GITHUB_SERVER_URL", ""), FromCI, Source{}, "name no commit or no repository"},
		{"a path as an address", with(gitlab, "CI_JOB_URL", "file:///etc/passwd"), FromCI, Source{}, "name no commit or no repository"},
	} {
		s, err := c.mode.Find(t.Context(), ".", c.env)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %+v, %v", c.name, s, err)
			}
			continue
		}
		if err != nil || (s == nil) != (c.want == Source{}) || s != nil && *s != c.want {
			t.Errorf("%s: %+v, %v", c.name, s, err)
			continue
		}
		if s == nil {
			continue
		}
		b, err := s.Encode("manifest.json", digest)
		if err != nil || strings.Contains(string(b), "canary") {
			t.Errorf("%s: %s, %v", c.name, b, err)
		}
	}
}

// TestFindInGit reads a repository, with and without changes, and none.
func TestFindInGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CEILING_DIRECTORIES": filepath.Dir(dir), "GIT_DIR": "", "GIT_WORK_TREE": ""} {
		if t.Setenv(name, value); value == "" {
			_ = os.Unsetenv(name)
		}
	}
	if s, err := FromGit.Find(t.Context(), dir, with(nil)); err == nil || !strings.Contains(err.Error(), "the commit is unknown") {
		t.Errorf("outside of a repository: %+v, %v", s, err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := git(context.Background(), dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	file := filepath.Join(dir, "file")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", "main")
	write("one")
	run("add", "file")
	run("commit", "-q", "-m", "one")
	run("remote", "add", "origin", "https://user:canary@git.example/news.git")
	want := Source{Repository: "https://git.example/news.git", Commit: run("rev-parse", "HEAD"), Ref: "refs/heads/main", Builder: "urn:contentedge:builder:unknown"}
	if s, err := FromGit.Find(t.Context(), dir, with(nil)); err != nil || *s != want {
		t.Errorf("%+v, %v", s, err)
	}
	write("two")
	run("checkout", "-q", "--detach")
	want.Dirty, want.Ref = true, ""
	if s, err := FromGit.Find(t.Context(), dir, with(nil)); err != nil || *s != want || !strings.Contains(s.String(), "with changes") {
		t.Errorf("with changes: %+v, %v", s, err)
	}
}

func TestRemoteURL(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/a/b.git":       "https://github.com/a/b.git",
		"https://u:p@github.com/a/b":       "https://github.com/a/b",
		"git@github.com:a/b.git":           "ssh://github.com/a/b.git",
		"github.com:a/b.git":               "ssh://github.com/a/b.git",
		"ssh://git@github.com:22/a/b.git":  "ssh://github.com:22/a/b.git",
		"/srv/git/b.git":                   "",
		"../b":                             "",
		"file:///srv/b":                    "",
		"ext::sh -c whatever":              "",
		"C:/repos/b":                       "",
		"https://github.com/a/b?token=abc": "https://github.com/a/b",
	} {
		if got := remoteURL(remote); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}

// TestDecodeOfOthers reads records of other programs, and refuses what is none.
func TestDecodeOfOthers(t *testing.T) {
	good := `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"x","digest":{"sha1":"1"}},{"name":"y","digest":{"sha256":"` + digest + `"}}],"predicateType":"https://slsa.dev/provenance/v1",` +
		`"predicate":{"buildDefinition":{"buildType":"https://example.org/t","externalParameters":{"workflow":{"ref":"r"}},"resolvedDependencies":[{"uri":"git+https://github.com/a/b@refs/heads/main","digest":{"gitCommit":"` + commit + `"}}]},"runDetails":{"builder":{"id":"https://b"}}}}`
	s, err := Decode([]byte(good), digest)
	if err != nil || s.Commit != commit || s.Repository != "https://github.com/a/b" || s.Builder != "https://b" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range []struct{ name, text string }{
		{"nothing", ""},
		{"no object", "[]"},
		{"another manifest", strings.Replace(good, digest, strings.Repeat("0", 64), 1)},
		{"another statement", strings.Replace(good, "Statement/v1", "Statement/v2", 1)},
		{"another predicate", strings.Replace(good, "provenance/v1", "vsa/v1", 1)},
		{"no subject", strings.Replace(good, `"subject"`, `"subjects"`, 1)},
		{"cut", good[:len(good)-1]},
		{"endless", good + strings.Repeat(" ", release.MaxAttestation)},
	} {
		if s, err := Decode([]byte(c.text), digest); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
}

// TestLineOfOthers: a record cannot change a terminal.
func TestLineOfOthers(t *testing.T) {
	s := Source{Commit: "\x1b[2J\r\n\u009b31m", Repository: strings.Repeat("ä", maxLine)}
	if got := s.String(); strings.ContainsAny(got, "\x1b\r\n\u009b") || len(got) > maxLine {
		t.Errorf("%q", got)
	}
}

func FuzzDecode(f *testing.F) {
	s, err := FromCI.Find(context.Background(), ".", with(github))
	if err != nil {
		f.Fatal(err)
	}
	b, err := s.Encode("manifest.json", digest)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"_type":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b, digest)
		if err != nil {
			return
		}
		if line := s.String(); len(line) > maxLine || strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("%q", line)
		}
		if !json.Valid(b) {
			t.Errorf("%q was read", b)
		}
	})
}
