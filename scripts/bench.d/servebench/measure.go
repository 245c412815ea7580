// This file measures: rounds of all servers in turn, for one case after the other.

package servebench

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// script makes wrk send the requests of a file.
//
//go:embed requests.lua
var script []byte

// measure asks all servers.
func (c config) measure(s *site, servers []*server, dir string, say func(string, ...any)) (*Results, error) {
	r := newResults(len(s.items), servers)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	for _, k := range s.cases() {
		if !strings.Contains(k.name, c.only) {
			continue
		}
		say("%s", k.name)
		if err := c.measureCase(k, servers, dir, r); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	for i, v := range servers {
		r.Servers[i].Anon, r.Servers[i].File = resident(v.cmd.Process.Pid)
	}
	r.summarise()
	return r, nil
}

// measureCase is all rounds of a case. In each another server is the first.
func (c config) measureCase(k theCase, servers []*server, dir string, r *Results) error {
	if k.ours {
		servers = servers[:1]
	}
	if len(k.requests) == 0 {
		return fmt.Errorf("the release has nothing to ask for")
	}
	r.Cases = append(r.Cases, k.name)
	var first answers
	for i, v := range servers {
		requests, a, err := v.prepare(k)
		if err != nil {
			return fmt.Errorf("%s: %w", v.title, err)
		}
		if i == 0 {
			first = a
		} else if !slices.Equal(a.bodies, first.bodies) {
			return fmt.Errorf("%s gives other bodies than %s", v.title, servers[0].title)
		}
		r.Servers[i].sent(k.name, a.bytes/int64(len(requests)))
		file := strings.Join(shuffled(requests), "\x00")
		if err := os.WriteFile(filepath.Join(dir, v.name), []byte(file), 0o644); err != nil {
			return err
		}
	}
	for round := range c.rounds {
		for i := range servers {
			at := (i + round) % len(servers)
			if err := c.round(servers[at], dir, k.name, r.Servers[at]); err != nil {
				return fmt.Errorf("%s: %w", servers[at].title, err)
			}
		}
	}
	return nil
}

// round is one measurement of a server.
func (c config) round(v *server, dir, name string, into *Server) error {
	lua := filepath.Join(dir, "requests.lua")
	if err := os.WriteFile(lua, script, 0o644); err != nil {
		return err
	}
	before, err := cpu(v.cmd.Process.Pid)
	if err != nil {
		return err
	}
	out, err := exec.Command("taskset", "-c", strconv.Itoa(c.clientCPU), "wrk", "-t1", "-c", strconv.Itoa(c.conns),
		"-d", fmt.Sprintf("%ds", c.each/time.Second), "-s", lua, "http://"+v.addr, "--", filepath.Join(dir, v.name)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("wrk: %w: %s", err, out)
	}
	after, err := cpu(v.cmd.Process.Pid)
	if err != nil {
		return err
	}
	return into.take(name, string(out), after-before)
}

// take reads what the script printed: requests, microseconds, p50, p99, failures.
func (e *Server) take(name, out string, used time.Duration) error {
	_, line, ok := strings.Cut(out, "\nmeasured")
	var n [5]int64
	if !ok {
		return fmt.Errorf("wrk says %q", out)
	}
	if _, err := fmt.Sscan(line, &n[0], &n[1], &n[2], &n[3], &n[4]); err != nil {
		return fmt.Errorf("wrk says %q: %w", out, err)
	}
	if n[4] > 0 {
		return fmt.Errorf("%d of %d requests failed", n[4], n[0])
	}
	if n[0] == 0 || n[1] == 0 {
		return nil // a machine that is busy elsewhere gave it no time
	}
	f := e.Cases[name]
	f.cpus = append(f.cpus, used.Nanoseconds()/n[0])
	f.rates = append(f.rates, n[0]*1e6/n[1])
	f.p50s = append(f.p50s, n[2])
	f.p99s = append(f.p99s, n[3])
	e.Cases[name] = f
	return nil
}
