// Package wasmbench measures the engine as a WebAssembly module in Node, and compares it with the native engine and
// with other searches that need no server: Pagefind, and SQLite as Nuxt Content 3 uses it.
package wasmbench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"bench/corpus"
	"bench/queries"
	"bench/releasebench"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

// config has the parsed flags.
type config struct {
	items, content, env string
	programs            string
	module              string
	pagefind, sqlite    string
	rounds, queries     int
	least               time.Duration
	smoke               bool
}

func parse(args []string) (c config, err error) {
	fs := flag.NewFlagSet("bench wasm", flag.ContinueOnError)
	fs.StringVar(&c.items, "items", "", "NDJSON `file`, optionally .gz, one item per line (default: synthetic items)")
	fs.StringVar(&c.content, "content", "content", "content `directory` of --smoke")
	fs.StringVar(&c.programs, "programs", "", "`directory` with the generator")
	fs.StringVar(&c.module, "module", "", "`directory` with contentedge.wasm and contentedge.mjs")
	fs.StringVar(&c.pagefind, "pagefind", "", "`directory` of the npm package pagefind (default: without it)")
	fs.StringVar(&c.sqlite, "sqlite", "", "`directory` of the npm package @sqlite.org/sqlite-wasm (default: without it)")
	fs.IntVar(&c.rounds, "rounds", 3, "number of rounds; results are medians")
	fs.IntVar(&c.queries, "queries", 10, "number of queries per family")
	fs.DurationVar(&c.least, "least", 150*time.Millisecond, "least processor time of the repetitions of a family")
	fs.BoolVar(&c.smoke, "smoke", false, "check that everything works: the sample content, one round")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	c.env = releasebench.Env
	if c.smoke {
		c.rounds, c.queries, c.least, c.env = 1, 2, 10*time.Millisecond, "site"
	}
	if c.rounds < 1 || c.queries < 1 {
		return c, errors.New("at least one round and one query are needed")
	}
	return c, nil
}

// syntheticItems is the number of items without --items.
const syntheticItems = 2500

// work is what all measurements use. Node reads it as JSON.
type work struct {
	Module      string   // directory of the module
	Public      string   // directory of the release
	Environment string   // its one environment that is measured
	SearchOnly  string   // the file of the search-only snapshot
	Items       string   // the items as NDJSON, for the other searches
	Field       string   // the field that has the words
	Words       []string // for searches that all programs know
	Families    []family
	Least       float64 // milliseconds of processor time
	Pagefind    string  // directory of the package; "": without it
	SQLite      string
	Scratch     string // directory for indexes
}

// family is a row: bodies of one kind.
type family struct {
	Name   string
	Bodies []string
}

// Main runs the benchmark.
func Main(args []string, out, progress io.Writer) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("node"); err != nil {
		return errors.New("the module is measured in Node, and node is not installed")
	}
	dir, err := os.MkdirTemp("", "bench-wasm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	say := func(format string, a ...any) { fmt.Fprintf(progress, format+"\n", a...) }
	w, err := c.prepare(dir, say)
	if err != nil {
		return err
	}
	r, err := c.measure(w, say)
	if err != nil {
		return err
	}
	return r.table(out)
}

// prepare builds the release, and draws the queries from its items.
func (c config) prepare(dir string, say func(string, ...any)) (*work, error) {
	public, err := c.build(dir)
	if err != nil {
		return nil, err
	}
	d, err := releasedir.Open(public, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	w := &work{
		Module: c.module, Public: d.Fingerprint.Dir, Environment: c.env, Pagefind: c.pagefind, SQLite: c.sqlite, Scratch: dir,
		SearchOnly: filepath.Join(dir, "search-only"), Items: filepath.Join(dir, "items.ndjson"),
		Least: float64(c.least) / float64(time.Millisecond),
	}
	items, err := c.write(d, w)
	if err != nil {
		return nil, err
	}
	qs, field, err := queries.Draw(items, corpus.Detect(items), "", c.queries)
	if err != nil {
		return nil, err
	}
	w.Field = field
	w.choose(qs)
	say("%d items, words from %s; words for all programs: %v", len(items), field, w.Words)
	return w, nil
}

func (c config) build(dir string) (public string, err error) {
	flags := []string{"--lists", "-", "--compress", "none"}
	if c.smoke {
		public = filepath.Join(dir, "public")
		cmd := exec.Command(filepath.Join(c.programs, "generator"), slices.Concat([]string{"build", "--content", c.content, "--out", public, "--quiet"}, flags)...)
		cmd.Stderr = os.Stderr
		return public, cmd.Run()
	}
	items := corpus.Synthetic(syntheticItems)
	if c.items != "" {
		if items, err = corpus.Read(c.items); err != nil {
			return "", err
		}
	}
	return releasebench.Release(c.programs, items, dir, flags...)
}

// write writes the search-only snapshot and the items of the release, and returns the items.
func (c config) write(d *releasedir.Dir, w *work) (items [][]byte, err error) {
	reader := d.Readers[c.env]
	if reader == nil {
		return nil, fmt.Errorf("the release has no environment %s", c.env)
	}
	for i := range reader.Items() {
		items = append(items, slices.Clone(reader.Fragment(docID(i))))
	}
	f, err := os.Create(w.SearchOnly)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(reader.WriteSearchOnly(f), f.Close()); err != nil {
		return nil, err
	}
	return items, corpus.WriteFile(w.Items, items)
}

// wordsFamily is the family whose words all programs search for.
const wordsFamily = "one middling word"

// choose takes the families that the endpoint of searches answers, and the words.
func (w *work) choose(qs []queries.Query) {
	names, groups := queries.Families(qs)
	for i, group := range groups {
		f := family{Name: names[i]}
		for _, q := range group {
			if q.Kind.Common() {
				f.Bodies = append(f.Bodies, q.Body)
			}
			if q.Family == wordsFamily && !slices.Contains(w.Words, q.Args[1]) {
				w.Words = append(w.Words, q.Args[1])
			}
		}
		if len(f.Bodies) > 0 {
			w.Families = append(w.Families, f)
		}
	}
}

// manifest reads the manifest of the release.
func (w *work) manifest() (text []byte, _ *release.Environment, err error) {
	if text, err = os.ReadFile(filepath.Join(w.Public, release.ManifestName)); err != nil {
		return nil, nil, err
	}
	m, err := release.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	for i := range m.Environments {
		if m.Environments[i].ID == w.Environment {
			return text, &m.Environments[i], nil
		}
	}
	return nil, nil, fmt.Errorf("the release has no environment %s", w.Environment)
}
