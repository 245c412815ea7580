// This file finds out who builds and from which commit: from the variables of a CI system, or from git.

package provenance

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"contentedge/generator/source/githistory"
)

// Mode says where the record comes from.
type Mode string

// The modes.
const (
	FromCI  Mode = "ci"   // the variables of GitHub Actions or GitLab CI; no record outside of both
	FromGit Mode = "git"  // the same, or else the repository of the working directory
	None    Mode = "none" // no record
)

// Modes are all modes.
func Modes() []string { return []string{string(FromCI), string(FromGit), string(None)} }

// Find returns the source of the build in dir, or nil. env is os.Getenv outside of tests.
func (m Mode) Find(ctx context.Context, dir string, env func(string) string) (*Source, error) {
	if m == None || m == "" {
		return nil, nil
	}
	if s, err := fromCI(env); s != nil || err != nil {
		return s, err
	}
	if m == FromGit {
		return fromGit(ctx, dir)
	}
	return nil, nil
}

func fromCI(env func(string) string) (*Source, error) {
	var s *Source
	switch {
	case env("GITHUB_ACTIONS") == "true":
		repository := env("GITHUB_SERVER_URL") + "/" + env("GITHUB_REPOSITORY")
		s = &Source{
			Repository: repository, Commit: env("GITHUB_SHA"), Ref: env("GITHUB_REF"),
			Builder:    "https://github.com/actions/runner/" + or(env("RUNNER_ENVIRONMENT"), "unknown"),
			Invocation: repository + "/actions/runs/" + env("GITHUB_RUN_ID") + "/attempts/" + or(env("GITHUB_RUN_ATTEMPT"), "1"),
		}
	case env("GITLAB_CI") == "true":
		ref := ""
		if tag := env("CI_COMMIT_TAG"); tag != "" {
			ref = "refs/tags/" + tag
		} else if name := env("CI_COMMIT_REF_NAME"); name != "" {
			ref = "refs/heads/" + name
		}
		s = &Source{
			Repository: env("CI_PROJECT_URL"), Commit: env("CI_COMMIT_SHA"), Ref: ref,
			Builder: env("CI_PROJECT_URL") + "/-/runners/" + or(env("CI_RUNNER_ID"), "unknown"), Invocation: env("CI_JOB_URL"),
		}
	default:
		return nil, nil
	}
	for _, u := range []*string{&s.Repository, &s.Builder, &s.Invocation} {
		plain, ok := publicURL(*u)
		if !ok {
			return nil, fmt.Errorf("the variables of this CI system name no commit or no repository: give --provenance %s, or --provenance %s in a repository", None, FromGit)
		}
		*u = plain
	}
	return s, s.check()
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// publicURL is the address of a page or a repository, without user, password, query and fragment.
func publicURL(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "ssh" && u.Scheme != "git" || u.Host == "" {
		return "", false
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String(), true
}

func (s *Source) check() error {
	if n := len(s.Commit); n != 40 && n != 64 || strings.Trim(s.Commit, "0123456789abcdef") != "" {
		return fmt.Errorf("%.80q is not a commit of git: give --provenance %s", s.Commit, None)
	}
	return nil
}

// gitTime bounds a command of git, which asks for nothing.
const gitTime = 30 * time.Second

// fromGit reads the repository of a directory. The builder is the user who runs the program, without a name.
func fromGit(ctx context.Context, dir string) (*Source, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	commit, err := git(ctx, dir, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("the commit is unknown: %w", err)
	}
	s := &Source{Commit: commit, Builder: "urn:contentedge:builder:unknown"}
	if ref, err := git(ctx, dir, "symbolic-ref", "--quiet", "HEAD"); err == nil {
		s.Ref = ref
	}
	if remote, err := git(ctx, dir, "config", "--get", "remote.origin.url"); err == nil {
		s.Repository = remoteURL(remote)
	}
	changes, err := git(ctx, dir, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil, err
	}
	s.Dirty = changes != ""
	return s, s.check()
}

// remoteURL is the address of a remote without credentials; "" for a path of this machine.
func remoteURL(remote string) string {
	if u, ok := publicURL(remote); ok {
		return u
	}
	if host, path, ok := strings.Cut(remote, ":"); ok && !strings.ContainsAny(host, "/\\") && !strings.HasPrefix(path, ":") && !strings.HasPrefix(path, "//") && len(host) > 1 {
		_, bare, found := strings.Cut(host, "@")
		if !found {
			bare = host
		}
		if u, ok := publicURL("ssh://" + bare + "/" + strings.TrimPrefix(path, "/")); ok {
			return u
		}
	}
	return ""
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := githistory.Command(ctx, dir, args...).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("the program git is not installed")
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s in %s: %s", args[0], filepath.Clean(dir), printable(strings.TrimSpace(string(exit.Stderr))))
	}
	return strings.TrimSpace(string(out)), err
}
