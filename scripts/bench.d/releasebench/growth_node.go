// This file measures what nodes and preview do when a site changes.

package releasebench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bench/engine"
	"contentedge/edgeserve/listenaddr/freeport"
)

// process is a program that listens.
type process struct {
	cmd  *exec.Cmd
	port *freeport.Loan
	url  string
}

// run starts a program that listens at an address of its own, and waits until it serves an environment.
func (g *growth) run(s *site, env []string, program string, args ...string) (*process, error) {
	port, err := freeport.Lend()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(filepath.Join(g.programs, program), append(args, "--addr", port.Addr)...), port: port,
		url: "http://" + port.Addr + "/cda/rest/v1/" + s.env + "/contents"}
	p.cmd.Env = append(os.Environ(), env...)
	begin := time.Now()
	if err := p.cmd.Start(); err != nil {
		port.Return()
		return nil, err
	}
	s.nodes = append(s.nodes, p)
	return p, FirstResponse(p.url, begin)
}

func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
	p.port.Return()
	p.cmd = nil
}

// cpu is the processor time so far, in seconds.
func (p *process) cpu() float64 { return (&edits{pid: p.cmd.Process.Pid}).cpuTime().Seconds() }

func (p *process) peak() int64 {
	_, _, text := engine.Memory(strconv.Itoa(p.cmd.Process.Pid))
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// rest waits until a process has used no more than a hundredth of a second in half a second.
func (p *process) rest() {
	for before, tries := p.cpu(), 0; tries < 100; tries++ {
		time.Sleep(restTime / 2)
		now := p.cpu()
		if now-before < 0.011 {
			return
		}
		before = now
	}
}

// node starts the edge server on the site's public directory, once.
func (g *growth) node(s *site) (*process, error) {
	if len(s.nodes) > 0 {
		return s.nodes[0], nil
	}
	return g.run(s, nil, "edgeserve", "--public", s.public)
}

// startNode measures a start, with the digests that are verified after it.
func (g *growth) startNode(s *site) (f figures, err error) {
	p, err := g.node(s)
	if err != nil {
		return f, err
	}
	p.rest()
	return figures{cpu: p.cpu(), peak: p.peak()}, nil
}

func (g *growth) idle(s *site) (f figures, err error) {
	p, err := g.node(s)
	if err != nil {
		return f, err
	}
	const seconds = 10
	p.rest()
	before := p.cpu()
	time.Sleep(seconds * time.Second)
	return figures{cpu: max(p.cpu()-before, 0.001) / seconds}, nil
}

// swap measures what a node does when a release with one edit becomes current, from the build to its rest.
func (g *growth) swap(s *site) (f figures, err error) {
	p, err := g.node(s)
	if err != nil {
		return f, err
	}
	for range g.runs {
		mark, err := s.edit()
		if err != nil {
			return f, err
		}
		p.rest()
		before := p.cpu()
		if _, err := g.generate(s.content, s.public); err != nil {
			return f, err
		}
		if err := await(p.url+"/"+s.item, mark); err != nil {
			return f, err
		}
		p.rest()
		f.cpu += max(p.cpu()-before, 0.001) / float64(g.runs)
	}
	f.peak = p.peak()
	p.stop()
	s.nodes = nil
	return f, nil
}

// save measures the processor time of preview from a save to its rest.
func (g *growth) save(s *site) (f figures, err error) {
	p, err := g.run(s, nil, "preview", "--content", s.content)
	if err != nil {
		return f, err
	}
	defer func() {
		p.stop()
		s.nodes = nil
	}()
	p.rest()
	for round := range g.runs + 2 {
		before := p.cpu()
		mark, err := s.edit()
		if err != nil {
			return f, err
		}
		if err := await(p.url+"/"+s.item, mark); err != nil {
			return f, err
		}
		p.rest()
		if round > 1 { // older releases are there to be removed
			f.cpu += max(p.cpu()-before, 0.001) / float64(g.runs)
		}
	}
	f.peak = p.peak()
	return f, nil
}

// has reports whether a command of the generator has a flag.
func (g *growth) has(command, flag string) bool {
	out, err := exec.Command(filepath.Join(g.programs, "generator"), command, "--help").Output()
	return err == nil && strings.Contains(string(out), flag)
}

// absent says why a step does not run.
func absent(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errAbsent, fmt.Sprintf(format, args...))
}
