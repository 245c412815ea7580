// Package releasebench measures both programs as users run them: the generator's time
// compared with a copy of its output, and the edge server's start-up time and memory.
package releasebench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"bench/corpus"
	"bench/engine"
)

// Env is the environment of a corpus's items.
const Env = "bench"

// usage is the resource usage of a process.
type usage struct {
	wall, cpu, user time.Duration // user is a part of cpu
	peak            int64         // resident memory, in KiB
}

// measured runs a program to its end and drops its output, except errors.
func measured(name string, args ...string) (usage, error) { return measuredIn(nil, name, args...) }

// measuredIn is measured with more variables of the environment.
func measuredIn(env []string, name string, args ...string) (usage, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), env...)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	done, peak := make(chan struct{}), make(chan int64)
	go watch(strconv.Itoa(cmd.Process.Pid), done, peak)
	err := cmd.Wait()
	u := usage{wall: time.Since(begin), user: cmd.ProcessState.UserTime()}
	u.cpu = u.user + cmd.ProcessState.SystemTime()
	close(done)
	u.peak = <-peak
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return u, err
}

// watchEvery is the interval for reading the memory; a later peak is missed.
const watchEvery = 5 * time.Millisecond

// watch follows a process's peak memory. The kernel's figure for a finished process is
// useless, because it starts with the parent's peak.
func watch(pid string, done <-chan struct{}, peak chan<- int64) {
	var most int64
	for {
		_, _, text := engine.Memory(pid)
		n, _ := strconv.ParseInt(text, 10, 64) // absent once the process has ended
		most = max(most, n)
		select {
		case <-done:
			peak <- most
			return
		case <-time.After(watchEvery):
		}
	}
}

// medianOf returns the median of each figure.
func medianOf(all []usage) usage {
	mid := func(key func(usage) int64) int64 {
		var v []int64
		for _, u := range all {
			v = append(v, key(u))
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	return usage{
		wall: time.Duration(mid(func(u usage) int64 { return int64(u.wall) })),
		cpu:  time.Duration(mid(func(u usage) int64 { return int64(u.cpu) })),
		user: time.Duration(mid(func(u usage) int64 { return int64(u.user) })),
		peak: mid(func(u usage) int64 { return u.peak }),
	}
}

// input has the flags of both benchmarks.
type input struct {
	items, content, programs string
	runs                     int
	smoke                    bool
}

func (in *input) register(fs *flag.FlagSet) {
	fs.StringVar(&in.items, "items", "", "NDJSON `file`, optionally .gz, one item per line (default: the content directory)")
	fs.StringVar(&in.content, "content", "content", "content `directory`")
	fs.StringVar(&in.programs, "programs", "", "`directory` with the programs")
	fs.IntVar(&in.runs, "runs", 5, "number of runs; results are medians")
	fs.BoolVar(&in.smoke, "smoke", false, "measure once")
}

func (in *input) parse(fs *flag.FlagSet, args []string) error {
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if in.smoke {
		in.runs = 1
	}
	if in.runs < 1 {
		return fmt.Errorf("at least one run is needed, not %d", in.runs)
	}
	return nil
}

// unpack returns the content directory: the given one, or a new one below dir with the
// file's items.
func (in *input) unpack(dir string) (content string, err error) {
	if in.items == "" {
		return in.content, nil
	}
	items, err := corpus.Read(in.items)
	if err != nil {
		return "", err
	}
	return lay(items, dir)
}

// lay creates a content directory with items below dir.
func lay(items [][]byte, dir string) (content string, err error) {
	content = filepath.Join(dir, "content")
	if err := os.MkdirAll(filepath.Join(content, Env), 0o755); err != nil {
		return "", err
	}
	return content, corpus.WriteFile(filepath.Join(content, Env, "items.ndjson"), items)
}

// Release builds a release of items below dir, in the environment Env, and returns its
// public directory. programs is the directory of the binaries.
func Release(programs string, items [][]byte, dir string, flags ...string) (public string, err error) {
	content, err := lay(items, dir)
	if err != nil {
		return "", err
	}
	public = filepath.Join(dir, "public")
	_, err = (&input{programs: programs}).generate(content, public, flags...)
	return public, err
}

func (in *input) generate(content, out string, flags ...string) (usage, error) {
	args := append([]string{"build", "--content", content, "--out", out, "--quiet", "--status", "all"}, flags...)
	return measured(filepath.Join(in.programs, "generator"), args...)
}
