// This file compares our search with a real Elasticsearch, body by body. `scripts/elasticsearch test`
// runs it with what it needs in the process's environment; without, it skips.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/cluster/translate"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	edge "contentedge/edgeserve/wire/release"

	"elasticsearch/compare"
	"elasticsearch/index"
	"elasticsearch/release"
)

// vocabularyItems is how many items of an environment the words of random bodies come from.
const vocabularyItems = 300

// bodiesOfSeed is how many random bodies a seed makes of an environment.
const bodiesOfSeed = 50

// judged is an environment that both engines have.
type judged struct {
	env    edge.Environment
	fields translate.Fields
	items  []string
}

// tooFew reports whether the items have too few words for random bodies.
func (j judged) tooFew() bool { return len(j.items) < 20 }

// setting is a member of the process's environment, or the test is skipped.
func setting(t *testing.T, name string) string {
	value := os.Getenv(name)
	if value == "" {
		t.Skip(name + " is not set: `scripts/elasticsearch test` sets it")
	}
	return value
}

// number is one that may be left out.
func number(t *testing.T, name string, n int) int {
	text := os.Getenv(name)
	if text == "" {
		return n
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// corpora has a release of the corpora.
type corpora struct {
	programs release.Programs
	public   string
	build    string
	envs     []judged
}

// dir is the directory of the release.
func (c *corpora) dir() string { return filepath.Join(c.public, "current") }

// prepare builds the corpora unless that is done. It leaves those beside the repository out, if few is set.
func prepare(t *testing.T, few bool) *corpora {
	c := &corpora{programs: release.Programs(setting(t, "ELASTICSEARCH_PROGRAMS")), public: filepath.Join(setting(t, "ELASTICSEARCH_WORK"), "public")}
	if _, err := os.Stat(filepath.Join(c.public, "manifest.json")); err != nil {
		build(t, c.programs, c.public, few)
	}
	c.read(t)
	return c
}

// read reads the manifest and words of the items.
func (c *corpora) read(t *testing.T) {
	m, err := release.Read(c.public)
	if err != nil {
		t.Fatal(err)
	}
	c.build = m.Build
	for _, env := range m.Environments {
		if only := os.Getenv("ELASTICSEARCH_CORPUS"); only == "" || env.ID == only {
			c.envs = append(c.envs, judged{env, translate.NewFields(env.Fields), some(t, filepath.Join(c.dir(), env.Snapshot.File))})
		}
	}
}

// begin serves the corpora from both engines.
func begin(t *testing.T) (*compare.Judge, []judged) {
	node := index.New(setting(t, "ELASTICSEARCH_URL"))
	c := prepare(t, slices.Contains([]string{hardName, compare.Tame}, os.Getenv("ELASTICSEARCH_CORPUS")))
	for _, e := range c.envs {
		began := time.Now()
		if err := node.Load(c.dir(), c.build, e.env); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d items loaded in %.1f s", e.env.ID, e.env.Items, time.Since(began).Seconds())
	}
	url, stop, err := c.programs.Serve(c.public)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	ours := compare.Envelope(index.New(url))
	if os.Getenv("ELASTICSEARCH_ENDPOINT") == "_search" {
		ours = compare.Endpoint(index.New(url))
	}
	return compare.NewJudge(ours, node), c.envs
}

// build builds the corpora that are at hand: the sample, a hard one, and unless few is set those beside the repository.
func build(t *testing.T, programs release.Programs, public string, few bool) {
	content := t.TempDir()
	if err := copySample(filepath.Join("..", "..", "content"), content); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{hardName, compare.Tame} {
		if err := hard(uint64(number(t, "ELASTICSEARCH_CORPUS_SEED", 1)), name == compare.Tame, filepath.Join(content, name, "items.ndjson")); err != nil {
			t.Fatal(err)
		}
	}
	var beside []string
	if !few {
		var err error
		if beside, err = filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpora", "*.ndjson.gz")); err != nil {
			t.Fatal(err)
		}
	}
	for _, corpus := range beside {
		env := strings.TrimSuffix(filepath.Base(corpus), ".ndjson.gz")
		if err := shorten(corpus, filepath.Join(content, env, "items.ndjson")); err != nil {
			t.Fatal(err)
		}
	}
	if err := programs.Build(content, public); err != nil {
		t.Fatal(err)
	}
}

// some returns items of a snapshot from all over it.
func some(t *testing.T, file string) (items []string) {
	r, err := snapshot.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	step := max(1, r.Items()/vocabularyItems)
	for d := 0; d < r.Items(); d += step {
		item, err := shortened(r.Fragment(snapshot.DocID(d)), longestWord)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, string(item))
	}
	return items
}

// outcome counts verdicts.
type outcome struct {
	asked, differ, refused, empty int
	reasons                       map[string]*excused
}

// excused counts bodies whose responses may differ for a reason.
type excused struct {
	parts, whole int            // bodies of which the rest was compared, and others
	spared       map[string]int // by part
}

func (o *outcome) count(v compare.Verdict) {
	o.asked++
	switch {
	case v.Reason != "":
		o.excuse(v)
	case v.Difference != "":
		o.differ++
	case v.Refused:
		o.refused++
	case v.Empty:
		o.empty++
	}
}

func (o *outcome) excuse(v compare.Verdict) {
	e := o.reasons[v.Reason]
	if e == nil {
		e = &excused{spared: map[string]int{}}
		if o.reasons == nil {
			o.reasons = map[string]*excused{}
		}
		o.reasons[v.Reason] = e
	}
	if len(v.Spared) == 0 {
		e.whole++
		return
	}
	e.parts++
	for _, name := range v.Spared {
		e.spared[name]++
	}
}

// unjudged returns how many bodies were not compared at all.
func (o *outcome) unjudged() (n int) {
	for _, e := range o.reasons {
		n += e.whole
	}
	return n
}

func (o *outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d bodies, %d refused by both, %d without matches, %d differ", o.asked, o.refused, o.empty, o.differ)
	share := func(n int) float64 { return 100 * float64(n) / float64(max(o.asked, 1)) }
	for _, name := range slices.Sorted(maps.Keys(o.reasons)) {
		e := o.reasons[name]
		fmt.Fprintf(&b, "\n  %.1f %% not compared, %.1f %% compared without parts: %s %v", share(e.whole), share(e.parts), name, e.spared)
	}
	fmt.Fprintf(&b, "\n  %.1f %% not compared in all", share(o.unjudged()))
	return b.String()
}

// maxUnjudged is the share of bodies that may go without a comparison, in percent.
const maxUnjudged = 3

// TestRandomBodies asks ELASTICSEARCH_BODIES random bodies of all environments together, from
// ELASTICSEARCH_SEED on.
func TestRandomBodies(t *testing.T) {
	judge, envs := begin(t)
	left := number(t, "ELASTICSEARCH_BODIES", 500)
	seed := uint64(number(t, "ELASTICSEARCH_SEED", 0))
	envs = slices.DeleteFunc(envs, judged.tooFew)
	var all outcome
	began := time.Now()
	for ; left > 0 && all.differ < number(t, "ELASTICSEARCH_FAILURES", 20); seed++ {
		for _, e := range envs {
			next := searchtest.Bodies(t, rand.New(rand.NewPCG(seed, 7)), e.items)
			for range min(left, bodiesOfSeed) {
				body := compare.With(next(), os.Getenv("ELASTICSEARCH_MEMBERS"))
				ask(t, judge, e, body, fmt.Sprintf("ELASTICSEARCH_SEED=%d", seed), &all)
				left--
			}
		}
	}
	t.Logf("%v, %.0f bodies/s", &all, float64(all.asked)/time.Since(began).Seconds())
	if n := all.unjudged(); n*100 > all.asked*maxUnjudged {
		t.Errorf("%d of %d bodies were not compared; %d %% may be", n, all.asked, maxUnjudged)
	}
}

// ask compares the responses to a body.
func ask(t *testing.T, judge *compare.Judge, e judged, body []byte, repeat string, all *outcome) {
	t.Helper()
	v, err := judge.CompareParts(e.env.ID, e.fields, body)
	if err != nil {
		t.Fatalf("%s %s: %v", e.env.ID, body, err)
	}
	all.count(v)
	if show := os.Getenv("ELASTICSEARCH_SHOW"); show != "" && v.Reason != "" && len(v.Spared) == 0 {
		t.Logf("not compared: %s\n%s\n%s", v.Reason, body, v.Difference)
	}
	if v.Difference != "" && v.Reason == "" {
		t.Errorf("%s %s\n%s\n%s", repeat, e.env.ID, body, v.Difference)
	}
}

// TestConstructs asks the bodies of the files in bodies/ about the sample. ELASTICSEARCH_CONSTRUCTS
// is a pattern of their names, because what we do not answer yet differs.
func TestConstructs(t *testing.T) {
	pattern := setting(t, "ELASTICSEARCH_CONSTRUCTS")
	judge, envs := begin(t)
	files, err := filepath.Glob(filepath.Join("bodies", pattern+".jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files bodies/%s.jsonl: %v", pattern, err)
	}
	at := slices.IndexFunc(envs, func(j judged) bool { return j.env.ID == "site" })
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			var all outcome
			for i, body := range bodies(t, file) {
				ask(t, judge, envs[at], body, fmt.Sprintf("%s:%d", file, i+1), &all)
			}
			t.Log(&all)
		})
	}
}

// bodies reads a body a line.
func bodies(t *testing.T, file string) (bodies [][]byte) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if !json.Valid(lines.Bytes()) {
			t.Fatalf("%s: no JSON: %s", file, lines.Text())
		}
		bodies = append(bodies, bytes.Clone(lines.Bytes()))
	}
	return bodies
}
