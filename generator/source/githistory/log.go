// This file runs git. Nothing that people or hooks set changes what it says: variables of the environment
// that name a repository, pagers, programs that show differences, replaced objects.

package githistory

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Reason is why git has no dates.
type Reason int

// The reasons.
const (
	NoRepository Reason = iota
	NoGit
	Shallow
	NoCommit
	Failed
)

// Unavailable says why git has no dates of the files in a directory, and what to do.
type Unavailable struct {
	Reason        Reason
	Message, Hint string
}

// Error returns the message.
func (u *Unavailable) Error() string { return u.Message }

// maxName is more bytes than the path of a file may have on any system.
const maxName = 64 << 10

// hushed are options before the command, which overrule the configuration. The log has the files of the
// first commit, and no program is started to verify or show anything.
var hushed = []string{"--no-pager", "--no-optional-locks", "--no-replace-objects", "-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "log.follow=false",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.commitGraph=true"}

// environ is the environment of git: without the variables by which hooks and scripts name another
// repository, and without questions.
func environ() []string {
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(strings.ToUpper(name), "GIT_") || kept[name] {
			env = append(env, v)
		}
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
}

// kept are variables that say where configuration lies. It may allow repositories of another owner.
var kept = map[string]bool{"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_CEILING_DIRECTORIES": true, "GIT_DISCOVERY_ACROSS_FILESYSTEM": true}

// Command is a command of git in a directory.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(hushed[:len(hushed):len(hushed)], args...)...)
	cmd.Dir, cmd.Env = dir, environ()
	return cmd
}

// headOf returns the commit of HEAD in a directory, or an *Unavailable.
func headOf(ctx context.Context, dir string) (string, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", &Unavailable{NoGit, "the program git is not found", "install git"}
	}
	var out, said bytes.Buffer
	cmd := Command(ctx, dir, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "HEAD")
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	lines := strings.Fields(out.String())
	switch {
	case len(lines) > 0 && lines[0] != "true" || len(lines) == 0 && strings.Contains(said.String(), "not a git repository"):
		return "", &Unavailable{NoRepository, "the content is not in a git repository", "commit the files to one"}
	case len(lines) > 1 && lines[1] == "true":
		return "", &Unavailable{Shallow, "the git repository is shallow: its history is cut off, so all files would have the same date", "fetch the history: git fetch --unshallow; in GitHub Actions, give actions/checkout fetch-depth: 0"}
	case len(lines) > 2 && err != nil, len(lines) == 2:
		return "", &Unavailable{NoCommit, "the git repository has no commit", "commit the files"}
	case err != nil || len(lines) < 3:
		return "", failedTo("find the repository", said.String(), err)
	}
	return lines[2], nil
}

// failedTo reports what git says.
func failedTo(do, said string, err error) error {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" && err != nil {
		line = err.Error()
	}
	const longest = 300
	if len(line) > longest {
		line = line[:longest] + "…"
	}
	hint := "run git log in the content folder to see more"
	if strings.Contains(said, "safe.directory") {
		hint = "the repository belongs to another user: run git config --global --add safe.directory with its path"
	}
	return &Unavailable{Failed, "git cannot " + do + ": " + strconv.Quote(line), hint}
}

// readLog sets the dates of files by the commits up to head. The output of git is read as a stream.
func readLog(parent context.Context, dir, head string, dates map[string]*entry) error {
	ctx, stop := context.WithCancel(parent)
	defer stop()
	marker := rand.Text() // no name of a file can begin a commit by chance or on purpose
	cmd := Command(ctx, dir, "log", "--format="+marker+"%at", "--name-only", "-z", "-c", "--diff-filter=d", "--no-renames", "--full-history", "--relative",
		"-O"+os.DevNull, "--no-color", "--no-notes", "--no-decorate", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-mailmap", "--ignore-submodules=none", head, "--", ".")
	var said limited
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return failedTo("read the history", "", err)
	}
	wrong := scan(out, marker, dates)
	if wrong != nil {
		stop() // git may still write
	}
	err = cmd.Wait()
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case wrong != nil:
		return failedTo("read the history", wrong.Error(), nil)
	case err != nil:
		return failedTo("read the history", string(said), err)
	}
	return nil
}

// limited keeps the beginning of what git says about errors.
type limited []byte

func (l *limited) Write(b []byte) (int, error) {
	const most = 4 << 10
	*l = append(*l, b[:min(len(b), max(most-len(*l), 0))]...)
	return len(b), nil
}

// scan reads a log: commits, which begin with the marker and have a time, each followed by the names of its files, the
// first after a line end. A zero byte ends each commit and each name.
func scan(r io.Reader, marker string, dates map[string]*entry) error {
	in := bufio.NewReaderSize(r, maxName)
	at, first := int64(0), false
	for {
		token, err := next(in)
		if err != nil {
			return err
		}
		if len(token) == 0 {
			return nil
		}
		token = token[:len(token)-1]
		if text, ok := bytes.CutPrefix(token, []byte(marker)); ok {
			if at, err = strconv.ParseInt(string(text), 10, 64); err != nil {
				return fmt.Errorf("a commit has the time %q", text)
			}
			first = true
			continue
		}
		if first {
			token, first = bytes.TrimPrefix(token, []byte{'\n'}), false
		}
		if d := dates[string(token)]; d != nil {
			d.add(at)
		}
	}
}

// next returns what ends with the next zero byte, or at the end; nothing at the end. A name that is too
// long for any file system is cut.
func next(in *bufio.Reader) ([]byte, error) {
	token, err := in.ReadSlice(0)
	for errors.Is(err, bufio.ErrBufferFull) {
		token = []byte("/\x00") // names no file
		_, err = in.ReadSlice(0)
	}
	if errors.Is(err, io.EOF) {
		if err = nil; len(token) > 0 && token[len(token)-1] != 0 {
			token = append(token, 0)
		}
	}
	return token, err
}

func (d *entry) add(at int64) {
	if !d.known {
		d.Dates, d.known = Dates{at, at}, true
	}
	d.Created, d.Updated = min(d.Created, at), max(d.Updated, at)
}
