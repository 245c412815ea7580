package githistory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clone is a repository of a test.
type clone struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T, dir string) *clone {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed here")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := &clone{t, dir}
	c.git(0, "init", "--quiet", "--initial-branch=main")
	return c
}

// git runs a command whose commits have a time.
func (c *clone) git(at int64, args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	date := fmt.Sprintf("@%d +0000", at)
	cmd.Dir, cmd.Env = c.dir, append(environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE=@2000000000 +0000", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %s: %v: %s", args, err, out)
	}
	return string(out)
}

func (c *clone) put(names ...string) {
	c.t.Helper()
	for _, name := range names {
		path := filepath.Join(c.dir, name)
		before, _ := os.ReadFile(path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, append(before, 'x'), 0o644)); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *clone) commit(at int64, names ...string) {
	c.t.Helper()
	c.put(names...)
	c.git(at, "add", "--all")
	c.git(at, "commit", "--quiet", "--allow-empty", "--message=change")
}

// datesOf asks the dates of files below a directory: created-updated, or why there are none.
func datesOf(h *History, files ...string) string {
	h.Begin(func(visit func(string)) {
		for _, file := range files {
			visit(file)
		}
	})
	var list []string
	for _, file := range files {
		d, ok, err := h.Dates(context.Background(), file)
		switch {
		case err != nil:
			list = append(list, err.Error())
		case !ok:
			list = append(list, "none")
		default:
			list = append(list, fmt.Sprintf("%d-%d", d.Created, d.Updated))
		}
	}
	return strings.Join(list, " ")
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// TestGitHistory: files have the dates of their first and last commit, whatever their names. It does not
// matter where the content lies in the repository, and what the environment and the configuration say.
func TestGitHistory(t *testing.T) {
	c := newRepo(t, filepath.Join(t.TempDir(), "repo"))
	odd := []string{"content/a \"b\" é.md", "content/\nnewline.md", "content/\xff.md", "content/-rf.md", "content/deep/x.md"}
	c.commit(100, append(odd, "content/a.md", "content/gone.md", "other/a.md")...)
	c.commit(300, "content/a.md", "other/a.md")
	c.commit(200, "content/b.md") // rebased: later, with an earlier date
	c.git(0, "mv", "content/b.md", "content/c.md")
	c.commit(400)
	c.git(0, "rm", "--quiet", "content/gone.md")
	c.commit(500)
	c.put("content/new.md")
	h := New(filepath.Join(c.dir, "content"))
	check(t, "a file", datesOf(h, "a.md"), "100-300")
	check(t, "a renamed file, and one that is not committed", datesOf(h, "c.md", "new.md"), "400-400 none")
	for _, name := range odd {
		check(t, name, datesOf(h, strings.TrimPrefix(name, "content/")), "100-100")
	}
	check(t, "the whole repository", datesOf(New(c.dir), "content/a.md", "other/a.md"), "100-300 100-300")

	t.Setenv("GIT_DIR", t.TempDir())
	t.Setenv("GIT_WORK_TREE", t.TempDir())
	t.Setenv("GIT_EXTERNAL_DIFF", "/bin/false")
	t.Setenv("GIT_PAGER", "/bin/false")
	for _, o := range []string{"log.showSignature=true", "log.showRoot=false", "log.follow=true", "log.date=relative", "diff.renames=copies", "diff.relative=false", "diff.external=/bin/false", "diff.orderFile=nowhere", "core.quotePath=true",
		"color.ui=always", "diff.noprefix=true", "log.decorate=full", "log.mailmap=true", "core.fsmonitor=/bin/false", "log.diffMerges=off", "diff.ignoreSubmodules=all", "format.pretty=fuller", "log.initialDecorationSet=all"} {
		name, value, _ := strings.Cut(o, "=")
		c.git(0, "config", name, value)
	}
	check(t, "with odd settings", datesOf(New(filepath.Join(c.dir, "content")), "a.md", "c.md"), "100-300 400-400")
}

// TestMerges: a file of a branch has the dates of the branch; one that only the merge has, of the merge.
func TestMerges(t *testing.T) {
	c := newRepo(t, t.TempDir())
	c.commit(100, "a.md")
	c.git(0, "checkout", "--quiet", "-b", "side")
	c.commit(200, "side.md", "a.md")
	c.git(0, "checkout", "--quiet", "main")
	c.commit(300, "main.md")
	c.git(400, "merge", "--quiet", "--no-commit", "--no-ff", "side")
	c.commit(400, "merge.md")
	check(t, "dates", datesOf(New(c.dir), "a.md", "side.md", "main.md", "merge.md"), "100-200 200-200 300-300 400-400")
}

// TestRepositories: content may have several repositories below it, as submodules are.
func TestRepositories(t *testing.T) {
	dir := t.TempDir()
	sub := newRepo(t, filepath.Join(dir, "sub"))
	sub.commit(100, "docs/a.md")
	c := newRepo(t, filepath.Join(dir, "main"))
	c.commit(200, "content/site/b.md")
	c.git(0, "submodule", "--quiet", "add", sub.dir, "content/site/sub")
	c.commit(300)
	h := New(filepath.Join(c.dir, "content"))
	check(t, "a submodule", datesOf(h, "site/b.md", "site/sub/docs/a.md"), "200-200 100-100")
	check(t, "content outside of a repository, with one below it", datesOf(New(dir), "sub/docs/a.md", "x.md"), "100-100 the content is not in a git repository")
}

// TestUnavailable: why there are no dates, and what to do.
func TestUnavailable(t *testing.T) {
	c := newRepo(t, filepath.Join(t.TempDir(), "origin"))
	check(t, "no commit", datesOf(New(c.dir), "a.md"), "the git repository has no commit")
	c.commit(100, "a.md")
	c.commit(200, "b.md")
	shallow := filepath.Join(t.TempDir(), "shallow")
	c.git(0, "clone", "--quiet", "--depth=1", "file://"+c.dir, shallow)
	for dir, want := range map[string]Reason{t.TempDir(): NoRepository, shallow: Shallow} {
		h := New(dir)
		h.Begin(func(func(string)) {})
		_, _, err := h.Dates(context.Background(), "a.md")
		if u, ok := errors.AsType[*Unavailable](err); !ok || u.Reason != want || u.Hint == "" {
			t.Errorf("%s: %v", dir, err)
		}
	}
	t.Setenv("PATH", "")
	check(t, "without git", datesOf(New(c.dir), "a.md"), "the program git is not found")
}

// TestRead: the log is read once for all files, and again only when HEAD or the files differ.
func TestRead(t *testing.T) {
	c := newRepo(t, t.TempDir())
	c.commit(100, "a.md", "b.md", "gone.md")
	c.git(0, "rm", "--quiet", "gone.md")
	c.commit(150)
	log := filepath.Join(t.TempDir(), "log")
	bin := t.TempDir()
	real, _ := exec.LookPath("git")
	script := "#!/bin/sh\nfor a in \"$@\"; do case $a in log|rev-parse) echo $a >> " + log + ";; esac; done\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	calls := func() string {
		b, _ := os.ReadFile(log)
		os.Remove(log)
		return strings.Join(strings.Fields(string(b)), " ")
	}
	h := New(c.dir)
	asked := func(files ...string) string {
		t.Setenv("PATH", bin+":"+path)
		defer t.Setenv("PATH", path)
		return datesOf(h, files...)
	}
	check(t, "dates", asked("a.md", "b.md"), "100-100 100-100")
	check(t, "calls", calls(), "rev-parse log")
	check(t, "dates again", asked("a.md", "b.md"), "100-100 100-100")
	check(t, "calls", calls(), "rev-parse")
	c.put("gone.md")
	check(t, "a file that was removed, and is not committed again", asked("a.md", "gone.md"), "100-100 100-100")
	check(t, "calls", calls(), "rev-parse log")
	c.commit(200, "b.md")
	check(t, "dates of another HEAD", asked("a.md", "b.md"), "100-100 100-200")
	check(t, "calls", calls(), "rev-parse log")
	h.Begin(func(func(string)) {})
	check(t, "calls without a question", calls(), "")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := h.Dates(ctx, "a.md"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	check(t, "dates after that", datesOf(h, "a.md"), "100-100")
}

// TestLongHistory: the memory for a history depends on the files that there are, not on the commits; a
// name that no system could have is passed over.
func TestLongHistory(t *testing.T) {
	const commits = 100_000
	marker := "MARK"
	dates := map[string]*entry{"a": {}}
	var log strings.Builder
	for i := range commits {
		fmt.Fprintf(&log, "%s%d\x00\n%s\x00%d.md\x00", marker, commits-i, "a", i)
	}
	log.WriteString(marker + "1\x00\n" + strings.Repeat("n", 3*maxName) + "\x00a\x00" + marker + "0\x00")
	in := strings.NewReader(log.String())
	begin := time.Now()
	n := testing.AllocsPerRun(1, func() {
		in.Reset(log.String())
		if err := scan(in, marker, dates); err != nil {
			t.Error(err)
		}
	})
	if got := *dates["a"]; got != (entry{Dates{1, commits}, true}) || n > 100 || time.Since(begin) > 10*time.Second {
		t.Errorf("%+v with %.0f allocations in %s", got, n, time.Since(begin))
	}
	if err := scan(strings.NewReader("MARKx\x00"), marker, dates); err == nil {
		t.Error("a commit without a time is read")
	}
}
