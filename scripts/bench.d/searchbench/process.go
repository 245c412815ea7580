// This file starts the engines and reads what they report.

package searchbench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"bench/engine/elastic"
)

// buildReport is the file with an engine's report of its build.
const buildReport = "build.tsv"

// clean makes two indexes be built again: ours, because our engine changes between runs, and
// Elasticsearch's, because a new node has no index.
func (c config) clean() error {
	for _, index := range []string{"ours", "elasticsearch"} {
		if err := os.Remove(filepath.Join(c.work, index+"."+buildReport)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// build runs an engine's build unless its index exists.
func (c config) build(p peer, e *Engine, say func(string, ...any)) error {
	dir := filepath.Join(c.work, p.index)
	kept := filepath.Join(c.work, p.index+"."+buildReport)
	report, err := os.ReadFile(kept)
	if err != nil {
		say("building the index of %s", p.title)
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if report, err = c.call(p, "build"); err != nil {
			return err
		}
		if err := os.WriteFile(kept, report, 0o644); err != nil {
			return err
		}
	}
	return e.read(report)
}

// run makes an engine run all queries.
func (c config) run(p peer, e *Engine) error {
	report, err := c.call(p, "run")
	if err != nil {
		return err
	}
	return e.read(report)
}

// call starts an engine's program and returns its report.
func (c config) call(p peer, command string) ([]byte, error) {
	args := append(p.command[1:len(p.command):len(p.command)], command, "-work", c.work,
		"-index", filepath.Join(c.work, p.index), "-least", millis(c.least), "-most", millis(c.most))
	cmd := exec.Command(p.command[0], args...)
	cmd.Env = append(os.Environ(), elastic.URL+"="+c.elasticsearch, elastic.PID+"="+c.process)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", p.name, command, err)
	}
	return out.Bytes(), nil
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// read parses an engine's report. See package engine for the format.
func (e *Engine) read(report []byte) error {
	for line := range strings.Lines(string(report)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		name := ""
		if cells[0] == "refused" && len(cells) == 3 {
			e.refused(cells[1], cells[2])
			continue
		}
		if cells[0] == "family" {
			name = cells[1]
			cells = cells[1:]
			cells[0] = "family"
		}
		numbers := make([]int64, len(cells)-1)
		for i, cell := range cells[1:] {
			n, err := strconv.ParseInt(cell, 10, 64)
			if err != nil {
				return fmt.Errorf("%s reports %q", e.Name, line)
			}
			numbers[i] = n
		}
		if err := e.take(cells[0], name, numbers); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) refused(family, reason string) {
	if e.Refused == nil {
		e.Refused = map[string]string{}
	}
	e.Refused[family] = reason
}

func (e *Engine) take(what, name string, n []int64) error {
	least := map[string]int{"build": 4, "open": 2, "memory": 2, "family": 4}[what]
	if least == 0 || len(n) < least {
		return fmt.Errorf("%s reports a line %q of %d numbers", e.Name, what, len(n))
	}
	switch what {
	case "build":
		e.Build = Build{n[0], n[1], n[2], n[3]}
	case "open":
		e.opens, e.firsts = append(e.opens, n[0]), append(e.firsts, n[1])
	case "memory":
		e.anons, e.files = append(e.anons, n[0]), append(e.files, n[1])
	case "family":
		f := e.Families[name]
		f.Queries, f.totals = int(n[0]), n[4:]
		f.cpus, f.p50s, f.p99s = append(f.cpus, n[1]), append(f.p50s, n[2]), append(f.p99s, n[3])
		e.Families[name] = f
	}
	return nil
}
