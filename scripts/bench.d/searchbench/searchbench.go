// Package searchbench compares search engines. It prepares items and queries. Each
// engine builds its index and runs the queries in its own process, several times in
// turn; the results are medians.
package searchbench

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"bench/corpus"
	"bench/engine"
	"bench/queries"

	"contentedge/cmd/outfile"
)

// The sizes of a run.
const (
	syntheticItems = 20000
	smokeItems     = 1000
	smokeQueries   = 20
	million        = 1_000_000
	mostScanned    = 100_000 // items; the naive engine is too slow for more
)

// config has the parsed flags.
type config struct {
	items, work, peers, classpath string
	elasticsearch, process        string
	engines, field, json, svg     string
	only                          *regexp.Regexp
	rounds, queries               int
	least, most                   time.Duration
	smoke, million                bool
}

func parse(args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("bench search", flag.ContinueOnError)
	fs.StringVar(&c.items, "items", "", "NDJSON `file`, optionally .gz, one item per line (default: synthetic items)")
	fs.BoolVar(&c.million, "million", false, "multiply the items to a million")
	fs.BoolVar(&c.smoke, "smoke", false, "check that everything works and all totals are right; less than a minute")
	fs.IntVar(&c.rounds, "rounds", 3, "number of rounds; results are medians")
	fs.IntVar(&c.queries, "queries", 200, "queries per family")
	fs.DurationVar(&c.least, "least", 250*time.Millisecond, "shortest time to measure a family")
	fs.DurationVar(&c.most, "most", 2*time.Second, "longest time for one pass over a family; slow engines run fewer queries")
	fs.StringVar(&c.engines, "engines", "", "comma-separated `list` of ours, parse, scan, bleve, sqlite, lucene, elasticsearch (default: all available)")
	only := fs.String("only", "", "measure only the families whose name matches this regular `expression`")
	fs.StringVar(&c.field, "field", "", "`path` to search for words (default: the text with the largest vocabulary)")
	fs.StringVar(&c.work, "work", "", "`directory` for items and indexes; a later run reuses the items and the indexes of other engines, but Elasticsearch's (default: a temporary directory)")
	fs.StringVar(&c.json, "json", "", "write the results to a `file`")
	fs.StringVar(&c.svg, "svg", "", "draw the chart to a `file`")
	fs.StringVar(&c.peers, "peers", "", "`directory` with the other engines' programs")
	fs.StringVar(&c.elasticsearch, "elasticsearch", "", "`URL` of a node of Elasticsearch to ask over HTTP")
	fs.StringVar(&c.process, "elasticsearch-pid", "", "process `id` of that node")
	fs.StringVar(&c.classpath, "classpath", "", "Java class `path` of Lucene and its program")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	var err error
	if c.only, err = regexp.Compile(*only); err != nil {
		return c, fmt.Errorf("--only: %w", err)
	}
	if c.smoke {
		c.rounds, c.queries, c.least = 1, smokeQueries, 10*time.Millisecond
	}
	return c, nil
}

// Main runs the benchmark.
func Main(args []string, out, progress io.Writer) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	if c.work == "" {
		if c.work, err = os.MkdirTemp("", "bench-search-"); err != nil {
			return err
		}
		defer os.RemoveAll(c.work)
	}
	if err := os.MkdirAll(c.work, 0o755); err != nil {
		return err
	}
	r := &Results{}
	say := func(format string, a ...any) { fmt.Fprintf(progress, format+"\n", a...) }
	if err := prepare(c, r, say); err != nil {
		return err
	}
	if err := measure(c, r, say); err != nil {
		return err
	}
	return report(c, r, out)
}

// report prints, draws and judges.
func report(c config, r *Results, out io.Writer) error {
	if err := r.table(out); err != nil {
		return err
	}
	if c.json != "" {
		if err := r.save(c.json); err != nil {
			return err
		}
	}
	if c.svg != "" {
		if err := outfile.Write(c.svg, r.chart(), os.Stdout); err != nil {
			return err
		}
	}
	return r.judge()
}

// prepare fills the work directory, or reads what an earlier run wrote there.
func prepare(c config, r *Results, say func(string, ...any)) error {
	items, err := c.load()
	if err != nil {
		return err
	}
	fields := corpus.Detect(items)
	say("%d items, %d fields; drawing queries", len(items), len(fields))
	qs, field, err := queries.Draw(items, fields, c.field, c.queries)
	if err != nil {
		return err
	}
	if qs = slices.DeleteFunc(qs, func(q queries.Query) bool { return !c.only.MatchString(q.Family) }); len(qs) == 0 {
		return fmt.Errorf("--only: no family matches %s", c.only)
	}
	r.Items, r.Bytes, r.Field = len(items), corpus.Bytes(items), field
	var groups [][]queries.Query
	r.Families, groups = queries.Families(qs)
	for _, g := range groups {
		if g[0].Kind.Common() {
			r.Common++
		}
	}
	if err := queries.Save(filepath.Join(c.work, engine.QueriesFile), qs); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.work, engine.FieldsFile)); err == nil {
		return nil
	}
	if err := corpus.WriteFile(filepath.Join(c.work, engine.ItemsFile), items); err != nil {
		return err
	}
	if err := create(c.work, engine.CutFile, func(w io.Writer) error { return corpus.WriteCut(w, fields, items) }); err != nil {
		return err
	}
	return create(c.work, engine.FieldsFile, func(w io.Writer) error {
		_, err := fields.WriteTo(w)
		return err
	})
}

func create(dir, name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// load returns the items in the default order.
func (c config) load() ([][]byte, error) {
	if kept, err := corpus.Read(filepath.Join(c.work, engine.ItemsFile)); err == nil {
		return kept, nil
	}
	var items [][]byte
	switch {
	case c.items != "":
		var err error
		if items, err = corpus.Read(c.items); err != nil {
			return nil, err
		}
	case c.smoke:
		items = corpus.Synthetic(smokeItems)
	default:
		items = corpus.Synthetic(syntheticItems)
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%s: no items", c.items)
	}
	if c.million {
		items = corpus.Multiply(items, million)
	}
	corpus.Sort(items)
	return items, nil
}

// peer is an engine's program.
type peer struct {
	name, title string
	index       string // directory of the index; engines may share one
	command     []string
}

// available returns the engines to measure.
func (c config) available(items int) ([]peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all := []peer{
		{"ours", "contentedge", "ours", []string{self, "engine", "ours"}},
		{"parse", "with its body parsed", "ours", []string{self, "engine", "parse"}},
		{"lucene", "Lucene 8", "lucene", []string{"java", "-Xmx4g", "-XX:+UseSerialGC", "-cp", c.classpath, "Lucene"}},
		{"bleve", "bleve 2", "bleve", []string{filepath.Join(c.peers, "bleve")}},
		{"sqlite", "SQLite FTS5", "sqlite", []string{filepath.Join(c.peers, "sqlite")}},
		{"elasticsearch", "Elasticsearch 7.10, HTTP", "elasticsearch", []string{self, "engine", "elasticsearch"}},
		{"scan", "scan", "scan", []string{self, "engine", "scan"}},
	}
	wanted := strings.Split(c.engines, ",")
	var out []peer
	for _, p := range all {
		switch {
		case c.engines != "" && !slices.Contains(wanted, p.name):
		case p.name == "lucene" && c.classpath == "":
		case p.name == "elasticsearch" && c.elasticsearch == "":
		case p.name == "scan" && c.engines == "" && items > mostScanned:
		case (p.name == "bleve" || p.name == "sqlite") && !exists(p.command[0]):
		default:
			out = append(out, p)
		}
	}
	return out, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// measure builds the indexes and runs the engines in turn.
func measure(c config, r *Results, say func(string, ...any)) error {
	peers, err := c.available(r.Items)
	if err != nil {
		return err
	}
	if err := c.clean(); err != nil {
		return err
	}
	for _, p := range peers {
		e := &Engine{Name: p.name, Title: p.title, Families: map[string]Family{}}
		r.Engines = append(r.Engines, e)
		if err := c.build(p, e, say); err != nil {
			return err
		}
	}
	for round := range c.rounds {
		for i := range peers {
			k := (i + round) % len(peers) // each round starts with another engine
			if peers[k].name == "scan" && round > 0 {
				continue // slow, and not a competitor
			}
			say("round %d: %s", round+1, peers[k].title)
			if err := c.run(peers[k], r.Engines[k]); err != nil {
				return err
			}
		}
	}
	for _, e := range r.Engines {
		e.summarise()
	}
	return nil
}
