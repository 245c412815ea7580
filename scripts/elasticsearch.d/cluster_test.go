// This file compares an edge server that searches a cluster with one that has the snapshots, request by request.
// `scripts/cluster test` runs it with what it needs in the process's environment; without, it skips.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/searchtest"

	"elasticsearch/compare"
	"elasticsearch/index"
	"elasticsearch/release"
)

// TestCluster sends CLUSTER_BODIES random bodies and other requests to both edge servers. With one shard the answers are
// equal, but for families that OpenSearch answers otherwise than Elasticsearch. With several, those that differ say
// that they are approximate.
func TestCluster(t *testing.T) {
	urls := setting(t, "CLUSTER_URLS")
	c := prepare(t, os.Getenv("CLUSTER_SHORT") != "")
	shards := number(t, "CLUSTER_SHARDS", 1)
	loadCluster(t, c, urls, shards)
	p := newPair(t, c, urls, shards)
	left := number(t, "CLUSTER_BODIES", 500)
	began := time.Now()
	for seed := uint64(number(t, "CLUSTER_SEED", 0)); left > 0 && p.faults < mostFaults; seed++ {
		for _, e := range c.envs {
			if e.tooFew() {
				continue
			}
			r := rand.New(rand.NewPCG(seed, 7))
			next := searchtest.Bodies(t, r, e.items)
			p.repeat = fmt.Sprintf("CLUSTER_SEED=%d", seed)
			requests := newRequests(rand.New(rand.NewPCG(seed, 8)), e)
			for i := range min(left, bodiesOfSeed) {
				body := next()
				p.search(e, body)
				if i%othersEvery == 0 {
					p.others(e, requests.others(body), body)
				}
				left--
			}
			for range restOfSeed {
				p.others(e, []request{requests.list()}, nil)
				filtered, query := requests.filtered()
				p.others(e, []request{filtered}, query)
			}
		}
	}
	p.report(time.Since(began))
	if shards == 1 {
		site := c.envs[slices.IndexFunc(c.envs, func(j judged) bool { return j.env.ID == "site" })]
		keptAnswers(t, p.cluster, site.env, func(body []byte) bool {
			family, _ := p.reasons.of(site, body)
			return family != ""
		})
	}
}

// patient lets edge servers wait for a busy machine.
var patient = []string{"--search-timeout", "1m"}

// loadCluster loads a release into a cluster, from its beginning.
func loadCluster(t *testing.T, c *corpora, urls string, shards int) {
	t.Helper()
	node := index.New(strings.Split(urls, ",")[0])
	for _, e := range c.envs {
		if status, text, err := node.Do("DELETE", "/"+layout.IndexName(e.env.ID, c.build), nil); err != nil || status != http.StatusOK && status != http.StatusNotFound {
			t.Fatalf("%v %d %s", err, status, text)
		}
	}
	began := time.Now()
	load := exec.Command(filepath.Join(string(c.programs), "generator"), "load", "--to", urls, "--from", c.public, "--shards", fmt.Sprint(shards), "--no-alias")
	if text, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", load, err, text)
	}
	t.Logf("loaded in %.1f s", time.Since(began).Seconds())
}

// TestChecks asks the checks beside the repository about an edge server that searches a cluster and has no files of
// lists. The corpora are as they are, not shortened.
func TestChecks(t *testing.T) {
	urls := setting(t, "CLUSTER_URLS")
	shared, err := filepath.Abs(filepath.Join("..", "..", "..", "shared"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(shared, "corpora", "*.ndjson.gz"))
	if err != nil || len(files) == 0 {
		t.Skipf("there are no corpora in %s: %v", shared, err)
	}
	content := t.TempDir()
	c := &corpora{programs: release.Programs(setting(t, "ELASTICSEARCH_PROGRAMS")), public: filepath.Join(t.TempDir(), "public")}
	for _, file := range files {
		env := strings.TrimSuffix(filepath.Base(file), ".ndjson.gz")
		if err := unpack(file, filepath.Join(content, env, "items.ndjson")); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.programs.Build(content, c.public); err != nil {
		t.Fatal(err)
	}
	c.read(t)
	loadCluster(t, c, urls, number(t, "CLUSTER_SHARDS", 1))
	url, stop, err := c.programs.Serve(c.public, append(patient, "--search-at", urls)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	check := func(name string, args ...string) {
		t.Run(name, func(t *testing.T) {
			text, err := exec.Command("python3", append([]string{filepath.Join(shared, "checks", name), "--base", url}, args...)...).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, text)
				return
			}
			t.Logf("%s", text[max(0, len(text)-600):])
		})
	}
	for _, file := range files {
		env := strings.TrimSuffix(filepath.Base(file), ".ndjson.gz")
		check("rest_diff.py", "--env", env, "--items", file, "--n", fmt.Sprint(number(t, "CLUSTER_REQUESTS", 5000)))
		check("golden_diff.py", "--env", env, "--items", file, "--golden", filepath.Join(shared, "golden", "visible-"+env+".jsonl.gz"))
	}
	env := strings.TrimSuffix(filepath.Base(files[0]), ".ndjson.gz")
	list := "/cda/rest/v1/" + env + "/contents"
	_, text, err := index.New(url).Do("GET", list+"?pageSize=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	var page struct{ Data []struct{ ContentID string } }
	if err := json.Unmarshal(text, &page); err != nil || len(page.Data) == 0 {
		t.Fatalf("%v %.300s", err, text)
	}
	check("http_abuse.py", "--list", list, "--item", list+"/"+page.Data[0].ContentID, "--search", "/cda/es/v1/"+env, "--quick")
}

// TestEngines sends the translations of CLUSTER_BODIES random bodies, and of those of bodies/, to OpenSearch and to
// Elasticsearch. Each difference must be of a known family. Bodies that an edge server refuses are left out.
func TestEngines(t *testing.T) {
	urls := setting(t, "CLUSTER_URLS")
	c := prepare(t, os.Getenv("CLUSTER_SHORT") != "")
	edge, stop, err := c.programs.Serve(c.public)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	x := newReasons(t, c, strings.Split(urls, ",")[0], edge)
	families, asked := map[string]int{}, 0
	ask := func(e judged, body []byte, repeat string) {
		if status, _, err := index.New(edge).Do("POST", "/cda/es/v1/"+e.env.ID, body); err != nil || status == http.StatusBadRequest {
			return
		}
		asked++
		family, diff := x.engines(e, body)
		if diff != "" && family == "" {
			t.Errorf("%s %s\n%s\n%s", repeat, e.env.ID, body, diff)
		}
		if family != "" {
			families[family]++
		}
	}
	left := number(t, "CLUSTER_BODIES", 500)
	for seed := uint64(number(t, "CLUSTER_SEED", 0)); left > 0; seed++ {
		for _, e := range c.envs {
			if e.tooFew() {
				continue
			}
			next := searchtest.Bodies(t, rand.New(rand.NewPCG(seed, 7)), e.items)
			for range min(left, bodiesOfSeed) {
				ask(e, next(), fmt.Sprintf("CLUSTER_SEED=%d", seed))
				left--
			}
		}
	}
	files, err := filepath.Glob(filepath.Join("bodies", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	site := c.envs[slices.IndexFunc(c.envs, func(j judged) bool { return j.env.ID == "site" })]
	for _, file := range files {
		for i, body := range bodies(t, file) {
			ask(site, body, fmt.Sprintf("%s:%d", file, i+1))
		}
	}
	t.Logf("%d bodies", asked)
	for _, name := range slices.Sorted(maps.Keys(families)) {
		t.Logf("%7d %s", families[name], name)
	}
}

// How often the requests beside searches are sent, and after how many faults the test ends.
const (
	othersEvery = 10
	restOfSeed  = 10
	mostFaults  = 20
)

// request is a request and how its answer is read.
type request struct {
	method, path string
	body         []byte
	form         compare.Form
}

// pair are the two edge servers.
type pair struct {
	*testing.T
	snapshot, cluster string // their URLs
	client            http.Client
	reasons           *reasons
	shards            int
	examples          int    // of each reason that are logged
	repeat            string // how to have the same requests again
	faults            int
	counts            map[string]int // of answers, by endpoint and what became of them
	families          map[string]int // of answers that differ for known reasons
}

func newPair(t *testing.T, c *corpora, urls string, shards int) *pair {
	p := &pair{T: t, shards: shards, examples: number(t, "CLUSTER_EXAMPLES", 2), counts: map[string]int{}, families: map[string]int{}}
	p.client = http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DisableCompression: true}}
	for _, of := range []struct {
		url  *string
		args []string
	}{{&p.snapshot, nil}, {&p.cluster, []string{"--search-at", urls}}} {
		url, stop, err := c.programs.Serve(c.public, append(of.args, patient...)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		*of.url = url
	}
	p.reasons = newReasons(t, c, strings.Split(urls, ",")[0], p.snapshot)
	return p
}

// ask sends a request to an edge server.
func (p *pair) ask(url string, r request, header ...string) compare.Answer {
	req, err := http.NewRequest(r.method, url+r.path, bytes.NewReader(r.body))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := p.client.Do(req)
	if err != nil {
		p.Fatalf("%s %s %s: %v", r.method, r.path, r.body, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.Fatal(err)
	}
	return compare.Answer{Status: res.StatusCode, Header: res.Header, Body: body}
}

// search sends a body to both endpoints.
func (p *pair) search(e judged, body []byte) {
	path := "/cda/es/v1/" + e.env.ID
	rounded := p.compare(e, "_search", request{"POST", path + "/_search", body, compare.Hits}, body) == equalValues
	r := request{"POST", path, body, compare.Enveloped}
	if rounded { // hits that tie but for their last digits may have another order
		if ours, theirs := p.ask(p.cluster, r), p.ask(p.snapshot, r); ours.Status == theirs.Status {
			p.counts["search: "+equalValues]++
			return
		}
	}
	p.compare(e, "search", r, body)
}

// others sends other requests. Those of Elasticsearch's API hold a body, which may explain a difference.
func (p *pair) others(e judged, requests []request, body []byte) {
	for _, r := range requests {
		path, _, _ := strings.Cut(r.path, "?")
		name := path[strings.LastIndexByte(path, '/')+1:]
		for _, kind := range []string{"_explain", "_doc", "_source", "/contents/"} {
			if strings.Contains(path, kind) {
				name = strings.Trim(kind, "/")
			}
		}
		if name == e.env.ID {
			name = "search by parameters"
		}
		p.compare(e, name, r, body)
	}
}

// estimates finds what a cluster tells of as approximate with one shard, too.
var estimates = regexp.MustCompile(`"(percentiles|percentile_ranks|median_absolute_deviation|cardinality)"|"composite".*"(date_)?histogram"`)

// beyondType finds lists sorted by a path of the hard corpus with numbers that no type of an index holds.
var beyondType = regexp.MustCompile(`^/cda/rest/.*\bsort=Data\.huge\b`)

// manyTerms is in errors of bodies whose patterns match more terms than a snapshot takes. The limit of nodes is a setting.
const manyTerms = "span_multi: more than"

// refusedByCluster is in errors of bodies that the cluster refuses.
const refusedByCluster = "the search cluster refuses"

// What becomes of a request.
const (
	equalBytes  = "equal bytes"
	equalValues = "equal but for the last digits of scores, or for the text of explanations"
	equalTold   = "equal, told as approximate"
	differsTold = "differs, told as approximate"
	unsayable   = "not at a cluster"
	asEngines   = "differs for a known reason"
	isFault     = "FAULT"
)

// compare sends a request to both edge servers, and counts and returns what became of it.
func (p *pair) compare(e judged, endpoint string, r request, body []byte) (outcome string) {
	p.Helper()
	outcome, diff := p.judge(e, r, body)
	p.counts[endpoint+": "+outcome]++
	switch outcome {
	case isFault:
		p.faults++
		p.Errorf("%s %s %s %s\n%s\n%s", p.repeat, e.env.ID, r.method, r.path, r.body, diff)
	case asEngines, unsayable:
		name, _, _ := strings.Cut(diff, "\n")
		if p.families[name]++; p.families[name] <= p.examples {
			p.Logf("%s %s %s %s\n%s\n%s", p.repeat, e.env.ID, r.method, r.path, r.body, diff)
		}
	}
	return outcome
}

// judge returns what became of a request, with what differs: behind the name of the reason, if that is known.
func (p *pair) judge(e judged, r request, body []byte) (outcome, diff string) {
	ours, theirs := p.ask(p.cluster, r), p.ask(p.snapshot, r)
	if _, why, ok := strings.Cut(string(ours.Body), "which cannot be asked about "); ok { // in the response to one of several searches, too
		why, _, _ = strings.Cut(why, `"`)
		return unsayable, "cannot be asked: " + why
	}
	told := ours.Approximate()
	if told && p.shards == 1 && !estimates.Match(r.body) {
		return isFault, "an answer from one shard says that it is approximate"
	}
	diff = compare.Edges(r.form, theirs, ours, func() (compare.Answer, bool) {
		more := r
		more.body = compare.With(r.body, `{"from":null,"aggs":null,"aggregations":null,"highlight":null,"suggest":null,"size":10000}`)
		return p.ask(p.cluster, more), true
	})
	if diff == "" {
		if diff = p.again(r, ours); diff != "" && (r.form == compare.Explained || bytes.Contains(r.body, []byte(`"explain":true`))) {
			return asEngines, "parts of explanations have an order of their own in each request\n" + diff
		}
	}
	switch {
	case diff == "" && bytes.Equal(ours.Body, theirs.Body):
		return equalBytes, ""
	case diff == "" && told:
		return equalTold, ""
	case diff == "":
		return equalValues, ""
	case told:
		return differsTold, diff
	case beyondType.MatchString(r.path):
		return asEngines, "numbers that the type of a path cannot hold are last in lists sorted by it\n" + diff
	case body == nil:
		return isFault, diff
	}
	if ours.Status == http.StatusBadRequest && theirs.Status == http.StatusOK && !bytes.Contains(ours.Body, []byte(refusedByCluster)) {
		return asEngines, "the edge of a cluster refuses, before it knows whether an item matches, what a snapshot does not look at without one\n" + diff
	}
	if bytes.Contains(theirs.Body, []byte(manyTerms)) && !bytes.Contains(ours.Body, []byte(manyTerms)) {
		return asEngines, "a snapshot takes fewer terms for a pattern than these nodes are set to\n" + diff
	}
	family, engines := p.reasons.of(e, body)
	if family == "" {
		return isFault, diff + engines
	}
	return asEngines, family + "\n" + diff
}

// again repeats a request: the cluster's edge must send the same bytes.
func (p *pair) again(r request, before compare.Answer) string {
	if before.Status != http.StatusOK || p.ask(p.cluster, r, "If-None-Match", before.Header.Get("Etag")).Status == http.StatusNotModified {
		return ""
	}
	if second := p.ask(p.cluster, r); !bytes.Equal(before.Body, second.Body) && !bytes.Contains(r.body, []byte("now")) {
		return fmt.Sprintf("the same request has another answer: %.300s, before %.300s", second.Body, before.Body)
	}
	return ""
}

// report logs what became of the requests.
func (p *pair) report(took time.Duration) {
	var b strings.Builder
	all := 0
	for _, name := range slices.Sorted(maps.Keys(p.counts)) {
		fmt.Fprintf(&b, "\n%7d %s", p.counts[name], name)
		all += p.counts[name]
	}
	for _, name := range slices.Sorted(maps.Keys(p.families)) {
		fmt.Fprintf(&b, "\n%7d %s", p.families[name], name)
	}
	p.Logf("%d requests, %.0f a second, %d shards%s", all, float64(all)/took.Seconds(), p.shards, b.String())
}
