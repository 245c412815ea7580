// This file measures: rounds of all servers in turn, for one case after the other.

package servebench

import (
	_ "embed"
	"errors"
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
		if !c.only.MatchString(k.name) {
			continue
		}
		say("%s", k.name)
		if err := c.measureCase(k, s, servers, dir, r); err != nil {
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
func (c config) measureCase(k theCase, s *site, servers []*server, dir string, r *Results) error {
	servers = slices.DeleteFunc(slices.Clone(servers), func(v *server) bool { return !k.answers(v.name) })
	if len(k.requests) == 0 {
		return fmt.Errorf("the release has nothing to ask for")
	}
	r.Cases = append(r.Cases, k.name)
	var first responses
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
		if err := s.fields.missing(k.class, a.head); err != nil {
			return fmt.Errorf("%s gives other header fields: %w", v.title, err)
		}
		r.of(v).sent(k.name, a.bytes/int64(len(requests)))
		file := strings.Join(shuffled(requests), "\x00")
		if err := os.WriteFile(filepath.Join(dir, v.name), []byte(file), 0o644); err != nil {
			return err
		}
	}
	for round := range c.rounds {
		for i := range servers {
			v := servers[(i+round)%len(servers)]
			if err := errors.Join(c.round(v, dir, k.name, r.of(v)), c.paced(v, dir, k.name, r.of(v))); err != nil {
				return fmt.Errorf("%s: %w", v.title, err)
			}
		}
	}
	return nil
}

// round is one measurement of a server that is asked as fast as it answers.
func (c config) round(v *server, dir, name string, into *Server) error {
	before, err := cpu(v.cmd.Process.Pid)
	if err != nil {
		return err
	}
	got, err := c.wrk(v, dir)
	if err != nil {
		return err
	}
	after, err := cpu(v.cmd.Process.Pid)
	if err != nil || got.requests == 0 || got.micros == 0 {
		return err // a machine that is busy elsewhere gave it no time
	}
	f := into.Cases[name]
	f.cpus = append(f.cpus, (after-before).Nanoseconds()/got.requests)
	f.rates = append(f.rates, got.rate())
	f.p50s = append(f.p50s, got.p50)
	f.p99s = append(f.p99s, got.p99)
	into.Cases[name] = f
	return nil
}

// pause is how long a connection waits before each request where all servers are to have
// the same load, in milliseconds: long enough that the slowest server keeps up.
const pause = 6

// paced is one measurement of a server that is asked as often as the others.
func (c config) paced(v *server, dir, name string, into *Server) error {
	got, err := c.wrk(v, dir, strconv.Itoa(pause))
	if err != nil || got.requests == 0 || got.micros == 0 {
		return err
	}
	f := into.Cases[name]
	f.pacedRates = append(f.pacedRates, got.rate())
	f.pacedP50s = append(f.pacedP50s, got.p50)
	f.pacedP99s = append(f.pacedP99s, got.p99)
	into.Cases[name] = f
	return nil
}

// sample is what wrk saw of a server.
type sample struct {
	requests, micros, p50, p99, failed int64
}

// rate is responses a second.
func (s sample) rate() int64 { return s.requests * 1e6 / s.micros }

// wrk asks a server for everything in its file of requests, again and again.
func (c config) wrk(v *server, dir string, arguments ...string) (sample, error) {
	lua := filepath.Join(dir, "requests.lua")
	if err := os.WriteFile(lua, script, 0o644); err != nil {
		return sample{}, err
	}
	args := append([]string{"-c", strconv.Itoa(c.clientCPU), "wrk", "-t1", "-c", strconv.Itoa(c.conns),
		"-d", fmt.Sprintf("%ds", c.each/time.Second), "-s", lua, "http://" + v.addr, "--", filepath.Join(dir, v.name)}, arguments...)
	out, err := exec.Command("taskset", args...).CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	return readSample(string(out))
}

// readSample reads what the script printed: requests, microseconds, p50, p99, failures and,
// after a colon, how many of each kind.
func readSample(out string) (s sample, err error) {
	_, line, _ := strings.Cut(out, "\nmeasured")
	numbers, kinds, ok := strings.Cut(line, ":")
	if !ok {
		return s, fmt.Errorf("wrk says %q", out)
	}
	if _, err := fmt.Sscan(numbers, &s.requests, &s.micros, &s.p50, &s.p99, &s.failed); err != nil {
		return s, fmt.Errorf("wrk says %q: %w", out, err)
	}
	if s.failed > 0 {
		return s, fmt.Errorf("%d of %d requests failed:%s", s.failed, s.requests, strings.TrimRight(kinds, "\n"))
	}
	return s, nil
}
