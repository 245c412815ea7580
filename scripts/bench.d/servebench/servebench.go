// Package servebench compares the edge server with web servers that serve the same
// files. Each server runs on one core, and wrk on another, several times in turn. The
// main figure is CPU time per response, which varies least.
package servebench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"bench/corpus"
	"bench/releasebench"

	"contentedge/cmd/outfile"
)

const (
	syntheticItems = 12000
	smokeItems     = 1000
)

// config has the parsed flags.
type config struct {
	items, programs, json, svg string
	rounds, files, conns       int
	serverCPU, clientCPU       int
	each                       time.Duration
	smoke, bare                bool
	only                       *regexp.Regexp
	servers                    []string // names of the servers to start
}

// register adds the flags that both benchmarks have.
func (c *config) register(fs *flag.FlagSet) {
	fs.StringVar(&c.items, "items", "", "NDJSON `file`, optionally .gz, one item per line (default: synthetic items)")
	fs.IntVar(&c.files, "files", 10000, "number of items to request, in random order")
	fs.IntVar(&c.serverCPU, "server-cpu", 0, "`core` of the servers")
	fs.IntVar(&c.clientCPU, "client-cpu", 1, "`core` of wrk")
	fs.StringVar(&c.programs, "programs", "", "`directory` with the generator and the edge server")
}

// parseAll parses flags and refuses other arguments.
func parseAll(fs *flag.FlagSet, args []string) error {
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return nil
}

func parse(args []string) (config, error) {
	c := config{servers: []string{ours, unkept, unfast, floor, nginxOff, nginxOn, nginxClosed, bare, caddy}}
	fs := flag.NewFlagSet("bench serve", flag.ContinueOnError)
	c.register(fs)
	fs.IntVar(&c.conns, "connections", 64, "of wrk")
	fs.IntVar(&c.rounds, "rounds", 5, "number of rounds; results are medians")
	fs.DurationVar(&c.each, "each", 4*time.Second, "duration of a measurement, in whole seconds")
	only := fs.String("only", "", "measure only the cases whose name matches this regular `expression`")
	fs.BoolVar(&c.bare, "bare", false, "let the other web servers send only their default header fields")
	fs.BoolVar(&c.smoke, "smoke", false, "check that everything works: one round, a second each")
	fs.StringVar(&c.json, "json", "", "write the results to a `file`")
	fs.StringVar(&c.svg, "svg", "", "draw the chart to a `file`")
	if err := parseAll(fs, args); err != nil {
		return c, err
	}
	var err error
	if c.only, err = regexp.Compile(*only); err != nil {
		return c, fmt.Errorf("--only: %w", err)
	}
	if c.smoke {
		c.rounds, c.each = 1, time.Second
	}
	if c.rounds < 1 || c.files < 1 || c.conns < 1 || c.each < time.Second {
		return c, errors.New("at least one round, file and connection, and a second each, are needed")
	}
	return c, nil
}

// Main runs the benchmark.
func Main(args []string, out, progress io.Writer) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	return inDirectory("bench-serve-", progress, []string{"wrk", "taskset", "gzip"}, func(dir string, say func(string, ...any)) error {
		r, err := c.run(dir, say)
		if err != nil {
			return err
		}
		return c.report(r, out)
	})
}

// inDirectory runs a benchmark in a directory of its own, if the required tools are
// installed.
func inDirectory(prefix string, progress io.Writer, tools []string, run func(dir string, say func(string, ...any)) error) error {
	if err := installed(tools...); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return run(dir, func(format string, a ...any) { fmt.Fprintf(progress, format+"\n", a...) })
}

// installed reports missing tools.
func installed(tools ...string) error {
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w; scripts/bench serve --install installs what is missing (Debian, as root)", err)
		}
	}
	return nil
}

// site builds the release.
func (c config) site(dir string, say func(string, ...any)) (*site, error) {
	items, err := c.load()
	if err != nil {
		return nil, err
	}
	say("building a release of %d items", len(items))
	public, err := releasebench.Release(c.programs, items, dir, "--compress", "gzip") // the only coding of stock nginx
	if err != nil {
		return nil, err
	}
	s, err := newSite(public, c.files)
	if err == nil && c.bare {
		s.fields = fields{}
	}
	return s, err
}

// run builds the release, starts the servers and measures.
func (c config) run(dir string, say func(string, ...any)) (_ *Results, err error) {
	s, err := c.site(dir, say)
	if err != nil {
		return nil, err
	}
	if err := s.compress(); err != nil {
		return nil, err
	}
	servers, err := c.start(s, dir, say)
	defer func() { err = errors.Join(err, stopAll(servers)) }()
	if err != nil {
		return nil, err
	}
	return c.measure(s, servers, filepath.Join(dir, "requests"), say)
}

func (c config) load() ([][]byte, error) {
	switch {
	case c.items != "":
		return corpus.Read(c.items)
	case c.smoke:
		return corpus.Synthetic(smokeItems), nil
	default:
		return corpus.Synthetic(syntheticItems), nil
	}
}

// report prints, draws and saves.
func (c config) report(r *Results, out io.Writer) error {
	if err := r.table(out); err != nil {
		return err
	}
	if c.json != "" {
		if err := r.save(c.json); err != nil {
			return err
		}
	}
	if c.svg != "" {
		return outfile.Write(c.svg, r.chart(), os.Stdout)
	}
	return nil
}
