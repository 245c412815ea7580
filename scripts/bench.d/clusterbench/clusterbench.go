// Package clusterbench measures searches on an OpenSearch cluster behind an edge server, and compares them with the
// edge's own search of its snapshot and with the bare cluster. Each way gets the same requests; the bare cluster gets
// what the edge sends it.
package clusterbench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"bench/corpus"
)

const (
	syntheticItems = 12000
	smokeItems     = 1000
)

// config has the parsed flags.
type config struct {
	items, programs, only string
	nodes                 []string
	pids                  []int
	requests, rounds      int
	conns                 int
	each, warm            time.Duration
	smoke                 bool
}

func parse(args []string) (c config, err error) {
	var nodes, pids string
	fs := flag.NewFlagSet("bench cluster", flag.ContinueOnError)
	fs.StringVar(&c.items, "items", "", "NDJSON `file`, optionally .gz, one item per line (default: synthetic items)")
	fs.StringVar(&c.programs, "programs", "", "`directory` with the generator and the edge server")
	fs.StringVar(&c.only, "only", "", "measure families whose `name` has this text")
	fs.StringVar(&nodes, "nodes", "", "`URLs` of the cluster's nodes, separated by commas")
	fs.StringVar(&pids, "pids", "", "`ids` of the nodes' processes, separated by commas")
	fs.IntVar(&c.requests, "requests", 200, "different requests of each family")
	fs.IntVar(&c.conns, "connections", 8, "for the processor time; latencies have one")
	fs.IntVar(&c.rounds, "rounds", 3, "number of rounds; results are medians")
	fs.DurationVar(&c.each, "each", time.Second, "duration of a measurement")
	fs.DurationVar(&c.warm, "warm", time.Minute, "duration of searches before the first round: the nodes compile their code meanwhile")
	fs.BoolVar(&c.smoke, "smoke", false, "check that everything works: few requests, one round")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if c.smoke {
		c.requests, c.rounds, c.each, c.warm = 10, 1, 100*time.Millisecond, 0
	}
	c.nodes = list(nodes)
	for _, text := range list(pids) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			return c, fmt.Errorf("--pids: %w", err)
		}
		c.pids = append(c.pids, pid)
	}
	if len(c.nodes) == 0 || len(c.pids) == 0 || c.requests < 1 || c.rounds < 1 || c.conns < 1 {
		return c, errors.New("at least one node with its process, one request, one round and one connection are needed")
	}
	return c, nil
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// Main runs the benchmark.
func Main(args []string, out, progress io.Writer) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{config: c, dir: dir, say: func(format string, a ...any) { fmt.Fprintf(progress, format+"\n", a...) }}
	defer b.stop()
	if err := b.run(); err != nil {
		return err
	}
	return b.table(out)
}

func (c config) load() ([][]byte, error) {
	switch {
	case c.items != "":
		return corpus.Read(c.items)
	case c.smoke:
		return corpus.Synthetic(smokeItems), nil
	}
	return corpus.Synthetic(syntheticItems), nil
}

// bench is a run of the benchmark.
type bench struct {
	config
	dir      string // for files
	say      func(format string, a ...any)
	public   string
	index    string // the name of the environment's index
	count    int    // items
	loaded   loading
	families []*family
	edges    []*edge // that run
}

// run loads the cluster, captures its searches and measures.
func (b *bench) run() error {
	items, err := b.config.load()
	if err != nil {
		return err
	}
	b.count = len(items)
	if b.families, err = draw(items, b.requests, b.only); err != nil {
		return err
	}
	if err := b.fill(items); err != nil {
		return err
	}
	if err := b.capture(); err != nil {
		return err
	}
	ways, err := b.ways()
	if err != nil {
		return err
	}
	if err := b.same(ways); err != nil {
		return err
	}
	if err := b.measure(ways); err != nil {
		return err
	}
	b.loaded.bytes, err = b.size()
	return err
}
